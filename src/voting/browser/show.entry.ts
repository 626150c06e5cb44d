import { MovingOn } from './moving-on.ts';
import { find, focusNotice } from './page-manners.ts';

focusNotice();

const page = find(document, 'show');
if (page) new MovingOn(page.dataset['show'] ?? '', null, page.dataset['onAir'] || null);
