// @module-tag faketime
// @module-tag redis-server
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { ResultsMessage } from '../../src/protocol/messages.ts';
import { startProgram } from '../start/program.ts';
import { Ledger } from '../support/ledger.ts';
import { LiveClient } from '../support/live-client.ts';
import { faketimeLibrary } from '../support/programs.ts';
import { redisRig } from '../support/redis-rig.ts';
import { createPoll } from '../support/test-relay.ts';
import { measured } from './plan.ts';

const CLOSES_IN_S = 5;
const OFFSETS = ['+1h', '-1h', '+5s', '-5s'];

const { start, closeAfter } = redisRig();

describe('T12 clocks that are wrong', () => {
  it('T12: relays whose clocks are hours off, and jump, close a poll once and at the moment that Redis says', async () => {
    const redis = await start();
    const dir = await mkdtemp(join(tmpdir(), 'tallycast-clock-'));
    closeAfter(() => rm(dir, { recursive: true, force: true }));
    const relays = await Promise.all(
      OFFSETS.map(async (offset, index) => {
        const clock = join(dir, `clock-${index}`);
        await writeFile(clock, offset);
        const program = await startProgram({
          ROLE: 'relay',
          REDIS_URL: redis.url,
          LD_PRELOAD: faketimeLibrary(),
          FAKETIME_TIMESTAMP_FILE: clock,
          FAKETIME_NO_CACHE: '1',
          DONT_FAKE_MONOTONIC: '1',
        });
        await program.running();
        return { program, clock };
      }),
    );
    const engine = await openEngine({ redisUrl: redis.url });
    closeAfter(() => engine.close());
    const { id } = await createPoll(relays[0]?.program.url as string, { closes_in: CLOSES_IN_S });
    const deadlineMs = (await engine.polls.find(id))?.results.deadlineMs as number;
    const clients = await Promise.all(
      relays.map(({ program }) =>
        LiveClient.open(`${program.url.replace('http', 'ws')}/api/poll/${id}/live`),
      ),
    );
    closeAfter(() => {
      for (const client of clients) client.close();
    });
    await Promise.all(clients.map(client => client.results(0)));
    // While all wait for the end, the clocks change places.
    await Promise.all(
      relays.map(({ clock }, index) => writeFile(clock, OFFSETS[(index + 1) % OFFSETS.length] as string)),
    );

    const ledger = new Ledger(id);
    const [answer = ''] = (await engine.polls.find(id))?.poll.answers.map(answer => answer.id) ?? [];
    const isFinal = (message: { type: string; final?: boolean }) =>
      message.type === 'results' && message.final === true;
    let number = 0;
    let over = false;
    const ended = Promise.all(clients.map(client => client.message(isFinal, 'the end'))).then(() => {
      over = true;
    });
    while (!over) {
      number += 1;
      await ledger.cast(engine, ledger.draw(answer, number));
      await new Promise(done => setTimeout(done, 20));
    }
    await ended;
    const finals = clients.map(client => client.of('results').filter(isFinal) as ResultsMessage[]);
    for (const final of finals) expect(final).toHaveLength(1);
    const totals = finals.map(([final]) => final?.total_votes);
    expect(new Set(totals)).toEqual(new Set([ledger.accepted]));
    const refused = [...ledger.entries.values()].filter(({ outcome }) => outcome !== 'accepted');
    expect(refused.every(({ outcome }) => outcome === 'poll_closed')).toBe(true);
    for await (const batch of engine.polls.readBallots(id))
      for (const { castAtMs } of batch) expect(castAtMs).toBeLessThan(deadlineMs);
    for (const client of clients) expect(client.closed).toBeUndefined();
    measured(
      'T12',
      `relays ${OFFSETS.join(', ')} off, and jumping: one final each, ${ledger.accepted} ballots in it, none at or after the deadline`,
    );
  });
});
