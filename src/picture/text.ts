const SOFT_HYPHEN = '\u00ad';
/** A zero width space. */
export const LINE_END = '\u200b';
/** Longest distinct end, in letters: a longer one would leave no room for the beginning. */
const LONGEST_END = 14;
/** Texts that differ within so many letters are distinct even when cut. */
const DISTINCT_WITHIN = 6;
/** Arabic, Thai, Indic and other scripts with marks above and below their letters. Their lines are further apart. */
const TALL = /[\u0600-\u07bf\u08a0-\u109f\u1780-\u17ff\ufb50-\ufdff\ufe70-\ufefc]/;

/** Shorter words are never too wide for a line. */
const WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]{8,}/gu;
const SHORTEST_BEGINNING = 2;
const SHORTEST_END = 3;
/** Base letters: marks are removed first. */
const VOWELS = 'aeiouyæøœıαεηιουωаеёиоуыэюяіїє';
const CONSONANTS = new RegExp(`[^${VOWELS}]+(?=[${VOWELS}])`, 'g');
/** The consonants that begin a syllable together, else the last one. */
const ONSET = /(?:sch[wlrmn]?|pf[lr]|[cpst]h|ck|[bcdfgkpt]r|[bcfkp]l|[бвгдкпт]р|.)$/u;

/**
 * Inserts soft hyphens between the syllables of long words, for browsers without a dictionary of
 * the language, like those inside OBS. A rule for all alphabetic languages: a syllable begins with
 * the last consonant before a vowel. An address has no hyphens but its own.
 *
 * @param isMeant of a text between spaces; by default each
 */
export function hyphenate(text: string, isMeant: (word: string) => boolean = () => true): string {
  return text.replace(/\S+/g, word =>
    word.includes(LINE_END) || isAddress(word) || !isMeant(word) ? word : word.replace(WORD, inSyllables),
  );
}

function inSyllables(word: string): string {
  const letters = splitGraphemes(word);
  const bases = letters.map(letter => letter.normalize('NFD').charAt(0).toLowerCase()).join('');
  for (const { 0: cluster, index } of [...bases.matchAll(CONSONANTS)].reverse()) {
    const at = index + cluster.length - ONSET.exec(cluster)![0].length;
    if (index > 0 && at >= SHORTEST_BEGINNING && at <= letters.length - SHORTEST_END)
      letters.splice(at, 0, SOFT_HYPHEN);
  }
  return letters.join('');
}

const LABEL = String.raw`[\p{L}\p{N}-]+`;
/** An address has a scheme, a port, a path or three labels. File names such as `node.js` and initials don't match. */
const ADDRESS = new RegExp(
  String.raw`^[\p{Ps}\p{Pi}"']*(?:https?://|(?:${LABEL}\.)*${LABEL}:\d|(?:[\p{L}\p{N}-]{2,}\.){2}${LABEL}|(?:${LABEL}\.)+${LABEL}/)`,
  'iu',
);

export function isAddress(word: string): boolean {
  return ADDRESS.test(word);
}

/** Marks where a line may end in an address: after `/` and `-`, and before a dot or a port. A number stays whole. */
export function breakable(address: string): string {
  const places = /\d[.-](?=\d)|[/-]+(?=[^\s/-])|\.(?=[^\s.])|:(?=\d{3,5}(?:\/|$))/g;
  return address.replace(places, found => {
    if (/\d/.test(found)) return found;
    return /[.:]/.test(found) ? `${LINE_END}${found}` : `${found}${LINE_END}`;
  });
}

const graphemes = 'Segmenter' in Intl ? new Intl.Segmenter() : undefined;

/** Before the first mark, each code point is a character. The segmenter takes microseconds for each. */
const WITHOUT_MARKS = /^[\0-\u02ff]*$/;
/** A word is split for each size that is tried. */
const MOST_SPLIT = 5_000;
const split = new Map<string, readonly string[]>();

/** Splits into user-perceived characters where the browser has `Intl.Segmenter`, else into code points. */
export function splitGraphemes(text: string): string[] {
  if (!graphemes || WITHOUT_MARKS.test(text)) return [...text];
  const letters = split.get(text) ?? Array.from(graphemes.segment(text), ({ segment }) => segment);
  if (split.size >= MOST_SPLIT) split.clear();
  split.set(text, letters);
  return [...letters];
}

/** Whether a text needs lines that are further apart. */
export function isTall(text: string): boolean {
  return TALL.test(text);
}

/** Returns the height of a line of a list that contains these texts, as a part of the font size. */
export function lineHeightOf(texts: readonly string[]): number {
  return texts.some(isTall) ? 1.55 : 1.2;
}

/**
 * Returns the end that distinguishes a text from others with the same beginning; empty if that is
 * not needed or too long.
 */
export function distinctEnd(text: string, others: readonly string[]): string {
  const lengths = others.filter(other => other !== text).map(other => commonLength(text, other));
  const common = Math.max(0, ...lengths);
  if (common < DISTINCT_WITHIN) return '';
  const end = splitGraphemes(text.slice(text.lastIndexOf(' ', common) + 1));
  return end.length <= LONGEST_END ? end.join('') : '';
}

function commonLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
