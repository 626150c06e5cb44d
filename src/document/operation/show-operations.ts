import { changeShowBody, createShowBody } from '../../show/show-schema.ts';
import { schemaOfInput } from '../json-schema.ts';
import { body, KEYED, OPEN_OR_KEYED, operation, type Paths, WITH_BODY, WRITING } from './operation.ts';
import { repeatable, showName } from './parameters.ts';
import { CACHE_CONTROL, json, LOCATION } from './responses.ts';

const tags = ['Shows'];

const nameOfReply = { name: '$response.body#/name' };
const LINKS = {
  read: { operationId: 'readShow', parameters: nameOfReply, description: 'What is on air.' },
  change: { operationId: 'changeShow', parameters: nameOfReply, description: 'Needs the `show_key`.' },
  delete: { operationId: 'deleteShow', parameters: nameOfReply, description: 'Needs the `show_key`.' },
};

const create = operation({
  operationId: 'createShow',
  tags,
  summary: 'Take the name of a show',
  description:
    'A show is a named place on air: overlays point to it once, and what it shows changes under them. Allowed and limited as creating a poll is.',
  ...OPEN_OR_KEYED,
  parameters: [repeatable],
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
  parameters: [showName],
  replies: { 200: json('The show.', 'Show', { headers: CACHE_CONTROL }) },
  refusals: ['show_not_found', 'route_not_found'],
});

const MANAGING = [
  ...WRITING,
  'api_key_required',
  'api_key_rejected',
  'show_not_found',
  'route_not_found',
] as const;

const change = operation({
  operationId: 'changeShow',
  tags,
  summary: 'Put a poll on air, or change the title',
  description:
    'With the show’s `show_key` or an operator’s key, in a header. Every overlay of the show switches at once.',
  ...KEYED,
  parameters: [showName],
  requestBody: body(schemaOfInput(changeShowBody), { show: { on_air: null } }),
  replies: { 200: json('The show as it is now.', 'ChangedShow') },
  refusals: [...MANAGING, ...WITH_BODY, 'poll_not_found'],
  limited: true,
});

const remove = operation({
  operationId: 'deleteShow',
  tags,
  summary: 'Give the name back',
  description: 'Its polls stay.',
  ...KEYED,
  parameters: [showName],
  replies: { 200: json('The name is free.', 'DeletedShow') },
  refusals: [...MANAGING, ...WITH_BODY],
  limited: true,
});

export const showPaths: Paths = {
  '/api/show': { post: create },
  '/api/show/{name}': { get: read, patch: change, delete: remove },
};
