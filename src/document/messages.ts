import * as z from 'zod';
import { DELETED } from '../api/replies.ts';
import {
  airedWinner,
  buttons,
  delay,
  ground,
  logo,
  look,
  looks,
  pressed,
  wholeShow,
} from '../api/show-replies.ts';
import type {
  CountsMessage,
  CurrentMessage,
  ErrorMessage,
  HeartbeatMessage,
  HiddenMessage,
  ResultsMessage,
  ShowMessage,
  StaleMessage,
} from '../protocol/messages.ts';
import { count, hiddenAnswer, join_code, results, revealed, time } from '../protocol/results-schema.ts';

/** The messages of the live stream as schemas. */

const id = z.string();
const counted = { id: true, version: true, position: true } as const;
const asked = { title: true, success: true, status: true, deadline: true, join_code: true } as const;
const described = { round: true, chat_labels: true, rehearsal: true } as const;

export const MESSAGES = {
  results: z.object({
    type: z.literal('results'),
    ...results.shape,
    final: z.literal(true).exactOptional(),
    reset: z.literal(true).exactOptional(),
  }) satisfies z.ZodType<ResultsMessage>,
  counts: z.object({
    type: z.literal('counts'),
    ...results.pick({ ...counted, total_voters: true, by_source: true, voided_votes: true }).shape,
    timestamp: time,
    votes: z.array(count),
  }) satisfies z.ZodType<CountsMessage>,
  hidden: z.object({
    type: z.literal('hidden'),
    ...results.pick({ id: true, ...asked, closes_in: true, results_visibility: true, ...described }).shape,
    poll_answers: z.array(hiddenAnswer),
    ...revealed,
  }) satisfies z.ZodType<HiddenMessage>,
  current: z.object({
    type: z.literal('current'),
    ...results.pick(counted).shape,
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
    id: id.optional().describe('The poll that was rejected.'),
    show: z.string().optional().describe('The show that was rejected.'),
    deleted: z.literal(true).optional().describe(DELETED),
  }) satisfies z.ZodType<ErrorMessage>,
  show: z.object({
    type: z.literal('show'),
    show: z.string(),
    id: id.nullable().describe('`null` if nothing is on air.'),
    missing: z
      .literal(true)
      .optional()
      .describe('There is no such show, and its deletion is not stored: it may come back.'),
    subscribed: z
      .literal(true)
      .optional()
      .describe('The connection is subscribed to that poll. Its first message follows.'),
    look: look.nullish().describe('Absent without one.'),
    looks: looks.optional().describe('Those of polls, by their ids. Without a key, only of the poll on air.'),
    logo: logo.nullish(),
    delay: delay.optional().describe('Seconds that viewers are behind. Absent for 0.'),
    aired_winner: airedWinner.optional(),
    ground: ground.nullish(),
    chat: z
      .literal(true)
      .optional()
      .describe(
        'The poll on air counts votes from chats that the show links, unless its `chat_labels` are empty.',
      ),
    join_code: join_code
      .optional()
      .describe('Digits that the audience types in place of the link. Absent without a code.'),
    ...wholeShow.pick({ title: true, rundown: true, own: true, place: true, version: true }).partial().shape,
    pressed: pressed.optional().describe('The newest press that changed what is on air or a poll.'),
  }) satisfies z.ZodType<ShowMessage>,
  buttons: z.object({ type: z.literal('buttons'), show: z.string(), ...buttons.shape }),
} as const;
