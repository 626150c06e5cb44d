import * as z from 'zod';
import type { ResultsRow } from '../api/format/results-rows.ts';
import { ERROR_CODES, type ErrorBody } from '../poll/poll-error.ts';
import { READABLE_POLL_ID } from '../poll/rehearsal.ts';
import type {
  CountsMessage,
  CurrentMessage,
  ErrorMessage,
  HeartbeatMessage,
  HiddenMessage,
  ResultsBody,
  ResultsMessage,
  ShowMessage,
  StaleMessage,
} from '../protocol/messages.ts';

/** What a relay sends, as schemas. Where one says less or other than the code, it does not compile; the tests find the rest. */

const count = z.int().min(0);
const moment = count.meta({ description: 'UNIX time in whole seconds.' });
const pollId = z.string().meta({ pattern: READABLE_POLL_ID, examples: ['zW1Fiu5hZoAA'] });
const deadline = z.iso
  .datetime({ precision: 3 })
  .nullable()
  .meta({ description: '`null` where no deadline is active.' });
const closes_in = z.number().exactOptional().meta({
  description: 'Seconds from the opening to the deadline. Only of a poll that has not been opened yet.',
});
const status = z.enum(['upcoming', 'open', 'closed']);
const position = z.string();
const visibility = z.enum(['always', 'after_deadline', 'hidden']);
const answer = z.object({
  id: z.string().meta({ description: 'Opaque, and the same for the life of the poll.' }),
  answer: z.string(),
  sorting: z.int().min(1).meta({ description: 'Position, counting from 1.' }),
  type: z.literal('text'),
});
const counted = answer.extend({ votes: count });

const results = z.object({
  id: pollId,
  title: z.string(),
  poll_answers: z.array(counted),
  total_votes: count.meta({ description: 'Always exactly the sum of `votes`.' }),
  success: z.literal(1),
  timestamp: moment.meta({ description: 'The moment of the read: UNIX time in whole seconds.' }),
  version: count.meta({ description: 'Grows with every accepted ballot and every change of the poll.' }),
  position: position.meta({
    description:
      'Opaque. Equal positions are equal results, but for `timestamp`. The `ETag`, the `id` of events, and what `since` takes.',
  }),
  total_voters: count.meta({ description: 'Ballots: a ballot may carry several answers.' }),
  status,
  deadline,
  closes_in,
  results_visibility: visibility,
  rehearsal: z
    .literal(true)
    .exactOptional()
    .meta({ description: 'The simulated poll: nobody voted, and nothing is stored.' }),
}) satisfies z.ZodType<ResultsBody>;

const row = z.object({
  id: z.string(),
  answer: z.string(),
  sorting: z.int().min(1),
  votes: count,
  percent: z.int().min(0).max(100).meta({ description: 'Equal votes have equal figures.' }),
  percent_decimal: z.string().meta({ pattern: '^\\d+\\.\\d$' }),
  rank: z.int().min(1),
  winner: z.boolean().meta({ description: 'Said of a closed poll only.' }),
  tie: z.boolean(),
  poll_id: pollId,
  title: z.string(),
  total_votes: count,
  total_voters: count,
  status,
  deadline: z.string().meta({ description: 'Empty where no deadline is active.' }),
  results_visibility: visibility,
  version: count,
  timestamp: moment,
  leading: z.boolean().meta({ description: 'What `winner` would be, while the poll is open.' }),
}) satisfies z.ZodType<ResultsRow>;

const error = z.object({
  success: z.literal(0),
  error: z.object({
    code: z.enum(ERROR_CODES),
    message: z.string().meta({ description: 'For people: what is wrong, and what to do about it.' }),
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .exactOptional()
      .meta({ description: 'Each fault of the request, and where it is.' }),
  }),
}) satisfies z.ZodType<ErrorBody>;

const ignored = z.array(z.string()).meta({ description: 'Members of the body that nobody here knows.' });
const url = z.url();
const show = z.object({
  success: z.literal(1),
  name: z.string(),
  title: z.string(),
  on_air: pollId.nullable().meta({ description: 'The poll that the show points to.' }),
});

const wholeShow = show.extend({
  rundown: z.array(pollId).meta({ description: 'The ids of the run-down, in order.' }),
  own: z
    .array(pollId)
    .meta({ description: 'Those of the run-down that the show owns: its key manages them, too.' }),
  place: pollId.nullable().meta({
    description: 'The poll of the run-down that is or was on air last: `next` and `previous` go on from it.',
  }),
  version: z.int().min(1).meta({ description: 'Grows with every change of the show.' }),
  screens: count
    .optional()
    .meta({ description: 'Where the show is read: how many watch what is on air, over all relays.' }),
  now: z.number().optional().meta({
    description:
      'Where the show is read: UNIX time in seconds by this relay’s clock, which `Request-Expires` is judged by.',
  }),
});
const rundownPoll = z.union([
  z.object({ id: pollId, gone: z.literal(true).meta({ description: 'It was deleted.' }) }),
  z.object({
    id: pollId,
    gone: z.literal(false),
    owned: z.boolean().meta({ description: 'The key of the show manages this poll, too.' }),
    title: z.string(),
    status,
    results_visibility: visibility,
    deadline,
    closes_in,
    total_votes: count.nullable().meta({ description: '`null` where this key may not see the results.' }),
    total_voters: count.nullable(),
  }),
]);

/** Of REST. */
export const REPLIES = {
  Results: results,
  ChangedResults: results.extend({ ignored }),
  ResultsRow: row,
  Error: error,
  CreatedPoll: z.object({
    success: z.literal(1),
    id: pollId,
    content_id: pollId.meta({ description: 'The same as `id`.' }),
    admin_key: z.string().meta({ description: 'Manages the poll and reads it. Shown this once.' }),
    view_key: z.string().meta({ description: 'Reads hidden results, and nothing else. Shown this once.' }),
    poll_answers: z.array(answer),
    deadline,
    closes_in,
    status: z.enum(['upcoming', 'open']),
    ignored,
    links: z.object({ results: url, live: url, overlay: url, vote: url, manage: url, qr: url }),
  }),
  NewViewKey: z.object({ success: z.literal(1), id: pollId, view_key: z.string() }),
  NewAdminKey: z.object({
    success: z.literal(1),
    id: pollId,
    admin_key: z.string().meta({ description: 'Shown this once. The one before opens nothing any more.' }),
    links: z.object({ manage: url }),
  }),
  DeletedPoll: z.object({ success: z.literal(1), id: pollId }),
  Show: show,
  WholeShow: wholeShow,
  ChangedShow: wholeShow.extend({ ignored }),
  SteppedShow: wholeShow.extend({
    skipped: z
      .array(pollId)
      .meta({ description: 'Polls of the run-down that were deleted, and passed over.' }),
    ignored,
  }),
  Rundown: show.extend({ version: z.int().min(1), rundown: z.array(rundownPoll) }),
  NewShowKey: z.object({
    success: z.literal(1),
    name: z.string(),
    show_key: z.string().meta({ description: 'Shown this once. The one before opens nothing any more.' }),
    links: z.object({ desk: url }),
  }),
  CreatedShow: show.extend({
    show_key: z.string().meta({ description: 'Manages the show. Shown this once.' }),
    ignored,
    links: z.object({ overlay: url, vote: url, desk: url, live: url, qr: url }),
  }),
  DeletedShow: z.object({ success: z.literal(1), name: z.string() }),
  Alive: z.object({ success: z.literal(1), timestamp: moment }),
  Ready: z.object({
    success: z.literal(1),
    timestamp: moment,
    degraded: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'What is the matter though this process can work.' }),
  }),
} as const;

const id = z.string();

/** Of the live stream. */
export const MESSAGES = {
  results: z.object({
    type: z.literal('results'),
    ...results.shape,
    final: z.literal(true).exactOptional(),
    reset: z.literal(true).exactOptional(),
  }) satisfies z.ZodType<ResultsMessage>,
  counts: z.object({
    type: z.literal('counts'),
    id,
    version: count,
    timestamp: moment,
    votes: z.array(count),
    total_voters: count,
    position,
  }) satisfies z.ZodType<CountsMessage>,
  hidden: z.object({
    type: z.literal('hidden'),
    id,
    title: z.string(),
    poll_answers: z.array(answer),
    success: z.literal(1),
    status,
    deadline,
    closes_in,
    results_visibility: visibility,
  }) satisfies z.ZodType<HiddenMessage>,
  current: z.object({
    type: z.literal('current'),
    id,
    version: count,
    position,
  }) satisfies z.ZodType<CurrentMessage>,
  stale: z.object({ type: z.literal('stale'), id, since: moment }) satisfies z.ZodType<StaleMessage>,
  heartbeat: z.object({
    type: z.literal('heartbeat'),
    timestamp: moment,
  }) satisfies z.ZodType<HeartbeatMessage>,
  error: z.object({
    type: z.literal('error'),
    code: z.string(),
    message: z.string(),
    id: id.optional().meta({ description: 'The poll that was refused, where it was one.' }),
    show: z.string().optional().meta({ description: 'The show that was refused, where it was one.' }),
  }) satisfies z.ZodType<ErrorMessage>,
  show: z.object({
    type: z.literal('show'),
    show: z.string(),
    id: id.nullable().meta({ description: '`null` while nothing is on air.' }),
    subscribed: z
      .literal(true)
      .optional()
      .meta({ description: 'The connection is subscribed to that poll: its first message comes next.' }),
    ...wholeShow.pick({ title: true, rundown: true, own: true, place: true, version: true }).partial().shape,
  }) satisfies z.ZodType<ShowMessage>,
} as const;
