/** What a row of results consists of, each under the class that `row.css` knows. */
export interface BarRow {
  readonly element: HTMLElement;
  /** The answer, and what it is marked with. */
  readonly label: HTMLElement;
  readonly tag: HTMLElement;
  readonly values: HTMLElement;
  readonly track: HTMLElement;
  readonly fill: HTMLElement;
}

export interface RowState {
  readonly leads: boolean;
  readonly wins: boolean;
  readonly lost: boolean;
  /** How much of its track the bar takes, 0 to 1. */
  readonly length: number;
}

/** A new row at the end of `parent`, without any text. */
export function addBarRow(parent: ParentNode, kind: 'div' | 'li'): BarRow {
  const element = add(parent, kind, 'row');
  add(add(element, 'span', 'name'), 'bdi', 'label').dir = 'auto';
  add(element, 'span', 'values');
  return completeBarRow(element);
}

/** A row of which name and figures are there: as the voting server writes it, for whom every byte of a hundred rows counts. */
export function completeBarRow(element: HTMLElement): BarRow {
  const [label, values] = [find(element, '.label'), find(element, '.values')];
  if (!element.classList.contains('bar-row')) {
    element.classList.add('bar-row');
    const tag = document.createElement('span');
    tag.className = 'tag';
    // A space and not a margin: it vanishes where the mark begins a line.
    label.after(' ', tag);
    add(add(element, 'span', 'track'), 'span', 'fill');
  }
  const [tag, track, fill] = [find(element, '.tag'), find(element, '.track'), find(element, '.fill')];
  return { element, label, tag, values, track, fill };
}

/** Who leads, who has won, who has not, and the length of the bar; texts are the owner's. */
export function showRowState({ element, fill }: Pick<BarRow, 'element' | 'fill'>, state: RowState): void {
  element.classList.toggle('leads', state.leads);
  element.classList.toggle('wins', state.wins);
  element.classList.toggle('lost', state.lost);
  const transform = `translateX(calc(var(--way) * ${((state.length - 1) * 100).toFixed(3)}%))`;
  // An equal one would still dirty the element.
  if (fill.style.transform !== transform) fill.style.transform = transform;
}

function add(parent: ParentNode, tag: string, className: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  parent.append(element);
  return element;
}

function find(element: HTMLElement, selector: string): HTMLElement {
  const found = element.querySelector<HTMLElement>(selector);
  if (!found) throw new TypeError(`A row without ${selector}`);
  return found;
}
