import * as z from 'zod';
import { EVENT_TYPES, type EventType, type ProgramEvent } from '../events/poll-event.ts';
import { count, deadline, moment, pollId, results, status, visibility } from '../protocol/results-schema.ts';
import { ignored } from './poll-replies.ts';

/** Replies about webhooks, and the events for programs. */

const webhook = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  created_at: moment,
  poll: pollId.optional().describe('The poll that it belongs to.'),
  show: z.string().optional().describe('The show that it belongs to.'),
});

const watchedWebhook = webhook.extend({
  failing_since: moment.nullable().describe('Since when no delivery has succeeded.'),
  disabled_at: moment.nullable().describe('When it was given up, after a day.'),
  pending: count
    .optional()
    .describe(
      'Events after the last delivered one; for up to a minute also unwanted ones. Only of webhooks that see all polls and shows.',
    ),
});

export const PROGRAM_REPLIES = {
  CreatedWebhook: webhook.extend({
    success: z.literal(1),
    secret: z.string().describe('Verifies the signatures. Shown only once.'),
    ignored,
  }),
  Webhook: watchedWebhook.extend({ success: z.literal(1) }),
  WebhookList: z.object({ success: z.literal(1), webhooks: z.array(watchedWebhook) }),
  DeletedWebhook: z.object({ success: z.literal(1), id: z.string() }),
};

const show_id = z
  .string()
  .nullable()
  .describe(
    'Distinguishes the show, or the one that owns the poll, from others of the same name; `null` for none.',
  );
const ofPoll = {
  id: pollId,
  title: z.string(),
  status,
  deadline,
  results_visibility: visibility,
  round: z.int().min(2).optional().describe('From the second one on.'),
  show: z.string().nullable().describe('Name of the show that owns it.'),
  show_id,
};
const withResults = { ...ofPoll, results };
const ofShow = {
  name: z.string(),
  title: z.string(),
  on_air: pollId.nullable().describe('`null` if nothing is on air.'),
  rundown: z.array(pollId),
  version: z.int().min(1),
  show_id,
};

/** What `GET /api/events` and webhooks send. */
export const EVENTS = {
  'poll.created': event('poll.created', z.object(ofPoll), 'A poll was created.'),
  'poll.opened': event('poll.opened', z.object(ofPoll), 'A poll takes ballots, for the first time or again.'),
  'poll.progress': event(
    'poll.progress',
    z.object(withResults),
    'Ballots were cast, and the results are public. The newest counts, at most once a second; only for webhooks that name this type.',
  ),
  'poll.updated': event(
    'poll.updated',
    z.object(ofPoll),
    'A text, an answer, a setting, the join code or the deadline of a poll has changed, or its opening was taken back. Read the poll for all of it.',
  ),
  'poll.closed': event(
    'poll.closed',
    z.object(withResults),
    'A poll takes no more ballots. `results` are final unless it is opened again.',
  ),
  'poll.revealed': event('poll.revealed', z.object(withResults), 'Hidden results have become public.'),
  'poll.hidden': event('poll.hidden', z.object(ofPoll), 'Public results have been hidden again.'),
  'poll.again': event(
    'poll.again',
    z.object({ ...ofPoll, ended: z.object({ round: z.int().min(1), results }) }),
    'The next round of a poll has begun, at zero. `ended` is the round before, with its results if they are public.',
  ),
  'poll.deleted': event(
    'poll.deleted',
    z.object({ id: pollId, show_id }),
    'A poll was deleted, or has expired.',
  ),
  'show.changed': event(
    'show.changed',
    z.union([z.object(ofShow), z.object({ name: z.string(), show_id })]),
    'A show has changed; of a deleted one, only its name is left.',
  ),
} satisfies { readonly [Type in EventType]: z.ZodType<ProgramEvent> };

function event<Type extends EventType, Data extends z.ZodType>(type: Type, data: Data, description: string) {
  const id = z.string().describe('The same wherever and however often it is sent.');
  return z.object({ id, type: z.literal(type), timestamp: moment, data }).meta({ description });
}
