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

/** Replies about polls, with an example of each. All examples are about one poll and one show. */

export const ignored = described(z.array(z.string()), 'Unknown members of the body.');
export const url = z.url();
const flags = Object.values(FLAGS).map(({ wire, meaning, ...flag }) => ({
  wire,
  isPublic: 'shown' in flag,
  text: 'shown' in flag ? flag.shown : sentence(meaning),
}));
const publicFlags = flags.filter(flag => flag.isPublic);
// Replies have the code itself.
const otherFlags = flags.filter(flag => !flag.isPublic && flag.wire !== 'join_code');
const publicMembers = {
  description: described(z.string(), 'Shown on the voting page.'),
  ...booleans(publicFlags),
  min_choices: described(z.int().min(1), 'The least number of answers in a ballot.'),
  max_choices: described(z.int().min(1), 'The most answers in a ballot: 1 without `ma`.'),
  answer_order: described(
    z.enum(ANSWER_ORDERS),
    'With `random` a form shows the answers shuffled, always alike for one voter.',
  ),
};
const writtenMembers = {
  ...booleans(otherFlags),
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

const ID = 'zW1Fiu5hZoAA';
const TIME = '2030-01-31T18:00:00.000Z';
const KEY = '8fYwq0aXH1kJmT6bZc3NsV5rLdGpQeU2iOxAy7hB4nM';
const RELAY = 'https://relay.example';
const VOTE = 'https://vote.example';
const SHOW = 'friday-night';

const answers = [
  { id: '8mVbYw2k', answer: 'Waterloo', sorting: 1, type: 'text' },
  { id: 'Qd3xT7Lp', answer: 'Volare', sorting: 2, type: 'text' },
] as const;
const publicExample = {
  description: '',
  ...allOff(publicFlags),
  min_choices: 1,
  max_choices: 1,
  answer_order: 'given',
} as const;
const writtenExample = {
  ...allOff(otherFlags),
  mip: true,
  chat: true,
  image: null,
  created_at: '2030-01-31T17:30:00.000Z',
  show: SHOW,
};
const state = { status: 'open', deadline: TIME, results_visibility: 'always' } as const;
const counts = {
  total_votes: 59,
  timestamp: 1_896_112_800,
  version: 60,
  position: '60-2hDRZ0kqvW3c',
  total_voters: 59,
};
const resultsExample = {
  id: ID,
  title: 'Which song next?',
  poll_answers: [
    { ...answers[0], votes: 38 },
    { ...answers[1], votes: 21 },
  ],
  success: 1,
  ...counts,
  ...state,
} as const;
const written = { ...resultsExample, ...publicExample, ...writtenExample };
const { poll_answers: _, success: __, position: ___, ...listed } = written;
const created = {
  success: 1,
  id: ID,
  content_id: ID,
  admin_key: `admin_${KEY}`,
  view_key: `view_${KEY}`,
  poll_answers: [...answers],
  deadline: TIME,
  status: 'open',
  ignored: [],
  links: {
    results: `${RELAY}/api/poll/${ID}`,
    live: `wss://relay.example/api/poll/${ID}/live`,
    overlay: `${RELAY}/overlay/${ID}`,
    vote: `${VOTE}/${ID}`,
    manage: `${VOTE}/${ID}/manage#key=admin_${KEY}`,
    qr: `${RELAY}/api/poll/${ID}/qr.svg`,
  },
} as const;

const voidsExample = [{ id: 'q8Zx0hYl3TnAa1Bc', network: 'q8Zx0hYl3TnAa1Bc', to: TIME }];

/** What the examples of other replies are about, too. */
export const EXAMPLE = { ID, TIME, KEY, RELAY, VOTE, SHOW, state, results: resultsExample, written, created };

function booleans(of: typeof flags): Record<string, z.ZodBoolean> {
  return Object.fromEntries(of.map(({ wire, text }) => [wire, z.boolean().meta({ description: text })]));
}

function allOff(off: typeof flags): Record<string, boolean> {
  return Object.fromEntries(off.map(({ wire }) => [wire, false]));
}

export interface Reply {
  readonly schema: z.ZodType;
  readonly example?: unknown;
}

export const POLL_REPLIES = {
  Results: {
    schema: readableResults,
    example: { ...resultsExample, ...publicExample },
  },
  Definition: {
    schema: definition,
    example: {
      id: ID,
      title: resultsExample.title,
      poll_answers: answers,
      success: 1,
      ...state,
      ...publicExample,
      image: null,
    },
  },
  PollList: {
    schema: z.object({
      success: z.literal(1),
      polls: z.array(
        results
          .omit({ position: true, success: true, poll_answers: true })
          .extend(publicMembers)
          .extend(writtenMembers),
      ),
      cursor: described(z.string().nullable(), 'Send it for the next page. `null` on the last one.'),
    }),
    example: { success: 1, polls: [listed], cursor: null },
  },
  ChangedResults: {
    schema: readResults.extend({ ignored }),
    example: { ...written, ignored: [] },
  },
  VoidedResults: {
    schema: results.extend({ voids, ignored }),
    example: { ...resultsExample, voided_votes: 12, voids: voidsExample, ignored: [] },
  },
  RestoredResults: {
    schema: results.extend({ voids }),
    example: { ...resultsExample, voids: [] },
  },
  ResultsRow: {
    schema: row,
  },
  CreatedPoll: {
    schema: createdPoll,
    example: created,
  },
  CopiedPoll: {
    schema: createdPoll.extend({
      copy_of: described(pollId, 'The original.'),
      show: described(z.string().nullable(), 'The show in whose rundown the copy is; `null` for none.'),
    }),
    example: { ...created, status: 'upcoming', copy_of: 'Ah3kP9sXw0Qz', show: SHOW },
  },
  DeletedPoll: {
    schema: z.object({ success: z.literal(1), id: pollId }),
    example: { success: 1, id: ID },
  },
  NewViewKey: {
    schema: z.object({ success: z.literal(1), id: pollId, view_key: z.string() }),
    example: { success: 1, id: ID, view_key: created.view_key },
  },
  NewAdminKey: {
    schema: z.object({
      success: z.literal(1),
      id: pollId,
      admin_key: shownOnce,
      links: z.object({ manage: url }),
    }),
    example: { success: 1, id: ID, admin_key: created.admin_key, links: { manage: created.links.manage } },
  },
  PollLog: {
    schema: z.object({
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
    example: {
      success: 1,
      log: {
        poll_id: ID,
        origin: `relay.example/api/poll/${ID}/log`,
        key: `relay.example/api/poll/${ID}/log+1a2b3c4d+ATw0Gd1Kq0O9c3yqkXnF5q8Hk2Jm7Wz4Rb6Tv1Yx3Cd5`,
        size: 59,
        ended: false,
        breaks: [],
      },
    },
  },
} satisfies Record<string, Reply>;
