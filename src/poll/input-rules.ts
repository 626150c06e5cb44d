import * as z from 'zod';
import { hasStackedMarks, visibleText } from './visible-text.ts';

/** Rules for what callers send: texts that people read on screen, times, and members that do not exist. */

/** What is wrong with a value, for programs: `params` of a custom issue. */
export interface IssueParams {
  readonly fault: 'empty' | 'long' | 'unusable' | 'marks' | 'same' | 'past' | 'multiple';
  /** A limit, or the position of an answer, counted from 1. */
  readonly number?: number | undefined;
}

export function faultOfIssue(issue: z.core.$ZodIssue): IssueParams | undefined {
  return issue.code === 'custom' ? (issue.params as IssueParams | undefined) : undefined;
}

/** An error that distinguishes a missing value from a wrong one. */
export function mustBe(what: string, missing = 'is required') {
  return { error: ({ input }: { input?: unknown }) => (input === undefined ? missing : `must be ${what}`) };
}

/** @returns names of unknown members of a body and inside its wrapper, like `poll`: slips are noticed */
export function unknownMembers(schema: z.ZodType, body: unknown): string[] {
  const inside = Object.entries(shapeOf(schema) ?? {}).flatMap(([name, wrapped]) =>
    unknownIn(wrapped as z.ZodType, isRecord(body) ? body[name] : undefined),
  );
  return [...unknownIn(schema, body), ...inside];
}

function unknownIn(schema: z.ZodType, value: unknown): string[] {
  const known = shapeOf(schema);
  return known && isRecord(value) ? Object.keys(value).filter(name => !Object.hasOwn(known, name)) : [];
}

/** The members of an object that may be optional or have conversions. */
function shapeOf(schema: z.ZodType): z.ZodRawShape | undefined {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in as z.ZodType);
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapped ? shapeOf(schema.unwrap() as z.ZodType) : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Direction overrides and isolates can make one answer read as another.
const BIDI_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/u;
const CONTROLS = /\p{Cc}/u;
const CONTROLS_IN_PROSE = /[^\P{Cc}\n\t]/u;

// The same as patterns of JSON Schema, which has no Unicode classes. Any blank may be trimmed.
const BLANK = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
const BIDI = '\\u202a-\\u202e\\u2066-\\u2069';
const UNSEEN =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0\\ufdd0-\\ufdef\\ufff0-\\ufffb\\ufffe\\uffff\u{13441}\u{13442}\u{1BCA0}-\u{1BCA3}\u{1D159}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}';
const PROSE_PATTERN = `^[${BLANK}]*[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*[${BLANK}]*$`;
const EMPTY_LINE_PATTERN = `^[${BLANK}]*[^${CONTROL}${BIDI}]*[${BLANK}]*$`;
const LINE_PATTERN = `^[${BLANK}]*[^${CONTROL}${BIDI}]*[^${BLANK}${CONTROL}${BIDI}${UNSEEN}][^${CONTROL}${BIDI}]*[${BLANK}]*$`;

interface TextRule {
  readonly min: number;
  /** Unicode code points, after trimming. */
  readonly max: number;
  /** Allows tabs and line ends; CRLF and CR become LF. */
  readonly prose?: boolean;
}

/** Text that is normalized, trimmed and printable. A blank one is empty. */
export function pollText({ min, max, prose = false }: TextRule): z.ZodType<string, unknown> {
  const controls = prose ? CONTROLS_IN_PROSE : CONTROLS;
  const fault = (error: string, kind: IssueParams['fault'], number?: number) => ({
    error,
    params: { fault: kind, number },
  });
  return z
    .string(mustBe('a string'))
    .refine(text => text.isWellFormed(), {
      ...fault('must not contain unpaired surrogates', 'unusable'),
      abort: true,
    })
    .transform(text => (prose ? text.replace(/\r\n?/g, '\n') : text).normalize('NFC').trim())
    .refine(text => !controls.test(text), fault('must not contain control characters', 'unusable'))
    .refine(
      text => prose || !BIDI_CONTROLS.test(text),
      fault('must not contain bidirectional control characters', 'unusable'),
    )
    .refine(text => !hasStackedMarks(text), fault('must have at most four marks on a letter', 'marks'))
    .refine(text => min === 0 || visibleText(text) !== '', fault('must not be empty', 'empty'))
    .refine(text => [...text].length <= max, fault(`must be at most ${max} characters long`, 'long', max))
    .meta({
      pattern: prose ? PROSE_PATTERN : min > 0 ? LINE_PATTERN : EMPTY_LINE_PATTERN,
      maxLength: max,
      ...(min > 0 && { minLength: min }),
    })
    .transform(text => (visibleText(text) === '' ? '' : text));
}

const RFC_3339 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/i;
const MINUTE_MS = 60_000;

/**
 * Reads a time in any spelling of RFC 3339. Second 60 is the next second; digits beyond a millisecond are dropped.
 *
 * @returns UNIX time in milliseconds; undefined if there is no such time, or its year has not four digits
 */
export function parseTime(text: string): number | undefined {
  const [, day, time, second, decimals = '', sign = '+', hours = '00', minutes = '00'] =
    RFC_3339.exec(text) ?? [];
  const leapMs = second === '60' ? 1_000 : 0;
  const local = `${day}T${time}:${leapMs ? '59' : second}.${decimals.padEnd(3, '0').slice(0, 3)}Z`;
  const localMs = Date.parse(local);
  // `Date.parse` turns 31 February into a day of March.
  if (Number.isNaN(localMs) || formatTime(localMs) !== local) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  const ms = localMs + leapMs + (sign === '-' ? offsetMs : -offsetMs);
  return /^\d{4}-/.test(formatTime(ms)) ? ms : undefined;
}

/** @returns `YYYY-MM-DDTHH:mm:ss.sssZ` @param ms UNIX time in milliseconds */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** A phrase of the documents as a sentence. */
export function sentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}
