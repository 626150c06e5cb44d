import { randomBytes } from 'node:crypto';

/** Markup that is safe to send. Only `html` makes it, and `html` escapes every text that it is given. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** Nothing is written for `undefined`, `null` and `false`, so that `condition && html...` reads well. */
export type Fragment = Markup | string | number | undefined | null | false | readonly Fragment[];

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Attribute values MUST stand in double quotes in the template: an unquoted one ends at a space. */
export function html(parts: TemplateStringsArray, ...values: readonly Fragment[]): Markup {
  let text = parts[0] ?? '';
  for (const [index, value] of values.entries()) text += render(value) + (parts[index + 1] ?? '');
  return new Markup(text);
}

export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => ESCAPES[character] ?? character);
}

function render(value: Fragment): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  return escapeText(String(value));
}

/** Leaves a place open. What is read for it later is written as `html` would write it there. */
export type LeaveOpen<Values> = (read: (values: Values) => Fragment) => Markup;

/** Nobody who writes a title or an answer can guess it. */
const MARK = `open-${randomBytes(16).toString('hex')}-`;
const OPEN_PLACE = new RegExp(`${MARK}(\\d+);`);

/** Markup that is built once, with places left open for what differs from one reader to the next. */
export class PageTemplate<Values> {
  /** One more than there are places. */
  readonly #texts: readonly string[];
  readonly #reads: readonly ((values: Values) => Fragment)[];

  constructor(build: (leaveOpen: LeaveOpen<Values>) => Markup) {
    const reads: ((values: Values) => Fragment)[] = [];
    const { text } = build(read => new Markup(`${MARK}${reads.push(read) - 1};`));
    // With the number of a place between each two texts.
    const pieces = text.split(OPEN_PLACE);
    this.#texts = pieces.filter((_, index) => index % 2 === 0);
    this.#reads = pieces.filter((_, index) => index % 2 === 1).map(number => reads[Number(number)]!);
  }

  /** Characters that are always the same. */
  get length(): number {
    return this.#texts.reduce((sum, text) => sum + text.length, 0);
  }

  fill(values: Values): string {
    let text = this.#texts[0] ?? '';
    for (let place = 0; place < this.#reads.length; place += 1)
      text += render(this.#reads[place]!(values)) + this.#texts[place + 1]!;
    return text;
  }
}
