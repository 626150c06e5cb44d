import * as z from 'zod';
import { MAX_KEY_LENGTH, SHOW_NAME, SHOW_NAME_RULE } from '../poll/poll.ts';

/** The messages that clients send on `/api/live`, as schemas. */

/** The results that a subscriber has, or claims to have. */
export interface Held {
  readonly version: number;
  /** Undefined if an older client sent only the version, which confirms nothing. */
  readonly position: string | undefined;
}

const POSITION = /^\d{1,16}(-[\w-]{1,64})?$/;
const FAULT = 'must be a position, as a message gave it';

/** A position, or the bare version of older clients. */
export const position = z
  .string(FAULT)
  .regex(POSITION, FAULT)
  .transform(
    (text): Held => ({
      version: Number.parseInt(text, 10),
      position: text.includes('-') ? text : undefined,
    }),
  )
  .refine(({ version }) => Number.isSafeInteger(version), FAULT)
  .meta({ type: 'string', pattern: POSITION.source });

const version = z
  .int(FAULT)
  .min(0, FAULT)
  .transform((version): Held => ({ version, position: undefined }));

const MAX_ID_LENGTH = 64;

const text = (maxLength: number) => {
  const error = `must be a string of 1 to ${maxLength} characters`;
  return z.string(error).min(1, error).max(maxLength, error);
};
const id = text(MAX_ID_LENGTH);

/** Some languages send `null` for an absent member. */
function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform(value => value ?? undefined);
}

/** By type. */
export const clientMessages = {
  subscribe: z.object({
    type: z.literal('subscribe'),
    id,
    key: orNull(text(MAX_KEY_LENGTH)),
    since: orNull(z.union([position, version], FAULT)),
  }),
  unsubscribe: z.object({ type: z.literal('unsubscribe'), id }),
  follow: z.object({
    type: z.literal('follow'),
    show: z.string('must be a string').regex(SHOW_NAME, SHOW_NAME_RULE),
    key: orNull(text(MAX_KEY_LENGTH)),
  }),
};

export const clientMessageSchema = z.discriminatedUnion(
  'type',
  [clientMessages.subscribe, clientMessages.unsubscribe, clientMessages.follow],
  'must be subscribe, unsubscribe or follow',
);

export type ReceivedMessage = z.output<typeof clientMessageSchema>;
