import * as z from 'zod';
import { JOIN_CODE } from '../poll/join-code.ts';
import { ANSWER_COLOR, POLL_STATUSES, VISIBILITIES } from '../poll/poll.ts';
import { focusPoint } from '../poll/poll-schema.ts';
import { READABLE_POLL_ID } from '../poll/rehearsal.ts';
import type { ResultsBody } from './messages.ts';

/** The results of a poll as a schema, and its members. For documents and tests: a relay does not load it. */

export const count = z.int().min(0);
/** With milliseconds. */
export const moment = z.iso.datetime({ precision: 3 });
export const time = count.describe('UNIX time in whole seconds.');
export const pollId = z.string().meta({ pattern: READABLE_POLL_ID, examples: ['zW1Fiu5hZoAA'] });
export const deadline = z.iso
  .datetime({ precision: 3 })
  .nullable()
  .describe('`null` without an active deadline.');
export const closes_in = z
  .number()
  .exactOptional()
  .describe('Upcoming polls only: seconds from opening to deadline.');
export const rehearsal = z.literal(true).exactOptional().describe('Simulated votes.');
export const voided_votes = z
  .int()
  .min(1)
  .exactOptional()
  .describe('Votes of ballots that the creator removed, which no other count includes. Absent for none.');
const chatters = z.int().min(1).exactOptional();
export const by_source = z
  .object({ page: count, twitch: chatters, youtube: chatters, kick: chatters })
  .exactOptional()
  .describe('People by where they voted; together `total_voters`. Absent if none voted in a chat.');
export const chat_labels = z
  .array(z.string())
  .exactOptional()
  .describe(
    'Polls of a show: what people type in chat for each answer. Empty if the poll takes no votes from chat; absent for the numbers from 1.',
  );
export const join_code = z.string().exactOptional().meta({
  pattern: JOIN_CODE.source,
  description:
    'Six or seven digits that voters type in place of the link. Absent without a code, and in a closed poll.',
});
export const status = z.enum(POLL_STATUSES);
export const edited_at = z.iso
  .datetime({ precision: 3 })
  .exactOptional()
  .describe('When a text was last corrected after the first ballot. Absent if none was.');
export const round = z
  .int()
  .min(2)
  .exactOptional()
  .describe('The round of a poll that was begun again. Absent in the first.');
export const position = z.string();
export const visibility = z.enum(VISIBILITIES);
const revealed_from = z
  .int()
  .min(2)
  .exactOptional()
  .describe(
    'Hidden results that are revealed by steps: the best place that everyone sees. Absent before the first step and after the last.',
  );
export const imageFocus = focusPoint
  .exactOptional()
  .describe('The point of the image that a crop keeps, in percent from the top left. Absent for `[50, 28]`.');
export const answer = z.object({
  id: z.string().describe('Opaque. Never changes.'),
  answer: z.string(),
  sorting: z.int().min(1).describe('Position, counting from 1.'),
  type: z.literal('text'),
  color: z.string().exactOptional().meta({
    pattern: ANSWER_COLOR.source,
    description: 'Absent unless the creator chose one.',
  }),
  image: z
    .string()
    .exactOptional()
    .describe('Path of its image on the relay, which never changes its content. Absent without one.'),
  image_focus: imageFocus,
});
/** An answer in hidden results. */
export const hiddenAnswer = answer.extend({
  votes: count.exactOptional().describe('Once a step of the reveal has shown the answer.'),
  place: z
    .int()
    .min(1)
    .exactOptional()
    .describe('By votes, with `votes`; equal votes share a place (1, 1, 3).'),
});
/** What hidden results may have: from the first step of a reveal on, or the total alone. */
export const revealed = {
  revealed_from,
  total_votes: count
    .exactOptional()
    .describe('With `revealed_from`, or if the poll has `show_total_while_hidden`.'),
  total_voters: count
    .exactOptional()
    .describe('With `revealed_from`, or if the poll has `show_total_while_hidden`.'),
};
const counted = answer.extend({ votes: count });

export const results = z.object({
  id: pollId,
  title: z.string(),
  poll_answers: z.array(counted),
  total_votes: count.describe('The sum of `votes`.'),
  success: z.literal(1),
  timestamp: count.describe('When the results were read: UNIX time in whole seconds.'),
  version: count.describe('Grows with every accepted ballot and every change of the poll.'),
  position: position.describe(
    'Opaque. Equal positions mean equal results, except for `timestamp`. Used as `ETag`, as the `id` of events, and for `since`.',
  ),
  total_voters: count.describe('Ballots. A ballot may have several answers.'),
  by_source,
  voided_votes,
  status,
  join_code,
  deadline,
  closes_in,
  results_visibility: visibility,
  revealed_from,
  edited_at,
  round,
  chat_labels,
  rehearsal,
}) satisfies z.ZodType<ResultsBody>;
