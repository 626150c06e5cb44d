// @module-tag redis-server
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Engine, HINT_WINDOW_MS } from '../../src/engine/engine.ts';
import { engineWith } from '../../src/engine/engine-with.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { castBallots, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { FORMS, type FormName } from './forms.ts';

/** When votes stop, and hints arrive. */
const EXACT_MS = 1_000;
const RATES = [5, 10, 20];
/**
 * A ballot right after the one that is hinted at, in the middle of its window, right before its
 * end, at it and after it.
 */
const EDGES_MS = [0, 5, 10, 15, HINT_WINDOW_MS - 2, HINT_WINDOW_MS - 1, HINT_WINDOW_MS, HINT_WINDOW_MS + 1];
/** Longer than a tick of the slowest: every lane is idle. */
const QUIET_MS = 450;

const rig = redisRig('file');

/** Ballots within a window publish no hint, and here nothing is swept: a relay that doesn't read again stays late. */
describe.each(['the embedded engine', ...Object.keys(FORMS)])('the last ballot of a window, on %s', name => {
  const open = async (): Promise<{ relay: TestRelay; engines: Engine[] }> => {
    const redisUrl = name in FORMS ? (await FORMS[name as FormName](rig)).url : undefined;
    if (redisUrl === undefined) {
      const own = await startTestRelay();
      rig.closeAfter(() => own.close());
      const relay = await startTestRelay({ engine: withoutSweep(own.engine) });
      rig.closeAfter(() => relay.close());
      return { relay, engines: [own.engine] };
    }
    const engines = [await openEngine({ redisUrl }), await openEngine({ redisUrl })];
    const inner = await openEngine({ redisUrl });
    for (const engine of [...engines, inner]) rig.closeAfter(() => engine.close());
    const relay = await startTestRelay({ engine: withoutSweep(inner) });
    rig.closeAfter(() => relay.close());
    return { relay, engines };
  };

  it('is on every screen in time, from any front end and at any time', async () => {
    const { relay, engines } = await open();
    // A poll for each moment: windows are the poll's own.
    await Promise.all(
      EDGES_MS.map(async (edgeMs, at) => {
        const { id } = await relay.create();
        const clients = await Promise.all(
          RATES.map(hz => LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live?hz=${hz}`)),
        );
        for (const client of clients) rig.closeAfter(() => client.close());
        // When every lane rests, and out of step with all.
        for (const [turn, quietMs] of [QUIET_MS, 60 + at * 7].entries()) {
          await pause(quietMs);
          const [first, last] = (turn + at) % 2 === 0 ? engines : engines.toReversed();
          await castBallots(first as Engine, id, 0, 1);
          await pause(edgeMs);
          await castBallots((last ?? first) as Engine, id, 0, 1);
          const since = new Stopwatch();
          await Promise.all(clients.map(client => client.results(2 * (turn + 1))));
          expect(since.ms).toBeLessThan(EXACT_MS);
        }
      }),
    );
  }, 120_000);

  it('is on the screen of a client that connects in the middle of it', async () => {
    const { relay, engines } = await open();
    const come = async (edgeMs: number) => {
      const { id } = await relay.create();
      await castBallots(engines[0] as Engine, id, 0, 1);
      const opening = LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live`);
      await pause(edgeMs);
      await castBallots(engines.at(-1) as Engine, id, 0, 1);
      const client = await opening;
      await client.message(({ type }) => type === 'results', 'the first results');
      await castBallots(engines.at(-1) as Engine, id, 0, 1);
      await client.results(3);
      client.close();
    };
    await Promise.all(EDGES_MS.map(come));
  }, 120_000);
});

function withoutSweep(engine: Engine): Engine {
  return engineWith(engine, { polls: { findRevisions: () => new Promise(() => {}) } });
}
