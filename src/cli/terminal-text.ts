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
