import { conformance } from './conformance.ts';
import { ownTarget } from './target.ts';

conformance('a relay that writes through public streams', () =>
  ownTarget(undefined, { directWrites: false }),
);
