import { MovingOn } from './moving-on.ts';
import { find } from './page-manners.ts';

const page = find(document, 'show');
if (page) new MovingOn(page.dataset['show'] ?? '', null, { known: page.dataset['onAir'] || null });
