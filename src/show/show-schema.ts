import * as z from 'zod';
import { mustBe, pollText, unknownMembers } from '../poll/input-rules.ts';
import type { PollId } from '../poll/poll.ts';
import { SHOW_NAME, SHOW_NAME_RULE } from '../poll/poll.ts';
import { isReadablePollId, READABLE_POLL_ID } from '../poll/rehearsal.ts';
import { MAX_RUNDOWN } from './show.ts';

/** The bodies of requests that create or change a show. */

/** Words that URLs and commands use in place of a name. */
const RESERVED = new Set([
  ...['new', 'none', 'null', 'undefined'],
  ...['create', 'point', 'next', 'previous', 'clear', 'poll', 'live', 'rundown', 'desk'],
]);

const name = z
  .string(mustBe('a string'))
  .regex(SHOW_NAME, SHOW_NAME_RULE)
  .refine(text => !RESERVED.has(text), 'is reserved: choose another name')
  .meta({ not: { enum: [...RESERVED] }, examples: ['friday-night'] });

const title = pollText({ min: 0, max: 300 })
  .nullable()
  .transform(text => text ?? '')
  .meta({ description: 'Shown to people. `null` is the same as empty.' });

const newShow = { name, title: title.default('') };

const ID = 'must be a poll id';
const pollId = (message: string) =>
  z.string(message).refine(isReadablePollId, message).meta({ pattern: READABLE_POLL_ID });

const VERSION = 'must be the version of a show: a whole number, 1 or more';
const press = {
  version: z.int(VERSION).min(1, VERSION).optional().meta({
    description: 'The version you know. If the show has changed since, nothing is changed.',
  }),
};
const change = {
  title: title.optional(),
  on_air: pollId(`${ID}, or null`)
    .nullable()
    .optional()
    .meta({ description: 'The id of the poll to put on air; `null` for none.' }),
  rundown: z
    .array(pollId(ID), 'must be an array of poll ids')
    .max(MAX_RUNDOWN, `must have at most ${MAX_RUNDOWN} polls`)
    .superRefine((ids, context) => {
      for (const [index, id] of ids.entries())
        if (ids.indexOf(id) < index)
          context.addIssue({ code: 'custom', path: [index], message: 'is already in the run-down' });
    })
    .optional()
    .meta({ uniqueItems: true, description: 'The ids of all polls in the run-down, in order.' }),
  ...press,
};
/** A version alone changes nothing. */
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
    message: 'must have title, on_air or rundown',
  })
  .transform(({ show: { on_air, ...show } }): WantedShow => ({ ...show, onAir: on_air }));

/** Buttons send no body, an empty one, or a version. */
export const pressBody = z
  .object({ show: z.object(press, mustBe('an object')).default({}) }, BODY)
  .nullish()
  .transform(body => body?.show ?? {});

/** Absent members stay as they are. */
export interface ShowChange {
  readonly title?: string | undefined;
  /** Null for none. */
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
