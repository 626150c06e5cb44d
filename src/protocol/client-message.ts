import { z } from 'zod';
import type { ClientMessage } from './messages.ts';

/** What a client may say on `/api/live`, rule by rule as PROTOCOL.md has it. */

const MAX_ID_LENGTH = 64;
const MAX_KEY_LENGTH = 512;

/** `null` is how some languages write that a member is absent. */
const absent = (value: unknown) => value ?? undefined;

const text = (maxLength: number) => {
  const error = `must be a string of 1 to ${maxLength} characters`;
  return z.string(error).min(1, error).max(maxLength, error);
};
const id = text(MAX_ID_LENGTH);
const VERSION = 'must be a whole number, 0 or more';
const version = z.number(VERSION).int(VERSION).nonnegative(VERSION);

/** The name of a show: what stands in the URL of an overlay that follows it. */
const showName = z
  .string('must be a string')
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be 1 to 64 of a-z, 0-9 and -');

export const clientMessageSchema: z.ZodType<ClientMessage> = z.discriminatedUnion(
  'type',
  [
    z.object({
      type: z.literal('subscribe'),
      id,
      key: z.preprocess(absent, text(MAX_KEY_LENGTH).optional()),
      since: z.preprocess(absent, version.optional()),
    }),
    z.object({ type: z.literal('unsubscribe'), id }),
    z.object({ type: z.literal('follow'), show: showName }),
  ],
  'must be subscribe, unsubscribe or follow',
);
