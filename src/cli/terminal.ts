import type { Command } from 'commander';

/** Text from the network, made safe and measured for a terminal. */

// A control character can move the cursor, rename the window or type into the shell; an override can turn text around.
const DANGEROUS = /[\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB]/gu;
const WIDE =
  /^(?:[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]|[\u{1F1E6}-\u{1F1FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|.\uFE0F)/u;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function safeText(text: string): string {
  return text.replace(DANGEROUS, ' ').trim();
}

/** How many cells the text takes, by the widths that terminals agree on. */
export function textWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += cells(segment);
  return width;
}

/** Exactly so many cells: padded, or cut with an ellipsis. */
export function fitCells(text: string, width: number): string {
  const full = textWidth(text);
  if (full <= width) return text + ' '.repeat(width - full);
  if (width <= 0) return '';
  let fitted = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (used + cells(segment) > width - 1) break;
    fitted += segment;
    used += cells(segment);
  }
  return `${fitted}…${' '.repeat(width - 1 - used)}`;
}

function cells(grapheme: string): number {
  if (ZERO.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

/** A command cannot do what it was asked to: told in one line, without a stack. Exit code 1. */
export class CommandFailure extends Error {
  /** The relay's own refusal, where it was one. */
  readonly refusal: { readonly code: string; readonly issues?: readonly unknown[] } | undefined;

  constructor(message: string, refusal?: CommandFailure['refusal']) {
    super(message);
    this.refusal = refusal;
  }
}

/** What a command has to say: the relay's own reply for programs, lines for people. */
export function print(command: Command, reply: unknown, lines: readonly string[]): void {
  console.log(command.optsWithGlobals()['json'] ? JSON.stringify(reply) : lines.join('\n'));
}

/** What takes longer than this says what it is doing. */
const PATIENCE_MS = 1_000;
const EVERY_MS = 250;
const CLEAR_LINE = '\r\x1b[K';

/**
 * Says on a terminal what is waited for, and takes it away again. Where stderr is none, nothing is said.
 *
 * @param describe asked again and again: it may count
 */
export async function withProgress<T>(describe: () => string, work: Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return work;
  const beganMs = performance.now();
  let isShown = false;
  const timer = setInterval(() => {
    if (performance.now() - beganMs < PATIENCE_MS) return;
    isShown = true;
    process.stderr.write(`${CLEAR_LINE}${describe()} …`.slice(0, process.stderr.columns));
  }, EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (isShown) process.stderr.write(CLEAR_LINE);
  }
}

/** The end of a help text: lines to try. */
export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map(line => `  $ ${line}`)].join('\n');
}
