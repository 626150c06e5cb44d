/** An element with a class, at the end of its parent. */
export function addElement(parent: ParentNode, tag: string, className: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  parent.append(element);
  return element;
}

/** Text that people wrote: isolated, and in the direction of its own script. */
export function addText(parent: ParentNode, tag: string, className: string): HTMLElement {
  const element = addElement(parent, tag, className);
  element.dir = 'auto';
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

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

/** Always text, never markup. Writing the same again would cost a layout, and a new text node would be litter. */
export function setText(element: Element, text: string): void {
  const { firstChild } = element;
  if (!(firstChild instanceof Text)) element.textContent = text;
  else if (firstChild.data !== text) firstChild.data = text;
}

/** CSS pixels for one pixel of the picture that is 1080 high. */
export function unitPx(element: Element): number {
  return Number.parseFloat(getComputedStyle(element).getPropertyValue('--u'));
}

/** Sets the attribute only where it changes, too. */
export function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/** Sets a style only where it changes: an equal one would still dirty the element. */
export function setStyle(element: HTMLElement | SVGElement, property: string, value: string): void {
  if (element.style.getPropertyValue(property) !== value) element.style.setProperty(property, value);
}
