import { randomBytes } from 'node:crypto';
import { Markup } from './html.ts';

/** Leaves a place open. What is read for it later goes into the page as it is: texts of people MUST be escaped. */
export type LeaveOpen<Values> = (read: (values: Values) => string | number) => Markup;

/** Nobody who writes a title or an answer can guess it. */
const MARK = `open-${randomBytes(16).toString('hex')}-`;
const OPEN_PLACE = new RegExp(`${MARK}(\\d+);`);

/** A text that is rendered once, with places left open for what differs from one reader to the next. */
export class PageTemplate<Values> {
  /** One more than there are places. */
  readonly #texts: readonly string[];
  readonly #reads: readonly ((values: Values) => string | number)[];

  constructor(render: (leaveOpen: LeaveOpen<Values>) => string) {
    const reads: ((values: Values) => string | number)[] = [];
    const text = render(read => new Markup(`${MARK}${reads.push(read) - 1};`));
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
      text += this.#reads[place]!(values) + this.#texts[place + 1]!;
    return text;
  }
}
