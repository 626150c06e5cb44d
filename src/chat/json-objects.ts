const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Finds the outermost objects in JSON that arrives in parts, such as the items of an array that never ends. */
export class JsonObjects {
  readonly #maxCharacters: number;
  /** The beginning of an object that has not ended. */
  #begun: string[] = [];
  #characters = 0;
  #depth = 0;
  #isQuoted = false;
  #isEscaped = false;

  /** @param maxCharacters of one object */
  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** Yields the text of each object that ends in this part. @throws RangeError if an object is too long */
  *add(part: string): Generator<string> {
    let from = 0;
    for (let at = 0; at < part.length; at += 1) {
      const character = part.charCodeAt(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === BACKSLASH) this.#isEscaped = true;
      else if (character === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (this.#isQuoted) continue;
      else if (character === OPEN) {
        if (this.#depth === 0) from = at;
        this.#depth += 1;
      } else if (character === CLOSE && this.#depth > 0) {
        this.#depth -= 1;
        if (this.#depth === 0) yield this.#end(part.slice(from, at + 1));
      }
    }
    if (this.#depth === 0) return;
    this.#begun.push(part.slice(from));
    this.#characters += part.length - from;
    if (this.#characters > this.#maxCharacters) throw new RangeError('an object is too long');
  }

  #end(last: string): string {
    const text = [...this.#begun, last].join('');
    this.#begun = [];
    this.#characters = 0;
    return text;
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
