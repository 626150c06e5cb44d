/**
 * Returns the key in the fragment of a link without what stood beside the link in a sentence.
 * Operators' own keys have any form.
 */
export function linkKey(given: string): string {
  return /^(?:admin|show)_[\w-]{43}/.exec(given)?.[0] ?? given;
}
