import { changePollBody } from '../../poll/change-schema.ts';
import { createPollBody } from '../../poll/poll-schema.ts';
import { schemaOfInput } from '../json-schema.ts';
import { body, KEYED, OPEN_OR_KEYED, operation, type Paths, WITH_BODY, WRITING } from './operation.ts';
import { expires, ifNoneMatch, pollId, readQuery, repeatable, storedPollId, viewKey } from './parameters.ts';
import { CACHE_CONTROL, ETAG, json, LOCATION } from './responses.ts';

const tags = ['Polls'];

/** What may be done next with a poll that was created. */
const idOfReply = { id: '$response.body#/id' };
const LINKS = {
  read: { operationId: 'readPoll', parameters: idOfReply, description: 'The results.' },
  change: { operationId: 'changePoll', parameters: idOfReply, description: 'Needs the `admin_key`.' },
  renewViewKey: { operationId: 'renewViewKey', parameters: idOfReply, description: 'Needs the `admin_key`.' },
  renewAdminKey: {
    operationId: 'renewAdminKey',
    parameters: idOfReply,
    description: 'Needs the `admin_key`.',
  },
  delete: { operationId: 'deletePoll', parameters: idOfReply, description: 'Needs the `admin_key`.' },
};

const create = operation({
  operationId: 'createPoll',
  tags,
  summary: 'Create a poll',
  description:
    'Asks for an operator’s key where the operator has set `CREATE_REQUIRES_KEY`. The reply holds the keys of the poll, which are shown this once. What one address may have stored in a day is limited, and a poll without a ballot is deleted 30 days after its creation or deadline by default; an operator’s key is exempt from both.',
  ...OPEN_OR_KEYED,
  parameters: [repeatable, expires],
  requestBody: body(schemaOfInput(createPollBody), {
    poll: { title: 'Which song next?', answers: ['Waterloo', 'Volare'] },
  }),
  replies: {
    201: json('The poll is there.', 'CreatedPoll', {
      headers: { ...LOCATION, ...CACHE_CONTROL },
      links: LINKS,
    }),
  },
  refusals: [...WRITING, ...WITH_BODY, 'api_key_required', 'api_key_rejected', 'idempotency_key_reused'],
  limited: true,
});

const read = operation({
  operationId: 'readPoll',
  tags,
  summary: 'Read the results',
  description:
    'One consistent moment: once a vote has been acknowledged, every read that arrives after it contains it. Hidden results need a key: the poll’s `admin_key` or `view_key`, or an operator’s. Replies that needed one carry no `ETag`.\n\nFor tools that cannot read an object, `?format=` gives the same results flat, one row for each answer: `rows` (JSON, an array of `ResultsRow`), `csv`, `xml` or `text`. It is no parameter here, so that generated clients have one type for the reply.',
  ...OPEN_OR_KEYED,
  parameters: [pollId, ...readQuery, viewKey, ifNoneMatch],
  replies: {
    200: json('The results now.', 'Results', { headers: { ...ETAG, ...CACHE_CONTROL } }),
    304: {
      description: 'The results are those of `If-None-Match`.',
      headers: { ...ETAG, ...CACHE_CONTROL },
    },
  },
  refusals: ['api_key_required', 'api_key_rejected', 'poll_not_found', 'route_not_found'],
});

const MANAGING = [
  'method_not_allowed',
  ...WRITING,
  'api_key_required',
  'api_key_rejected',
  'poll_not_found',
  'route_not_found',
] as const;

const change = operation({
  operationId: 'changePoll',
  tags,
  summary: 'Open, close, hide, reveal, move the deadline',
  description:
    'With the poll’s `admin_key` or an operator’s key, in a header. What is left out stays as it is, and sending it twice changes nothing the second time, but for `closes_in`. Every screen has the change at once.',
  ...KEYED,
  parameters: [storedPollId, expires],
  requestBody: body(schemaOfInput(changePollBody), { poll: { status: 'closed' } }),
  replies: { 200: json('The poll as it is now.', 'ChangedResults', { headers: CACHE_CONTROL }) },
  refusals: [...MANAGING, ...WITH_BODY, 'deadline_missing', 'deadline_passed'],
  limited: true,
});

const remove = operation({
  operationId: 'deletePoll',
  tags,
  summary: 'Delete a poll',
  description: 'With every ballot, name and comment. Whoever watches it is told so: close code 4410.',
  ...KEYED,
  parameters: [storedPollId, expires],
  replies: { 200: json('It is gone.', 'DeletedPoll', { headers: CACHE_CONTROL }) },
  refusals: [...MANAGING, 'body_too_large'],
  limited: true,
});

const renewViewKey = operation({
  operationId: 'renewViewKey',
  tags,
  summary: 'Make a new view key',
  description: 'The old one ends at once.',
  ...KEYED,
  parameters: [storedPollId, expires],
  replies: { 200: json('The new key, shown this once.', 'NewViewKey', { headers: CACHE_CONTROL }) },
  refusals: [...MANAGING, 'body_too_large'],
  limited: true,
});

const renewAdminKey = operation({
  operationId: 'renewAdminKey',
  tags,
  summary: 'Make a new admin key',
  description:
    'The old one ends at once, with every session and live stream that was opened with it. Send an `Idempotency-Key`: if the reply is lost, the same request with the old key returns the new key again.',
  ...KEYED,
  parameters: [storedPollId, repeatable, expires],
  replies: { 200: json('The new key, shown this once.', 'NewAdminKey', { headers: CACHE_CONTROL }) },
  refusals: [...MANAGING, 'body_too_large', 'idempotency_key_reused'],
  limited: true,
});

export const pollPaths: Paths = {
  '/api/poll': { post: create },
  '/api/poll/{id}': { get: read, patch: change, delete: remove },
  '/api/poll/{id}/view_key': { post: renewViewKey },
  '/api/poll/{id}/admin_key': { post: renewAdminKey },
};
