import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listWebhooks } from '../../src/events/webhooks.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import { type ApiReply, ask, expectError, issuesOf, send } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { type TestShow, takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver, verified, type WebhookReceiver } from '../support/webhook-receiver.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const HOUR_MS = 3_600_000;
const SOMEWHERE = 'https://hooks.example/polls';

let nowMs = Date.now();
let relay: TestRelay;
beforeAll(async () => {
  relay = await startTestRelay({
    operatorKeys: [OPERATOR_KEY],
    webhookPrivateAddresses: true,
    trustProxy: ['127.0.0.1'],
    clock: () => nowMs,
  });
});
afterAll(() => relay.close());

const pathOf = (of: string) => `${relay.url}/api/${of}/webhook`;
/** @param from address that the proxy names */
const add = (of: string, key: string, url: string, events?: string[], from = '198.51.100.1') =>
  send(
    pathOf(of),
    'POST',
    { webhook: { url, ...(events && { events }) } },
    {
      'x-api-key': key,
      'x-forwarded-for': from,
    },
  );
const made = (reply: ApiReply) => {
  expect([reply.status, reply.text]).toEqual([201, expect.stringContaining('whsec_')]);
  return reply.json as { id: string; secret: string };
};
const listed = async (of: string, key: string) =>
  (await send(pathOf(of), 'GET', undefined, key)).json.webhooks;
const isKept = async (id: string) => (await listWebhooks(relay.engine.records)).some(one => one.id === id);
const change = (id: string, poll: object) =>
  send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll }, OPERATOR_KEY);
const remove = (id: string) => send(`${relay.url}/api/poll/${id}`, 'DELETE', undefined, OPERATOR_KEY);
const told = ({ received }: WebhookReceiver) =>
  received.map(({ event }) => `${event.type} ${'id' in event.data ? event.data.id : event.data.name}`);
const countsIn = ({ received }: WebhookReceiver) =>
  received.flatMap(({ event }) =>
    event.type === 'poll.progress' ? [(event.data as { results: ResultsBody }).results.total_votes] : [],
  );
/**
 * Resolves once everything told before has been delivered: to an operator's webhook, which is
 * served in the same way.
 */
async function caughtUp() {
  const witness = await startWebhookReceiver();
  const { id } = made(
    await send(`${relay.url}/api/webhook`, 'POST', { webhook: { url: witness.url } }, OPERATOR_KEY),
  );
  const { id: poll } = await relay.create();
  await until(() => witness.received.length > 0, 'the witness');
  await send(`${relay.url}/api/webhook/${id}`, 'DELETE', undefined, OPERATOR_KEY);
  await remove(poll);
}

describe('webhooks of a poll', () => {
  it('need a key that manages it, and are nothing to the keys of other polls', async () => {
    const [mine, other] = [await relay.create(), await relay.create()];
    const of = `poll/${mine.id}`;
    const { id } = made(await add(of, mine.admin_key, SOMEWHERE));
    const one = `${pathOf(of)}/${id}`;
    for (const key of [other.admin_key, mine.view_key, 'nonsense']) {
      expectError(await add(of, key, SOMEWHERE), 403, 'api_key_rejected');
      expectError(await send(pathOf(of), 'GET', undefined, key), 403, 'api_key_rejected');
      expectError(await send(one, 'DELETE', undefined, key), 403, 'api_key_rejected');
    }
    expectError(await ask(pathOf(of)), 401, 'api_key_required');
    expectError(await ask(`${pathOf(of)}?key=${mine.admin_key}`), 403, 'api_key_rejected');
    // By way of another poll.
    expectError(
      await send(`${pathOf(`poll/${other.id}`)}/${id}`, 'DELETE', undefined, other.admin_key),
      404,
      'webhook_not_found',
    );
    expect(await listed(`poll/${other.id}`, other.admin_key)).toEqual([]);
    expectError(await add('poll/rehearsal', OPERATOR_KEY, SOMEWHERE), 405, 'method_not_allowed');
    const [found] = await listed(of, mine.admin_key);
    expect(found).toEqual({
      id,
      url: SOMEWHERE,
      events: expect.not.arrayContaining(['poll.progress', 'show.changed']),
      created_at: expect.any(String),
      poll: mine.id,
      failing_since: null,
      disabled_at: null,
    });
    expect((await listed(of, OPERATOR_KEY)).length).toBe(1);
    expect((await send(one, 'DELETE', undefined, mine.admin_key)).json).toEqual({ success: 1, id });
    expectError(await send(one, 'DELETE', undefined, mine.admin_key), 404, 'webhook_not_found');
  });

  it('take the URLs and events that other webhooks take', async () => {
    const { id, admin_key } = await relay.create();
    const wrong = await add(`poll/${id}`, admin_key, SOMEWHERE, ['show.changed']);
    expectError(wrong, 400, 'invalid_request');
    const guarded = await startTestRelay({ engine: relay.engine });
    onTestFinished(() => guarded.close());
    for (const url of ['https://127.0.0.1/', 'https://localhost/', 'http://hooks.example/']) {
      const body = { webhook: { url } };
      const reply = await send(`${guarded.url}/api/poll/${id}/webhook`, 'POST', body, admin_key);
      expectError(reply, 400, 'invalid_request');
      expect(Object.keys(issuesOf(reply))).toEqual(['webhook.url']);
    }
  });

  it('get its events alone, signed, and end with it', async () => {
    const [mine, other] = [await relay.create(), await relay.create()];
    const receiver = await startWebhookReceiver();
    const quiet = await startWebhookReceiver();
    const hook = made(await add(`poll/${mine.id}`, mine.admin_key, receiver.url));
    const second = made(await add(`poll/${mine.id}`, mine.admin_key, quiet.url, ['poll.hidden']));
    await change(other.id, { status: 'closed' });
    await change(mine.id, { title: 'Which song then?' });
    await change(mine.id, { results_visibility: 'hidden' });
    await remove(other.id);
    await remove(mine.id);
    await until(async () => !(await isKept(hook.id)) && !(await isKept(second.id)), 'their end');
    expect(told(receiver)).toEqual(['updated', 'hidden', 'deleted'].map(what => `poll.${what} ${mine.id}`));
    expect(told(quiet)).toEqual([`poll.hidden ${mine.id}`]);
    for (const sent of receiver.received) expect(verified(hook.secret, sent, nowMs)).toEqual(sent.event);
    await expect.poll(() => relay.engine.records.find(`webhook:${hook.id}`)).toBeUndefined();
  });

  it('get the newest counts of open, public results, and again after a failure', async () => {
    const { id, admin_key } = await relay.create();
    const receiver = await startWebhookReceiver();
    made(await add(`poll/${id}`, admin_key, receiver.url, ['poll.progress']));
    await relay.cast(id, 0, 3);
    await until(() => countsIn(receiver).at(-1) === 3, 'the first counts');
    receiver.answer = (_, response) => response.writeHead(302, { location: '/elsewhere' }).end();
    const before = receiver.attempts;
    await relay.cast(id, 1, 2);
    await until(() => receiver.attempts > before, 'the failure');
    await until(async () => (await listed(`poll/${id}`, admin_key))[0].failing_since !== null, 'its record');
    await relay.cast(id, 1, 2);
    receiver.answer = undefined;
    nowMs += HOUR_MS;
    await until(() => countsIn(receiver).length > 1, 'the retry');
    await until(() => countsIn(receiver).at(-1) === 7, 'the newest counts');
    await until(async () => (await listed(`poll/${id}`, admin_key))[0].failing_since === null, 'its record');

    await change(id, { results_visibility: 'hidden' });
    await relay.cast(id, 1, 3);
    // Two turns, in which counts would be read.
    for (let turn = 0; turn < 2; turn += 1) await caughtUp();
    await relay.cast(id, 1);
    await change(id, { results_visibility: 'always' });
    await until(() => countsIn(receiver).at(-1) === 11, 'the counts after a reveal');
    expect(countsIn(receiver).filter(count => count > 7 && count < 11)).toEqual([]);
    const ids = receiver.received.map(({ event }) => event.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are given up after a day of failures with progress alone, whatever other polls do', async () => {
    const { id, admin_key } = await relay.create();
    const receiver = await startWebhookReceiver();
    const switches = { connection: 'upgrade', upgrade: 'websocket' };
    receiver.answer = (_, response) => response.writeHead(101, switches).end();
    made(await add(`poll/${id}`, admin_key, receiver.url, ['poll.progress']));
    await relay.cast(id);
    const state = async () => (await listed(`poll/${id}`, admin_key))[0];
    await until(async () => (await state()).failing_since !== null, 'the first failure');
    const since = (await state()).failing_since;
    for (let other = 0; other < 3; other += 1) await remove((await relay.create()).id);
    await caughtUp();
    expect((await state()).failing_since).toBe(since);
    nowMs += 25 * HOUR_MS;
    await until(async () => (await state()).disabled_at !== null, 'the end of the day');
    const { attempts } = receiver;
    await relay.cast(id);
    await caughtUp();
    expect(receiver.attempts).toBe(attempts);
    // A disabled one does not hear of the end, and ends all the same.
    await remove(id);
    await until(async () => {
      nowMs += HOUR_MS;
      return !(await listWebhooks(relay.engine.records)).some(({ url }) => url === receiver.url);
    }, 'its end');
  });
});

describe('webhooks of a show', () => {
  const poll = async (show: TestShow): Promise<string> => (await show.addPoll({ mip: true })).json.id;
  const addTo = (show: TestShow, url: string, events?: string[]) =>
    add(`show/${show.name}`, show.key, url, events);

  it('get events of the show and of the polls created in it, also of one that left, and of no other poll', async () => {
    const [show, other] = [await takeShow(relay), await takeShow(relay)];
    const [foreign, ofOther] = [await relay.create(), await poll(other)];
    const [gone, left] = [await poll(show), await poll(show)];
    await show.patch({ rundown: [gone, foreign.id, left, ofOther] });
    const receiver = await startWebhookReceiver();
    made(await addTo(show, receiver.url, ['poll.progress', 'poll.closed', 'poll.deleted', 'show.changed']));
    expectError(await add(`show/${show.name}`, other.key, SOMEWHERE), 403, 'api_key_rejected');
    expectError(await add(`show/${show.name}`, foreign.admin_key, SOMEWHERE), 403, 'api_key_rejected');
    await relay.cast(foreign.id);
    await relay.cast(ofOther);
    await relay.cast(left, 0, 2);
    await until(() => countsIn(receiver).includes(2), 'the progress of its poll');
    await other.press('next');
    await show.patch({ rundown: [gone, foreign.id] });
    for (const id of [foreign.id, ofOther, left]) await change(id, { status: 'closed' });
    await remove(gone);
    await show.patch({ title: 'The last change' });
    // Events of different polls and shows are delivered side by side, in any order.
    const seen = () => told(receiver).filter(text => !text.startsWith('poll.progress'));
    await until(() => seen().length >= 4, 'the events');
    await caughtUp();
    expect(seen().sort()).toEqual(
      [
        `show.changed ${show.name}`,
        `show.changed ${show.name}`,
        `poll.closed ${left}`,
        `poll.deleted ${gone}`,
      ].sort(),
    );
    expect(told(receiver).join()).not.toMatch(new RegExp(`${foreign.id}|${ofOther}|${other.name}`));
  });

  it('end with the show, and see nothing of a later one of the same name or of the polls it left', async () => {
    const show = await takeShow(relay);
    const id = await poll(show);
    const receiver = await startWebhookReceiver();
    const hook = made(await addTo(show, receiver.url));
    await send(`${relay.url}/api/show/${show.name}`, 'DELETE', {}, show.key);
    const again = await send(`${relay.url}/api/show`, 'POST', { show: { name: show.name } });
    const key: string = again.json.show_key;
    await send(
      `${relay.url}/api/show/${show.name}/poll`,
      'POST',
      { poll: { title: 'A', answers: ['B', 'C'] } },
      key,
    );
    expect(await listed(`show/${show.name}`, key)).toEqual([]);
    await change(id, { status: 'closed' });
    await until(async () => !(await isKept(hook.id)), 'its end');
    expect(receiver.received.map(({ event }) => event.data)).toEqual([
      { name: show.name, show_id: expect.any(String) },
    ]);
    expectError(
      await send(`${pathOf(`show/${show.name}`)}/${hook.id}`, 'DELETE', undefined, key),
      404,
      'webhook_not_found',
    );
  });
});

const SEEN = ['poll.hidden', 'poll.revealed'];

it('webhooks whose receivers answer 101, drip, hang or redirect cost themselves alone', async () => {
  const witness = await startWebhookReceiver();
  const answers: Record<string, WebhookReceiver['answer']> = {
    switches: (_, response) => response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end(),
    drips: ({ socket }) => {
      const drip = setInterval(() => socket.write('H'), 20);
      socket.on('close', () => clearInterval(drip));
    },
    hangs: () => {},
    // Both are private addresses.
    redirects: (_, response) => response.writeHead(307, { location: witness.url }).end(),
  };
  const owned = async (answer?: WebhookReceiver['answer'], count = 1) => {
    const [poll, receiver] = [await relay.create(), await startWebhookReceiver()];
    receiver.answer = answer;
    for (let left = count; left > 0; left -= 1)
      made(await add(`poll/${poll.id}`, poll.admin_key, receiver.url, SEEN, '192.0.2.99'));
    return { id: poll.id, receiver };
  };
  const ill = await Promise.all(Object.values(answers).map(answer => owned(answer, 3)));
  const well = await owned();
  // Updates that wait together would be one.
  const turns = ['hidden', 'always', 'hidden', 'always', 'hidden'];
  for (const results_visibility of turns)
    for (const { id } of [...ill, well]) expect((await change(id, { results_visibility })).status).toBe(200);
  await until(() => well.receiver.received.length === turns.length, 'the events of the other poll');
  const times = well.receiver.received.map(({ event }) => event.timestamp);
  expect(times).toEqual([...times].sort());
  for (const { receiver } of ill) await until(() => receiver.attempts >= 3, 'their requests');
  expect(witness.attempts).toBe(0);
  // Those that accept again get what they missed, though others still drip and hang.
  for (const { receiver } of [ill[0]!, ill[3]!]) {
    receiver.answer = undefined;
    await until(() => {
      nowMs += 1_000;
      return receiver.received.length === 3 * turns.length;
    }, 'the missed events');
  }
  for (const { id } of [...ill, well]) await remove(id);
});

describe('limits of webhooks', () => {
  const full = (reply: ApiReply) => expectError(reply, 409, 'webhooks_full');

  it('are 3 of a poll and 10 of a show, also at once', async () => {
    const { id, admin_key } = await relay.create();
    const show = await takeShow(relay);
    for (const [of, key, max] of [
      [`poll/${id}`, admin_key, 3],
      [`show/${show.name}`, show.key, 10],
    ] as const) {
      const tries = Array.from({ length: max + 2 }, (_, index) =>
        add(of, key, SOMEWHERE, undefined, `203.0.113.${index}`),
      );
      const replies = await Promise.all(tries);
      expect(replies.map(({ status }) => status).sort()).toEqual([...Array(max).fill(201), 409, 409]);
      const [first] = await listed(of, key);
      await send(`${pathOf(of)}/${first.id}`, 'DELETE', undefined, key);
      made(await add(of, key, SOMEWHERE, undefined, '203.0.113.99'));
      full(await add(of, OPERATOR_KEY, SOMEWHERE));
    }
  });

  it('let one address have 30 of polls and shows, and take none from others or from the operator', async () => {
    const from = '192.0.2.77';
    const polls = await Promise.all(Array.from({ length: 11 }, () => relay.create()));
    for (const [index, { id, admin_key }] of polls.entries())
      for (let left = 3; left > 0; left -= 1) {
        const reply = await add(`poll/${id}`, admin_key, SOMEWHERE, ['poll.hidden'], from);
        if (index < 10) made(reply);
        else full(reply);
      }
    const { id, admin_key } = polls[10]!;
    made(await add(`poll/${id}`, admin_key, SOMEWHERE, ['poll.hidden'], '192.0.2.78'));
    made(await add(`poll/${id}`, OPERATOR_KEY, SOMEWHERE, ['poll.hidden'], from));
    // Neither the address nor its digest is in a reply.
    expect(JSON.stringify(await listed(`poll/${polls[0]!.id}`, polls[0]!.admin_key))).not.toMatch(
      /creator|192\.0/,
    );
    for (const poll of polls) await remove(poll.id);
    await until(
      async () =>
        !(await listWebhooks(relay.engine.records)).some(one => JSON.stringify(one.scope).includes(id)),
      'their end',
    );
    const fresh = await relay.create();
    made(await add(`poll/${fresh.id}`, fresh.admin_key, SOMEWHERE, ['poll.hidden'], from));
  });
});
