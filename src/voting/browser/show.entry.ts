import { ShowFollower } from './moving-on.ts';
import { find } from './page-manners.ts';

const page = find(document, 'show');
if (page) new ShowFollower(page.dataset['show'] ?? '', null, { known: page.dataset['onAir'] || null });
