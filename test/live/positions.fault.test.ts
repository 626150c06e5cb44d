// @module-tag redis-server
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storeIn } from '../../src/engine/embedded/embedded-tables.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import { ask } from '../support/api-request.ts';
import { EventClient } from '../support/event-client.ts';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import { inMessages, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

/** An engine that comes back with less than it had, and then reaches the same version with other counts. */

const { start, relayOn, clientOf, closeAfter } = redisRig();

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-'));
  closeAfter(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function embeddedRelay(dataDir: string): Promise<TestRelay> {
  const engine = await openEngine({ dataDir });
  const relay = await startTestRelay({ engine });
  const close = async () => {
    await relay.close();
    await engine.close();
  };
  closeAfter(close);
  return { ...relay, close };
}

/** A relay, and how to go back to a backup. */
interface Restorable {
  readonly relay: TestRelay;
  backUp(): Promise<() => Promise<TestRelay>>;
}

const ENGINES: Record<string, () => Promise<Restorable>> = {
  'the embedded engine': async () => {
    const [dataDir, backup] = [await makeFolder(), await makeFolder()];
    const relay = await embeddedRelay(dataDir);
    return {
      relay,
      async backUp() {
        await relay.engine.archive.copyTo(join(backup, 'copy'));
        return async () => {
          await relay.close();
          await rm(dataDir, { recursive: true });
          await mkdir(dataDir);
          await cp(join(backup, 'copy'), storeIn(dataDir));
          return embeddedRelay(dataDir);
        };
      },
    };
  },
  Redis: async () => {
    const redis = await start();
    const relay = await relayOn(redis.url);
    return {
      relay,
      async backUp() {
        await clientOf(redis).save();
        return async () => {
          await redis.restart();
          return relayOn(redis.url);
        };
      },
    };
  },
};

describe.each(Object.entries(ENGINES))('an older backup of %s, with votes to the same version', (_, open) => {
  /** The position that was shown before, and a relay at which others have its version now. */
  async function restored(): Promise<{
    relay: TestRelay;
    id: string;
    before: ResultsBody;
    now: ResultsBody;
  }> {
    const { relay: first, backUp } = await open();
    const { id } = await first.create();
    await first.cast(id, 0, 2);
    const restore = await backUp();
    await first.cast(id, 0, 3);
    const before = await first.read(id);
    const relay = await restore();
    expect(await relay.read(id)).toMatchObject({ version: 3, total_votes: 2 });
    await relay.cast(id, 1, 3);
    const now = inMessages(await relay.read(id));
    expect([now.version, now.total_votes]).toEqual([before.version, before.total_votes]);
    return { relay, id, before, now };
  }

  it('sends full results with reset on a WebSocket', async () => {
    const { relay, id, before, now } = await restored();
    const live = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live?since=${before.position}`);
    closeAfter(() => live.close());
    await live.until(() => live.messages.length > 0, 'the first message');
    expect(live.messages[0]).toEqual({ ...now, type: 'results', reset: true, timestamp: expect.any(Number) });
  });

  it('sends full results with reset on an event stream', async () => {
    const { relay, id, before, now } = await restored();
    const headers = { 'last-event-id': before.position };
    const events = await EventClient.open(`${relay.url}/api/poll/${id}/live`, headers);
    closeAfter(() => events.close());
    await until(() => events.events.length > 0, 'the first event');
    expect(events.events[0]).toEqual({
      id: now.position,
      message: { ...now, type: 'results', reset: true, timestamp: expect.any(Number) },
    });
  });

  it('replies 200 to a read', async () => {
    const { relay, id, before, now } = await restored();
    const read = (etag: string) => ask(`${relay.url}/api/poll/${id}`, { headers: { 'if-none-match': etag } });
    const reply = await read(`W/"${before.position}"`);
    expect([reply.status, reply.headers.get('etag')]).toEqual([200, `W/"${now.position}"`]);
    expect(inMessages(reply.json)).toEqual({ ...now, timestamp: expect.any(Number) });
    expect((await read(`W/"${now.position}"`)).status).toBe(304);
  });
});
