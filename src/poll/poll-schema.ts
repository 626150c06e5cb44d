import * as z from 'zod';
import { MAX_LETTERS } from './chat-link.ts';
import { CHAT_PLATFORMS } from './chat-platform.ts';
import type { WantedWording } from './correct-poll.ts';
import { type IssueParams, mustBe, parseTime, pollText, sentence } from './input-rules.ts';
import {
  ANSWER_ORDERS,
  type Answer,
  FLAGS,
  type FlagWireName,
  givenSettings,
  type ImageFocus,
  MAX_ROUNDS,
  VISIBILITIES,
} from './poll.ts';
import type { WantedState } from './poll-change.ts';
import { visibleText } from './visible-text.ts';
import { NETWORK_TAG } from './void-rule.ts';

/** The bodies of `POST /api/poll` and `PATCH /api/poll/<id>`. */

const MAX_IMAGE_LENGTH = 2_048;
const SHORTEST_SECONDS = 5;
const YEAR_SECONDS = 31_536_000;
/** For JSON Schema, which cannot express what `URL` accepts: hosts that start with a letter. */
const HTTPS_PATTERN = '^[Hh][Tt][Tt][Pp][Ss]://[A-Za-z][A-Za-z0-9]*(\\.[A-Za-z][A-Za-z0-9]*)*([/?#][!-~]*)?$';
/** The future, as far as JSON Schema can express it: no deadline is in a year before this release. */
const LATER = '^(202[6-9]|20[3-9]|2[1-9]|[3-9])';
const SPELLINGS = 'Any spelling of RFC 3339, including a space instead of `T` and second 60.';
const WITHOUT_MULTIPLE = 'needs several answers in one ballot: send ma as well';
const WITHOUT_LOG = 'needs a log: send verifiable as well';
const ONE_END = 'replaces deadline: send only one of them';
const LETTERS_END = `needs at most ${MAX_LETTERS} answers`;
const WRAPPER = mustBe('an object', 'is missing: wrap it, as in {"poll": {...}}');
const BODY = 'must be an object like {"poll": {...}}';

const FLAG = 'must be true, false, 1 or 0';
const boolean = z
  .union([z.boolean(), z.int(FLAG).min(0, FLAG).max(1, FLAG)], { error: FLAG })
  .transform(Boolean);
const flag = (description: string) => boolean.default(false).meta({ description });
const flags = Object.fromEntries(
  Object.values(FLAGS).map(({ wire, meaning }) => [wire, flag(sentence(meaning))]),
) as Record<FlagWireName, ReturnType<typeof flag>>;

/** An answer of a new poll. */
type GivenAnswer = Pick<Answer, 'text' | 'color' | 'imageFocus'>;

const answer = pollText({ min: 1, max: 200 });
const HEX_COLOR = /^#[0-9a-fA-F]{6}$/;
const color = z
  .string('must be a color like #1e90ff')
  .regex(HEX_COLOR, 'must be a color like #1e90ff')
  .transform(text => text.toLowerCase());
const FOCUS = 'must be two numbers from 0 to 100, such as [50, 28]';
const percent = z.number(FOCUS).min(0, FOCUS).max(100, FOCUS);
/** A list of two: generators of clients know no tuples. */
export const focusPoint = z
  .array(percent, FOCUS)
  .length(2, FOCUS)
  .transform(([x, y]): ImageFocus => [x!, y!]);
export const imageFocus = focusPoint.optional().meta({
  description:
    'The point of the image that a crop keeps: percent of its width and height, from the top left. Default: `[50, 28]`. Another image resets it.',
});
const FEWEST = 2;
const FEW = 'must have at least 2 answers';
const MOST = 100;
const MANY = 'must have at most 100 answers';

/** @param path from the array of values to each of them */
function requireDistinct(
  values: readonly (string | undefined)[],
  context: z.core.$RefinementCtx,
  path: (index: number) => (string | number)[],
): void {
  const seen = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue;
    const twin = seen.get(value);
    if (twin === undefined) seen.set(value, index);
    else {
      const params: IssueParams = { fault: 'same', number: twin + 1 };
      const message = `is the same as answer ${twin + 1}`;
      context.addIssue({ code: 'custom', path: path(index), message, params });
    }
  }
}

const COLOR = 'Of its bar, its row and its place in pictures.';
const plainAnswer = answer.transform(text => ({ text }));
const coloredAnswer = z
  .object({ answer, color: color.optional().meta({ description: COLOR }), image_focus: imageFocus })
  .transform(
    ({ answer: text, color, image_focus: imageFocus }): GivenAnswer => ({
      text,
      ...(color !== undefined && { color }),
      ...(imageFocus && { imageFocus }),
    }),
  );
const anyOf = [plainAnswer, coloredAnswer].map(schema => {
  const { $schema: _, ...written } = z.toJSONSchema(schema, { io: 'input' });
  return written;
});
/** No union, which would say of a fault only that there is one. */
const givenAnswer = z
  .unknown()
  .transform((value, context): GivenAnswer => {
    const schema = typeof value === 'object' && value !== null ? coloredAnswer : plainAnswer;
    const { success, data, error } = (schema as z.ZodType<GivenAnswer>).safeParse(value);
    if (success) return data;
    for (const issue of error.issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
    return z.NEVER;
  })
  .meta({ anyOf });

const answers = z
  .array(givenAnswer, mustBe('an array of strings, or of objects like {"answer": "..."}'))
  .min(FEWEST, FEW)
  .max(MOST, MANY)
  .superRefine((given, context) =>
    requireDistinct(
      given.map(({ text }) => visibleText(text)),
      context,
      index => [index],
    ),
  )
  .meta({
    description: 'The choices, in this order. No two may look alike.',
    uniqueItems: true,
    examples: [['Waterloo', 'Volare']],
  });

const TIME = '2030-01-31T18:00:00.000Z';

/** Without a time zone, a time is another moment at each place. */
function faultOfTime(text: string): string {
  return ['Z', ':00Z'].every(end => parseTime(text + end) === undefined)
    ? `must be a valid time, like ${TIME}`
    : 'has no time zone: add Z or an offset, as in 2030-01-31T18:00:00+01:00';
}

const timeOr = <Otherwise>(error: string, otherwise: Otherwise) =>
  z
    .string(error)
    .transform((text, context) => {
      const ms = parseTime(text);
      if (ms === undefined) context.addIssue({ code: 'custom', message: faultOfTime(text) });
      return ms ?? otherwise;
    })
    .meta({ format: 'date-time' });
export const deadline = timeOr(`must be null or a time like ${TIME}`, null).nullable();
const laterDeadline = deadline.optional().meta({
  pattern: LATER,
  description: `A time in the future. ${SPELLINGS} \`null\` removes the deadline.`,
});

/** Seconds. */
export const closesIn = z
  .number('must be a number of seconds')
  .min(SHORTEST_SECONDS, `must be at least ${SHORTEST_SECONDS} seconds`)
  .max(YEAR_SECONDS, `must be at most ${YEAR_SECONDS} seconds`);
const CLOSES_IN = 'Instead of `deadline`: seconds until the poll closes, by the clock of the engine.';

const resultsVisibility = z
  .enum(VISIBILITIES, 'must be "always", "after_deadline", "after_vote" or "hidden"')
  .meta({
    description:
      'When the counts are public: always, once the deadline has passed, once the poll has closed (`after_vote`: the voting page shows them to voters before), or never. Until then, reading needs a key of the poll.',
  });

const image = z
  .string('must be null or an https URL')
  .max(MAX_IMAGE_LENGTH, `must be at most ${MAX_IMAGE_LENGTH} characters long`)
  .refine(isHttpsUrl, 'must be an absolute https URL')
  .meta({ pattern: HTTPS_PATTERN })
  .nullable()
  .default(null)
  .meta({ description: 'Shown on the voting page; never fetched by a server.' });

const title = pollText({ min: 1, max: 300 }).meta({
  description: 'The question. Leading and trailing blanks are removed, also from answers.',
  examples: ['Which song next?'],
});
const description = pollText({ min: 0, max: 5_000, prose: true })
  .nullable()
  .transform(text => text ?? '');
const DESCRIPTION = 'Shown on the voting page. Line ends become LF. `null` is the same as empty.';

const CHOICES = `must be a whole number from 1 to ${MOST}`;
const choices = (description: string) =>
  z.int(CHOICES).min(1, CHOICES).max(MOST, CHOICES).nullable().default(null).meta({ description });

const newPoll = {
  title,
  description: description.default('').meta({ description: DESCRIPTION }),
  answers,
  ...flags,
  min_choices: choices(
    'With `ma`: the least number of answers in a ballot, at most `max_choices`. `null` for 1.',
  ),
  max_choices: choices(
    'With `ma`: the most answers in a ballot, at most the number of answers. `null` for all of them.',
  ),
  answer_order: z.enum(ANSWER_ORDERS, 'must be "given" or "random"').default('given').meta({
    description:
      '`random` shuffles the answers of the form on the voting page: differently for each voter, and always alike for the same one.',
  }),
  has_deadline: boolean.optional().meta({
    description: '`false` stores the deadline without effect. Defaults to `true` if there is one.',
  }),
  deadline: deadline.default(null).meta({
    description: `The poll closes at this time, which must be in the future. ${SPELLINGS} \`null\` for none.`,
  }),
  closes_in: closesIn
    .nullable()
    .default(null)
    .meta({
      description: `${CLOSES_IN} For an \`upcoming\` poll they count from when it is opened.`,
    }),
  image,
  image_focus: imageFocus,
  chat: boolean.default(true).meta({
    description:
      '`false` keeps the poll to the page. Else messages in chats that its show links are votes while it is on air and open.',
  }),
  results_visibility: resultsVisibility.default('always'),
  status: z.enum(['open', 'upcoming'], 'must be "open" or "upcoming"').default('open').meta({
    description: 'An upcoming poll can be shown and watched, but accepts no ballot until it is opened.',
  }),
};

const NAMES_END = [
  { required: ['deadline'], properties: { deadline: { type: 'string' } } },
  { required: ['closes_in'], properties: { closes_in: { type: 'number' } } },
];
const NEEDS_LOG = {
  if: { required: ['show_log_size'], properties: { show_log_size: { enum: [true, 1] } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['verifiable'], properties: { verifiable: { enum: [true, 1] } } },
};
const NEEDS_MULTIPLE = ['min_choices', 'max_choices'].map(name => ({
  if: { required: [name], properties: { [name]: { type: 'integer' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['ma'], properties: { ma: { enum: [true, 1] } } },
}));
/** Rules between members, as far as JSON Schema can express them. */
const BETWEEN_MEMBERS = {
  allOf: [
    { not: { allOf: NAMES_END } },
    NEEDS_LOG,
    ...NEEDS_MULTIPLE,
    {
      anyOf: [
        { required: ['has_deadline'], properties: { has_deadline: { enum: [false, 0] } } },
        { properties: { deadline: { pattern: LATER } } },
      ],
    },
    {
      if: { required: ['has_deadline'], properties: { has_deadline: { enum: [true, 1] } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { anyOf: NAMES_END },
    },
    {
      if: {
        required: ['results_visibility'],
        properties: { results_visibility: { const: 'after_deadline' } },
      },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { anyOf: NAMES_END, properties: { has_deadline: { enum: [true, 1] } } },
    },
  ],
};

const poll = z
  .object(newPoll, WRAPPER)
  .superRefine((given, context) => {
    const issue = (path: string, message: string, params?: IssueParams) =>
      context.addIssue({ code: 'custom', path: [path], message, ...(params && { params }) });
    if (given.deadline !== null && given.closes_in !== null) issue('closes_in', ONE_END);
    if (given.has_deadline && !namesEnd(given)) issue('deadline', 'is required if has_deadline is set');
    if (given.results_visibility === 'after_deadline' && !hasDeadline(given))
      issue('results_visibility', 'after_deadline needs a deadline');
    if (given.show_log_size && !given.verifiable) issue('show_log_size', WITHOUT_LOG);
    checkChoices(given, issue);
    if (given.chat_words && given.answers.length > MAX_LETTERS) issue('chat_words', LETTERS_END);
  })
  .meta(BETWEEN_MEMBERS);

function checkChoices(
  { ma, min_choices: least, max_choices: most, answers: { length } }: GivenPoll,
  issue: (path: string, message: string, params?: IssueParams) => void,
): void {
  for (const [name, given] of Object.entries({ min_choices: least, max_choices: most })) {
    if (given !== null && !ma) issue(name, WITHOUT_MULTIPLE, { fault: 'multiple' });
    else if (given !== null && given > length)
      issue(name, `must be at most the number of answers, ${length}`);
  }
  if (least !== null && most !== null && least > most) issue('min_choices', 'must be at most max_choices');
}

/** `checkDraft` adds one rule: the deadline must be in the future. */
export const createPollBody = z.object({ poll }, BODY);

type GivenPoll = z.infer<typeof poll>;

/** A valid poll. */
export interface PollDraft extends Omit<GivenPoll, 'has_deadline' | 'deadline' | 'closes_in'> {
  /** Whether the deadline is active. */
  readonly has_deadline: boolean;
  /** UNIX time in milliseconds, by the engine's clock. */
  readonly deadlineMs: number | null;
  /** Milliseconds from opening to deadline. While the poll is upcoming, `deadlineMs` is null instead. */
  readonly closesInMs?: number | undefined;
}

export type CheckedDraft =
  | { readonly success: true; readonly data: { readonly poll: PollDraft } }
  | { readonly success: false; readonly data?: undefined; readonly error: z.ZodError };

/** @param nowMs UNIX time in milliseconds: a deadline must be later, and `closes_in` counts from it */
export function checkDraft(body: unknown, nowMs: number): CheckedDraft {
  const checked = createPollBody.safeParse(body);
  if (!checked.success) return { success: false, error: checked.error };
  const { deadline, closes_in, ...given } = checked.data.poll;
  const has_deadline = hasDeadline(checked.data.poll);
  const closesInMs = closes_in !== null && has_deadline ? Math.round(closes_in * 1000) : undefined;
  const givenMs = closes_in === null ? deadline : Math.round(nowMs + closes_in * 1000);
  const deadlineMs = closesInMs !== undefined && given.status === 'upcoming' ? null : givenMs;
  if (!has_deadline || deadlineMs === null || deadlineMs > nowMs)
    return { success: true, data: { poll: { ...given, has_deadline, deadlineMs, closesInMs } } };
  const path = ['poll', 'deadline'];
  const params: IssueParams = { fault: 'past' };
  const issue = { code: 'custom' as const, path, message: 'must be in the future', input: deadline, params };
  return { success: false, error: new z.ZodError([issue]) };
}

const { has_deadline: _, ...copiedMembers } = newPoll;
/** Members of a copy, whose defaults are those of the original. */
const copy = {
  ...(Object.fromEntries(
    Object.entries(copiedMembers).map(([name, member]) => {
      const { default: _, ...described } = z.globalRegistry.get(member) ?? {};
      const inner = member instanceof z.ZodDefault ? (member.unwrap() as z.ZodType) : member;
      return [name, inner.optional().meta(described)];
    }),
  ) as { [Name in keyof typeof copiedMembers]: z.ZodOptional<z.ZodType> }),
  deadline: laterDeadline,
};

const copiedPoll = z
  .looseObject(copy, mustBe('an object'))
  .superRefine(({ deadline, closes_in, verifiable, show_log_size }, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if ((deadline ?? null) !== null && (closes_in ?? null) !== null) issue('closes_in', ONE_END);
    if (show_log_size && !verifiable) issue('show_log_size', WITHOUT_LOG);
  })
  .meta({ allOf: [{ not: { allOf: NAMES_END } }, NEEDS_LOG] })
  .optional();

export const copyPollBody = z.object({ poll: copiedPoll }, BODY).nullish();

export const againBody = z
  .object(
    {
      round: z
        .int('must be a whole number')
        .min(1, 'must be 1 or more')
        .max(MAX_ROUNDS, `must be at most ${MAX_ROUNDS}`)
        .optional()
        .meta({
          description:
            'The round that ends. If another one has begun, nothing is changed: 409 `round_begun`.',
        }),
      poll: copiedPoll,
    },
    BODY,
  )
  .nullish();

/** @param body as `copyPollBody` accepts it @returns its members as they were sent, for the check of the whole copy */
export function givenMembersOfCopy(body: z.input<typeof copyPollBody>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body?.poll ?? {}).filter(([name]) => Object.hasOwn(copy, name)));
}

const changedFocus = imageFocus.nullable().meta({
  description: `${imageFocus.meta()?.description} So does \`null\`.`,
});
const correctedAnswers = z
  .array(
    z
      .object(
        {
          id: z
            .string(mustBe('a string'))
            .regex(/^[\w-]{1,64}$/, 'must be the id of an answer')
            .optional()
            .meta({ description: 'Left out for a new answer. An answer with the same text keeps its id.' }),
          answer: answer.optional().meta({ description: 'Left out, an answer with an id keeps its text.' }),
          color: color
            .nullable()
            .optional()
            .meta({ description: `${COLOR} \`null\` removes it.` }),
          image_focus: changedFocus,
        },
        mustBe('an object like {"id": "...", "answer": "..."}'),
      )
      .meta({ anyOf: [{ required: ['id'] }, { required: ['answer'] }] }),
    mustBe('an array of objects like {"id": "...", "answer": "..."}'),
  )
  .min(1, FEW)
  .max(MOST, MANY)
  .superRefine((given, context) => {
    const fault = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    if (given.length < FEWEST && given.some(({ answer }) => answer !== undefined)) fault([], FEW);
    for (const [index, { id, answer }] of given.entries())
      if (id === undefined && answer === undefined) fault([index, 'answer'], 'is required');
    requireDistinct(
      given.map(({ id }) => id),
      context,
      index => [index, 'id'],
    );
    requireDistinct(
      given.map(({ answer }) => answer && visibleText(answer)),
      context,
      index => [index, 'answer'],
    );
  })
  .meta({
    uniqueItems: true,
    anyOf: [{ minItems: FEWEST }, { items: { not: { required: ['answer'] } } }],
    description:
      'All answers, in order. Once a ballot has been cast, only their texts, colors and `image_focus` can change: send every id, in the present order. Without any `answer` only the other two change, at any time, and answers may be left out.',
  });

const UNVOTED = 'Until the first ballot only.';
const untilVoted = <Type extends z.ZodType>(member: Type, description = '') =>
  member.optional().meta({ description: `${description} ${UNVOTED}` });
/** `join_code` may change at any time, and the letters of `chat_words` belong to a show. */
const fixedFlags = Object.fromEntries(
  Object.values(FLAGS).map(({ wire, meaning }) => [wire, untilVoted(boolean, sentence(meaning))]),
) as Record<FlagWireName, z.ZodOptional<typeof boolean>>;
const { has_image: __, chat_words: ___, ...rules } = fixedFlags;
const change = {
  title: title.optional(),
  description: description.optional().meta({ description: DESCRIPTION }),
  answers: correctedAnswers.optional(),
  status: z
    .enum(['open', 'closed'], 'must be "open" or "closed"')
    .optional()
    .meta({ description: '`open` also opens an upcoming poll.' }),
  results_visibility: resultsVisibility.optional(),
  ...rules,
  min_choices: untilVoted(newPoll.min_choices.unwrap(), newPoll.min_choices.meta()?.description),
  max_choices: untilVoted(newPoll.max_choices.unwrap(), newPoll.max_choices.meta()?.description),
  answer_order: untilVoted(newPoll.answer_order.unwrap(), newPoll.answer_order.meta()?.description),
  join_code: boolean.optional().meta({
    description: `${sentence(FLAGS.hasJoinCode.meaning)} \`false\` gives it up. At any time.`,
  }),
  deadline: laterDeadline,
  closes_in: closesIn.optional().meta({
    description: `${CLOSES_IN} For an upcoming poll they count from when it is opened.`,
  }),
  image_focus: changedFocus,
};

const changedPoll = z
  .object(change, WRAPPER)
  .superRefine((given, context) => {
    const issue = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (given.deadline !== undefined && given.closes_in !== undefined) issue(['closes_in'], ONE_END);
    if (Object.keys(given).length === 0) issue([], `must have one of ${Object.keys(change).join(', ')}`);
  })
  .meta({
    anyOf: Object.keys(change).map(name => ({ required: [name] })),
    not: { required: ['deadline', 'closes_in'] },
  });

export const changePollBody = z
  .object({ poll: changedPoll }, BODY)
  .transform(
    ({
      poll: { status, results_visibility, deadline, closes_in, ...wording },
    }): WantedState & WantedWording => ({
      title: wording.title,
      description: wording.description,
      answers: wording.answers?.map(({ answer: text, image_focus: imageFocus, ...answer }) => ({
        ...answer,
        text,
        imageFocus,
      })),
      imageFocus: wording.image_focus,
      ...givenSettings(wording),
      minChoices: wording.min_choices,
      maxChoices: wording.max_choices,
      answerOrder: wording.answer_order,
      status,
      resultsVisibility: results_visibility,
      deadlineMs: deadline,
      closesInMs: closes_in === undefined ? undefined : closes_in * 1000,
    }),
  );

const moment = timeOr(`must be a time like ${TIME}`, 0);
const voided = {
  network: z
    .string('must be the tag of a network')
    .regex(NETWORK_TAG, 'must be the tag of a network')
    .optional()
    .meta({
      description: 'The tag of a network, as in the evidence: all ballots that it has cast until now.',
    }),
  source: z
    .enum(CHAT_PLATFORMS, `must be ${CHAT_PLATFORMS.join(', ')}`)
    .optional()
    .meta({
      description: 'Instead: all ballots from the chat of this platform until now.',
    }),
  from: moment.optional().meta({ description: 'Instead: all ballots cast from this time on.' }),
  to: moment.optional().meta({ description: 'Until this time, at most until now.' }),
};

/** The body of `POST /api/poll/<id>/void`: a network, a chat, or a period in UNIX time in milliseconds. */
export const voidBody = z
  .object(
    {
      void: z
        .object(voided, mustBe('an object', 'is missing: wrap it, as in {"void": {...}}'))
        .superRefine(({ network, source, from, to }, context) => {
          const given = Object.entries({ network, source, from: from ?? to }).filter(
            ([, one]) => one !== undefined,
          );
          const issue = (path: string[], message: string) =>
            context.addIssue({ code: 'custom', path, message });
          if (given.length > 1) issue([given[0]![0]], 'cannot be combined with the others');
          else if (given.length === 0 || (from === undefined) !== (to === undefined))
            issue([], 'must have network, or source, or from and to');
        })
        .meta({
          oneOf: [['network'], ['source'], ['from', 'to']].map(required => ({
            required,
            not: {
              anyOf: ['network', 'source', 'from', 'to']
                .filter(name => !required.includes(name))
                .map(name => ({ required: [name] })),
            },
          })),
        }),
    },
    'must be an object like {"void": {...}}',
  )
  .transform(({ void: { network, source, from = 0, to = 0 } }) => {
    if (network !== undefined) return { network } as const;
    if (source !== undefined) return { source } as const;
    // JSON Schema cannot state an order of times, so either may be the earlier one.
    return { from: Math.min(from, to), to: Math.max(from, to) };
  });

/** A given deadline is active unless `has_deadline` turns it off. */
function hasDeadline(given: GivenPoll): boolean {
  return given.has_deadline ?? namesEnd(given);
}

function namesEnd({ deadline, closes_in }: GivenPoll): boolean {
  return deadline !== null || closes_in !== null;
}

function isHttpsUrl(text: string): boolean {
  return /^https:\/\//i.test(text) && URL.canParse(text) && new URL(text).hostname !== '';
}
