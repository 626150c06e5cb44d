import * as z from 'zod';
import { ERROR_CODES, type ErrorBody } from '../poll/poll-error.ts';
import { described, time } from '../protocol/results-schema.ts';
import { EXAMPLE, POLL_REPLIES } from './poll-replies.ts';
import { PROGRAM_REPLIES } from './program-replies.ts';
import { SHOW_REPLIES } from './show-replies.ts';

/**
 * What a relay replies, as schemas. `satisfies` and the tests keep them in step with the code. A
 * relay does not load them.
 */

export const DELETED = 'It was deleted. Without this member, what is not found may come back with a backup.';

const error = z.object({
  success: z.literal(0),
  error: z.object({
    code: z.enum(ERROR_CODES),
    message: described(z.string(), 'For people: what is wrong and how to fix it.'),
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .exactOptional()
      .meta({ description: 'Each fault of the request, with its place.' }),
    deleted: z.literal(true).exactOptional().meta({ description: DELETED }),
  }),
}) satisfies z.ZodType<ErrorBody>;

const { timestamp } = EXAMPLE.results;

export const REPLIES = {
  ...POLL_REPLIES,
  ...SHOW_REPLIES,
  ...PROGRAM_REPLIES,
  Error: {
    schema: error,
  },
  VoteCode: {
    schema: z.object({
      success: z.literal(1),
      address: described(z.url(), 'Where the code leads.'),
      modules: described(z.int(), 'Along each side, including the margin that scanners need.'),
      dark: described(
        z.array(z.array(z.int()).length(3)),
        'Runs of dark modules: column, row and length, counting from 0.',
      ),
    }),
    example: {
      success: 1,
      address: 'https://vote.example.org/show/evening',
      modules: 37,
      dark: [
        [4, 4, 7],
        [13, 4, 2],
      ],
    },
  },
  Alive: {
    schema: z.object({ success: z.literal(1), timestamp: time }),
    example: { success: 1, timestamp },
  },
  Ready: {
    schema: z.object({
      success: z.literal(1),
      timestamp: time,
      degraded: z
        .array(z.object({ path: z.string(), message: z.string() }))
        .optional()
        .meta({ description: 'Checks that fail although the process can work.' }),
    }),
    example: { success: 1, timestamp },
  },
} as const;
