import type { Page } from 'playwright-core';

/**
 * Everything that is wrong with the layout of the stage on a page: boxes that leave their panel, a panel that
 * leaves the safe area, texts that lie on each other. Empty where all is well.
 */
export function findLayoutFaults(page: Page, marginPercent = 5): Promise<string[]> {
  return page.evaluate(margin => {
    const faults: string[] = [];
    const slack = 1.5;
    const seen = (selector: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].filter(element => {
        const { width, height } = element.getBoundingClientRect();
        return (
          width > 0 &&
          height > 0 &&
          getComputedStyle(element).visibility !== 'hidden' &&
          !element.closest('.waits')
        );
      });
    const nameOf = (element: Element) => `${element.className} "${(element.textContent ?? '').slice(0, 24)}"`;
    const isInside = (box: DOMRect, left: number, top: number, right: number, bottom: number) =>
      box.left >= left - slack &&
      box.top >= top - slack &&
      box.right <= right + slack &&
      box.bottom <= bottom + slack;

    const panel = seen('.panel')[0];
    if (!panel) return ['there is no panel'];
    const plate = panel.getBoundingClientRect();
    const x = (innerWidth * margin) / 100;
    const y = (innerHeight * margin) / 100;
    if (!isInside(plate, x, y, innerWidth - x, innerHeight - y)) faults.push(`panel leaves the safe area`);

    const texts = seen(
      '.title, .style-code .address, .label, .values, .tag, .foot span, .number, .center, .count, .percent',
    );
    for (const text of texts) {
      const box = text.getBoundingClientRect();
      if (!isInside(box, plate.left, plate.top, plate.right, plate.bottom))
        faults.push(`${nameOf(text)} leaves the panel`);
      const leaf = text.children.length === 0;
      const style = getComputedStyle(text);
      const clips = style.overflow === 'hidden' || style.overflow === 'clip';
      if (leaf && !clips && text.scrollWidth > text.clientWidth + slack && style.display !== 'inline')
        faults.push(`${nameOf(text)} is wider than its box`);
      if (leaf && Number.parseFloat(style.fontSize) < 11.9)
        faults.push(`${nameOf(text)} is too small to read`);
    }
    const leaves = texts.filter(text => text.children.length === 0 && (text.textContent ?? '') !== '');
    for (const [at, one] of leaves.entries()) {
      const a = one.getBoundingClientRect();
      for (const other of leaves.slice(at + 1)) {
        const b = other.getBoundingClientRect();
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        // Lines may share the air above and below their letters.
        if (across > 2 && down > Math.min(a.height, b.height) * 0.35)
          faults.push(`${nameOf(one)} lies on ${nameOf(other)}`);
      }
    }
    return faults;
  }, marginPercent);
}
