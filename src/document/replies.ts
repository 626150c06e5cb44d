import * as z from 'zod';
import type { ResultsRow } from '../api/results-formats.ts';
import type { VoidBody } from '../api/void-routes.ts';
import { EVENT_TYPES, type EventType, type ProgramEvent } from '../events/poll-event.ts';
import { REJECTION_REASONS, type RejectionReason } from '../poll/ballot.ts';
import { FLAGS, type FlagWireName, POLL_STATUSES, VISIBILITIES } from '../poll/poll.ts';
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
  ShowLook,
  ShowMessage,
  StaleMessage,
} from '../protocol/messages.ts';
import { lookMembers } from '../show/show-schema.ts';

/** What a relay sends, as schemas. `satisfies` and the tests keep them in step with the code. */

const described = <Schema extends z.ZodType>(schema: Schema, description: string): Schema =>
  schema.meta({ description });

const count = z.int().min(0);
const time = described(count, 'UNIX time in whole seconds.');
const shownOnce = described(z.string(), 'Shown only once. A previous key no longer works.');
const pollId = z.string().meta({ pattern: READABLE_POLL_ID, examples: ['zW1Fiu5hZoAA'] });
const deadline = z.iso
  .datetime({ precision: 3 })
  .nullable()
  .meta({ description: '`null` without an active deadline.' });
const closes_in = z.number().exactOptional().meta({
  description: 'Upcoming polls only: seconds from opening to deadline.',
});
const rehearsal = z.literal(true).exactOptional().meta({ description: 'Simulated votes.' });
const voided_votes = z.int().min(1).exactOptional().meta({
  description: 'Votes of ballots that the creator removed, which no other count includes. Absent for none.',
});
const status = z.enum(POLL_STATUSES);
const edited_at = z.iso.datetime({ precision: 3 }).exactOptional().meta({
  description: 'When a text was last corrected after the first ballot. Absent if none was.',
});
const position = z.string();
const visibility = z.enum(VISIBILITIES);
const answer = z.object({
  id: described(z.string(), 'Opaque. Never changes.'),
  answer: z.string(),
  sorting: described(z.int().min(1), 'Position, counting from 1.'),
  type: z.literal('text'),
});
const counted = answer.extend({ votes: count });

const results = z.object({
  id: pollId,
  title: z.string(),
  poll_answers: z.array(counted),
  total_votes: described(count, 'The sum of `votes`.'),
  success: z.literal(1),
  timestamp: described(count, 'When the results were read: UNIX time in whole seconds.'),
  version: described(count, 'Grows with every accepted ballot and every change of the poll.'),
  position: described(
    position,
    'Opaque. Equal positions mean equal results, except for `timestamp`. Used as `ETag`, as the `id` of events, and for `since`.',
  ),
  total_voters: described(count, 'Ballots. A ballot may have several answers.'),
  voided_votes,
  status,
  deadline,
  closes_in,
  results_visibility: visibility,
  edited_at,
  rehearsal,
}) satisfies z.ZodType<ResultsBody>;

const publicMembers = {
  description: described(z.string(), 'Shown on the voting page.'),
  co: described(z.boolean(), 'Comments are allowed.'),
  ma: described(z.boolean(), 'A ballot may have several answers.'),
  enter_name: described(z.boolean(), 'A ballot needs a name.'),
  only_reg: described(z.boolean(), 'Voters have to sign in.'),
  vpn: described(z.boolean(), 'Voters behind a VPN are allowed.'),
  verifiable: described(z.boolean(), 'The poll has a log, by which anyone can check the result.'),
};
const flags = Object.fromEntries(
  Object.values(FLAGS)
    .filter(({ wire }) => !(wire in publicMembers))
    .map(({ wire, meaning }) => [
      wire,
      described(z.boolean(), `${meaning[0]?.toUpperCase()}${meaning.slice(1)}.`),
    ]),
) as Record<Exclude<FlagWireName, keyof typeof publicMembers>, z.ZodBoolean>;
const writtenMembers = {
  ...flags,
  image: z.string().nullable(),
  created_at: z.iso.datetime({ precision: 3 }),
  show: described(z.string().nullable(), 'Name of the show in which it was created.'),
};
const optional = Object.fromEntries(
  Object.entries(writtenMembers).map(([name, schema]) => [name, (schema as z.ZodType).exactOptional()]),
);

const row = z.object({
  id: z.string(),
  answer: z.string(),
  sorting: z.int().min(1),
  votes: count,
  percent: described(z.int().min(0).max(100), 'Equal votes have equal percentages.'),
  percent_decimal: z.string().meta({ pattern: '^\\d+\\.\\d$' }),
  rank: z.int().min(1),
  winner: described(z.boolean(), 'Closed polls only.'),
  tie: z.boolean(),
  poll_id: pollId,
  title: z.string(),
  total_votes: count,
  total_voters: count,
  status,
  deadline: described(z.string(), 'Empty without an active deadline.'),
  results_visibility: visibility,
  version: count,
  timestamp: time,
  leading: described(z.boolean(), 'Open polls only: what `winner` would be now.'),
  voided_votes: described(count, 'Votes of ballots that the creator removed.'),
}) satisfies z.ZodType<ResultsRow>;

const DELETED = 'It was deleted. Without this member, what is not found may come back with a backup.';

const error = z.object({
  success: z.literal(0),
  error: z.object({
    code: z.enum(ERROR_CODES),
    message: described(z.string(), 'For people: what is wrong and how to fix it.'),
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .exactOptional()
      .meta({ description: 'Each fault of the request, with its place.' }),
    deleted: z.literal(true).exactOptional().meta({ description: DELETED }),
  }),
}) satisfies z.ZodType<ErrorBody>;

const ignored = described(z.array(z.string()), 'Unknown members of the body.');
const url = z.url();
const look = z.object(lookMembers) as z.ZodType as z.ZodType<ShowLook>;
const logo = z.string().meta({
  description: 'Path of the logo on the relay, which contains the hash of the image.',
});
const show = z.object({
  success: z.literal(1),
  name: z.string(),
  title: z.string(),
  on_air: described(pollId.nullable(), 'The id of the poll on air.'),
  look: described(look.nullable(), 'Parameters of all overlays of the show; `null` for none.'),
  logo: logo.nullable(),
});
const onAir = show.omit({ look: true, logo: true });

const wholeShow = show.extend({
  rundown: described(z.array(pollId), 'Poll ids, in order.'),
  own: described(z.array(pollId), 'The polls of the run-down that the show owns. Its key manages them.'),
  place: described(
    pollId.nullable(),
    'The poll of the run-down that is or was on air last. `next` and `previous` continue from it.',
  ),
  version: described(z.int().min(1), 'Grows with every change of the show.'),
  undo: described(
    z.object({ on_air: pollId.nullable() }).nullable(),
    'What `undo` puts on air again; `null` if there is nothing to undo.',
  ),
  screens: count.optional().meta({
    description:
      'Reads only: screens that follow the show or show the poll on air, over all relays, without voters’ pages.',
  }),
  phones: count.optional().meta({ description: 'Reads only: open voting pages that follow the show.' }),
  rejected: z
    .object(
      Object.fromEntries(REJECTION_REASONS.map(reason => [reason, count])) as Record<
        RejectionReason,
        typeof count
      >,
    )
    .optional()
    .meta({
      description:
        'Reads only: ballots of the poll on air that were rejected, by reason, if the show owns it. Updated every two seconds.',
    }),
  now: described(
    z.number().optional(),
    'Reads only: UNIX time in seconds by the clock of the relay, which `Request-Expires` is compared with.',
  ),
});
const rundownPoll = z.union([
  z.object({ id: pollId, gone: described(z.literal(true), 'The poll was deleted.') }),
  z.object({
    id: pollId,
    gone: z.literal(false),
    owned: described(z.boolean(), 'The show owns this poll: its key manages it.'),
    title: z.string(),
    status,
    results_visibility: visibility,
    deadline,
    closes_in,
    mip: z.boolean().exactOptional().meta({
      description: 'Several ballots from one network count. Only for polls that the show owns.',
    }),
    verifiable: described(z.boolean(), 'The poll has a log that anyone can check.'),
    total_votes: described(count.nullable(), '`null` if the results are hidden from this key.'),
    total_voters: count.nullable(),
    voided_votes,
    edited_at,
  }),
]);

const moment = z.iso.datetime({ precision: 3 });
const voids = z
  .array(
    z.object({
      id: described(z.string(), 'Takes the rule back: `DELETE /api/poll/{id}/void/{rule}`.'),
      network: described(z.string(), 'The tag of a network.').exactOptional(),
      from: moment.exactOptional(),
      to: moment,
    }) satisfies z.ZodType<VoidBody>,
  )
  .meta({ description: 'Rules in effect. A ballot that one of them matches does not count.' });

const createdPoll = z.object({
  success: z.literal(1),
  id: pollId,
  content_id: described(pollId, 'The same as `id`.'),
  admin_key: described(z.string(), 'Manages and reads the poll. Shown only once.'),
  view_key: described(z.string(), 'Reads hidden results. Shown only once.'),
  poll_answers: z.array(answer),
  deadline,
  closes_in,
  status: z.enum(['upcoming', 'open']),
  ignored,
  links: z.object({ results: url, live: url, overlay: url, vote: url, manage: url, qr: url }),
});
const createdShow = onAir.extend({
  show_key: described(z.string(), 'Manages the show. Shown only once.'),
  ignored,
  links: z.object({ overlay: url, vote: url, desk: url, live: url, qr: url }),
});
const webhook = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  created_at: moment,
});

const watchedWebhook = webhook.extend({
  failing_since: described(moment.nullable(), 'Since when no delivery has succeeded.'),
  disabled_at: described(moment.nullable(), 'When it was given up, after a day.'),
  pending: described(count, 'Events after the last delivered one; for up to a minute also unwanted ones.'),
});

const definition = results
  .omit({ poll_answers: true, total_votes: true, timestamp: true, version: true, position: true })
  .omit({ total_voters: true, voided_votes: true, edited_at: true })
  .extend({ poll_answers: z.array(answer), ...publicMembers, image: writtenMembers.image });

const readResults = results.extend(publicMembers).extend(optional).meta({
  description: 'Members from `priv` on are only for keys that manage the poll.',
});

export const REPLIES = {
  Results: readResults,
  Definition: definition,
  PollList: z.object({
    success: z.literal(1),
    polls: z.array(
      results
        .omit({ position: true, success: true, poll_answers: true })
        .extend(publicMembers)
        .extend(writtenMembers),
    ),
    cursor: described(z.string().nullable(), 'Send it for the next page. `null` on the last one.'),
  }),
  ChangedResults: readResults.extend({ ignored }),
  VoidedResults: results.extend({ voids, ignored }),
  RestoredResults: results.extend({ voids }),
  ResultsRow: row,
  Error: error,
  CreatedPoll: createdPoll,
  CopiedPoll: createdPoll.extend({
    copy_of: described(pollId, 'The original.'),
    show: described(z.string().nullable(), 'The show in whose run-down the copy is; `null` for none.'),
  }),
  CreatedWebhook: webhook.extend({
    success: z.literal(1),
    secret: described(z.string(), 'Verifies the signatures. Shown only once.'),
    ignored,
  }),
  Webhook: watchedWebhook.extend({ success: z.literal(1) }),
  WebhookList: z.object({ success: z.literal(1), webhooks: z.array(watchedWebhook) }),
  DeletedWebhook: z.object({ success: z.literal(1), id: z.string() }),
  NewViewKey: z.object({ success: z.literal(1), id: pollId, view_key: z.string() }),
  NewAdminKey: z.object({
    success: z.literal(1),
    id: pollId,
    admin_key: shownOnce,
    links: z.object({ manage: url }),
  }),
  PollLog: z.object({
    success: z.literal(1),
    log: z.object({
      poll_id: pollId,
      origin: described(z.string(), 'Name of the log, and its URL without scheme.'),
      key: described(
        z.string(),
        'Verifies checkpoints: `<origin>+<key id>+<key>`, as C2SP signed-note has it.',
      ),
      size: described(count, 'Ballots in the newest checkpoint, removed ones included.'),
      ended: described(z.boolean(), 'The poll is closed, and every ballot is in the log.'),
      breaks: described(
        z.array(
          z.object({
            checkpoint: described(z.string(), 'The last one before, signed.'),
            found_at: z.iso.datetime({ precision: 3 }),
          }),
        ),
        'Losses of data. After each of them the log began again under another `origin`.',
      ),
    }),
  }),
  DeletedPoll: z.object({ success: z.literal(1), id: pollId }),
  Look: look,
  Show: show,
  WholeShow: wholeShow,
  ChangedShow: wholeShow.extend({ ignored }),
  SteppedShow: wholeShow.extend({
    skipped: described(z.array(pollId), 'Deleted polls that were skipped.'),
    ignored,
  }),
  UndoneShow: wholeShow.extend({
    undone: described(
      z.object({ on_air: pollId.nullable() }).nullable(),
      'What was on air until now; `null` if the same request was carried out before.',
    ),
    ignored,
  }),
  Rundown: onAir.extend({ version: z.int().min(1), rundown: z.array(rundownPoll) }),
  ShowResults: z.object({
    success: z.literal(1),
    name: z.string(),
    title: z.string(),
    polls: described(
      z.array(
        z.object({
          id: pollId,
          gone: described(z.boolean(), 'The poll was deleted.'),
          owned: described(z.boolean(), 'The show owns this poll: its key reads it.'),
          title: described(z.string().nullable(), '`null` if the poll was deleted.'),
          results: described(
            results.nullable(),
            '`null` if the poll was deleted, or its results are hidden from this key.',
          ),
        }),
      ),
      'The run-down, in order.',
    ),
  }),
  NewShowKey: z.object({
    success: z.literal(1),
    name: z.string(),
    show_key: shownOnce,
    links: z.object({ desk: url }),
  }),
  CreatedShow: createdShow,
  CopiedShow: createdShow.extend({
    copy_of: described(z.string(), 'The original.'),
    polls: described(
      z.array(
        z.object({
          id: pollId,
          copy_of: described(pollId, 'The original.'),
          title: z.string(),
          admin_key: createdPoll.shape.admin_key,
          view_key: createdPoll.shape.view_key,
        }),
      ),
      'The polls of the run-down, in order.',
    ),
    left_out: described(
      z.array(pollId),
      'Polls of the original run-down that were deleted, or that the show does not own.',
    ),
  }),
  DeletedShow: z.object({ success: z.literal(1), name: z.string() }),
  Alive: z.object({ success: z.literal(1), timestamp: time }),
  Ready: z.object({
    success: z.literal(1),
    timestamp: time,
    degraded: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'Checks that fail although the process can work.' }),
  }),
} as const;

const id = z.string();

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
    timestamp: time,
    votes: z.array(count),
    total_voters: count,
    voided_votes,
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
    rehearsal,
  }) satisfies z.ZodType<HiddenMessage>,
  current: z.object({
    type: z.literal('current'),
    id,
    version: count,
    position,
  }) satisfies z.ZodType<CurrentMessage>,
  stale: z.object({ type: z.literal('stale'), id, since: time }) satisfies z.ZodType<StaleMessage>,
  heartbeat: z.object({
    type: z.literal('heartbeat'),
    timestamp: time,
  }) satisfies z.ZodType<HeartbeatMessage>,
  error: z.object({
    type: z.literal('error'),
    code: z.string(),
    message: z.string(),
    id: described(id.optional(), 'The poll that was rejected.'),
    show: described(z.string().optional(), 'The show that was rejected.'),
    deleted: z.literal(true).optional().meta({ description: DELETED }),
  }) satisfies z.ZodType<ErrorMessage>,
  show: z.object({
    type: z.literal('show'),
    show: z.string(),
    id: described(id.nullable(), '`null` if nothing is on air.'),
    missing: z
      .literal(true)
      .optional()
      .meta({ description: 'There is no such show, and its deletion is not stored: it may come back.' }),
    subscribed: z
      .literal(true)
      .optional()
      .meta({ description: 'The connection is subscribed to that poll. Its first message follows.' }),
    look: described(look.nullish(), 'Absent without one.'),
    logo: logo.nullish(),
    ...wholeShow.pick({ title: true, rundown: true, own: true, place: true, version: true }).partial().shape,
  }) satisfies z.ZodType<ShowMessage>,
} as const;

const ofPoll = {
  id: pollId,
  title: z.string(),
  status,
  deadline,
  results_visibility: visibility,
  show: described(z.string().nullable(), 'Name of the show that owns it.'),
};
const withResults = { ...ofPoll, results };
const ofShow = {
  name: z.string(),
  title: z.string(),
  on_air: described(pollId.nullable(), '`null` if nothing is on air.'),
  rundown: z.array(pollId),
  version: z.int().min(1),
};

/** What `GET /api/events` and webhooks send. */
export const EVENTS = {
  'poll.created': event('poll.created', z.object(ofPoll), 'A poll was created.'),
  'poll.opened': event('poll.opened', z.object(ofPoll), 'A poll takes ballots, for the first time or again.'),
  'poll.updated': event(
    'poll.updated',
    z.object(ofPoll),
    'A text, an answer, `mip` or the deadline of a poll has changed. Read the poll for all of it.',
  ),
  'poll.closed': event(
    'poll.closed',
    z.object(withResults),
    'A poll takes no more ballots. `results` are final unless it is opened again.',
  ),
  'poll.revealed': event('poll.revealed', z.object(withResults), 'Hidden results have become public.'),
  'poll.hidden': event('poll.hidden', z.object(ofPoll), 'Public results have been hidden again.'),
  'poll.deleted': event('poll.deleted', z.object({ id: pollId }), 'A poll was deleted, or has expired.'),
  'show.changed': event(
    'show.changed',
    z.union([z.object(ofShow), z.object({ name: z.string() })]),
    'A show has changed; of a deleted one, only its name is left.',
  ),
} satisfies { readonly [Type in EventType]: z.ZodType<ProgramEvent> };

function event<Type extends EventType, Data extends z.ZodType>(type: Type, data: Data, description: string) {
  const id = described(z.string(), 'The same wherever and however often it is sent.');
  return z.object({ id, type: z.literal(type), timestamp: moment, data }).meta({ description });
}
