export function addElement(parent: ParentNode, tag: string, className: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
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

export function setStyle(element: HTMLElement | SVGElement, property: string, value: string): void {
  if (element.style.getPropertyValue(property) !== value) element.style.setProperty(property, value);
}
