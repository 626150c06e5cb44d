import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { ProgramEvent } from '../../src/events/poll-event.ts';
import { newPoll } from '../contract/engine/engine-subject.ts';
import { openEngineAt } from '../engine/redis/redis-subject.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startRelayProcess } from '../support/relay-process.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const HEADERS = { 'x-api-key': OPERATOR_KEY, 'content-type': 'application/json' };
const POLLS = 40;

const { start, closeAfter } = redisRig();

it('delivers every event in order for each poll, although relays are killed while events are due', async () => {
  const { url: redisUrl } = await start();
  const settings = {
    OPERATOR_KEYS: OPERATOR_KEY,
    WEBHOOK_PRIVATE_ADDRESSES: 'true',
    CREATE_PER_MINUTE: '100000',
  };
  const startRelay = async () => {
    const relay = await startRelayProcess(redisUrl, settings);
    closeAfter(() => relay.kill());
    return relay;
  };
  const received: ProgramEvent[] = [];
  let isAway = false;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    // Slow, so that kills meet deliveries on their way.
    await new Promise(resolve => setTimeout(resolve, 20));
    if (!isAway) received.push(JSON.parse(body) as ProgramEvent);
    response.writeHead(isAway ? 503 : 200).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closeAfter(() => {
    server.closeAllConnections();
    server.close();
  });
  const [first, second] = [await startRelay(), await startRelay()];
  const hook = await fetch(`${first.url}/api/webhook`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ webhook: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` } }),
  });
  expect(hook.status).toBe(201);

  const ids: string[] = [];
  const create = async (url: string) => {
    const { id } = await createPoll(url, { closes_in: 8 }, OPERATOR_KEY);
    ids.push(id);
  };
  for (let made = 0; made < POLLS / 2; made += 1) await create(first.url);
  await until(() => received.length > 3, 'the first deliveries', 20_000);
  await first.kill();
  for (let made = 0; made < POLLS / 2; made += 1) await create(second.url);
  isAway = true;
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
  isAway = false;
  await second.kill();
  await startRelay();

  const all = [
    ...ids.flatMap(id => [`evt_${id}_created`, `evt_${id}_closed_2`]),
    `evt_${abandoned.poll.id}_created`,
  ];
  const missing = () => all.filter(id => !received.some(event => event.id === id));
  await until(() => missing().length === 0, 'every event', 90_000);
  for (const id of ids) {
    const types = received.flatMap(event => ('id' in event.data && event.data.id === id ? event.type : []));
    expect(types.indexOf('poll.created')).toBeLessThan(types.indexOf('poll.closed'));
    // What is repeated after a death is repeated in order.
    expect(types.lastIndexOf('poll.closed')).toBeGreaterThan(types.lastIndexOf('poll.created'));
  }
  const logged = (await bare.events.read(0, 1_000)).map(({ text }) => (JSON.parse(text) as ProgramEvent).id);
  expect(new Set(logged).size).toBe(logged.length);
  expect(logged.filter(id => all.includes(id))).toHaveLength(all.length);
}, 240_000);
