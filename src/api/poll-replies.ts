import * as z from 'zod';
import { CHAT_PLATFORMS } from '../poll/chat-platform.ts';
import { sentence } from '../poll/input-rules.ts';
import { ANSWER_ORDERS, FLAGS } from '../poll/poll.ts';
import {
  answer,
  closes_in,
  count,
  deadline,
  hiddenAnswer,
  imageFocus,
  join_code,
  moment,
  pollId,
  results,
  round,
  status,
  time,
  visibility,
} from '../protocol/results-schema.ts';

/** Replies about polls. */

export const ignored = z
  .array(z.string())
  .describe('Unknown members of the body, and unknown parameters of the query.');
export const url = z.url();
const publicMembers = {
  description: z.string().describe('Shown on the voting page.'),
  ...flagMembers(true),
  min_choices: z.int().min(1).describe('The least number of answers in a ballot.'),
  max_choices: z.int().min(1).describe('The most answers in a ballot: 1 without `ma`.'),
  answer_order: z
    .enum(ANSWER_ORDERS)
    .describe('With `random` a form shows the answers shuffled, always alike for one voter.'),
};
const writtenMembers = {
  ...flagMembers(false),
  chat: z.boolean().describe('Messages in chats of its show are votes while it is on air and open.'),
  image: z.string().describe('A URL, or the path on the relay of an image that is stored there.').nullable(),
  image_focus: imageFocus,
  created_at: moment,
  show: z.string().nullable().describe('Name of the show in which it was created.'),
};
const optional = Object.fromEntries(
  Object.entries(writtenMembers).map(([name, schema]) => [name, (schema as z.ZodType).exactOptional()]),
);

const chatters = count
  .optional()
  .describe('People by where they voted; absent, with its three neighbors, if none voted in a chat.');
const row = z.object({
  id: z.string(),
  answer: z.string(),
  sorting: z.int().min(1),
  votes: count.nullable().describe('`null`, as other members, for what a reveal by steps has not shown yet.'),
  percent: z.int().min(0).max(100).nullable().describe('Equal votes have equal percentages.'),
  percent_decimal: z
    .string()
    .regex(/^\d+\.\d$/)
    .nullable(),
  rank: z.int().min(1).nullable(),
  winner: z.boolean().nullable().describe('Closed polls only.'),
  tie: z.boolean().nullable(),
  poll_id: pollId,
  title: z.string(),
  total_votes: count,
  total_voters: count,
  status,
  deadline: z.string().describe('Empty without an active deadline.'),
  results_visibility: visibility,
  version: count.nullable(),
  timestamp: time.nullable(),
  leading: z.boolean().describe('Open polls only: what `winner` would be now.'),
  voided_votes: count.nullable().describe('Votes of ballots that the creator removed.'),
  voters_page: chatters,
  voters_twitch: chatters,
  voters_youtube: chatters,
  voters_kick: chatters,
  revealed_from: count.describe('The best place that a reveal by steps has shown; 0 without one.'),
  round: round.optional(),
  color: z
    .string()
    .optional()
    .describe('Empty for none; absent, as `image`, if no answer of the poll has one.'),
  image: z.string().describe('Path on the relay.').optional(),
});

const voidRule = z.object({
  id: z.string().describe('Takes the rule back: `DELETE /api/poll/{id}/void/{rule}`.'),
  network: z.string().describe('The tag of a network.').exactOptional(),
  source: z.enum(CHAT_PLATFORMS).describe('The chat of a platform.').exactOptional(),
  from: moment.exactOptional(),
  to: moment,
});
/** A rule as replies give it. `id` names it in `DELETE /api/poll/<id>/void/<rule>`. */
export type VoidBody = Readonly<z.infer<typeof voidRule>>;
const voids = z
  .array(voidRule)
  .describe('Rules in effect. A ballot that one of them matches does not count.');

export const shownOnce = z.string().describe('Shown only once. A previous key no longer works.');

export const createdPoll = z.object({
  success: z.literal(1),
  id: pollId,
  content_id: pollId.describe('The same as `id`.'),
  admin_key: z.string().describe('Manages and reads the poll. Shown only once.'),
  view_key: z.string().describe('Reads hidden results. Shown only once.'),
  poll_answers: z.array(answer),
  deadline,
  closes_in,
  status: z.enum(['upcoming', 'open']),
  join_code,
  ignored,
  links: z.object({ results: url, live: url, overlay: url, vote: url, manage: url, qr: url }),
});
const definition = results
  .omit({ poll_answers: true, total_votes: true, timestamp: true, version: true, position: true })
  .omit({ total_voters: true, by_source: true, voided_votes: true, revealed_from: true, edited_at: true })
  .extend({
    poll_answers: z.array(answer),
    ...publicMembers,
    image: writtenMembers.image,
    image_focus: imageFocus,
  });

export const readResults = results
  .extend(publicMembers)
  .extend(optional)
  .describe('Members from `priv` on are only for keys that manage the poll.');

/** Without the members that hidden results lack while they are revealed by steps. */
const readableResults = readResults.extend({
  poll_answers: z.array(hiddenAnswer),
  timestamp: results.shape.timestamp.exactOptional(),
  version: results.shape.version.exactOptional(),
  position: results.shape.position.exactOptional(),
});

/** Replies have the join code itself in place of its flag. */
function flagMembers(arePublic: boolean): Record<string, z.ZodBoolean> {
  return Object.fromEntries(
    Object.values(FLAGS)
      .filter(flag => 'shown' in flag === arePublic && flag.wire !== 'join_code')
      .map(flag => [flag.wire, z.boolean().describe('shown' in flag ? flag.shown : sentence(flag.meaning))]),
  );
}

export const POLL_REPLIES = {
  Results: readableResults,
  Definition: definition,
  PollList: z.object({
    success: z.literal(1),
    polls: z.array(
      results
        .omit({ position: true, success: true, poll_answers: true })
        .extend(publicMembers)
        .extend(writtenMembers),
    ),
    cursor: z.string().nullable().describe('Send it for the next page. `null` on the last one.'),
  }),
  ChangedResults: readResults.extend({ ignored }),
  VoidedResults: results.extend({ voids, ignored }),
  RestoredResults: results.extend({ voids }),
  ResultsRow: row,
  CreatedPoll: createdPoll,
  CopiedPoll: createdPoll.extend({
    copy_of: pollId.describe('The original.'),
    show: z.string().nullable().describe('The show in whose rundown the copy is; `null` for none.'),
  }),
  DeletedPoll: z.object({ success: z.literal(1), id: pollId }),
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
      origin: z.string().describe('Name of the log, and its URL without scheme.'),
      key: z
        .string()
        .describe('Verifies checkpoints: `<origin>+<key id>+<key>`, as C2SP signed-note has it.'),
      size: count.describe('Ballots in the newest checkpoint, removed ones included.'),
      ended: z.boolean().describe('The poll is closed, and every ballot is in the log.'),
      breaks: z
        .array(
          z.object({
            checkpoint: z.string().describe('The last one before, signed.'),
            found_at: moment,
          }),
        )
        .describe('Losses of data. After each of them the log began again under another `origin`.'),
    }),
  }),
};
