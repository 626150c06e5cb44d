import { addElement, setStyle, setText } from '../browser/drawing/element.ts';
import css from './widget.css' with { type: 'text' };
import type { WidgetPicture, WidgetRow } from './widget-picture.ts';

interface Row {
  readonly element: HTMLElement;
  readonly answer: HTMLElement;
  readonly badge: HTMLElement;
  readonly percent: HTMLElement;
  readonly count: HTMLElement;
  readonly fill: HTMLElement;
}

/** The widget's elements, kept from one picture to the next so that what moves can move on from where it is. */
export class WidgetDrawing {
  readonly #frame: HTMLElement;
  readonly #title: HTMLElement;
  readonly #list: HTMLElement;
  readonly #note: HTMLElement;
  readonly #away: HTMLElement;
  readonly #rows = new Map<string, Row>();

  constructor(root: ShadowRoot) {
    addStyle(root);
    this.#frame = addPart(root, 'div', 'frame');
    this.#title = addPart(this.#frame, 'div', 'title', 'auto');
    this.#title.setAttribute('role', 'heading');
    this.#title.setAttribute('aria-level', '3');
    this.#list = addPart(this.#frame, 'ul', 'rows');
    // Without its bullets a list is no list to some screen readers, unless it says so.
    this.#list.setAttribute('role', 'list');
    const foot = addPart(this.#frame, 'div', 'foot');
    this.#note = addPart(foot, 'span', 'note', 'auto');
    this.#away = addPart(foot, 'span', 'away', 'auto');
  }

  /** @param direction of the page's language; what people wrote keeps its own */
  draw(picture: WidgetPicture, direction: 'ltr' | 'rtl'): void {
    this.#frame.dir = direction;
    this.#frame.dataset['moment'] = picture.moment;
    setText(this.#title, picture.title);
    setText(this.#note, picture.note);
    setText(this.#away, picture.away);
    const wasDrawn = this.#rows.size > 0;
    setStyle(this.#list, '--percent-width', widest(picture.rows.map(row => row.percent)));
    setStyle(this.#list, '--count-width', widest(picture.rows.map(row => row.count)));
    this.#drawRows(picture.rows);
    // The first picture stands; only a change moves.
    this.#frame.classList.toggle('moving', wasDrawn);
  }

  #drawRows(rows: readonly WidgetRow[]): void {
    const ids = new Set(rows.map(row => row.id));
    for (const [id, { element }] of this.#rows) {
      if (ids.has(id)) continue;
      element.remove();
      this.#rows.delete(id);
    }
    const isInOrder = rows.every(
      ({ id }, index) => this.#list.children[index] === this.#rows.get(id)?.element,
    );
    const tops = isInOrder ? undefined : this.#measureTops();
    for (const row of rows) {
      const drawn = this.#rows.get(row.id) ?? this.#addRow(row.id);
      drawRow(drawn, row);
      if (!isInOrder) this.#list.append(drawn.element);
    }
    if (tops && tops.size > 0) this.#slide(tops);
  }

  #measureTops(): Map<string, number> {
    return new Map([...this.#rows].map(([id, { element }]) => [id, element.getBoundingClientRect().top]));
  }

  /** From where each row was seen last, even in the middle of a slide, to where it belongs now. */
  #slide(tops: ReadonlyMap<string, number>): void {
    const moves = [...this.#rows].map(([id, { element }]) => {
      element.style.transition = 'none';
      element.style.transform = '';
      const before = tops.get(id);
      return { element, by: before === undefined ? 0 : before - element.getBoundingClientRect().top };
    });
    for (const { element, by } of moves) if (by !== 0) element.style.transform = `translateY(${by}px)`;
    // Asking for a measure makes the browser take the starting place for true before the row is let go.
    this.#list.getBoundingClientRect();
    for (const { element } of moves) {
      element.style.transition = '';
      element.style.transform = '';
    }
  }

  #addRow(id: string): Row {
    const element = addPart(this.#list, 'li', 'row');
    const name = addElement(element, 'span', '');
    const answer = addPart(name, 'bdi', 'answer', 'auto');
    // A space and not a margin: it vanishes where the badge begins a line.
    name.append(' ');
    const badge = addPart(name, 'span', 'badge');
    const figures = addPart(element, 'span', 'figures');
    const percent = addPart(figures, 'span', 'percent');
    const count = addPart(figures, 'span', 'count');
    const track = addPart(element, 'div', 'track');
    track.setAttribute('aria-hidden', 'true');
    const row = { element, answer, badge, percent, count, fill: addPart(track, 'div', 'fill') };
    this.#rows.set(id, row);
    return row;
  }
}

/** In widths of the figure 0, which all figures have; separators are narrower. */
function widest(figures: readonly string[]): string {
  return `${Math.max(0, ...figures.map(text => text.length))}ch`;
}

function drawRow(drawn: Row, row: WidgetRow): void {
  drawn.element.classList.toggle('leads', row.leads);
  setText(drawn.answer, row.answer);
  setText(drawn.badge, row.badge);
  setText(drawn.percent, row.percent);
  setText(drawn.count, row.count);
  setStyle(drawn.fill, 'transform', `translateX(calc(var(--sign) * ${100 - row.share * 100}%))`);
}

/** Every element is also a part, for pages that need more than the variables. */
function addPart(parent: ParentNode, tag: string, name: string, dir?: 'auto'): HTMLElement {
  const element = addElement(parent, tag, name);
  element.setAttribute('part', name);
  if (dir) element.dir = dir;
  return element;
}

/** Adopted where the browser can: a page's CSP may forbid style elements. */
function addStyle(root: ShadowRoot): void {
  if ('adoptedStyleSheets' in root) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
    return;
  }
  addElement(root as ShadowRoot, 'style', '').textContent = css;
}
