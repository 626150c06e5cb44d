import { prepareCopyFields } from './copy-field.ts';
import { Desk } from './desk/desk.ts';
import { takeKeyFromAddress } from './desk/show-keys.ts';
import { prepareTaking } from './desk/take-show.ts';
import { find } from './page-manners.ts';

const [desk, taking] = [find(document, 'desk'), find(document, 'take-show')];
if (desk) takeKeyFromAddress(desk.dataset['desk'] ?? '');
prepareCopyFields(document);
if (desk) new Desk(desk);
if (taking) prepareTaking(taking);
