/** An end longer than this would leave nothing of the beginning. */
const LONGEST = 14;
/** What is told apart this early is told apart however short it is cut. */
const SEEN = 6;

/**
 * The end of a text that tells it apart from others which begin alike: from the word in which they differ. Empty where it is
 * told apart by how it begins, or by nothing that would fit.
 */
export function ownEnd(text: string, others: readonly string[]): string {
  const alike = Math.max(
    0,
    ...others.filter(other => other !== text).map(other => commonLength(text, other)),
  );
  if (alike < SEEN) return '';
  const word = text.lastIndexOf(' ', alike) + 1;
  const end = splitGraphemes(text.slice(word));
  return end.length <= LONGEST ? end.join('') : '';
}

/** Letters as people count them, where the browser knows how. */
export function splitGraphemes(text: string): string[] {
  if (!('Segmenter' in Intl)) return [...text];
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}

function commonLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
