import * as z from 'zod';
import { SHOW_NAME, SHOW_NAME_RULE } from '../poll/name-rules.ts';
import type { PollId } from '../poll/poll.ts';
import { mustBe, pollText } from '../poll/poll-text.ts';
import { isReadablePollId, READABLE_POLL_ID } from '../poll/rehearsal.ts';
import { unknownMembers } from '../poll/unknown-members.ts';
import { MAX_RUNDOWN } from './rundown.ts';

/** The bodies of all that creates or changes a show, rule by rule as the contract has them. */

/** Words that stand where a name could stand, in addresses and in commands. */
const RESERVED = new Set([
  ...['new', 'none', 'null', 'undefined'],
  ...['create', 'point', 'next', 'previous', 'clear', 'poll', 'live', 'rundown', 'desk'],
]);

const name = z
  .string(mustBe('a string'))
  .regex(SHOW_NAME, SHOW_NAME_RULE)
  .refine(text => !RESERVED.has(text), 'is a word that no show can be called: choose another name')
  .meta({ not: { enum: [...RESERVED] }, examples: ['friday-night'] });

const title = pollText({ min: 0, max: 300 })
  .nullable()
  .transform(text => text ?? '')
  .meta({ description: 'For people; `null` is none.' });

const newShow = { name, title: title.default('') };

const ID = 'must be the id of a poll';
const pollId = (message: string) =>
  z.string(message).refine(isReadablePollId, message).meta({ pattern: READABLE_POLL_ID });

const VERSION = 'must be the version of a show: a whole number, 1 or more';
const press = {
  version: z.int(VERSION).min(1, VERSION).optional().meta({
    description: 'The version that you have seen: where the show has been changed since, nothing is.',
  }),
};
const change = {
  title: title.optional(),
  on_air: pollId(`${ID}, or null`)
    .nullable()
    .optional()
    .meta({ description: 'The id of the poll to put on air; `null` takes everything off.' }),
  rundown: z
    .array(pollId(ID), 'must be a list of ids of polls')
    .max(MAX_RUNDOWN, `must hold at most ${MAX_RUNDOWN} polls`)
    .superRefine((ids, context) => {
      for (const [index, id] of ids.entries())
        if (ids.indexOf(id) < index)
          context.addIssue({ code: 'custom', path: [index], message: 'stands in the run-down already' });
    })
    .optional()
    .meta({ uniqueItems: true, description: 'The ids of all polls of the run-down, in order.' }),
  ...press,
};
/** What changes something: a version alone does not. */
const CHANGING = ['title', 'on_air', 'rundown'] as const;

const WRAPPER = mustBe('an object', 'is missing: wrap it, as in {"show": {...}}');
const BODY = 'must be an object like {"show": {...}}';

export const createShowBody = z.object({ show: z.object(newShow, WRAPPER) }, BODY);

export const changeShowBody = z
  .object(
    { show: z.object(change, WRAPPER).meta({ anyOf: CHANGING.map(name => ({ required: [name] })) }) },
    BODY,
  )
  .refine(({ show }) => CHANGING.some(name => show[name] !== undefined), {
    path: ['show'],
    message: 'must hold title, on_air or rundown',
  })
  .transform(({ show: { on_air, ...show } }): WantedShow => ({ ...show, onAir: on_air }));

/** Buttons send what they send: no body, an empty one, or the version that was seen. */
export const pressBody = z
  .object({ show: z.object(press, mustBe('an object')).default({}) }, BODY)
  .nullish()
  .transform(body => body?.show ?? {});

/** What is left out stays as it is. */
export interface ShowChange {
  readonly title?: string | undefined;
  /** Null takes everything off. */
  readonly onAir?: PollId | null | undefined;
  /** In order, none twice. */
  readonly rundown?: readonly PollId[] | undefined;
}

interface WantedShow extends ShowChange {
  readonly version?: number | undefined;
}

export function unknownMembersOfNewShow(body: unknown): string[] {
  return unknownMembers(body, 'show', newShow);
}

export function unknownMembersOfChange(body: unknown): string[] {
  return unknownMembers(body, 'show', change);
}

export function unknownMembersOfPress(body: unknown): string[] {
  return unknownMembers(body, 'show', press);
}
