import { readFile } from 'node:fs/promises';
import { Parser } from '@asyncapi/parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asyncapiDocument } from '../../src/document/asyncapi.ts';
import { EVENT_TYPES } from '../../src/events/poll-event.ts';
import * as closeEvents from '../../src/protocol/close-event.ts';
import { ask } from '../support/api-request.ts';
import { EventClient } from '../support/event-client.ts';
import { LiveClient } from '../support/live-client.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';

type Message = { name: string; description?: string; examples: { payload: object }[] };

const document = JSON.parse(JSON.stringify(asyncapiDocument())) as {
  channels: Record<string, { messages: object; 'x-close-codes'?: { code: number; reason: string }[] }>;
  components: { messages: Record<string, Message>; schemas: Record<string, object> };
};
const protocol = await readFile(new URL('../../src/protocol/PROTOCOL.md', import.meta.url), 'utf8');

const ajv = new Ajv2020({ strict: false });
addFormats(ajv);

/** @returns undefined where the message is as it is described, with no member more */
function faultOf(message: { type: string }): string | undefined {
  const { type } = message;
  const schema = document.components.schemas[type];
  if (!schema) return `${type} is not described`;
  const closed = JSON.parse(JSON.stringify(schema), (_, value) =>
    value?.type === 'object' && value.properties ? { ...value, additionalProperties: false } : value,
  );
  return ajv.validate(closed, message) ? undefined : `${type}: ${ajv.errorsText()}`;
}

describe('the AsyncAPI document', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
  });
  afterAll(() => relay.close());

  it('is valid AsyncAPI 3', async () => {
    const { document: parsed, diagnostics } = await new Parser().parse(JSON.stringify(document));
    expect(diagnostics.map(({ message, path }) => `${path.join('.')}: ${message}`)).toEqual([]);
    expect(parsed?.version()).toMatch(/^3\./);
    expect((await ask(`${relay.url}/asyncapi.json`)).json).toEqual(document);
  });

  it('has every message of PROTOCOL.md, with its words and its examples, which keep to the schemas', () => {
    const named = [...protocol.matchAll(/^interface (\w+)Message\b/gm)].map(([, name = '']) =>
      name.toLowerCase(),
    );
    const events: readonly string[] = EVENT_TYPES;
    const described = Object.values(document.components.messages).filter(
      ({ name }) => !events.includes(name),
    );
    expect(described.map(({ name }) => name).sort()).toEqual(named.sort());
    for (const { name, description, examples } of described) {
      expect([name, description?.length ?? 0]).toEqual([
        name,
        expect.toSatisfy((length: number) => length > 20),
      ]);
      expect([name, examples.length]).toEqual([name, 1]);
      for (const { payload } of examples) expect(faultOf(payload as { type: string })).toBeUndefined();
    }
  });

  it('has the codes of closing that PROTOCOL.md has, with their reasons', () => {
    const told = Object.values(closeEvents).map(({ code, reason }) => ({ code, reason }));
    const { events, ...live } = document.channels;
    expect(events).not.toHaveProperty('x-close-codes');
    for (const { 'x-close-codes': codes } of Object.values(live))
      expect(codes?.map(({ code, reason }) => ({ code, reason }))).toEqual(
        told.sort((a, b) => a.code - b.code),
      );
    for (const { code, reason } of told) expect(protocol).toContain(`| ${code} | \`${reason}\` |`);
  });

  it('describes what a relay sends', async () => {
    const [open, hidden] = [await relay.create(), await relay.create({ results_visibility: 'hidden' })];
    const clients = [
      await LiveClient.open(`${relay.wsUrl}/api/poll/${open.id}/live?compact=1&heartbeat=1`),
      await LiveClient.open(
        `${relay.wsUrl}/api/poll/${open.id}/live?since=${(await relay.read(open.id)).position}`,
      ),
      await LiveClient.open(`${relay.wsUrl}/api/live`),
      await LiveClient.open(`${relay.wsUrl}/api/poll/${open.id}/live?hz=99`),
    ];
    clients[2]?.send({ type: 'subscribe', id: hidden.id });
    const show = await takeShow(relay);
    clients[2]?.send({ type: 'follow', show: show.name, key: show.key });
    await relay.cast(open.id, 0, 2);
    const seen = () => new Set(clients.flatMap(({ messages }) => messages.map(({ type }) => type)));
    const wanted = Object.keys(document.channels['polls']?.messages ?? {}).filter(
      name => !['stale', 'subscribe', 'unsubscribe', 'follow'].includes(name),
    );
    await expect.poll(() => [...seen()].sort()).toEqual(wanted.sort());
    await relay.engine.polls.change(open.id, { closed: true });
    await clients[0]?.message(message => message.type === 'results' && message.final === true);
    const faults = clients.flatMap(({ messages }) => messages.map(faultOf)).filter(Boolean);
    for (const client of clients) client.close();
    expect(faults).toEqual([]);
  });

  it('describes the events for programs', async () => {
    const headers = { 'x-api-key': OPERATOR_KEY, 'content-type': 'application/json' };
    const stream = await EventClient.open(`${relay.url}/api/events`, headers);
    await until(() => stream.text.includes('id: '), 'the stream to begin');
    const send = (method: string, path: string, body: object) =>
      ask(`${relay.url}/api${path}`, { method, headers, body: JSON.stringify(body) });
    const { id } = await relay.create({ status: 'upcoming', results_visibility: 'hidden' });
    await send('PATCH', `/poll/${id}`, { poll: { status: 'open' } });
    await relay.cast(id, 0, 2);
    await send('PATCH', `/poll/${id}`, { poll: { status: 'closed' } });
    await send('PATCH', `/poll/${id}`, { poll: { results_visibility: 'always' } });
    await send('POST', `/poll/${id}/again`, {});
    await send('PATCH', `/poll/${id}`, { poll: { results_visibility: 'hidden', title: 'Which one?' } });
    await send('DELETE', `/poll/${id}`, {});
    const show = await takeShow(relay);
    await send('DELETE', `/show/${show.name}`, {});
    const sent = () =>
      stream.events.map(one => one.message as { type: string }).filter(({ type }) => type !== 'heartbeat');
    await until(() => sent().filter(({ type }) => type === 'show.changed').length === 2, 'all events');
    const streamed = EVENT_TYPES.filter(type => type !== 'poll.progress');
    expect(new Set(sent().map(({ type }) => type))).toEqual(new Set(streamed));
    expect(sent().map(faultOf).filter(Boolean)).toEqual([]);
    expect(Object.keys(document.channels['events']?.messages ?? {})).toEqual(streamed);
    stream.close();
  });
});
