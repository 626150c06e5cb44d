import * as z from 'zod';
import { misspelledParameters } from '../http/query.ts';
import { catalogues } from '../locales/catalogues.ts';
import { describeValue, MOST_COLORS, type Parameter } from '../picture/parameters.ts';
import {
  type Look,
  lookNames,
  lookOf,
  lookParameters,
  lookQuery,
  pollLookNames,
} from '../picture/show-look.ts';
import { type ChatLink, MAX_CHAT_LINKS, parseChannel } from '../poll/chat-link.ts';
import { CHAT_PLATFORMS } from '../poll/chat-platform.ts';
import { mustBe, pollText } from '../poll/input-rules.ts';
import { POLL_STATUSES, type PollId, SHOW_NAME, SHOW_NAME_RULE, VISIBILITIES } from '../poll/poll.ts';
import { closesIn, deadline } from '../poll/poll-schema.ts';
import { isReadablePollId, READABLE_POLL_ID } from '../poll/rehearsal.ts';
import { MAX_DELAY } from '../poll/show-delay.ts';
import { type AskedOptions, POLL_BUTTONS } from './poll-press.ts';
import type { GuardedPress } from './press-guard.ts';
import { MAX_RUNDOWN } from './show.ts';
import { WINNER_CUES, type WinnerCue } from './winner.ts';

/** The bodies of requests that create or change a show. */

/** Words that URLs and commands use in place of a name. */
const RESERVED = new Set<string>([
  ...(['new', 'none', 'null', 'undefined', 'create', 'point', 'next', 'previous', 'clear'] as const),
  ...POLL_BUTTONS,
  ...(['again', 'undo', 'buttons', 'poll', 'live', 'rundown', 'desk'] as const),
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

const DELAY = `must be a number of seconds from 0 to ${MAX_DELAY}`;
const delay = z.number(DELAY).min(0, DELAY).max(MAX_DELAY, DELAY).optional().meta({
  description:
    'Seconds that viewers are behind, 0 at first. `close` of the show counts votes for that much longer, and its overlays end the vote that much before it closes.',
});

const ID = 'must be a poll id';
const pollId = (message: string) =>
  z.string(message).refine(isReadablePollId, message).meta({ pattern: READABLE_POLL_ID });

const { values: valueWords, parameters: texts } = catalogues.en.builder;
const COLOR = /^#?(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/;
/** What the table accepts, for readers with Unicode classes, and the part in ASCII of it for others. */
const FONT = '^[^\\W_][\\w -]{0,59}$';

/** A member of a look, as its type in JSON. */
function lookMember(parameter: Parameter): z.ZodType {
  const error = `must be ${describeValue(parameter, valueWords)}`;
  const color = z.string(error).regex(COLOR, error);
  const isFont = (text: string) => lookOf(lookQuery({ font: text })).font === text;
  switch (parameter.kind) {
    case 'choice':
      return z.enum(parameter.choices, error);
    case 'flag':
      return z.boolean('must be true or false');
    case 'number':
      return z.number(error).min(parameter.min, error).max(parameter.max, error);
    case 'color':
      return color;
    case 'colors':
      return z
        .array(color, `must be an array of ${describeValue(parameter, valueWords)}`)
        .min(1)
        .max(MOST_COLORS, error);
    default:
      return z.string(error).refine(isFont, error).meta({ pattern: FONT });
  }
}

/** The members of a look. */
export const lookMembers = Object.fromEntries(
  lookNames.map(name => {
    const member = lookMember(lookParameters[name]!).meta({ description: texts[name].about });
    return [name, member.optional()];
  }),
);

const pollLookMembers = Object.fromEntries(
  pollLookNames.map(name => {
    const member = lookMembers[name]!;
    return [name, member.nullable().meta(member.meta() ?? {})];
  }),
);

/** @param what has these members */
function lookWith(what: string, known: Readonly<Record<string, z.ZodType>>) {
  const names = Object.keys(known);
  return z
    .looseObject(known, 'must be an object of overlay parameters, or null')
    .superRefine((members, context) => {
      const misspelled = misspelledParameters(members, names);
      for (const name of Object.keys(members)) {
        if (names.includes(name)) continue;
        const { message: meant } = misspelled.find(({ path }) => path === name) ?? {};
        const message = meant ?? `is not part of a look. ${what} can have: ${names.join(', ')}`;
        context.addIssue({ code: 'custom', path: [name], message });
      }
    })
    .meta({ additionalProperties: false });
}

const look = lookWith('A look', lookMembers)
  .transform((members): Look | null => {
    const written = lookOf(lookQuery(members));
    return Object.keys(written).length === 0 ? null : written;
  })
  .nullable()
  .optional()
  .meta({
    description:
      'Parameters of all overlays of the show, where their own URLs have none. Replaces the look before; `null` is none.',
  });

/** Null removes a member. */
const pollLook = lookWith('That of a poll', pollLookMembers).transform(
  members => ({ ...members, ...lookOf(lookQuery(members)) }) as WantedLook,
);
const looks = z
  .record(pollId(ID), pollLook.nullable(), {
    error: ({ code }) =>
      code === 'invalid_key' ? ID : 'must be an object like {"<poll id>": {"style": "versus"}}',
  })
  .optional()
  .meta({
    description:
      'Looks of polls in the rundown, by their ids, over that of the show. Absent polls and members stay as they are; `null` removes one. Ends when the poll leaves the rundown.',
  });

const flag = z.boolean('must be true or false').optional();

const CHANNEL: Readonly<Record<ChatLink['platform'], string>> = {
  twitch: 'must be the name of a channel, or its address',
  youtube: 'must be the address of a live video, its id, or a @handle',
  kick: 'must be the name of a channel, or its address',
};
const chat = z
  .array(
    z
      .object(
        {
          platform: z.enum(CHAT_PLATFORMS, `must be ${CHAT_PLATFORMS.join(', ')}`),
          channel: z.string(mustBe('a string')).max(300, 'must be at most 300 characters long').meta({
            description:
              'A name or an address. On YouTube the live video, or a `@handle`. Replies have the name alone.',
          }),
        },
        mustBe('an object like {"platform": "twitch", "channel": "..."}'),
      )
      .transform(({ platform, channel: text }, context): ChatLink => {
        const channel = parseChannel(platform, text);
        if (channel === undefined)
          context.addIssue({ code: 'custom', path: ['channel'], message: CHANNEL[platform] });
        return { platform, channel: channel ?? '' };
      }),
    'must be an array of objects like {"platform": "twitch", "channel": "..."}',
  )
  .max(MAX_CHAT_LINKS, `must have at most ${MAX_CHAT_LINKS} channels`)
  .superRefine((links, context) => {
    const texts = links.map(link => JSON.stringify(link));
    for (const [index, text] of texts.entries())
      if (texts.indexOf(text) < index)
        context.addIssue({ code: 'custom', path: [index], message: 'is already linked' });
  })
  .optional()
  .meta({
    description:
      'Chats whose messages are votes while an open poll of the show is on air. Replaces all links before.',
  });
const newShow = {
  name,
  title: title.default(''),
  delay,
  join_code: flag.meta({
    description: 'Give the show a code of six digits, by which its audience finds it.',
  }),
};

const PLACE = 'must be a place: a whole number, 1 or more';
const seen = z
  .object(
    {
      on_air: pollId(`${ID}, or null`).nullable().optional(),
      status: z.enum(POLL_STATUSES, `must be ${POLL_STATUSES.join(', ')}`).optional(),
      round: z.int('must be a number of a round').min(1, 'must be a number of a round').optional(),
      results_visibility: z.enum(VISIBILITIES, `must be ${VISIBILITIES.join(', ')}`).optional(),
      revealed_from: z.int(PLACE).min(1, PLACE).nullable().optional(),
      deadline: deadline.optional(),
    },
    mustBe('an object'),
  )
  .optional()
  .meta({
    description:
      'What you see, of the poll on air or the one in `poll`. If a member is otherwise, or was changed within the last second by another `hand` or by the same button, nothing is changed.',
  });
const HAND = 'must be a name of at most 64 characters';

const VERSION = 'must be the version of a show: a whole number, 1 or more';
const press = {
  version: z.int(VERSION).min(1, VERSION).optional().meta({
    description: 'The version you know. If the show has changed since, nothing is changed.',
  }),
  if_on_air: pollId(`${ID}, or null`)
    .nullable()
    .optional()
    .meta({ description: 'What you see on air. If something else is by now, nothing is changed.' }),
  if: seen,
  hand: z.string(HAND).max(64, HAND).optional().meta({
    description: 'A name of your own for this desk or program, which distinguishes its presses from others.',
  }),
  guard: flag.meta({
    description: 'Nothing is changed within a second of any other press of the show, whichever it was.',
  }),
};
const changing = {
  title: title.optional(),
  look,
  looks,
  delay,
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
          context.addIssue({ code: 'custom', path: [index], message: 'is already in the rundown' });
    })
    .optional()
    .meta({ uniqueItems: true, description: 'The ids of all polls in the rundown, in order.' }),
  final_two: flag.meta({ description: 'The last two places of a reveal by steps appear together.' }),
  close_before_next: flag.meta({
    description: 'An open poll of the show is closed when another one takes its place on air.',
  }),
  winner: z
    .enum(WINNER_CUES, `must be ${WINNER_CUES.join(', ')}`)
    .optional()
    .meta({
      description:
        'When pictures of the show show the winner: with the `close`, or on a `press` of `step` or `reveal` after it.',
    }),
  chat,
  join_code: flag.meta({
    description: 'Give the show a code of six digits, by which its audience finds it. `false` gives it up.',
  }),
};
const change = {
  ...changing,
  ...press,
  confirm: flag.meta({ description: 'Also removes the poll on air from the rundown.' }),
};
/** A version alone changes nothing. */
const CHANGING = Object.keys(changing) as (keyof typeof changing)[];

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
    message:
      'must have title, look, looks, delay, on_air, rundown, final_two, close_before_next, winner, chat or join_code',
  })
  .transform(
    ({
      show: { on_air, if_on_air, if: seen, final_two, close_before_next, join_code, ...show },
    }): WantedShow => ({
      ...show,
      seen,
      onAir: on_air,
      ifOnAir: if_on_air,
      finalTwo: final_two,
      closeBeforeNext: close_before_next,
      hasJoinCode: join_code,
    }),
  );

const closing = {
  closes_in: closesIn.optional().meta({
    description: 'Seconds until the poll closes; for an `upcoming` poll they count from its opening.',
  }),
};
const stepping = {
  close_before_next: flag.meta({ description: 'For this press, instead of that of the show.' }),
};
const ofPoll = {
  ...press,
  poll: pollId(ID).optional().meta({ description: 'Another poll than the one on air.' }),
};
const confirm = (what: string) => ({ confirm: flag.meta({ description: what }) });
/** Optional members of each button, beside what the caller knows. */
const PRESSES = {
  next: { ...press, ...stepping },
  previous: { ...press, ...stepping },
  clear: press,
  open: { ...ofPoll, ...closing, ...confirm('Opens the poll while its results are revealed by steps.') },
  close: { ...ofPoll, ...closing },
  keep_open: ofPoll,
  step: {
    ...ofPoll,
    to: z.int(PLACE).min(1, PLACE).optional().meta({
      description: 'A place: reveals all down to it. Default: the next lowest place.',
    }),
  },
  reveal: {
    ...ofPoll,
    ...confirm('Reveals the results while voting is open, or the rest of a reveal by steps at once.'),
  },
  hide: ofPoll,
  again: { ...ofPoll, ...confirm('Begins the next round also if this one has ballots.') },
  undo: {
    ...press,
    undo: z.string(mustBe('a string')).max(64).optional().meta({
      description: 'The `id` of the press to take back. If it is not the last one, nothing is changed.',
    }),
  },
};
export type Button = keyof typeof PRESSES;
export const BUTTONS = Object.keys(PRESSES) as Button[];

/** Buttons send no body, an empty one, or what the caller knows and wants. */
export function pressBody(button: Button) {
  const members: z.ZodRawShape = PRESSES[button];
  return z
    .object({ show: z.object(members, mustBe('an object')).default({}) }, BODY)
    .nullish()
    .transform((body): WantedPress => {
      const { if_on_air, if: seen, closes_in, close_before_next, ...show } = (body?.show ?? {}) as GivenPress;
      return {
        ...show,
        seen,
        ifOnAir: if_on_air,
        closesInMs: closes_in === undefined ? undefined : Math.round(closes_in * 1_000),
        closeBeforeNext: close_before_next,
      };
    });
}

type GivenPress = z.infer<
  z.ZodObject<
    (typeof PRESSES)['open'] &
      (typeof PRESSES)['step'] &
      (typeof PRESSES)['reveal'] &
      (typeof PRESSES)['next'] &
      (typeof PRESSES)['undo']
  >
>;

type WantedLook = { readonly [N in keyof Look]: Look[N] | null };

/** Absent members stay as they are. */
export interface ShowChange {
  readonly title?: string | undefined;
  /** Null for none. */
  readonly look?: Look | null | undefined;
  /** By polls; null removes. */
  readonly looks?: Readonly<Record<PollId, WantedLook | null>> | undefined;
  /** Seconds. */
  readonly delay?: number | undefined;
  /** Null for none. */
  readonly onAir?: PollId | null | undefined;
  /** In order, none twice. */
  readonly rundown?: readonly PollId[] | undefined;
  readonly finalTwo?: boolean | undefined;
  readonly closeBeforeNext?: boolean | undefined;
  readonly winner?: WinnerCue | undefined;
  /** Also removes the poll on air from the rundown. */
  readonly confirm?: boolean | undefined;
  /** Replaces all. */
  readonly chat?: readonly ChatLink[] | undefined;
  readonly hasJoinCode?: boolean | undefined;
}

/** What the caller knows: if it is otherwise by now, nothing is changed. */
export interface SeenShow extends GuardedPress {
  readonly version?: number | undefined;
  readonly ifOnAir?: PollId | null | undefined;
}

/** Absent members are as the button has them. */
export interface WantedPress extends SeenShow, AskedOptions {
  readonly closeBeforeNext?: boolean | undefined;
}

interface WantedShow extends ShowChange, SeenShow {}
