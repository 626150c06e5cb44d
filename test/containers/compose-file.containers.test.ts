import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { watchPoll } from '../../src/client/watch-poll.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { SERVERS, Stack } from './stack.ts';

/**
 * The compose file in containers: a day of its life, with voters all the time. Each acknowledged
 * ballot is stored once.
 */

const SCREENS = 60;
const VOTERS = 2;
const PATIENCE_MS = 60_000;
const OWN = [...SERVERS, 'redis', 'front-door'];

let stack: Stack;
let id: string;
let answer: string;
let acknowledged = 0;
let repeats = 0;
const totals = Array.from({ length: SCREENS }, () => 0);
let watches: { close(): void }[];
let isOver = false;
let voters: Promise<void>[];

beforeAll(async () => {
  stack = await Stack.start();
  ({ id } = await createPoll(stack.relays));
  answer = (await results()).poll_answers[0]?.id as string;
  watches = totals.map((_, index) =>
    watchPoll(`${stack.relays}/api/poll/${id}`, {
      WebSocket,
      onResults: ({ total_votes }) => {
        totals[index] = total_votes;
      },
    }),
  );
  voters = Array.from({ length: VOTERS }, async () => {
    while (!isOver) {
      repeats += (await stack.vote(id, answer)) - 1;
      acknowledged += 1;
    }
  });
  await voted(20);
}, 900_000);
afterAll(async () => {
  for (const watch of watches ?? []) watch.close();
  await stack?.remove();
}, 120_000);

async function results() {
  const reply = await fetch(`${stack.relays}/api/poll/${id}`);
  return (await reply.json()) as { total_votes: number; poll_answers: { id: string }[] };
}
/** Waits for more acknowledged ballots. */
const voted = (more: number) => {
  const before = acknowledged;
  return until(() => acknowledged >= before + more, `${more} ballots`, PATIENCE_MS);
};
const up = (name: string) => stack.compose('up', '--detach', '--no-deps', '--wait', name);

describe('the compose file, in containers', { timeout: 600_000 }, () => {
  it('runs servers without root, privileges and a writable file system', async () => {
    const inside = (script: string) => stack.compose('exec', '-T', 'relay-1', 'sh', '-c', script);
    expect(await inside('id -un; grep -E "CapEff|NoNewPrivs" /proc/self/status; touch /x 2>&1 || true')).toBe(
      'node\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n' +
        "touch: cannot touch '/x': Read-only file system\n",
    );
  });

  it('keeps voting and screens alive while a new image replaces server after server', async () => {
    const image = () => stack.compose('images', '--quiet', 'relay-1');
    const before = await image();
    await stack.buildUpdate();
    for (const name of SERVERS) await up(name);
    await voted(10);
    expect(await image()).not.toBe(before);
  });

  it.each(OWN)('survives the end of %s', async name => {
    await stack.compose('kill', name);
    await new Promise(done => setTimeout(done, 3_000));
    await up(name);
    await voted(10);
  });

  it('has stored every ballot after `down` and `up`', async () => {
    await stack.compose('down');
    await stack.compose('up', '--detach', '--wait');
    await voted(10);
    isOver = true;
    await Promise.all(voters);
    expect((await results()).total_votes).toBe(acknowledged);
    await until(() => totals.every(total => total === acknowledged), 'exact screens', PATIENCE_MS);
    console.info(`${acknowledged} acknowledged and stored, ${repeats} requests repeated`);
  });
});
