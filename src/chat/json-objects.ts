const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Yields the text of each outermost object in JSON that arrives in parts, such as the items of an
 * array that never ends.
 *
 * @throws RangeError if an object is longer than `maxCharacters`
 */
export async function* jsonObjects(
  parts: AsyncIterable<Uint8Array>,
  maxCharacters: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  /** The beginning of an object that has not ended. */
  let begun = '';
  let depth = 0;
  let isQuoted = false;
  let isEscaped = false;
  for await (const bytes of parts) {
    const part = decoder.decode(bytes, { stream: true });
    let from = 0;
    for (let at = 0; at < part.length; at += 1) {
      const character = part.charCodeAt(at);
      if (isEscaped) isEscaped = false;
      else if (character === BACKSLASH) isEscaped = true;
      else if (character === QUOTE) isQuoted = !isQuoted;
      else if (isQuoted) continue;
      else if (character === OPEN) {
        if (depth === 0) from = at;
        depth += 1;
      } else if (character === CLOSE && depth > 0) {
        depth -= 1;
        if (depth > 0) continue;
        yield begun + part.slice(from, at + 1);
        begun = '';
      }
    }
    if (depth > 0) begun += part.slice(from);
    if (begun.length > maxCharacters) throw new RangeError('an object is too long');
  }
}

/** @returns undefined if it is no JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
