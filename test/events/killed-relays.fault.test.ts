// @module-tag faketime
// @module-tag redis-server
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import type { ProgramEvent } from '../../src/events/poll-event.ts';
import { newPoll } from '../contract/engine/engine-subject.ts';
import { openEngineAt } from '../engine/redis/redis-subject.ts';
import { ask } from '../support/api-request.ts';
import { faketimeLibrary } from '../support/programs.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startRelayProcess } from '../support/relay-process.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const HEADERS = { 'x-api-key': OPERATOR_KEY, 'content-type': 'application/json' };
const POLLS = 40;
const STEPS = 3;

const { start, closeAfter } = redisRig();

/**
 * Records what it accepts. Away, it resets connections; ill, it rejects every third request,
 * whichever comes at that moment.
 */
async function startReceiver() {
  const accepted: { id: string; body: string; event: ProgramEvent; headers: Record<string, string> }[] = [];
  const receiver = { url: '', accepted, attempts: 0, isAway: false, isIll: false };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    receiver.attempts += 1;
    const isRejected = receiver.isIll && receiver.attempts % 3 === 0;
    // Slow, so that kills meet deliveries on their way, and rejections overtake other replies.
    await new Promise(resolve => setTimeout(resolve, isRejected ? 1 : 20));
    if (receiver.isAway) return void request.socket.resetAndDestroy();
    const headers = request.headers as Record<string, string>;
    const id = headers['webhook-id']!;
    if (!isRejected) accepted.push({ id, body, event: JSON.parse(body) as ProgramEvent, headers });
    response.writeHead(isRejected ? 500 : 200).end();
  });
  server.on('connection', socket => {
    if (!receiver.isAway) return;
    receiver.attempts += 1;
    socket.resetAndDestroy();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closeAfter(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return receiver;
}

it('delivers every event in order for each poll, though the receiver is away for an hour and relays are killed', async () => {
  const { url: redisUrl } = await start();
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-events-'));
  closeAfter(() => rm(folder, { recursive: true, force: true }));
  const clock = join(folder, 'clock');
  let aheadSeconds = 0;
  const advance = async (seconds: number) => {
    aheadSeconds += seconds;
    await writeFile(`${clock}-next`, `+${aheadSeconds}s`);
    await rename(`${clock}-next`, clock);
  };
  await advance(0);
  const startRelay = async () => {
    const relay = await startRelayProcess(redisUrl, {
      OPERATOR_KEYS: OPERATOR_KEY,
      WEBHOOK_PRIVATE_ADDRESSES: 'true',
      CREATE_PER_MINUTE: '100000',
      LD_PRELOAD: faketimeLibrary(),
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
    });
    closeAfter(() => relay.kill());
    return relay;
  };
  const asked = (url: string, method: string, path: string, body?: object) =>
    ask(`${url}/api${path}`, { method, headers: HEADERS, ...(body && { body: JSON.stringify(body) }) });

  const receiver = await startReceiver();
  let [first, second] = [await startRelay(), await startRelay()];
  const hook = await asked(first.url, 'POST', '/webhook', { webhook: { url: receiver.url } });
  expect(hook.status).toBe(201);

  const ids: string[] = [];
  const create = async (url: string) => {
    const { id } = await createPoll(url, { closes_in: 8 }, OPERATOR_KEY);
    ids.push(id);
  };
  receiver.isIll = true;
  for (let made = 0; made < POLLS / 2; made += 1) await create(first.url);
  await until(() => receiver.accepted.length > 3, 'the first deliveries', 20_000);
  await first.kill();
  first = await startRelay();
  receiver.isAway = true;
  for (let made = 0; made < POLLS / 2; made += 1) await create(second.url);
  // As a process that dies right after each change: nothing but the engine's marks is left.
  const bare = await openEngineAt(redisUrl);
  closeAfter(() => bare.close());
  const abandoned = newPoll({}, await bare.polls.now());
  await bare.polls.create(abandoned);
  await until(
    async () => (await bare.events.findState(ids.at(-1)!))?.includes('closed') ?? false,
    'deadlines',
    60_000,
  );
  for (let step = 1; step <= STEPS; step += 1) {
    const changed = ids[step]!;
    await asked(first.url, 'PATCH', `/poll/${changed}`, { poll: { status: 'open', deadline: null } });
    await second.kill();
    [first, second] = [await startRelay(), first];
    await asked(second.url, 'PATCH', `/poll/${changed}`, { poll: { status: 'closed' } });
    const before = receiver.attempts;
    await advance(3_600 / STEPS);
    await until(() => receiver.attempts > before, `an attempt in step ${step}`, 40_000);
  }
  const { failing_since, disabled_at, pending } = (await asked(first.url, 'GET', '/webhook')).json
    .webhooks[0];
  expect({ failing: failing_since !== null, disabled_at }).toEqual({ failing: true, disabled_at: null });
  expect(pending).toBeGreaterThan(POLLS);

  receiver.isAway = false;
  await second.kill();
  const logged = async () => (await bare.events.read(0, 1_000)).map(({ text }) => JSON.parse(text));
  // The clock goes on in steps, so that retries after a rejection are soon.
  const acceptedIds = async () => {
    await advance(1);
    return new Set(receiver.accepted.map(({ id }) => id));
  };
  await until(async () => (await acceptedIds()).size > POLLS, 'deliveries after the hour', 60_000);
  await first.kill();
  first = await startRelay();
  const hasAll = async () => {
    const [all, got] = [await logged(), await acceptedIds()];
    return all.some(({ data }) => data.id === abandoned.poll.id) && all.every(({ id }) => got.has(id));
  };
  await until(hasAll, 'every event', 90_000);

  const events: ProgramEvent[] = await logged();
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  for (const id of ids.concat(abandoned.poll.id)) {
    const ofPoll = events.filter(({ data }) => 'id' in data && data.id === id).map(event => event.id);
    const changes = ids.indexOf(id) >= 1 && ids.indexOf(id) <= STEPS ? 2 : 0;
    expect(ofPoll).toHaveLength((id === abandoned.poll.id ? 1 : 2) + changes);
    const accepted = receiver.accepted.filter(({ event }) => 'id' in event.data && event.data.id === id);
    // First deliveries are in order, and so is what is repeated after a death: it goes on from there.
    expect([...new Set(accepted.map(one => one.id))]).toEqual(ofPoll);
    const places = accepted.map(one => ofPoll.indexOf(one.id));
    for (const [index, place] of places.entries())
      if (index > 0) expect(place).toBeLessThanOrEqual(places[index - 1]! + 1);
    expect(places.at(-1)).toBe(ofPoll.length - 1);
  }
  const verifier = new Webhook(hook.json.secret as string);
  const bodies = new Map(receiver.accepted.map(({ id, body }) => [id, body]));
  for (const { id, body, event, headers } of receiver.accepted) {
    expect(event.id).toBe(id);
    expect(body).toBe(bodies.get(id));
    // The signature alone: the relays' clock is ahead of this one.
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
    expect(verifier.sign(id, at, body)).toBe(headers['webhook-signature']);
  }
  await until(
    async () => (await asked(first.url, 'GET', '/webhook')).json.webhooks[0].pending === 0,
    'the list to say so',
  );
}, 400_000);
