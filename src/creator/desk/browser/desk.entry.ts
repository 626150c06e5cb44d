import { find } from '../../../pages/page/browser/dom.ts';
import { Desk } from './desk.ts';
import { deskView } from './desk-view.ts';
import { prepareSetUpPage } from './set-up-show.ts';

const desk = find(document, 'desk');
const setUpPage = find(document, 'set-up');
if (desk) new Desk(desk, deskView);
if (setUpPage) prepareSetUpPage(setUpPage);
