import { startDirectWrites, stopDirectWrites } from '../../src/live/direct-write.ts';
import { conformance } from './conformance.ts';
import { ownTarget } from './target.ts';

conformance('a relay whose lean WebSockets write through public streams', async () => {
  const target = await ownTarget();
  stopDirectWrites('this suite wants none');
  return {
    ...target,
    async close() {
      await target.close();
      await startDirectWrites();
    },
  };
});
