import * as z from 'zod';
import type { PollId } from '../poll/poll.ts';
import { mustBe, pollText } from '../poll/poll-text.ts';
import { isReadablePollId, READABLE_POLL_ID } from '../poll/rehearsal.ts';
import { unknownMembers } from '../poll/unknown-members.ts';

/** The bodies of `POST` and `PATCH /api/show`, rule by rule as the contract has them. */

/** Words that stand where a name could stand, in addresses and in commands. */
const RESERVED = new Set([
  ...['new', 'none', 'null', 'undefined'],
  ...['create', 'point', 'next', 'previous', 'clear', 'poll', 'live'],
]);

const name = z
  .string(mustBe('a string'))
  .regex(/^[a-z0-9][a-z0-9-]{2,39}$/, 'must be 3 to 40 of a-z, 0-9 and -, and not begin with -')
  .refine(text => !RESERVED.has(text), 'is a word that no show can be called: choose another name')
  .meta({ not: { enum: [...RESERVED] }, examples: ['friday-night'] });

const title = pollText({ min: 0, max: 300 })
  .nullable()
  .transform(text => text ?? '')
  .meta({ description: 'For people; `null` is none.' });

const newShow = { name, title: title.default('') };
const change = {
  title: title.optional(),
  on_air: z
    .string('must be the id of a poll, or null')
    .refine(isReadablePollId, 'must be the id of a poll, or null')
    .meta({ pattern: READABLE_POLL_ID })
    .nullable()
    .optional()
    .meta({ description: 'The id of the poll to put on air; `null` takes everything off.' }),
};

const WRAPPER = mustBe('an object', 'is missing: wrap it, as in {"show": {...}}');
const BODY = 'must be an object like {"show": {...}}';

export const createShowBody = z.object({ show: z.object(newShow, WRAPPER) }, BODY);

export const changeShowBody = z
  .object(
    { show: z.object(change, WRAPPER).meta({ anyOf: [{ required: ['title'] }, { required: ['on_air'] }] }) },
    BODY,
  )
  .refine(({ show }) => show.title !== undefined || show.on_air !== undefined, {
    path: ['show'],
    message: 'must hold title or on_air',
  })
  .transform(({ show }): ShowChange => ({ title: show.title, onAir: show.on_air }));

/** What is left out stays as it is. */
export interface ShowChange {
  readonly title?: string | undefined;
  /** Null takes everything off. */
  readonly onAir?: PollId | null | undefined;
}

export function unknownMembersOfNewShow(body: unknown): string[] {
  return unknownMembers(body, 'show', newShow);
}

export function unknownMembersOfChange(body: unknown): string[] {
  return unknownMembers(body, 'show', change);
}
