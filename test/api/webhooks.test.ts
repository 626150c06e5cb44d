import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ProgramEvent } from '../../src/events/poll-event.ts';
import { isPublicAddress, postOnce } from '../../src/events/webhook-url.ts';
import { oldestEventAge, webhookDeliveries, webhooksByState } from '../../src/metrics/catalogue.ts';
import type { Metric } from '../../src/metrics/metric.ts';
import { ask, expectError, issuesOf } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { verified } from '../support/webhook-receiver.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const HEADERS = { 'x-api-key': OPERATOR_KEY, 'content-type': 'application/json' };
const HOUR_MS = 3_600_000;

interface Receiver {
  readonly url: string;
  /** Status of the next replies. */
  status: number;
  attempts: number;
  /** Polls whose next event is rejected at once, before others that came earlier are answered. */
  readonly rejectOnce: Set<string>;
  readonly received: { headers: Record<string, string>; body: string; event: ProgramEvent }[];
}

async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = { url: '', status: 204, attempts: 0, rejectOnce: new Set(), received: [] };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    receiver.attempts += 1;
    const headers = request.headers as Record<string, string>;
    const event = JSON.parse(body) as ProgramEvent;
    const isRejected = 'id' in event.data && receiver.rejectOnce.delete(event.data.id);
    if (!isRejected && receiver.rejectOnce.size > 0) await new Promise(resolve => setTimeout(resolve, 50));
    const status = isRejected ? 500 : receiver.status;
    if (status < 300) receiver.received.push({ headers, body, event });
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(receiver, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` });
}

const asked = (relay: TestRelay, method: string, path: string, body?: object, headers = HEADERS) =>
  ask(`${relay.url}/api${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
const add = async (relay: TestRelay, url: string, events?: string[]) => {
  const reply = await asked(relay, 'POST', '/webhook', { webhook: { url, ...(events && { events }) } });
  expect(reply.status).toBe(201);
  const created = await ask(relay.url + reply.headers.get('location'), { headers: HEADERS });
  expect([created.status, created.json.id]).toEqual([200, reply.json.id]);
  return reply.json as { id: string; secret: string };
};
const listed = async (relay: TestRelay) => (await asked(relay, 'GET', '/webhook')).json.webhooks;
const close = (relay: TestRelay, id: string) =>
  asked(relay, 'PATCH', `/poll/${id}`, { poll: { status: 'closed' } });
const reopen = (relay: TestRelay, id: string) =>
  asked(relay, 'PATCH', `/poll/${id}`, { poll: { status: 'open' } });

/** Values by the only label of a metric. */
async function valuesOf(metric: Metric): Promise<Record<string, number>> {
  const samples = [...(await metric.samples())];
  return Object.fromEntries(samples.map(({ labels, value }) => [Object.values(labels)[0] ?? '', value]));
}

describe('webhooks', () => {
  let nowMs = Date.now();
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({
      operatorKeys: [OPERATOR_KEY],
      webhookPrivateAddresses: true,
      clock: () => nowMs,
    });
  });
  afterEach(async () => {
    for (const { id } of await listed(relay)) await asked(relay, 'DELETE', `/webhook/${id}`);
  });
  afterAll(() => relay.close());

  it('need an operator’s key', async () => {
    const body = { webhook: { url: 'https://hooks.example/' } };
    const { admin_key } = await relay.create();
    const json = { 'content-type': 'application/json' };
    for (const [method, path, sent] of [
      ['POST', '/webhook', body],
      ['GET', '/webhook', undefined],
      ['DELETE', `/webhook/${'0'.repeat(18)}`, undefined],
    ] as const) {
      const tried = (headers: Record<string, string>) =>
        asked(relay, method, path, sent, headers as typeof HEADERS);
      expectError(await tried(json), 401, 'api_key_required');
      expectError(await tried({ ...json, 'x-api-key': admin_key }), 403, 'api_key_rejected');
    }
    expectError(await asked(relay, 'DELETE', `/webhook/${'0'.repeat(18)}`), 404, 'webhook_not_found');
  });

  it('get signed events, in order, until they are deleted', async () => {
    const receiver = await startReceiver();
    const { id, secret } = await add(relay, receiver.url);
    expect(secret).toMatch(/^whsec_/);
    expect(JSON.stringify(await listed(relay))).not.toContain(secret);
    const poll = await relay.create();
    await relay.cast(poll.id, 0, 2);
    await close(relay, poll.id);
    await until(() => receiver.received.length === 2, 'both events');
    expect(receiver.received.map(({ event }) => event.type)).toEqual(['poll.created', 'poll.closed']);
    for (const sent of receiver.received) {
      expect(sent.headers['webhook-id']).toBe(sent.event.id);
      expect(verified(secret, sent, nowMs)).toEqual(sent.event);
      expect(() => verified(secret, { ...sent, body: `${sent.body} ` }, nowMs)).toThrow();
    }
    expect(receiver.received[1]!.event.data).toMatchObject({ results: { total_votes: 2 } });
    expect((await asked(relay, 'DELETE', `/webhook/${id}`)).json).toEqual({ success: 1, id });
    await reopen(relay, poll.id);
    const witness = await startReceiver();
    await add(relay, witness.url);
    await close(relay, poll.id);
    await until(() => witness.received.length > 0, 'the event at another webhook');
    expect(receiver.received).toHaveLength(2);
  });

  it('get only the wanted events, and none from before', async () => {
    const receiver = await startReceiver();
    const poll = await relay.create();
    await add(relay, receiver.url, ['poll.closed']);
    await relay.create();
    await close(relay, poll.id);
    await until(() => receiver.received.length > 0, 'the event');
    expect(receiver.received.map(({ event }) => [event.type, 'id' in event.data && event.data.id])).toEqual([
      ['poll.closed', poll.id],
    ]);
  });

  it('get a rejected event again, though others beside it were accepted later', async () => {
    const receiver = await startReceiver();
    const polls = [await relay.create(), await relay.create(), await relay.create(), await relay.create()];
    await add(relay, receiver.url);
    const rejected = polls[1]!.id;
    // The other one keeps all replies slow.
    for (const id of [rejected, 'never']) receiver.rejectOnce.add(id);
    await Promise.all(polls.map(({ id }) => close(relay, id)));
    const hasAll = () => {
      nowMs += 1_000;
      return new Set(receiver.received.map(({ event }) => event.id)).size === 4;
    };
    await until(hasAll, 'every event');
    expect(receiver.received.some(({ event }) => 'id' in event.data && event.data.id === rejected)).toBe(
      true,
    );
  });

  it('get everything after an hour’s outage, in order for each poll', async () => {
    const receiver = await startReceiver();
    const before = await valuesOf(webhookDeliveries);
    await add(relay, receiver.url);
    receiver.status = 500;
    const polls = [await relay.create(), await relay.create(), await relay.create()];
    for (let turn = 0; turn < 3; turn += 1)
      for (const { id } of polls) {
        await close(relay, id);
        await reopen(relay, id);
      }
    await until(() => receiver.attempts > 0, 'the first attempt');
    // The clock goes on in small steps: a retry is planned by the time at which a failure was stored.
    const endMs = nowMs + HOUR_MS;
    const hourIsOver = () => {
      nowMs += 10_000;
      return nowMs >= endMs && receiver.attempts > 1;
    };
    await until(hourIsOver, 'the hour, and a second attempt');
    expect((await listed(relay)).at(-1)).toMatchObject({
      failing_since: expect.any(String),
      disabled_at: null,
    });
    const ageSeconds = async () => (await valuesOf(oldestEventAge))[''] ?? Number.NaN;
    expect(await ageSeconds()).toBeGreaterThan(3_000);
    receiver.status = 200;
    const hasAll = () => {
      nowMs += 5_000;
      return receiver.received.length >= 21;
    };
    await until(hasAll, 'every event');
    const sequence = [
      'poll.created',
      ...Array.from({ length: 3 }, () => ['poll.closed', 'poll.opened']).flat(),
    ];
    for (const { id } of polls) {
      const mine = receiver.received.filter(({ event }) => 'id' in event.data && event.data.id === id);
      expect(mine.map(({ event }) => event.type)).toEqual(sequence);
    }
    await until(async () => (await listed(relay)).at(-1).failing_since === null, 'the list to say so');
    await until(async () => (await ageSeconds()) === 0, 'the age of the oldest event to be 0');
    const { delivered = 0, rejected = 0 } = await valuesOf(webhookDeliveries);
    expect(delivered - (before['delivered'] ?? 0)).toBeGreaterThanOrEqual(21);
    expect(rejected - (before['rejected'] ?? 0)).toBe(receiver.attempts - receiver.received.length);
  });

  it('are disabled after a day without a success, or by a 410', async () => {
    const [away, gone] = [await startReceiver(), await startReceiver()];
    const ofAway = await add(relay, away.url);
    const ofGone = await add(relay, gone.url);
    away.status = 302;
    gone.status = 410;
    const stateOf = async (id: string) => (await listed(relay)).find((one: { id: string }) => one.id === id);
    const poll = await relay.create();
    await until(async () => (await stateOf(ofGone.id)).disabled_at !== null, 'the 410');
    await until(async () => (await stateOf(ofAway.id)).failing_since !== null, 'the first failure');
    expect((await stateOf(ofAway.id)).disabled_at).toBeNull();
    nowMs += 25 * HOUR_MS;
    await until(async () => (await stateOf(ofAway.id)).disabled_at !== null, 'the end of the day');
    await expect.poll(() => valuesOf(webhooksByState)).toMatchObject({ disabled: 2, failing: 0 });
    // A redirect is not followed, and nothing more is sent.
    expect(away.attempts).toBe(2);
    await close(relay, poll.id);
    expect(gone.attempts).toBe(1);
  });
});

describe('private addresses', () => {
  const PRIVATE = [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '::7f00:1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::10.1.2.3',
    '64:ff9b:1::8.8.8.8',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '224.0.0.1',
    '255.255.255.255',
    'ff02::1',
    'nonsense',
  ];

  it('are told from public ones', () => {
    expect(PRIVATE.filter(isPublicAddress)).toEqual([]);
    const publicOnes = ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '64:ff9b::8.8.8.8'];
    expect(publicOnes.filter(isPublicAddress)).toEqual(publicOnes);
  });

  it('are rejected at creation, and at a delivery by any spelling or name', async () => {
    const relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
    onTestFinished(() => relay.close());
    for (const url of [
      'http://hooks.example/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://localhost/',
      'https://user:word@hooks.example/',
      'ftp://hooks.example/',
      'hooks.example',
      'https://*.example/',
    ]) {
      const reply = await asked(relay, 'POST', '/webhook', { webhook: { url } });
      expectError(reply, 400, 'invalid_request');
      expect(Object.keys(issuesOf(reply))).toEqual(['webhook.url']);
    }
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const { signal } = new AbortController();
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]']) {
      const post = { url: `http://${host}:${port}/`, headers: {}, body: '{}', signal };
      await expect(postOnce({ ...post, allowPrivate: false })).rejects.toThrow('address is private');
    }
    expect(receiver.attempts).toBe(0);
  });
});
