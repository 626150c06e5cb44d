import { expect, it } from 'vitest';
import WebSocket from 'ws';
import { LiveClient } from '../support/live-client.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { until } from '../support/until.ts';
import type { Subject } from './target.ts';

const UNKNOWN = 'unknownPollX';
const FAULTY_QUERIES = [
  'hz=0',
  'hz=21',
  'hz=1.5',
  'hz=',
  'hz=ten',
  'hz=-1',
  'hz=5&hz=6',
  'since=-1',
  'since=x',
  'since=1e3',
  'since=99999999999999999',
  'since=3-',
  'since=-AbCd',
  'since=3-Ab*',
  'compact=',
  'compact=2',
  'compact=true',
  'compact=1&compact=1',
  'heartbeat=0',
  'heartbeat=3601',
  'heartbeat=0.5',
  `key=${'x'.repeat(513)}`,
];
const FAULTLESS_QUERIES = [
  'hz=1',
  'hz=20',
  'since=0',
  'since=3-AbCd',
  'heartbeat=1',
  'heartbeat=3600',
  'key=',
  'compact=0',
  'compact=1',
];

export function connectingClaims(subject: Subject): void {
  it('P1: a WebSocket gets the first message of its poll without a request', async () => {
    const { id } = await subject.create();
    const live = await subject.poll(id);
    await live.until(() => live.messages.length > 0, 'the first message');
    expect(live.messages[0]).toMatchObject({ type: 'results', id, version: 1, total_votes: 0 });
  });

  it('P2: without an upgrade, the address is an event stream with the same messages', async () => {
    const { id } = await subject.create();
    const [live, events] = [await subject.poll(id), await subject.events(id)];
    const see = async (total: number) => {
      await live.results(total);
      await events.event(message => message.type === 'results' && message.total_votes === total);
    };
    await see(0);
    await subject.cast(id, 1);
    await see(1);
    const withoutTime = (messages: object[]) => messages.map(message => ({ ...message, timestamp: 0 }));
    expect(withoutTime(events.events.map(({ message }) => message))).toEqual(withoutTime(live.messages));
  });

  it('P2: an upgrade to anything but a WebSocket is ignored', async () => {
    const { id } = await subject.create();
    const raw = await RawSocket.open(subject.url);
    const h2c =
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA';
    raw.send(`GET /api/poll/${id}/live HTTP/1.1\r\nHost: ${new URL(subject.url).host}\r\n${h2c}\r\n\r\n`);
    await until(() => raw.text.includes('data: {"type":"results"'), 'the first event');
    raw.close();
  });

  it('P3: the multiplexed socket sends nothing without a subscription', async () => {
    const [asked, other] = [await subject.create(), await subject.create()];
    const live = await subject.live('/api/live');
    await subject.cast(other.id);
    live.send({ type: 'subscribe', id: asked.id });
    await live.results(0);
    await subject.cast(other.id);
    await subject.cast(asked.id);
    await live.results(1);
    expect(new Set(live.messages.map(message => 'id' in message && message.id))).toEqual(new Set([asked.id]));
  });

  it('P4: every message is one JSON object with a type, in one text frame', async () => {
    const { id } = await subject.create();
    const socket = new WebSocket(`${subject.url.replace(/^http/, 'ws')}/api/poll/${id}/live?heartbeat=1`);
    const frames: { text: string; isBinary: boolean }[] = [];
    socket.on('message', (data, isBinary) => frames.push({ text: data.toString(), isBinary }));
    await until(() => frames.length >= 2, 'two messages');
    socket.terminate();
    for (const { text, isBinary } of frames) {
      expect(isBinary).toBe(false);
      expect(JSON.parse(text)).toMatchObject({ type: expect.any(String) });
    }
  });

  it('P5: a rejected WebSocket is accepted, gets an error, and is closed with its code', async () => {
    // Not %00, which proxies refuse by themselves.
    for (const id of [UNKNOWN, 'not-a-poll-id', '%C3%A9', 'x'.repeat(80)]) {
      const live = await subject.poll(id);
      expect(await live.end()).toEqual({ code: 4404, reason: 'no such poll' });
      const error = { type: 'error', code: 'poll_not_found', id: decodeURIComponent(id) };
      // An engine that answers late makes every poll stale first.
      const messages = live.messages.filter(({ type }) => type !== 'stale');
      expect(messages).toEqual([{ ...error, message: expect.any(String) }]);
    }
  });

  it('P6: a rejected SSE request gets the status and body of a rejected read', async () => {
    const hidden = await subject.create({ results_visibility: 'hidden' });
    const refusals = [
      [UNKNOWN, {}],
      [hidden.id, { 'x-api-key': 'wrong' }],
    ] as const;
    // Each request has an id of its own.
    const errorOf = ({ error: { request_id: _, ...error } }: { error: Record<string, unknown> }) => error;
    for (const [id, headers] of refusals) {
      const read = await fetch(`${subject.url}/api/poll/${id}`, { headers });
      const events = await subject.events(id, '', headers);
      expect(errorOf(await events.json())).toEqual(errorOf(await read.json()));
      expect(events.response.statusCode).toBe(read.status);
      expect(events.response.headers['content-type']).toMatch(/^application\/json/);
    }
  });

  it('P7: a value out of range is rejected', async () => {
    const { id } = await subject.create();
    const refuse = async (query: string) => {
      const live = await subject.poll(id, `?${query}`);
      expect([query, (await live.end()).code]).toEqual([query, 4400]);
      expect(live.messages).toMatchObject([{ type: 'error', code: 'invalid_request' }]);
      const events = await subject.events(id, `?${query}`);
      expect([query, (await events.json()).error.code]).toEqual([query, 'invalid_request']);
    };
    const accept = async (query: string) => (await subject.poll(id, `?${query}`)).results(0);
    await Promise.all([...FAULTY_QUERIES.map(refuse), ...[...FAULTLESS_QUERIES, 'more=1'].map(accept)]);
  });

  it('P8: a wrong key is rejected, and a URL may only contain a view_key', async () => {
    const open = await subject.create();
    const hidden = await subject.create({ results_visibility: 'hidden' });
    for (const [id, key] of [
      [open.id, hidden.view_key],
      [hidden.id, open.view_key],
      [hidden.id, hidden.admin_key],
      [hidden.id, 'x'],
    ] as const) {
      const live = await subject.poll(id, `?key=${key}`);
      expect(await live.end()).toEqual({ code: 4403, reason: 'key rejected' });
      expect(live.messages).toMatchObject([{ type: 'error', code: 'api_key_rejected', id }]);
    }
    await (await subject.poll(hidden.id, `?key=${hidden.view_key}`)).results(0);
    for (const headers of headersFor(hidden.admin_key)) {
      const url = `${subject.url.replace(/^http/, 'ws')}/api/poll/${hidden.id}/live`;
      const live = new LiveClient(url, headers);
      await live.results(0);
      live.close();
    }
  });
}

function headersFor(key: string): Record<string, string>[] {
  return [{ 'x-api-key': key }, { 'api-key': key }, { authorization: `Bearer ${key}` }];
}
