// @module-tag redis-server
import { beforeEach, describe, expect, it } from 'vitest';
import { ask, faultOfError, GOOD_POLL, post } from '../support/api-request.ts';
import { EventClient } from '../support/event-client.ts';
import { Ledger } from '../support/ledger.ts';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import type { CreatedPoll, TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

/** With everysec Redis keeps what it has acknowledged in its own memory for as long as a busy disk syncs. */
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];

describe('losing Redis', () => {
  const { start, relayOn, closeAfter } = redisRig();
  let redis: RedisServer;
  let relay: TestRelay;
  let poll: CreatedPoll;
  let live: LiveClient;
  let events: EventClient;
  beforeEach(async () => {
    redis = await start(DURABLE);
    relay = await relayOn(redis.url);
    poll = await relay.create();
    await relay.cast(poll.id, 0, 3);
    live = await LiveClient.open(`${relay.wsUrl}/api/poll/${poll.id}/live`);
    closeAfter(() => live.close());
    events = await EventClient.open(`${relay.url}/api/poll/${poll.id}/live`);
    closeAfter(() => events.close());
    await live.results(3);
  });

  const expectRefused = async () => {
    for (const reply of [
      await ask(`${relay.url}/api/poll/${poll.id}`),
      await post(relay.url, { poll: GOOD_POLL }),
    ]) {
      expect([reply.status, faultOfError(reply, 'engine_unavailable')]).toEqual([503, undefined]);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  };

  it('reads get 503, subscribers stale; when it is back they get the results without doing anything', async () => {
    await redis.kill9();
    await live.message(message => message.type === 'stale', 'stale');
    await events.event(message => message.type === 'stale', 'stale');
    await expectRefused();
    const late = await LiveClient.open(`${relay.wsUrl}/api/poll/${poll.id}/live`);
    await late.message(message => message.type === 'stale', 'stale');
    await redis.restart();
    const sinceItIsBack = new Stopwatch(redis.process.pid);
    await until(() => live.last?.type === 'results', 'the results');
    expect(sinceItIsBack.ms).toBeLessThan(5_000);
    await late.results(3);
    await events.event(message => message.type === 'results' && message.total_votes === 3);
    expect(live.messages.map(({ type }) => type)).toEqual(['results', 'stale', 'results']);
    expect(live.closed).toBeUndefined();
    await until(
      () =>
        relay.cast(poll.id).then(
          () => true,
          () => false,
        ),
      'a ballot to be counted',
    );
    await live.results(4);
    late.close();
  });

  it('a Redis that answers nothing is lost as well, though its links stay open', async () => {
    redis.pause();
    await live.message(message => message.type === 'stale', 'stale');
    await expectRefused();
    redis.resume();
    await until(() => live.last?.type === 'results', 'the results');
    expect(live.closed).toBeUndefined();
  });

  it('no acknowledged ballot is lost and none counted twice, over three kills under load', async () => {
    const ledger = new Ledger(poll.id);
    const [answer = ''] = (await relay.read(poll.id)).poll_answers.map(({ id }) => id);
    let number = 0;
    let casting = true;
    const worker = async () => {
      while (casting) {
        number += 1;
        const ballot = ledger.draw(answer, number);
        while (casting && (await ledger.cast(relay.engine, ballot)) === 'unknown')
          await new Promise(done => setTimeout(done, 5));
      }
    };
    const workers = Promise.all(Array.from({ length: 32 }, worker));
    try {
      for (let kill = 0; kill < 3; kill += 1) {
        const before = ledger.accepted;
        await until(() => ledger.accepted > before + 300, 'ballots to be counted', 20_000);
        await redis.kill9();
        await redis.restart();
      }
    } finally {
      casting = false;
      await workers;
    }
    await until(async () => (await relay.engine.polls.now().catch(() => 0)) > 0, 'Redis to answer');
    await ledger.settle(relay.engine);
    const total = ledger.accepted + 3;
    await live.results(total);
    expect(await relay.read(poll.id)).toMatchObject({
      total_votes: total,
      total_voters: total,
      version: total + 1,
    });
    const versions = live.of('results').map(({ version }) => version);
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(live.of('results').some(({ reset }) => reset)).toBe(false);
  }, 60_000);
});
