/** Escaped markup. Only `html` creates it from text. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** `undefined`, `null` and `false` render as nothing, so that `condition && html...` works. */
export type Fragment = Markup | string | number | undefined | null | false | readonly Fragment[];

/** Attribute values MUST be in double quotes in the template: an unquoted one ends at a space. */
export function html(texts: TemplateStringsArray, ...values: readonly Fragment[]): Markup {
  let text = texts[0] ?? '';
  for (const [index, value] of values.entries()) text += render(value) + (texts[index + 1] ?? '');
  return new Markup(text);
}

/** Without a function for each character: a text may consist of nothing else. */
function escapeText(text: string): string {
  if (!/[&<>"']/.test(text)) return text;
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function render(value: Fragment): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  return escapeText(String(value));
}

/** Creates a slot. Its value is rendered as `html` would render it there. */
export type CreateSlot<Values> = (read: (values: Values) => Fragment) => Markup;

/** Random, so that no title or answer can contain it. */
const MARK = `slot-${crypto.getRandomValues(new Uint32Array(4)).join('-')}-`;
const SLOT = new RegExp(`${MARK}(\\d+);`);

/** Markup that is built once, with slots for the values that differ between readers. */
export class PageTemplate<Values> {
  readonly #texts: readonly string[];
  readonly #reads: readonly ((values: Values) => Fragment)[];

  constructor(build: (slot: CreateSlot<Values>) => Markup) {
    const reads: ((values: Values) => Fragment)[] = [];
    const { text } = build(read => new Markup(`${MARK}${reads.push(read) - 1};`));
    // `split` puts the number of each slot between two texts.
    const pieces = text.split(SLOT);
    this.#texts = pieces.filter((_, index) => index % 2 === 0);
    this.#reads = pieces.filter((_, index) => index % 2 === 1).map(number => reads[Number(number)]!);
  }

  get length(): number {
    return this.#texts.reduce((sum, text) => sum + text.length, 0);
  }

  fill(values: Values): string {
    let text = this.#texts[0] ?? '';
    for (const [index, read] of this.#reads.entries()) text += render(read(values)) + this.#texts[index + 1]!;
    return text;
  }
}
