import { addElement, setStyle } from './element.ts';

/** The elements of one row of results. `row.css` styles them by class. */
export interface BarRow {
  readonly element: HTMLElement;
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
  /** Filled part of the track, 0 to 1. */
  readonly length: number;
}

export function addBarRow(parent: ParentNode, kind: 'div' | 'li'): BarRow {
  const element = addElement(parent, kind, 'row');
  addElement(addElement(element, 'span', 'name'), 'bdi', 'label').dir = 'auto';
  addElement(element, 'span', 'values');
  return completeBarRow(element);
}

/**
 * Adds badge and bar to a row that has only label and figures. The voting server sends rows like
 * that to save bytes.
 */
export function completeBarRow(element: HTMLElement): BarRow {
  const label = find(element, '.label');
  const values = find(element, '.values');
  if (!element.classList.contains('bar-row')) {
    element.classList.add('bar-row');
    const tag = document.createElement('span');
    tag.className = 'tag';
    // A space collapses where the badge starts a line; a margin would not.
    label.after(' ', tag);
    addElement(addElement(element, 'span', 'track'), 'span', 'fill');
  }
  const tag = find(element, '.tag');
  const track = find(element, '.track');
  const fill = find(element, '.fill');
  return { element, label, tag, values, track, fill };
}

/** Updates the classes and the length of the bar. Texts are set by the caller. */
export function showRowState({ element, fill }: Pick<BarRow, 'element' | 'fill'>, state: RowState): void {
  element.classList.toggle('leads', state.leads);
  element.classList.toggle('wins', state.wins);
  element.classList.toggle('lost', state.lost);
  const transform = `translateX(calc(var(--way) * ${((state.length - 1) * 100).toFixed(3)}%))`;
  setStyle(fill, 'transform', transform);
}

function find(element: HTMLElement, selector: string): HTMLElement {
  const found = element.querySelector<HTMLElement>(selector);
  if (!found) throw new TypeError(`A row without ${selector}`);
  return found;
}
