import type { ErrorCode } from '../../poll/poll-error.ts';
import { createPollBody } from '../../poll/poll-schema.ts';
import { changeShowBody, createShowBody, pressBody } from '../../show/show-schema.ts';
import { reference, schemaOfInput } from '../json-schema.ts';
import { body, KEYED, OPEN_OR_KEYED, operation, type Paths, WITH_BODY, WRITING } from './operation.ts';
import { expires, pressable, repeatable, showName } from './parameters.ts';
import { CACHE_CONTROL, json, LOCATION } from './responses.ts';

const tags = ['Shows'];

const nameOfReply = { name: '$response.body#/name' };
const keyed = (operationId: string) => ({
  operationId,
  parameters: nameOfReply,
  description: 'Needs the `show_key`.',
});
const LINKS = {
  read: { operationId: 'readShow', parameters: nameOfReply, description: 'What is on air.' },
  rundown: keyed('readRundown'),
  change: keyed('changeShow'),
  poll: keyed('createPollOfShow'),
  next: keyed('nextOfShow'),
  previous: keyed('previousOfShow'),
  clear: keyed('clearOfShow'),
  renewKey: keyed('renewShowKey'),
  delete: keyed('deleteShow'),
};

const create = operation({
  operationId: 'createShow',
  tags,
  summary: 'Take the name of a show',
  description:
    'A show is a named place on air: overlays point to it once, and what it shows changes under them. Allowed and limited as creating a poll is.',
  ...OPEN_OR_KEYED,
  parameters: [repeatable, expires],
  requestBody: body(schemaOfInput(createShowBody), { show: { name: 'friday-night', title: 'Friday night' } }),
  replies: {
    201: json('The name is yours.', 'CreatedShow', {
      headers: { ...LOCATION, ...CACHE_CONTROL },
      links: LINKS,
    }),
  },
  refusals: [
    ...WRITING,
    ...WITH_BODY,
    'api_key_required',
    'api_key_rejected',
    'idempotency_key_reused',
    'show_name_taken',
  ],
  limited: true,
});

const read = operation({
  operationId: 'readShow',
  tags,
  summary: 'Read what is on air',
  description:
    'Without a key, what is on air. With the show’s `show_key` or an operator’s key, the run-down and the version, too.',
  ...OPEN_OR_KEYED,
  parameters: [showName],
  replies: {
    200: {
      description: 'The show.',
      headers: CACHE_CONTROL,
      content: {
        'application/json': { schema: { anyOf: [reference('WholeShow'), reference('Show')] } },
      },
    },
  },
  refusals: ['api_key_required', 'api_key_rejected', 'show_not_found', 'route_not_found'],
});

const readRundown = operation({
  operationId: 'readRundown',
  tags,
  summary: 'Read the run-down',
  description: 'All that a desk tells about each of its polls, in one read.',
  ...KEYED,
  parameters: [showName],
  replies: { 200: json('The run-down, in order.', 'Rundown', { headers: CACHE_CONTROL }) },
  refusals: ['api_key_required', 'api_key_rejected', 'show_not_found', 'route_not_found'],
});

const MANAGING = [
  ...WRITING,
  'api_key_required',
  'api_key_rejected',
  'show_not_found',
  'route_not_found',
] as const;

/** What a change that is made on top of another one meets. */
const PRESSING = [...MANAGING, ...WITH_BODY, 'show_changed', 'idempotency_key_reused'] as const;

const button = (name: string, summary: string, description: string, refusals: readonly ErrorCode[] = []) =>
  operation({
    operationId: `${name}OfShow`,
    tags,
    summary,
    description: `${description} A body is welcome, and not needed: \`version\` says what you have seen, so that of two who press at once one moves on.`,
    ...KEYED,
    parameters: [showName, pressable, expires],
    requestBody: body(schemaOfInput(pressBody), { show: {} }, false),
    replies: { 200: json('The show as it is now.', 'SteppedShow', { headers: CACHE_CONTROL }) },
    refusals: [...PRESSING, ...refusals],
    limited: true,
  });

const next = button(
  'next',
  'Put the next poll of the run-down on air',
  'Where nothing is on air, or a poll that is not in the run-down, it goes on after the one that was on air last. Polls that were deleted are passed over, and named in `skipped`.',
  ['rundown_end'],
);
const previous = button(
  'previous',
  'Put the poll before it on air',
  'Where nothing is on air, or a poll that is not in the run-down, it returns to the one that was on air last.',
  ['rundown_start'],
);
const clear = button('clear', 'Take everything off the air', 'The place in the run-down stays.');

const addPoll = operation({
  operationId: 'createPollOfShow',
  tags,
  summary: 'Create a poll at the end of the run-down',
  description:
    'As creating a poll, with the show’s `show_key` or an operator’s key: the key of the show manages the poll as its `admin_key` does. The poll is private, whatever `priv` says.',
  ...KEYED,
  parameters: [showName, repeatable, expires],
  requestBody: body(schemaOfInput(createPollBody), {
    poll: { title: 'Which song next?', answers: ['Waterloo', 'Volare'], status: 'upcoming' },
  }),
  replies: {
    201: json('The poll is in the run-down.', 'CreatedPoll', { headers: { ...LOCATION, ...CACHE_CONTROL } }),
  },
  refusals: [...MANAGING, ...WITH_BODY, 'idempotency_key_reused', 'rundown_full'],
  limited: true,
});

const renewKey = operation({
  operationId: 'renewShowKey',
  tags,
  summary: 'Make a new key for the show',
  description:
    'The old one ends at once, for the show and its polls. Where the reply was lost, the same Idempotency-Key and the old key give it again.',
  ...KEYED,
  parameters: [showName, repeatable, expires],
  replies: { 200: json('The new key, shown this once.', 'NewShowKey', { headers: CACHE_CONTROL }) },
  refusals: [...MANAGING, ...WITH_BODY, 'idempotency_key_reused'],
  limited: true,
});

const change = operation({
  operationId: 'changeShow',
  tags,
  summary: 'Put a poll on air, put the run-down in order, change the title',
  description:
    'With the show’s `show_key` or an operator’s key, in a header. Every overlay of the show switches at once. Any poll may be put on air, and only its own key opens, closes or reveals it.',
  ...KEYED,
  parameters: [showName, pressable, expires],
  requestBody: body(schemaOfInput(changeShowBody), { show: { on_air: null } }),
  replies: { 200: json('The show as it is now.', 'ChangedShow', { headers: CACHE_CONTROL }) },
  refusals: [...PRESSING, 'poll_not_found'],
  limited: true,
});

const remove = operation({
  operationId: 'deleteShow',
  tags,
  summary: 'Give the name back',
  description: 'Its polls stay.',
  ...KEYED,
  parameters: [showName, expires],
  replies: { 200: json('The name is free.', 'DeletedShow') },
  refusals: [...MANAGING, ...WITH_BODY],
  limited: true,
});

export const showPaths: Paths = {
  '/api/show': { post: create },
  '/api/show/{name}': { get: read, patch: change, delete: remove },
  '/api/show/{name}/rundown': { get: readRundown },
  '/api/show/{name}/poll': { post: addPoll },
  '/api/show/{name}/next': { post: next },
  '/api/show/{name}/previous': { post: previous },
  '/api/show/{name}/clear': { post: clear },
  '/api/show/{name}/show_key': { post: renewKey },
};
