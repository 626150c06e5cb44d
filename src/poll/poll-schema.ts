import { z } from 'zod';
import { likeness, pollText } from './poll-text.ts';

/** The body of `POST /api/poll`, rule by rule as the contract has them. */

const DEADLINE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const MAX_IMAGE_LENGTH = 2_048;

const flag = z
  .union([z.literal(true), z.literal(false), z.literal(1), z.literal(0)], {
    error: 'must be true, false, 1 or 0',
  })
  .transform(Boolean)
  .default(false);

const answers = z
  .array(pollText({ min: 1, max: 200 }), 'must be an array of strings')
  .min(2, 'must hold at least 2 answers')
  .max(100, 'must hold at most 100 answers')
  .superRefine((texts, context) => {
    const seen = new Map<string, number>();
    for (const [index, text] of texts.entries()) {
      const twin = seen.get(likeness(text));
      if (twin === undefined) seen.set(likeness(text), index);
      else context.addIssue({ code: 'custom', path: [index], message: `is the same as answer ${twin + 1}` });
    }
  });

const deadline = z
  .string('must be null or a string like 2030-01-31T18:00:00.000Z')
  .refine(isMoment, 'must be a real moment, written like 2030-01-31T18:00:00.000Z')
  .nullable()
  .default(null);

const image = z
  .string('must be null or an https URL')
  .max(MAX_IMAGE_LENGTH, `must be at most ${MAX_IMAGE_LENGTH} characters long`)
  .refine(isHttpsUrl, 'must be an absolute https URL')
  .nullable()
  .default(null);

const fields = {
  title: pollText({ min: 1, max: 300 }),
  description: pollText({ min: 0, max: 5_000, prose: true }).default(''),
  answers,
  priv: flag,
  co: flag,
  ma: flag,
  mip: flag,
  enter_name: flag,
  has_deadline: flag,
  deadline,
  only_reg: flag,
  vpn: flag,
  has_image: flag,
  image,
  results_visibility: z
    .enum(['always', 'after_deadline', 'hidden'], 'must be "always", "after_deadline" or "hidden"')
    .default('always'),
};

const poll = z.object(fields, 'must be an object').superRefine((draft, context) => {
  const issue = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  if (draft.has_deadline && draft.deadline === null)
    issue('deadline', 'is required where has_deadline is set');
  if (draft.results_visibility === 'after_deadline' && !draft.has_deadline)
    issue('results_visibility', 'after_deadline needs has_deadline');
});

const createPollBody = z.object({ poll }, 'must be an object like {"poll": {...}}');
type CreatePollBody = z.infer<typeof createPollBody>;

/** What a creator asked for, checked and with every default filled in. */
export type PollDraft = CreatePollBody['poll'];

/** @param nowMs UNIX time in milliseconds that a deadline must lie after */
export function checkDraft(body: unknown, nowMs: number): z.ZodSafeParseResult<CreatePollBody> {
  const checked = createPollBody.safeParse(body);
  if (!checked.success) return checked;
  const { has_deadline, deadline } = checked.data.poll;
  if (!has_deadline || deadline === null || Date.parse(deadline) > nowMs) return checked;
  const path = ['poll', 'deadline'];
  const issue = { code: 'custom' as const, path, message: 'must be in the future', input: deadline };
  return { success: false, error: new z.ZodError([issue]) as z.ZodError<CreatePollBody> };
}

/** Names of the members that nobody here knows, so that a typing mistake never passes unseen. */
export function unknownMembers(body: unknown): string[] {
  if (!isRecord(body)) return [];
  const beside = Object.keys(body).filter(name => name !== 'poll');
  const inside = isRecord(body['poll'])
    ? Object.keys(body['poll']).filter(name => !Object.hasOwn(fields, name))
    : [];
  return [...beside, ...inside];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `new Date` would roll 31 February over into March, hence the way back. */
function isMoment(text: string): boolean {
  if (!DEADLINE.test(text)) return false;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

function isHttpsUrl(text: string): boolean {
  return /^https:\/\//i.test(text) && URL.canParse(text) && new URL(text).hostname !== '';
}
