import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { MAX_KEY_LENGTH } from '../poll/name-rules.ts';
import { position } from '../protocol/position.ts';

/** What a caller may ask of the live stream in its URL. */
const DEFAULT_HZ = 10;

const whole = (min: number, max: number, error: string, description: string) =>
  z
    .string(error)
    .regex(/^\d{1,16}$/, error)
    .transform(Number)
    .refine(value => value >= min && value <= max, error)
    .meta({ type: 'integer', minimum: min, maximum: max, description });

const KEY = `must be one key, of at most ${MAX_KEY_LENGTH} characters`;

export const liveQuery = z.object({
  key: z.string(KEY).max(MAX_KEY_LENGTH, KEY).optional(),
  since: position
    .meta({
      description:
        'The `position` that the client shows already: where the poll is still there, the first message is `current`.',
    })
    .optional(),
  hz: whole(
    1,
    20,
    'must be a whole number from 1 to 20',
    'The most `results` and `counts` a second about one poll.',
  ).default(DEFAULT_HZ),
  compact: z
    .enum(['0', '1'], 'must be 1 or 0')
    .default('0')
    .transform(value => value === '1')
    .meta({ description: '`1`: `counts` where they are enough; `0`: always `results`.' }),
  preview: z
    .enum(['0', '1'], 'must be 1 or 0')
    .default('0')
    .transform(value => value === '1')
    .meta({ description: '`1`: not counted among the screens that watch, as the pictures at a desk.' }),
  heartbeat: whole(
    1,
    3_600,
    'must be a whole number of seconds from 1 to 3600',
    'Seconds between heartbeats; none are sent without it.',
  ).optional(),
});

export type LiveQuery = z.infer<typeof liveQuery>;

type ParsedQuery = ReturnType<typeof liveQuery.safeParse>;

/** A crowd asks for the same, word for word. */
let newest: { readonly text: string; readonly parsed: ParsedQuery } | undefined;

export function parseLiveQuery({ raw, query: members }: FastifyRequest): ParsedQuery {
  const { url = '' } = raw;
  const start = url.indexOf('?');
  const text = start < 0 ? '' : url.slice(start);
  if (newest?.text !== text) newest = { text, parsed: liveQuery.safeParse(members) };
  return newest.parsed;
}
