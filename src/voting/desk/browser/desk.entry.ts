import { prepareCopyFields } from '../../page/browser/copy-field.ts';
import { find } from '../../page/browser/dom.ts';
import { Desk } from './desk.ts';
import { takeKeyFromAddress } from './show-keys.ts';
import { prepareTaking } from './take-show.ts';

const [desk, taking] = [find(document, 'desk'), find(document, 'take-show')];
if (desk) takeKeyFromAddress(desk.dataset['desk'] ?? '');
prepareCopyFields(document);
if (desk) new Desk(desk);
if (taking) prepareTaking(taking);
