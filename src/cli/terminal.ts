import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';

/** What every command needs at a terminal: safe text, its width, failures, files, output and progress. */

// Control characters can move the cursor or type into the shell; overrides can reverse text.
const DANGEROUS = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB]/gu;
const WIDE =
  /^(?:[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]|[\u{1F1E6}-\u{1F1FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|.\uFE0F)/u;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function safeText(text: string): string {
  return text.replace(DANGEROUS, ' ').trim();
}

/** JSON in one line, with escapes in place of what a terminal would act on. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    DANGEROUS,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function textWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += cells(segment);
  return width;
}

/** Pads the text, or cuts it with an ellipsis, to exactly this number of cells. */
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

/** The command failed. Printed as one line without a stack; exit code 1. */
export class CommandFailure extends Error {
  readonly reply: { readonly code: string; readonly issues?: readonly unknown[] } | undefined;

  constructor(message: string, reply?: CommandFailure['reply']) {
    super(message);
    this.reply = reply;
  }
}

/** Reads a file that an option names. @throws CommandFailure */
export async function readLocal(path: string): Promise<Buffer> {
  return readFile(path).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandFailure(`${path} cannot be read (${code}).`);
  });
}

/** Prints the result of a command: JSON with `--json`, else lines. */
export function print(command: Command, reply: unknown, lines: readonly string[]): void {
  console.log(command.optsWithGlobals()['json'] ? safeJson(reply) : lines.join('\n'));
}

/** Shorter work shows no progress. */
const PROGRESS_AFTER_MS = 1_000;
const PROGRESS_EVERY_MS = 250;
const CLEAR_LINE = '\r\x1b[K';

/** Shows progress while stderr is a terminal, and clears it at the end. */
export async function withProgress<T>(describe: () => string, work: Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return work;
  const beganMs = performance.now();
  let isShown = false;
  const timer = setInterval(() => {
    if (performance.now() - beganMs < PROGRESS_AFTER_MS) return;
    isShown = true;
    process.stderr.write(`${CLEAR_LINE}${describe()} …`.slice(0, process.stderr.columns));
  }, PROGRESS_EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (isShown) process.stderr.write(CLEAR_LINE);
  }
}

export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map(line => `  $ ${line}`)].join('\n');
}
