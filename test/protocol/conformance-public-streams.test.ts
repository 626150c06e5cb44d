import { disableDirectWrites, enableDirectWrites } from '../../src/live/direct-write.ts';
import { conformance } from './conformance.ts';
import { ownTarget } from './target.ts';

conformance('a relay that writes through public streams', async () => {
  const target = await ownTarget();
  disableDirectWrites('this suite uses none');
  return {
    ...target,
    async close() {
      await target.close();
      await enableDirectWrites(() => {});
    },
  };
});
