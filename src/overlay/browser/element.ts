const SVG = 'http://www.w3.org/2000/svg';

export function addElement(parent: ParentNode, tag: string, className: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  parent.append(element);
  return element;
}

/** Appends an element for user text, which keeps the direction of its own script. */
export function addText(parent: ParentNode, tag: string, className: string): HTMLElement {
  const element = addElement(parent, tag, className);
  element.dir = 'auto';
  return element;
}

export function addSvg(
  parent: ParentNode,
  tag: string,
  attributes: Readonly<Record<string, string>>,
): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
}

// The setters below write only changes: setting an equal value would still cost a layout.

/** Sets text, never markup. */
export function setText(element: Element, text: string): void {
  const { firstChild } = element;
  if (!(firstChild instanceof Text)) element.textContent = text;
  else if (firstChild.data !== text) firstChild.data = text;
}

export function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

export function setStyle(element: HTMLElement | SVGElement, property: string, value: string): void {
  if (element.style.getPropertyValue(property) !== value) element.style.setProperty(property, value);
}

/** A length in units, as CSS. */
export function units(length: number | string): string {
  return `calc(var(--u) * ${length})`;
}

/** Returns the CSS pixels of one unit: a pixel of a 1080p picture. */
export function unitPx(element: Element): number {
  return Number.parseFloat(getComputedStyle(element).getPropertyValue('--u'));
}
