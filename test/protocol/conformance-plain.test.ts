import { conformance } from './conformance.ts';
import { ownTarget } from './target.ts';

conformance('a relay whose WebSockets use no private part of Node or ws', () =>
  ownTarget(undefined, { websockets: 'plain' }),
);
