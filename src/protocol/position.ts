import * as z from 'zod';

/** The results that a subscriber holds, or says that it holds. */
export interface Held {
  readonly version: number;
  /** Undefined where an older client names the version alone, which can confirm nothing. */
  readonly position: string | undefined;
}

const POSITION = /^\d{1,16}(-[\w-]{1,64})?$/;
const FAULT = 'must be a position, as a message gave it';

/** A position, or the bare version that older clients know. */
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

/** The same in a message, where a bare version is a number. */
export const positionOrVersion = z.union(
  [
    position,
    z
      .int(FAULT)
      .min(0, FAULT)
      .transform((version): Held => ({ version, position: undefined })),
  ],
  FAULT,
);
