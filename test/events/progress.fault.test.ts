// @module-tag redis-server
import { expect, it } from 'vitest';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import { openEngineAt } from '../engine/redis/redis-subject.ts';
import { send } from '../support/api-request.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startRelayProcess } from '../support/relay-process.ts';
import { castBallots, createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const { start, closeAfter } = redisRig();

it('goes on with the newest counts, whichever of two relays is killed, and ends with the show', async () => {
  const { url: redisUrl } = await start();
  const startRelay = async () => {
    const relay = await startRelayProcess(redisUrl, { WEBHOOK_PRIVATE_ADDRESSES: 'true' });
    closeAfter(() => relay.kill());
    return relay;
  };
  const relays = [await startRelay(), await startRelay()];
  const engine = await openEngineAt(redisUrl);
  closeAfter(() => engine.close());
  const receiver = await startWebhookReceiver();
  const counts = () =>
    receiver.received.flatMap(({ event }) =>
      event.type === 'poll.progress' ? [(event.data as { results: ResultsBody }).results.total_votes] : [],
    );
  const { url } = relays[0]!;
  const show = (await send(`${url}/api/show`, 'POST', { show: { name: 'friday-night' } })).json;
  const key: string = show.show_key;
  const poll = { title: 'Which song next?', answers: ['Waterloo', 'Volare'], mip: true };
  const { id } = (await send(`${url}/api/show/friday-night/poll`, 'POST', { poll }, key)).json;
  const other = await createPoll(url);
  const webhook = { url: receiver.url, events: ['poll.progress', 'show.changed'] };
  const made = await send(`${url}/api/show/friday-night/webhook`, 'POST', { webhook }, key);
  expect(made.status).toBe(201);

  let total = 0;
  for (const turn of [0, 1]) {
    total += 3;
    await castBallots(engine, id, 0, 3);
    await castBallots(engine, other.id, 0, 1);
    await until(() => counts().at(-1) === total, `the counts of turn ${turn}`);
    await relays[turn]!.kill();
    // Nothing follows these.
    total += 2;
    await castBallots(engine, id, 1, 2);
    relays[turn] = await startRelay();
    await until(() => counts().at(-1) === total, `the counts after the death in turn ${turn}`);
  }
  expect(receiver.received.map(({ body }) => body).join()).not.toContain(other.id);
  expect(counts()).toEqual([...counts()].sort((one, next) => one - next));

  const last = relays[0]!.url;
  await send(`${last}/api/show/friday-night`, 'DELETE', {}, key);
  const isEnded = async () => !(await engine.records.find('webhooks'))?.includes(made.json.id);
  await until(isEnded, 'its end');
  expect(receiver.received.at(-1)?.event).toMatchObject({
    type: 'show.changed',
    data: { name: 'friday-night' },
  });
}, 200_000);
