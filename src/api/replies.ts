import * as z from 'zod';
import { ERROR_CODES, type ErrorBody } from '../poll/poll-error.ts';
import { time } from '../protocol/results-schema.ts';
import { ignored, POLL_REPLIES } from './poll-replies.ts';
import { PROGRAM_REPLIES } from './program-replies.ts';
import { pressed, SHOW_REPLIES } from './show-replies.ts';

/**
 * What a relay replies, as schemas, which tests compare with its replies. A relay does not load
 * them. Their examples in `reply-examples.json` are recorded from a relay.
 */

export const DELETED = 'It was deleted. Without this member, what is not found may come back with a backup.';

const error = z.object({
  success: z.literal(0),
  error: z.object({
    code: z.enum(ERROR_CODES),
    message: z.string().describe('For people: what is wrong and how to fix it.'),
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .exactOptional()
      .describe('Each fault of the request, with its place.'),
    pressed: pressed.exactOptional().describe('The press that came just before.'),
    deleted: z.literal(true).exactOptional().describe(DELETED),
    request_id: z.string().exactOptional().describe('The same as `X-Request-Id`, for the log of the relay.'),
  }),
  ignored: ignored.exactOptional(),
}) satisfies z.ZodType<ErrorBody>;

export const REPLIES = {
  ...POLL_REPLIES,
  ...SHOW_REPLIES,
  ...PROGRAM_REPLIES,
  Error: error,
  VoteCode: z.object({
    success: z.literal(1),
    address: z.url().describe('Where the code leads.'),
    modules: z.int().describe('Along each side, including the margin that scanners need.'),
    dark: z
      .array(z.array(z.int()).length(3))
      .describe('Runs of dark modules: column, row and length, counting from 0.'),
  }),
  Alive: z.object({ success: z.literal(1), timestamp: time }),
  Ready: z.object({
    success: z.literal(1),
    timestamp: time,
    degraded: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('Checks that fail although the process can work.'),
  }),
} as const;

/** The type of a reply, for programs in TypeScript that ask a relay. */
export type Reply<Name extends keyof typeof REPLIES> = z.output<(typeof REPLIES)[Name]>;
