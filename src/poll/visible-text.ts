/** What a reader sees of a text: decides whether it is empty, the same as another one, or drawn over its neighbors. */

/** Tags are visible in one place: they tell the flag of Scotland from that of Wales. */
const UNSEEN =
  /(\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F})|[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB]/gu;
/** Letters and symbols without ink: Hangul fillers, the Braille blank, the blanks of hieroglyphs and of notes. */
const INKLESS = /[\u115F\u1160\u3164\uFFA0\u2800\u{13441}\u{13442}\u{1D159}]/gu;
/** A mark without a letter belongs to the blank before it. */
const BLANKS = /(?:^|\s)[\s\p{M}]*/gu;
/**
 * Hebrew with points and accents, Arabic, Burmese and Tibetan have up to four on a letter. Spacing
 * marks need no bound.
 */
const MOST_MARKS = 4;
const STACKED_MARKS = new RegExp(`[\\p{Mn}\\p{Me}]{${MOST_MARKS + 1}}`, 'u');

/** Returns what can be seen of a text, as a key: texts with the same key look the same. Empty for a blank text. */
export function visibleText(text: string): string {
  return text.replace(INKLESS, ' ').replace(UNSEEN, '$1').normalize('NFC').replace(BLANKS, ' ').trim();
}

/** Whether a letter has so many marks, above and below it, that they reach other lines. */
export function hasStackedMarks(text: string): boolean {
  return STACKED_MARKS.test(text.replace(UNSEEN, '').normalize('NFC'));
}
