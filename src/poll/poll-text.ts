import * as z from 'zod';

/** Text that people read on screen: normalised, printable, and as long as it looks. */

// Direction overrides and isolates can make one answer read as another.
const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/u;
const CONTROLS = /\p{Cc}/u;
const CONTROLS_IN_PROSE = /[^\P{Cc}\n\t]/u;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\s]/gu;

/** The same in the words of a JSON Schema, which knows no classes of Unicode. What is cut off at the ends may be anything blank. */
const BLANK = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
const BIDI = '\\u202a-\\u202e\\u2066-\\u2069';
const IGNORABLE =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\uffa0\\ufff0-\\ufff8\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}';
const PROSE_PATTERN = `^[${BLANK}]*[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*[${BLANK}]*$`;
const EMPTY_LINE_PATTERN = `^[${BLANK}]*[^${CONTROL}${BIDI}]*[${BLANK}]*$`;
const LINE_PATTERN = `^[${BLANK}]*[^${CONTROL}${BIDI}]*[^${BLANK}${CONTROL}${BIDI}${IGNORABLE}][^${CONTROL}${BIDI}]*[${BLANK}]*$`;

/** What is wrong with a value, for programs: `params` of a custom issue. */
export interface IssueParams {
  readonly fault: 'empty' | 'long' | 'unusable' | 'same' | 'past';
  /** A limit, or the place of an answer, counted from 1. */
  readonly number?: number | undefined;
}

/** The fault that an issue carries; undefined where it carries none. */
export function faultOfIssue(issue: z.core.$ZodIssue): IssueParams | undefined {
  return issue.code === 'custom' ? (issue.params as IssueParams | undefined) : undefined;
}

const fault = (error: string, params: IssueParams) => ({ error, params: { ...params } });

interface TextRule {
  readonly min: number;
  /** Unicode code points, after trimming. */
  readonly max: number;
  /** Allows tabs and line ends; CRLF and CR become LF. */
  readonly prose?: boolean;
}

export function pollText({ min, max, prose = false }: TextRule): z.ZodType<string, unknown> {
  const controls = prose ? CONTROLS_IN_PROSE : CONTROLS;
  return z
    .string(mustBe('a string'))
    .refine(text => text.isWellFormed(), {
      ...fault('must not contain unpaired surrogates', { fault: 'unusable' }),
      abort: true,
    })
    .transform(text => (prose ? text.replace(/\r\n?/g, '\n') : text).normalize('NFC').trim())
    .refine(text => !controls.test(text), fault('must not contain control characters', { fault: 'unusable' }))
    .refine(
      text => prose || !BIDI_CONTROLS.test(text),
      fault('must not contain bidirectional control characters', { fault: 'unusable' }),
    )
    .refine(text => min === 0 || visible(text) !== '', fault('must not be empty', { fault: 'empty' }))
    .refine(
      text => codePoints(text) <= max,
      fault(`must be at most ${max} characters long`, { fault: 'long', number: max }),
    )
    .meta({
      pattern: prose ? PROSE_PATTERN : min > 0 ? LINE_PATTERN : EMPTY_LINE_PATTERN,
      maxLength: max,
      ...(min > 0 && { minLength: min }),
    });
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
