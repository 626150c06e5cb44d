import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { type ApiReply, ask, expectError, GOOD_POLL, send } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { type TestShow, takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';

type Send = (headers: Record<string, string>) => Promise<ApiReply>;

const SHORT_MS = 300;

describe('Request-Expires', () => {
  let relay: TestRelay;
  let show: TestShow;
  let ids: string[];
  beforeAll(async () => {
    relay = await startTestRelay();
    show = await takeShow(relay);
    ids = await show.fill(2);
    await show.press('next');
  });
  afterAll(() => relay.close());

  const sender =
    (method: string, path: string, body?: unknown): Send =>
    headers =>
      send(`${relay.url}/api${path}`, method, body, { 'x-api-key': show.key, ...headers });

  it('does not hide that an address takes another method, or that nothing is there', async () => {
    const late = { 'request-expires': '0' };
    expectError(await sender('PATCH', '/poll')(late), 405, 'method_not_allowed');
    expectError(await sender('DELETE', `/show/${show.name}/next`)(late), 405, 'method_not_allowed');
    expectError(await sender('POST', '/polls')(late), 404, 'route_not_found');
  });

  /** Everything that changes something. */
  const writes = (): Record<string, Send> => ({
    next: sender('POST', `/show/${show.name}/next`),
    previous: sender('POST', `/show/${show.name}/previous`),
    clear: sender('POST', `/show/${show.name}/clear`),
    shut: sender('POST', `/show/${show.name}/close`),
    undo: sender('POST', `/show/${show.name}/undo`),
    key: sender('POST', `/show/${show.name}/show_key`),
    add: sender('POST', `/show/${show.name}/poll`, { poll: GOOD_POLL }),
    change: sender('PATCH', `/show/${show.name}`, { show: { title: 'Late', rundown: [] } }),
    give: sender('DELETE', `/show/${show.name}`),
    take: sender('POST', '/show', { show: { name: 'taken-too-late' } }),
    create: sender('POST', '/poll', { poll: GOOD_POLL }),
    close: sender('PATCH', `/poll/${ids[1]}`, { poll: { status: 'closed' } }),
    rehearse: sender('PATCH', `/poll/rehearsal-${ids[1]}`, { poll: { status: 'closed' } }),
    view: sender('POST', `/poll/${ids[1]}/view_key`),
    remove: sender('DELETE', `/poll/${ids[1]}`),
  });
  /** All that could have been changed. */
  const truth = async () => {
    const { now: _, ...stands } = (await show.get()).json;
    const polls = [ids[1]!, `rehearsal-${ids[1]}`].map(id => sender('GET', `/poll/${id}`)({}));
    const seen = (await Promise.all(polls)).map(({ json }) => json.status);
    const [taken, listed] = [
      await relay.engine.records.find('show:taken-too-late'),
      await relay.engine.polls.listPublic(1_000),
    ];
    return { stands, seen, taken, listed: listed.length };
  };

  it('refuses what comes too late, and nothing is changed', async () => {
    const before = await truth();
    const headers = { 'request-expires': `${Date.now() / 1_000 - 0.5}` };
    for (const write of Object.values(writes())) expectError(await write(headers), 409, 'request_expired');
    expect(await truth()).toEqual(before);
  });

  it('refuses what comes too late with an Idempotency-Key that no earlier request had', async () => {
    const before = await truth();
    for (const [name, write] of Object.entries(writes())) {
      const headers = { 'request-expires': '1', 'idempotency-key': `too-late-for-${name}-1` };
      expectError(await write(headers), 409, 'request_expired');
    }
    expect(await truth()).toEqual(before);
  });

  it('lets a repeated request learn that it was carried out, also after its time', async () => {
    const stage = await takeShow(relay);
    const [id] = await stage.fill(2);
    const { url } = relay;
    const repeated: Record<string, [method: string, path: string, body?: unknown]> = {
      next: ['POST', `/show/${stage.name}/next`],
      open: ['POST', `/show/${stage.name}/open`],
      close: ['POST', `/show/${stage.name}/close`],
      undo: ['POST', `/show/${stage.name}/undo`],
      change: ['PATCH', `/show/${stage.name}`, { show: { delay: 3 } }],
      add: ['POST', `/show/${stage.name}/poll`, { poll: GOOD_POLL }],
      correct: ['PATCH', `/poll/${id}`, { poll: { title: 'Corrected?' } }],
      take: ['PATCH', `/show/${stage.name}`, { show: { on_air: null } }],
      again: ['POST', `/poll/${id}/again`, { round: 1, poll: {} }],
    };
    for (const [name, [method, path, body]] of Object.entries(repeated)) {
      const headers = { 'x-api-key': stage.key, 'idempotency-key': `repeated-${name}-key-1` };
      const first = await send(`${url}/api${path}`, method, body, headers);
      const { version } = (await stage.get()).json;
      const late = await send(`${url}/api${path}`, method, body, { ...headers, 'request-expires': '1' });
      expect([name, late.status]).toEqual([name, first.status]);
      expect(first.status).toBeLessThan(300);
      expect((await stage.get()).json.version).toBe(version);
    }
  });

  it('refuses what has become too late before the engine is asked to change something', async () => {
    const before = await truth();
    // Taking a name asks the engine for nothing else.
    const { take: _, ...others } = writes();
    for (const [name, write] of Object.entries(others)) {
      const untilMs = Date.now() + SHORT_MS;
      // Whatever is read first takes until then.
      const heal = slowReads(relay.services.engine, untilMs);
      const reply = await write({ 'request-expires': `${untilMs / 1_000}` }).finally(heal);
      expect([name, reply.status, reply.json.error?.code]).toEqual([name, 409, 'request_expired']);
    }
    expect(await truth()).toEqual(before);
  });

  it('lets pass what is still wanted, by the clock that the show’s keyed read tells, and every read', async () => {
    const { now } = (await show.get()).json;
    expect(Math.abs(now * 1_000 - Date.now())).toBeLessThan(60_000);
    const reply = await show.press('next', undefined, { 'request-expires': `${now + 600}` });
    expect([reply.status, reply.json.on_air]).toEqual([200, ids[1]]);
    expect((await sender('GET', `/show/${show.name}`)({ 'request-expires': '1' })).status).toBe(200);
    expect((await ask(`${relay.url}/api/show/${show.name}`)).json).not.toHaveProperty('now');
  });

  it.each(['', 'soon', '-1', '1e12', 'Infinity', '1.', '.5', '0x7f', '1, 2', '2030-01-01', '9'.repeat(13)])(
    'tells that %j is no such time, and changes nothing',
    async moment => {
      const before = await truth();
      for (const write of Object.values(writes())) {
        const reply = await write({ 'request-expires': moment });
        expectError(reply, 400, 'invalid_request');
        expect(reply.json.error.issues).toEqual([
          { path: 'Request-Expires', message: 'must be a UNIX time in seconds, such as 1767225600.25' },
        ]);
      }
      expect(await truth()).toEqual(before);
    },
  );
});

/** @returns what makes them as fast as before */
function slowReads({ polls, records }: Engine, untilMs: number): () => void {
  const isOver = () => until(() => Date.now() > untilMs, 'the time to be over', 10_000);
  const [find, now, read] = [polls.find, polls.now, records.find];
  polls.find = async id => isOver().then(() => find.call(polls, id));
  polls.now = async () => isOver().then(() => now.call(polls));
  records.find = async name => isOver().then(() => read.call(records, name));
  return () => Object.assign(polls, { find, now }) && Object.assign(records, { find: read });
}
