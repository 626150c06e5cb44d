import * as z from 'zod';
import { CHAT_PLATFORMS } from '../poll/chat-platform.ts';
import { sentence } from '../poll/input-rules.ts';
import { ANSWER_ORDERS, FLAGS } from '../poll/poll.ts';
import {
  answer,
  closes_in,
  count,
  deadline,
  described,
  hiddenAnswer,
  join_code,
  moment,
  pollId,
  results,
  round,
  status,
  time,
  visibility,
} from '../protocol/results-schema.ts';
import type { ResultsRow } from './results-formats.ts';

/** Replies about polls. */

export const ignored = described(z.array(z.string()), 'Unknown members of the body.');
export const url = z.url();
const publicMembers = {
  description: described(z.string(), 'Shown on the voting page.'),
  ...flagMembers(true),
  min_choices: described(z.int().min(1), 'The least number of answers in a ballot.'),
  max_choices: described(z.int().min(1), 'The most answers in a ballot: 1 without `ma`.'),
  answer_order: described(
    z.enum(ANSWER_ORDERS),
    'With `random` a form shows the answers shuffled, always alike for one voter.',
  ),
};
const writtenMembers = {
  ...flagMembers(false),
  chat: described(z.boolean(), 'Messages in chats of its show are votes while it is on air and open.'),
  image: z.string().nullable(),
  created_at: moment,
  show: described(z.string().nullable(), 'Name of the show in which it was created.'),
};
const optional = Object.fromEntries(
  Object.entries(writtenMembers).map(([name, schema]) => [name, (schema as z.ZodType).exactOptional()]),
);

const chatters = count.exactOptional().meta({
  description: 'People by where they voted; absent, with its three neighbors, if none voted in a chat.',
});
const row = z.object({
  id: z.string(),
  answer: z.string(),
  sorting: z.int().min(1),
  votes: described(
    count.nullable(),
    '`null`, as other members, for what a reveal by steps has not shown yet.',
  ),
  percent: described(z.int().min(0).max(100).nullable(), 'Equal votes have equal percentages.'),
  percent_decimal: z
    .string()
    .regex(/^\d+\.\d$/)
    .nullable(),
  rank: z.int().min(1).nullable(),
  winner: described(z.boolean().nullable(), 'Closed polls only.'),
  tie: z.boolean().nullable(),
  poll_id: pollId,
  title: z.string(),
  total_votes: count,
  total_voters: count,
  status,
  deadline: described(z.string(), 'Empty without an active deadline.'),
  results_visibility: visibility,
  version: count.nullable(),
  timestamp: time.nullable(),
  leading: described(z.boolean(), 'Open polls only: what `winner` would be now.'),
  voided_votes: described(count.nullable(), 'Votes of ballots that the creator removed.'),
  voters_page: chatters,
  voters_twitch: chatters,
  voters_youtube: chatters,
  voters_kick: chatters,
  revealed_from: described(count, 'The best place that a reveal by steps has shown; 0 without one.'),
  round,
  color: z.string().exactOptional().meta({
    description: 'Empty for none; absent, as `image`, if no answer of the poll has one.',
  }),
  image: described(z.string(), 'Path on the relay.').exactOptional(),
}) satisfies z.ZodType<ResultsRow>;

const voidRule = z.object({
  id: described(z.string(), 'Takes the rule back: `DELETE /api/poll/{id}/void/{rule}`.'),
  network: described(z.string(), 'The tag of a network.').exactOptional(),
  source: described(z.enum(CHAT_PLATFORMS), 'The chat of a platform.').exactOptional(),
  from: moment.exactOptional(),
  to: moment,
});
/** A rule as replies give it. `id` names it in `DELETE /api/poll/<id>/void/<rule>`. */
export type VoidBody = Readonly<z.infer<typeof voidRule>>;
const voids = z
  .array(voidRule)
  .meta({ description: 'Rules in effect. A ballot that one of them matches does not count.' });

export const shownOnce = described(z.string(), 'Shown only once. A previous key no longer works.');

export const createdPoll = z.object({
  success: z.literal(1),
  id: pollId,
  content_id: described(pollId, 'The same as `id`.'),
  admin_key: described(z.string(), 'Manages and reads the poll. Shown only once.'),
  view_key: described(z.string(), 'Reads hidden results. Shown only once.'),
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
  .extend({ poll_answers: z.array(answer), ...publicMembers, image: writtenMembers.image });

export const readResults = results.extend(publicMembers).extend(optional).meta({
  description: 'Members from `priv` on are only for keys that manage the poll.',
});

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
      .map(flag => [
        flag.wire,
        described(z.boolean(), 'shown' in flag ? flag.shown : sentence(flag.meaning)),
      ]),
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
    cursor: described(z.string().nullable(), 'Send it for the next page. `null` on the last one.'),
  }),
  ChangedResults: readResults.extend({ ignored }),
  VoidedResults: results.extend({ voids, ignored }),
  RestoredResults: results.extend({ voids }),
  ResultsRow: row,
  CreatedPoll: createdPoll,
  CopiedPoll: createdPoll.extend({
    copy_of: described(pollId, 'The original.'),
    show: described(z.string().nullable(), 'The show in whose rundown the copy is; `null` for none.'),
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
            found_at: moment,
          }),
        ),
        'Losses of data. After each of them the log began again under another `origin`.',
      ),
    }),
  }),
};
