import { z } from 'zod';

/** Text that people read on screen: normalised, printable, and as long as it looks. */

// Direction overrides and isolates can make one answer read as another.
const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/u;
const CONTROLS = /\p{Cc}/u;
const CONTROLS_IN_PROSE = /[^\P{Cc}\n\t]/u;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\s]/gu;

interface TextRule {
  readonly min: number;
  /** Unicode code points, after trimming. */
  readonly max: number;
  /** Line feeds and tabs are welcome. */
  readonly prose?: boolean;
}

export function pollText({ min, max, prose = false }: TextRule): z.ZodType<string, unknown> {
  const controls = prose ? CONTROLS_IN_PROSE : CONTROLS;
  return z
    .string(mustBe('a string'))
    .refine(text => text.isWellFormed(), { error: 'must not contain unpaired surrogates', abort: true })
    .transform(text => text.normalize('NFC').trim())
    .refine(text => !controls.test(text), { error: 'must not contain control characters' })
    .refine(text => prose || !BIDI_CONTROLS.test(text), {
      error: 'must not contain bidirectional control characters',
    })
    .refine(text => min === 0 || visible(text) !== '', { error: 'must not be empty' })
    .refine(text => codePoints(text) <= max, { error: `must be at most ${max} characters long` });
}

/** What is missing was forgotten, and is told apart from what is wrong. */
export function mustBe(what: string, missing = 'is required') {
  return { error: ({ input }: { input?: unknown }) => (input === undefined ? missing : `must be ${what}`) };
}

/** Two texts with the same likeness cannot be told apart by a voter. */
export function likeness(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim();
}

function visible(text: string): string {
  return text.replace(INVISIBLE, '');
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
