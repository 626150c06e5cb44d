import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

/** What a caller may ask of the live stream in its URL. */
const DEFAULT_HZ = 10;

const whole = (min: number, max: number, error: string) =>
  z
    .string(error)
    .regex(/^\d{1,16}$/, error)
    .transform(Number)
    .refine(value => value >= min && value <= max, error);

const KEY = 'must be one key, of at most 512 characters';

const query = z.object({
  key: z.string(KEY).max(512, KEY).optional(),
  since: whole(0, Number.MAX_SAFE_INTEGER, 'must be a version').optional(),
  hz: whole(1, 20, 'must be a whole number from 1 to 20').default(DEFAULT_HZ),
  compact: z
    .enum(['0', '1'], 'must be 1 or 0')
    .default('0')
    .transform(value => value === '1'),
  heartbeat: whole(1, 3_600, 'must be a whole number of seconds from 1 to 3600').optional(),
});

export type LiveQuery = z.infer<typeof query>;

type ParsedQuery = ReturnType<typeof query.safeParse>;

/** A crowd asks for the same, word for word. */
let newest: { readonly text: string; readonly parsed: ParsedQuery } | undefined;

export function parseLiveQuery({ raw, query: members }: FastifyRequest): ParsedQuery {
  const { url = '' } = raw;
  const start = url.indexOf('?');
  const text = start < 0 ? '' : url.slice(start);
  if (newest?.text !== text) newest = { text, parsed: query.safeParse(members) };
  return newest.parsed;
}
