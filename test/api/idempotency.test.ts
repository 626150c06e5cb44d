import { createDecipheriv, hkdfSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { RecordName } from '../../src/engine/record-names.ts';
import { expectError, GOOD_POLL, issuesOf, post, send } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
let keys = 0;

function freshKey(): string {
  keys += 1;
  return `idempotency-key-${keys}`;
}

describe('Idempotency-Key', () => {
  let relay: TestRelay;
  const kept: string[] = [];
  beforeAll(async () => {
    relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY], trustProxy: ['127.0.0.1'] });
    watchRecords(relay.services.engine, kept);
  });
  afterAll(() => relay.close());

  const create = (key: string, poll: object = GOOD_POLL, headers: Record<string, string> = {}) =>
    post(relay.url, { poll }, { 'idempotency-key': key, ...headers });
  const countPolls = async () => (await relay.engine.polls.listPublic(1_000)).length;

  it('a repeated request gets the first reply and creates nothing', async () => {
    const key = freshKey();
    const before = await countPolls();
    const first = await create(key);
    const second = await create(key);
    expect(first.status).toBe(201);
    expect([second.status, second.json, second.headers.get('location')]).toEqual([
      201,
      first.json,
      first.headers.get('location'),
    ]);
    expect(await countPolls()).toBe(before + 1);
  });

  it('concurrent requests get one reply and create one poll', async () => {
    const key = freshKey();
    const before = await countPolls();
    const replies = await Promise.all(Array.from({ length: 20 }, () => create(key)));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await countPolls()).toBe(before + 1);
    expect(await relay.read(replies[0]?.json.id)).toMatchObject({ total_votes: 0 });
  });

  it('409 idempotency_key_reused: another body with the same key', async () => {
    const key = freshKey();
    await create(key);
    for (const other of [{ ...GOOD_POLL, title: 'Another' }, { broken: true }]) {
      const reply = await create(key, other);
      expectError(reply, 409, 'idempotency_key_reused');
    }
  });

  it('keys of different callers are independent', async () => {
    const key = freshKey();
    const replies = [
      await create(key, GOOD_POLL, { 'x-forwarded-for': '192.0.2.1' }),
      await create(key, { ...GOOD_POLL, title: 'Mine' }, { 'x-forwarded-for': '192.0.2.2' }),
      await create(key, { ...GOOD_POLL, title: 'Ours' }, { 'x-api-key': OPERATOR_KEY }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(replies.map(({ json }) => json.id)).size).toBe(3);
    const moved = { 'x-api-key': OPERATOR_KEY, 'x-forwarded-for': '192.0.2.3' };
    expect((await create(key, { ...GOOD_POLL, title: 'Ours' }, moved)).json).toEqual(replies[2]?.json);
  });

  it('a rejected request does not use up its key', async () => {
    const key = freshKey();
    expect((await create(key, { title: '' })).status).toBe(400);
    expect((await create(key)).status).toBe(201);
  });

  it('the first reply is returned even after the deadline has passed', async () => {
    const key = freshKey();
    const poll = { ...GOOD_POLL, deadline: '2990-01-01T00:00:00.000Z' };
    const first = await create(key, poll);
    const { polls } = relay.services.engine;
    const realNow = polls.now;
    polls.now = async () => Date.parse(poll.deadline) + 1;
    const [second, other] = [await create(key, poll), await create(freshKey(), poll)];
    polls.now = realNow;
    expect([second.status, second.json]).toEqual([201, first.json]);
    expect(other.status).toBe(400);
  });

  it('a retry creates the poll after a crash between storing the reply and the poll', async () => {
    const key = freshKey();
    const { polls } = relay.services.engine;
    const createPoll = polls.create;
    polls.create = async () => {
      throw new Error('crashed');
    };
    expect((await create(key)).status).toBe(500);
    polls.create = createPoll;
    const reply = await create(key);
    expect(reply.status).toBe(201);
    const { poll_answers } = await relay.read(reply.json.id);
    expect(poll_answers).toEqual(reply.json.poll_answers.map((answer: object) => ({ ...answer, votes: 0 })));
  });

  it('a retry gets the same poll after a crash between storing the poll and the answer', async () => {
    const [key, before] = [freshKey(), await countPolls()];
    const { polls } = relay.services.engine;
    const createPoll = polls.create;
    polls.create = async made => {
      await createPoll(made);
      throw new Error('crashed');
    };
    expect((await create(key)).status).toBe(500);
    polls.create = createPoll;
    expect((await create(key)).status).toBe(201);
    expect(await countPolls()).toBe(before + 1);
  });

  it('a key is 16 to 255 characters long where the reply has a new key, and the error says why', async () => {
    const { id, admin_key } = await relay.create();
    const renew = (key: string) =>
      send(`${relay.url}/api/poll/${id}/admin_key`, 'POST', undefined, {
        'x-api-key': admin_key,
        'idempotency-key': key,
      });
    for (const reply of [await create('x'.repeat(15)), await create('x'.repeat(256)), await renew('x')]) {
      expectError(reply, 400, 'invalid_request');
      expect(issuesOf(reply)['Idempotency-Key']).toMatch(/^must be 16 to 255 .* hard to guess/);
    }
    const junk = { 'x-api-key': 'x', 'x-forwarded-for': '192.0.2.4' };
    expectError(await create('x', GOOD_POLL, junk), 400, 'invalid_request');
    for (const key of ['x'.repeat(16), 'x'.repeat(255)]) expect((await create(key)).status).toBe(201);
    expect((await renew('x'.repeat(16))).status).toBe(200);
  });

  it('a caller with a key may send 1 to 255 characters, and gets the first reply again', async () => {
    const operator = { 'x-api-key': OPERATOR_KEY };
    const first = await create('a', GOOD_POLL, operator);
    expect([first.status, (await create('a', GOOD_POLL, operator)).json]).toEqual([201, first.json]);
    const copy = (key: string) =>
      send(`${relay.url}/api/poll/${first.json.id}/copy`, 'POST', undefined, {
        'x-api-key': first.json.admin_key,
        'idempotency-key': key,
      });
    const copied = await copy('abc-1');
    expect([copied.status, (await copy('abc-1')).json]).toEqual([201, copied.json]);
    for (const key of ['', 'x'.repeat(256)]) {
      const reply = await copy(key);
      expectError(reply, 400, 'invalid_request');
      expect(issuesOf(reply)).toEqual({ 'Idempotency-Key': 'must be 1 to 255 characters long' });
    }
  });

  it('a rejected key costs nothing of the limit', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.5' };
    for (const key of ['x', 'y', 'z']) await create(key, GOOD_POLL, headers);
    const { headers: said } = await create(freshKey(), GOOD_POLL, headers);
    expect(Number(said.get('ratelimit-limit')) - Number(said.get('ratelimit-remaining'))).toBe(1);
  });

  it('what is stored of a reply to a short key cannot be read by guessing the key', async () => {
    const from = kept.length;
    await create('b', GOOD_POLL, { 'x-api-key': OPERATOR_KEY });
    const sealed = kept.slice(from).flatMap(text => /"sealed":"([^"]+)"/.exec(text)?.[1] ?? []);
    expect(sealed.length).toBeGreaterThan(0);
    for (const text of sealed) expect(() => unsealWith(text, 'b')).toThrow();
    for (const text of sealed) expect(unsealWith(text, `b ${OPERATOR_KEY}`)).toContain('admin_');
  });

  it('stored replies reveal neither keys of the poll nor the Idempotency-Key', async () => {
    const key = freshKey();
    const { json } = await create(key);
    const text = kept.join('\n');
    expect(text).toContain('sealed');
    for (const secret of [key, json.admin_key, json.view_key, json.id]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('base64url').slice(0, -2));
    }
  });

  it('a body nested too deeply for Node to store is rejected', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const body = `{"poll":{"title":"x","answers":["a","b"],"note":${deep}}}`;
    const reply = await post(relay.url, body, { 'idempotency-key': freshKey() });
    if (isWritable(deep)) expect(reply.status).toBe(201);
    else expectError(reply, 400, 'invalid_request');
    expect((await post(relay.url, body)).status).toBe(201);
  });
});

function unsealWith(text: string, key: string): string {
  const bytes = Buffer.from(text, 'base64url');
  const secret = new Uint8Array(hkdfSync('sha256', key, '', 'tallycast idempotent reply', 32));
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
}

/** Up to Node 24 the depth of JSON that can be written is bounded by the stack. */
function isWritable(json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(json)) === json;
  } catch {
    return false;
  }
}

/** Notes every text, and every name, that the engine is asked to keep. */
function watchRecords({ records }: Engine, kept: string[]): void {
  for (const method of ['putIfAbsent', 'put'] as const) {
    const store = records[method].bind(records);
    records[method] = ((name: RecordName, text: string, ttlMs?: number) => {
      kept.push(name, text);
      return store(name, text, ttlMs);
    }) as never;
  }
}
