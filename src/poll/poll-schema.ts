import * as z from 'zod';
import { type IssueParams, likeness, mustBe, pollText } from './poll-text.ts';
import { parseTime } from './time.ts';
import { unknownMembers } from './unknown-members.ts';

/** The body of `POST /api/poll`, rule by rule as the contract has them. */

const MAX_IMAGE_LENGTH = 2_048;
const SHORTEST_SECONDS = 5;
const YEAR_SECONDS = 31_536_000;
/** In the words of a JSON Schema, which cannot say what `URL` takes: hosts that begin with a letter. */
const HTTPS_PATTERN = '^[Hh][Tt][Tt][Pp][Ss]://[A-Za-z][A-Za-z0-9]*(\\.[A-Za-z][A-Za-z0-9]*)*([/?#][!-~]*)?$';
export const ONE_END = 'takes the place of deadline: send one of them';

const boolean = z
  .union([z.boolean(), z.int().min(0).max(1)], { error: 'must be true, false, 1 or 0' })
  .transform(Boolean);
const flag = (description: string) => boolean.default(false).meta({ description });

const answers = z
  .array(pollText({ min: 1, max: 200 }), mustBe('an array of strings'))
  .min(2, 'must hold at least 2 answers')
  .max(100, 'must hold at most 100 answers')
  .superRefine((texts, context) => {
    const seen = new Map<string, number>();
    for (const [index, text] of texts.entries()) {
      const twin = seen.get(likeness(text));
      if (twin === undefined) seen.set(likeness(text), index);
      else {
        const params: IssueParams = { fault: 'same', number: twin + 1 };
        const message = `is the same as answer ${twin + 1}`;
        context.addIssue({ code: 'custom', path: [index], message, params });
      }
    }
  })
  .meta({
    description: 'What voters choose from, in this order. No two may look alike.',
    uniqueItems: true,
    examples: [['Waterloo', 'Volare']],
  });

export const deadline = z
  .string('must be null or a moment like 2030-01-31T18:00:00.000Z')
  .transform((text, context) => {
    const ms = parseTime(text);
    if (ms === undefined)
      context.addIssue({ code: 'custom', message: 'must be a real moment, like 2030-01-31T18:00:00.000Z' });
    return ms ?? null;
  })
  .meta({ format: 'date-time' })
  .nullable();

const DEADLINE =
  'The poll closes by itself at this moment, which lies in the future: any spelling of RFC 3339, a space in place of `T` and second 60 included. `null` is none.';

/** Seconds. */
export const closesIn = z
  .number('must be a number of seconds')
  .min(SHORTEST_SECONDS, `must be at least ${SHORTEST_SECONDS} seconds`)
  .max(YEAR_SECONDS, `must be at most ${YEAR_SECONDS} seconds`)
  .meta({
    description:
      'Instead of `deadline`: the poll closes so many seconds from now by the clock of the engine, an upcoming poll so many seconds after it is opened.',
  });

export const resultsVisibility = z
  .enum(['always', 'after_deadline', 'hidden'], 'must be "always", "after_deadline" or "hidden"')
  .meta({
    description:
      'Who sees the counts: everybody, everybody once the deadline has passed, or only who has a key of the poll.',
  });

const image = z
  .string('must be null or an https URL')
  .max(MAX_IMAGE_LENGTH, `must be at most ${MAX_IMAGE_LENGTH} characters long`)
  .refine(isHttpsUrl, 'must be an absolute https URL')
  .meta({ pattern: HTTPS_PATTERN })
  .nullable()
  .default(null)
  .meta({ description: 'Shown on the voting page, and never fetched by a server.' });

const fields = {
  title: pollText({ min: 1, max: 300 }).meta({
    description: 'The question. Blanks at both ends are cut off, here and in answers.',
    examples: ['Which song next?'],
  }),
  description: pollText({ min: 0, max: 5_000, prose: true })
    .nullable()
    .transform(text => text ?? '')
    .default('')
    .meta({ description: 'Shown on the voting page. Line ends become LF. `null` is none.' }),
  answers,
  priv: flag('Private: listed nowhere.'),
  co: flag('Comments are allowed under the poll.'),
  ma: flag('A ballot may carry several answers.'),
  mip: flag('Several ballots from one address are allowed.'),
  enter_name: flag('Voters give a name, which the creator sees.'),
  has_deadline: boolean.optional().meta({
    description:
      '`false` keeps a deadline that is given, and closes nothing by it; set by a deadline otherwise.',
  }),
  deadline: deadline.default(null).meta({ description: DEADLINE }),
  closes_in: closesIn.nullable().default(null).meta({
    description:
      'Seconds until the poll closes, instead of `deadline`. An `upcoming` poll counts them from the moment it is opened.',
  }),
  only_reg: flag('Voters sign in with the OpenID provider of this site; refused where there is none.'),
  vpn: flag('Voters behind a VPN are allowed.'),
  has_image: flag('Kept and used for nothing: `image` says whether there is one.'),
  image,
  results_visibility: resultsVisibility.default('always'),
  status: z.enum(['open', 'upcoming'], 'must be "open" or "upcoming"').default('open').meta({
    description: 'An upcoming poll is prepared, shown and watched, and takes no ballot until it is opened.',
  }),
};

/** What lies in the future, as far as a JSON Schema can say it: no deadline lies in a year before this release. */
export const LATER = '^(202[6-9]|20[3-9]|2[1-9]|[3-9])';

/** Rules between members, as far as a JSON Schema can say them. */
const NAMES_END = [
  { required: ['deadline'], properties: { deadline: { type: 'string' } } },
  { required: ['closes_in'], properties: { closes_in: { type: 'number' } } },
];
const BETWEEN_MEMBERS = {
  allOf: [
    { not: { allOf: NAMES_END } },
    {
      anyOf: [
        { required: ['has_deadline'], properties: { has_deadline: { enum: [false, 0] } } },
        { properties: { deadline: { pattern: LATER } } },
      ],
    },
    {
      if: { required: ['has_deadline'], properties: { has_deadline: { enum: [true, 1] } } },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { anyOf: NAMES_END },
    },
    {
      if: {
        required: ['results_visibility'],
        properties: { results_visibility: { const: 'after_deadline' } },
      },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { anyOf: NAMES_END, properties: { has_deadline: { enum: [true, 1] } } },
    },
  ],
};

export const WRAPPER = mustBe('an object', 'is missing: wrap it, as in {"poll": {...}}');
export const BODY = 'must be an object like {"poll": {...}}';

const poll = z
  .object(fields, WRAPPER)
  .superRefine((given, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (given.deadline !== null && given.closes_in !== null) issue('closes_in', ONE_END);
    if (given.has_deadline && !namesEnd(given)) issue('deadline', 'is required where has_deadline is set');
    if (given.results_visibility === 'after_deadline' && !hasDeadline(given))
      issue('results_visibility', 'after_deadline needs a deadline');
  })
  .meta(BETWEEN_MEMBERS);

/** A deadline in the future is the one rule more, see `checkDraft`. */
export const createPollBody = z.object({ poll }, BODY);

type GivenPoll = z.infer<typeof poll>;

/** A poll that keeps every rule. */
export interface PollDraft extends Omit<GivenPoll, 'has_deadline' | 'deadline' | 'closes_in'> {
  /** Whether the deadline is active. */
  readonly has_deadline: boolean;
  /** UNIX time in milliseconds, by the engine's clock. */
  readonly deadlineMs: number | null;
  /** Of an upcoming poll: milliseconds after its opening, in place of an active deadline. */
  readonly closesInMs?: number | undefined;
}

export type CheckedDraft =
  | { readonly success: true; readonly data: { readonly poll: PollDraft } }
  | { readonly success: false; readonly data?: undefined; readonly error: z.ZodError };

/** @param nowMs UNIX time in milliseconds that a deadline must lie after, and that `closes_in` counts from */
export function checkDraft(body: unknown, nowMs: number): CheckedDraft {
  const checked = createPollBody.safeParse(body);
  if (!checked.success) return { success: false, error: checked.error };
  const { deadline, closes_in, ...given } = checked.data.poll;
  const has_deadline = hasDeadline(checked.data.poll);
  if (closes_in !== null && has_deadline && given.status === 'upcoming') {
    const closesInMs = Math.round(closes_in * 1000);
    return { success: true, data: { poll: { ...given, has_deadline, deadlineMs: null, closesInMs } } };
  }
  const deadlineMs = closes_in === null ? deadline : Math.round(nowMs + closes_in * 1000);
  if (!has_deadline || deadlineMs === null || deadlineMs > nowMs)
    return { success: true, data: { poll: { ...given, has_deadline, deadlineMs } } };
  const path = ['poll', 'deadline'];
  const params: IssueParams = { fault: 'past' };
  const issue = { code: 'custom' as const, path, message: 'must be in the future', input: deadline, params };
  return { success: false, error: new z.ZodError([issue]) };
}

/** Whoever names an end means it, unless they say otherwise. */
function hasDeadline(given: GivenPoll): boolean {
  return given.has_deadline ?? namesEnd(given);
}

function namesEnd({ deadline, closes_in }: GivenPoll): boolean {
  return deadline !== null || closes_in !== null;
}

export function unknownMembersOfPoll(body: unknown): string[] {
  return unknownMembers(body, 'poll', fields);
}

function isHttpsUrl(text: string): boolean {
  return /^https:\/\//i.test(text) && URL.canParse(text) && new URL(text).hostname !== '';
}
