import * as z from 'zod';
import { MAX_KEY_LENGTH, SHOW_NAME, SHOW_NAME_RULE } from '../poll/name-rules.ts';
import { positionOrVersion } from './position.ts';

/** What a client may say on `/api/live`, rule by rule as PROTOCOL.md has it. */

const MAX_ID_LENGTH = 64;

const text = (maxLength: number) => {
  const error = `must be a string of 1 to ${maxLength} characters`;
  return z.string(error).min(1, error).max(maxLength, error);
};
const id = text(MAX_ID_LENGTH);

/** `null` is how some languages write that a member is absent. */
function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform(value => value ?? undefined);
}

/** The name of a show: what stands in the URL of an overlay that follows it. */
const showName = z.string('must be a string').regex(SHOW_NAME, SHOW_NAME_RULE);

/** By their type. */
export const clientMessages = {
  subscribe: z.object({
    type: z.literal('subscribe'),
    id,
    key: orNull(text(MAX_KEY_LENGTH)),
    since: orNull(positionOrVersion),
  }),
  unsubscribe: z.object({ type: z.literal('unsubscribe'), id }),
  follow: z.object({ type: z.literal('follow'), show: showName, key: orNull(text(MAX_KEY_LENGTH)) }),
};

export const clientMessageSchema = z.discriminatedUnion(
  'type',
  [clientMessages.subscribe, clientMessages.unsubscribe, clientMessages.follow],
  'must be subscribe, unsubscribe or follow',
);

/** As a relay understands it. */
export type ReceivedMessage = z.output<typeof clientMessageSchema>;
