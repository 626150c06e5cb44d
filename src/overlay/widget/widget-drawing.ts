import { addBarRow, type BarRow, showRowState } from '../../picture/browser/bar-row.ts';
import { addElement, setStyle, setText } from '../../picture/browser/element.ts';
import { objectPosition } from '../../picture/draw/cover.ts';
import row from '../../picture/row.css' with { type: 'text' };
import { darkVariables, pageVariables, palettes, type Tone, withSizes } from '../../picture/row-look.ts';
import css from './widget.css' with { type: 'text' };
import type { WidgetPicture, WidgetRow } from './widget-picture.ts';

const COLORS = palettes.light.length;
const STYLE = [
  withSizes(row),
  withSizes(css),
  `.rows { ${pageVariables()} }`,
  `[data-tone="dark"] .rows { ${darkVariables()} }`,
].join('\n');

interface Row extends BarRow {
  readonly percent: HTMLElement;
  readonly count: HTMLElement;
  readonly face: HTMLImageElement;
}

/** `part` names of a row's elements, for style sheets of pages. */
const PARTS = {
  element: 'row',
  label: 'answer',
  tag: 'badge',
  values: 'figures',
  track: 'track',
  fill: 'fill',
} as const;

export interface WidgetLook {
  /** Direction of the page's language; user text keeps its own. */
  readonly direction: 'ltr' | 'rtl';
  readonly tone: Tone;
  readonly values: 'percent' | 'count' | 'both';
  readonly voteUrl: string | undefined;
  /** URL of the relay, without a slash at the end. */
  readonly relay: string;
}

/** The widget's elements. They are kept between pictures, so that transitions start where the last one got. */
export class WidgetDrawing {
  readonly #frame: HTMLElement;
  readonly #title: HTMLElement;
  readonly #list: HTMLElement;
  readonly #note: HTMLElement;
  readonly #vote: HTMLAnchorElement;
  readonly #away: HTMLElement;
  readonly #rows = new Map<string, Row>();

  constructor(root: ShadowRoot) {
    addStyle(root);
    this.#frame = addPart(root, 'div', 'frame');
    this.#title = addPart(this.#frame, 'div', 'title', 'auto');
    this.#title.setAttribute('role', 'heading');
    this.#title.setAttribute('aria-level', '3');
    this.#list = addPart(this.#frame, 'ul', 'rows');
    // Safari's screen reader ignores lists without bullets, unless they have the role.
    this.#list.setAttribute('role', 'list');
    const foot = addPart(this.#frame, 'div', 'foot');
    this.#note = addPart(foot, 'span', 'note', 'auto');
    this.#vote = addPart(foot, 'a', 'vote') as HTMLAnchorElement;
    Object.assign(this.#vote, { target: '_blank', rel: 'noopener' });
    this.#away = addPart(foot, 'span', 'away', 'auto');
  }

  draw(picture: WidgetPicture, { direction, tone, values, voteUrl, relay }: WidgetLook): void {
    this.#frame.dir = direction;
    const { moment } = picture;
    Object.assign(this.#frame.dataset, { moment, tone });
    const isBlank = picture.rows.every(({ isRevealed }) => !isRevealed);
    this.#frame.classList.toggle('blank', isBlank || moment === 'upcoming');
    setText(this.#title, picture.title);
    setText(this.#note, picture.note);
    setText(this.#vote, voteUrl === undefined ? '' : picture.vote);
    if (voteUrl !== undefined && this.#vote.href !== voteUrl) this.#vote.href = voteUrl;
    setText(this.#away, picture.away);
    const wasDrawn = this.#rows.size > 0;
    this.#list.classList.toggle(
      'with-faces',
      picture.rows.some(({ image }) => image !== undefined),
    );
    this.#drawRows(picture.rows, values, relay);
    this.#frame.classList.toggle('moving', wasDrawn);
  }

  #drawRows(rows: readonly WidgetRow[], values: WidgetLook['values'], relay: string): void {
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
      setImage(drawn.face, row.image === undefined ? '' : `${relay}${row.image}`);
      setStyle(drawn.face, 'object-position', objectPosition(row.imageFocus));
      drawn.values.className = `values values-${values}`;
      if (!isInOrder) this.#list.append(drawn.element);
    }
    if (tops && tops.size > 0) this.#slide(tops);
  }

  #measureTops(): Map<string, number> {
    return new Map([...this.#rows].map(([id, { element }]) => [id, element.getBoundingClientRect().top]));
  }

  /** Slides each row from its last position, even in the middle of a slide, to the new one. */
  #slide(tops: ReadonlyMap<string, number>): void {
    const moves = [...this.#rows].map(([id, { element }]) => {
      element.style.transition = 'none';
      element.style.transform = '';
      const before = tops.get(id);
      return { element, by: before === undefined ? 0 : before - element.getBoundingClientRect().top };
    });
    for (const { element, by } of moves) if (by !== 0) element.style.transform = `translateY(${by}px)`;
    // Measuring forces a layout, so that the transition starts from the old position.
    this.#list.getBoundingClientRect();
    for (const { element } of moves) {
      element.style.transition = '';
      element.style.transform = '';
    }
  }

  #addRow(id: string): Row {
    const drawn = addBarRow(this.#list, 'li');
    const count = addPart(drawn.values, 'span', 'count');
    const percent = addPart(drawn.values, 'span', 'percent');
    const { element, label, tag, values, track, fill } = drawn;
    for (const [name, part] of Object.entries({ element, label, tag, values, track, fill }))
      part.setAttribute('part', PARTS[name as keyof typeof PARTS]);
    track.setAttribute('aria-hidden', 'true');
    const row = { ...drawn, count, percent, face: addFace(element) };
    this.#rows.set(id, row);
    return row;
  }
}

function drawRow(drawn: Row, row: WidgetRow): void {
  showRowState(drawn, row);
  setStyle(drawn.element, '--fill', row.color ?? `var(--hue-${(row.place % COLORS) + 1})`);
  drawn.element.classList.toggle('blank', !row.isRevealed);
  drawn.element.classList.toggle('own-color', row.color !== undefined);
  setText(drawn.label, row.answer);
  setText(drawn.tag, row.badge);
  setText(drawn.percent, row.percent);
  setText(drawn.count, row.count);
}

/**
 * A box before the answer, whose name is beside it. Without a picture that can be drawn, it has the
 * color of the answer.
 */
function addFace(row: HTMLElement): HTMLImageElement {
  const box = addPart(row, 'span', 'face');
  row.prepend(box);
  const image = addElement(box, 'img', '') as HTMLImageElement;
  Object.assign(image, { alt: '', loading: 'lazy', decoding: 'async', hidden: true });
  image.addEventListener('load', () => {
    image.hidden = false;
  });
  return image;
}

function setImage(image: HTMLImageElement, url: string): void {
  if ((image.getAttribute('src') ?? '') === url) return;
  image.hidden = true;
  if (url === '') image.removeAttribute('src');
  else image.src = url;
}

/** Appends an element that is also a `part`, for pages that need more than the variables. */
function addPart(parent: ParentNode, tag: string, name: string, dir?: 'auto'): HTMLElement {
  const element = addElement(parent, tag, name);
  element.setAttribute('part', name);
  if (dir) element.dir = dir;
  return element;
}

/** Adopts the style sheet where the browser can, because a page's CSP may forbid style elements. */
function addStyle(root: ShadowRoot): void {
  if ('adoptedStyleSheets' in root) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    return;
  }
  addElement(root as ShadowRoot, 'style', '').textContent = STYLE;
}
