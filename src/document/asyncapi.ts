import { liveQuery } from '../live/live-routes.ts';
import { READABLE_POLL_ID } from '../poll/rehearsal.ts';
import { clientMessages } from '../protocol/client-message.ts';
import * as closeEvents from '../protocol/close-event.ts';
import { type JsonSchema, membersOfInput, reference, schemaOfInput, schemasOfOutput } from './json-schema.ts';
import { LICENSE, SUMMARY, VERSION } from './product.ts';
import { messageTexts } from './protocol-text.ts';
import { MESSAGES } from './replies.ts';

/** AsyncAPI 3 of the live stream. A relay sends, and on the address of many polls it receives, too. */

const FROM_RELAY = Object.keys(MESSAGES);
const ABOUT_ONE_POLL = FROM_RELAY.filter(name => name !== 'show');
const TO_RELAY = Object.keys(clientMessages);

const CHANNEL = '#/channels/';

/** The same for every relay of one version. */
export function asyncapiDocument(): object {
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Tallycast, the live stream',
      version: VERSION,
      description: `${SUMMARY}. The rules are in PROTOCOL.md, which every relay shows at \`/docs/protocol\`. Clients pass over types and members that they do not know.`,
      license: { name: LICENSE.name },
    },
    defaultContentType: 'application/json',
    servers: {
      relay: {
        host: '{host}',
        protocol: 'wss',
        description: 'A relay; `ws` where it is reached without TLS.',
        variables: { host: { default: 'relay.example', description: 'Where the relay is reached.' } },
      },
    },
    channels: {
      poll: {
        address: '/api/poll/{id}/live',
        title: 'One poll',
        description:
          'A WebSocket, or without an upgrade Server-Sent Events with the same messages. Nothing is to be said here: connect and draw.',
        parameters: { id: { description: `The poll: ${READABLE_POLL_ID}` } },
        messages: messagesOf(ABOUT_ONE_POLL),
        bindings: bindings(membersOfInput(liveQuery)),
        'x-close-codes': CLOSE_CODES,
      },
      show: {
        address: '/api/show/{name}/live',
        title: 'One show',
        description:
          'A WebSocket, or without an upgrade Server-Sent Events with the same messages: what is on air, and the results of it. Nothing is to be said here.',
        parameters: { name: { description: 'The show: 3 to 40 of a-z, 0-9 and -.' } },
        messages: messagesOf(FROM_RELAY),
        bindings: bindings(withoutSince(membersOfInput(liveQuery))),
        'x-close-codes': CLOSE_CODES,
      },
      polls: {
        address: '/api/live',
        title: 'Many polls and shows',
        description: 'A WebSocket. Nothing is said about a poll that was not subscribed to.',
        messages: messagesOf([...FROM_RELAY, ...TO_RELAY]),
        bindings: bindings(withoutSince(membersOfInput(liveQuery))),
        'x-close-codes': CLOSE_CODES,
      },
    },
    operations: {
      showPoll: operation('send', 'poll', ABOUT_ONE_POLL),
      showShow: operation('send', 'show', FROM_RELAY),
      showPolls: operation('send', 'polls', FROM_RELAY),
      hearClients: operation('receive', 'polls', TO_RELAY),
    },
    components: { messages: messages(), schemas: schemas() },
  };
}

/** Why a relay ends a connection, in the order of the codes. */
const CLOSE_CODES = Object.values(closeEvents)
  .map(({ code, reason, error }) => ({ code, reason, ...(error && { error }) }))
  .sort((a, b) => a.code - b.code);

function messagesOf(names: readonly string[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/messages/${name}` }]));
}

function operation(action: 'send' | 'receive', channel: string, names: readonly string[]): JsonSchema {
  return {
    action,
    channel: { $ref: `${CHANNEL}${channel}` },
    messages: names.map(name => ({ $ref: `${CHANNEL}${channel}/messages/${name}` })),
  };
}

function bindings(properties: Record<string, JsonSchema>): JsonSchema {
  return { ws: { method: 'GET', query: { type: 'object', properties }, bindingVersion: '0.1.0' } };
}

/** Each `subscribe` has its own. */
function withoutSince({ since, ...others }: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return others;
}

function messages(): Record<string, JsonSchema> {
  const texts = messageTexts();
  return Object.fromEntries(
    [...FROM_RELAY, ...TO_RELAY].map(name => {
      const { description, examples = [] } = texts.get(name) ?? {};
      const payloads = examples.map(payload => ({ payload }));
      return [
        name,
        { name, ...(description && { description }), payload: reference(name), examples: payloads },
      ];
    }),
  );
}

function schemas(): Record<string, JsonSchema> {
  return {
    ...schemasOfOutput(MESSAGES),
    ...Object.fromEntries(
      Object.entries(clientMessages).map(([name, schema]) => [name, schemaOfInput(schema)]),
    ),
  };
}
