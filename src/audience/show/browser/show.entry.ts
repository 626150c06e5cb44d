import { find } from '../../../pages/page/browser/dom.ts';
import { ShowFollower } from './show-follower.ts';

const page = find(document, 'show');
if (page) new ShowFollower(page.dataset['show'] ?? '', null, { known: page.dataset['onAir'] || null });
