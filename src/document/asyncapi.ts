import { readFileSync } from 'node:fs';
import { EVENTS } from '../api/program-replies.ts';
import { builtFolder } from '../http/assets.ts';
import { LICENSE, SUMMARY, VERSION } from '../http/product.ts';
import { liveQuery } from '../live/live-routes.ts';
import { READABLE_POLL_ID } from '../poll/rehearsal.ts';
import { clientMessages } from '../protocol/client-message.ts';
import * as closeEvents from '../protocol/close-event.ts';
import { type JsonSchema, membersOfInput, reference, schemaOfInput, schemasOfOutput } from './json-schema.ts';
import { MESSAGES } from './messages.ts';

/** AsyncAPI 3 of the live stream, with texts and examples from PROTOCOL.md, and of the events for programs. */

const FROM_RELAY = Object.keys(MESSAGES);
const ABOUT_ONE_POLL = FROM_RELAY.filter(name => name !== 'show' && name !== 'buttons');
const TO_RELAY = Object.keys(clientMessages);
/** Streams have the live results instead of progress. */
const EVENT_NAMES = Object.keys(EVENTS).filter(name => name !== 'poll.progress');
const HOST = { host: { default: 'relay.example', description: 'The host of the relay.' } };

const CHANNEL = '#/channels/';

/** The same for every relay of one version. */
export function asyncapiDocument(): object {
  const { since, ...others } = membersOfInput(liveQuery);
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Tallycast, the live stream',
      version: VERSION,
      description: `${SUMMARY}. The rules are in PROTOCOL.md, which every relay serves at \`/docs/protocol\`. Clients ignore unknown message types and members.`,
      license: { name: LICENSE.name },
    },
    defaultContentType: 'application/json',
    servers: {
      relay: {
        host: '{host}',
        protocol: 'wss',
        description: 'A relay; `ws` without TLS.',
        variables: HOST,
      },
      rest: { host: '{host}', protocol: 'https', description: 'The same relay.', variables: HOST },
    },
    channels: {
      poll: {
        ...channel('/api/poll/{id}/live', 'One poll', ABOUT_ONE_POLL, { ...others, since: since! }),
        description:
          'A WebSocket, or without an upgrade Server-Sent Events with the same messages. The client sends nothing.',
        parameters: { id: { description: `The poll: ${READABLE_POLL_ID}` } },
      },
      show: {
        ...channel('/api/show/{name}/live', 'One show', FROM_RELAY, others),
        description:
          'A WebSocket, or without an upgrade Server-Sent Events with the same messages: what is on air and its results. The client sends nothing.',
        parameters: { name: { description: 'The show: 3 to 40 of a-z, 0-9 and -.' } },
      },
      polls: {
        ...channel('/api/live', 'Many polls and shows', [...FROM_RELAY, ...TO_RELAY], others),
        description: 'A WebSocket. The relay sends messages only about subscribed polls and followed shows.',
      },
      events: {
        address: '/api/events',
        title: 'Events for programs',
        messages: messagesOf(EVENT_NAMES),
        servers: [{ $ref: '#/servers/rest' }],
        description:
          'Server-Sent Events about all polls and shows, for an operator’s key. With `Last-Event-ID`, the stream continues after that event, for an hour. A `heartbeat` event comes every 3 seconds. Webhooks get the same events as bodies, and `poll.progress`.',
      },
    },
    operations: {
      showPoll: operation('send', 'poll', ABOUT_ONE_POLL),
      showShow: operation('send', 'show', FROM_RELAY),
      showPolls: operation('send', 'polls', FROM_RELAY),
      hearClients: operation('receive', 'polls', TO_RELAY),
      sendEvents: {
        ...operation('send', 'events', EVENT_NAMES),
        security: [{ $ref: '#/components/securitySchemes/operatorKey' }],
      },
    },
    components: {
      messages: { ...messages(), ...eventMessages() },
      schemas: schemas(),
      securitySchemes: { operatorKey: { type: 'httpApiKey', in: 'header', name: 'X-API-Key' } },
    },
  };
}

function channel(
  address: string,
  title: string,
  names: readonly string[],
  properties: Record<string, JsonSchema>,
) {
  return {
    address,
    title,
    messages: messagesOf(names),
    servers: [{ $ref: '#/servers/relay' }],
    bindings: { ws: { method: 'GET', query: { type: 'object', properties }, bindingVersion: '0.1.0' } },
    'x-close-codes': Object.values(closeEvents)
      .map(({ code, reason, error }) => ({ code, reason, ...(error && { error }) }))
      .sort((a, b) => a.code - b.code),
  };
}

function messagesOf(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/messages/${name}` }]));
}

function operation(action: 'send' | 'receive', channel: string, names: readonly string[]): JsonSchema {
  return {
    action,
    channel: { $ref: `${CHANNEL}${channel}` },
    messages: names.map(name => ({ $ref: `${CHANNEL}${channel}/messages/${name}` })),
  };
}

function messages(): Record<string, JsonSchema> {
  const texts = messageTexts();
  return Object.fromEntries(
    [...FROM_RELAY, ...TO_RELAY].map(name => {
      const { description, examples = [] } = texts.get(name) ?? {};
      return [
        name,
        {
          name,
          description,
          payload: reference(name),
          examples: examples.map(payload => ({ payload })),
        },
      ];
    }),
  );
}

function eventMessages(): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(EVENTS).map(([name, schema]) => [
      name,
      { name, description: schema.description, payload: reference(name) },
    ]),
  );
}

function schemas(): Record<string, JsonSchema> {
  const received = Object.entries(clientMessages).map(([name, schema]) => [name, schemaOfInput(schema)]);
  return { ...schemasOfOutput({ ...MESSAGES, ...EVENTS }), ...Object.fromEntries(received) };
}

interface MessageText {
  readonly description: string;
  readonly examples: readonly Record<string, unknown>[];
}

const SECTION = /^### (.+)\n/m;
const EXAMPLES = /```json\n([\s\S]*?)```/;
const WIRE_TYPE = /`(\w+)`/g;

/** What PROTOCOL.md says about each type of message: the paragraph after "Direction: …", and the examples. */
function messageTexts(): ReadonlyMap<string, MessageText> {
  const [, ...parts] = readFileSync(new URL('PROTOCOL.md', builtFolder('protocol')), 'utf8').split(SECTION);
  const texts = new Map<string, MessageText>();
  for (let at = 0; at < parts.length; at += 2) {
    const [title = '', text = ''] = parts.slice(at, at + 2);
    const lines = (EXAMPLES.exec(text)?.[1] ?? '').split('\n').filter(Boolean);
    const examples = lines.map(line => JSON.parse(line) as Record<string, unknown>);
    const description = (text.split(/\n\n/)[1] ?? '').replace(/\n/g, ' ').trim();
    for (const [, type = ''] of title.matchAll(WIRE_TYPE))
      if (examples.length > 0)
        texts.set(type, { description, examples: examples.filter(example => example['type'] === type) });
  }
  return texts;
}
