const SOFT_HYPHEN = '\u00ad';
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
 * Inserts soft hyphens between the syllables of long words, for browsers without a dictionary of the language, like those inside
 * OBS. A rule for all alphabetic languages: a syllable begins with the last consonant before a vowel.
 *
 * @param anywhere between all letters, where even a syllable is too wide for a line
 */
export function hyphenate(text: string, anywhere = false): string {
  return text.replace(WORD, word => {
    const letters = splitGraphemes(word);
    if (anywhere) return letters.join(SOFT_HYPHEN);
    const bases = letters.map(letter => letter.normalize('NFD').charAt(0).toLowerCase()).join('');
    for (const { 0: cluster, index } of [...bases.matchAll(CONSONANTS)].reverse()) {
      const at = index + cluster.length - ONSET.exec(cluster)![0].length;
      if (index > 0 && at >= SHORTEST_BEGINNING && at <= letters.length - SHORTEST_END)
        letters.splice(at, 0, SOFT_HYPHEN);
    }
    return letters.join('');
  });
}

/** Splits into user-perceived characters where the browser has `Intl.Segmenter`, else into code points. */
export function splitGraphemes(text: string): string[] {
  if (!('Segmenter' in Intl)) return [...text];
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}
