import type { Locator, Page } from 'playwright-core';

/** Finding one's way on a page with widgets. */

export const moment = (page: Page, name: string): Locator => page.locator(`.frame[data-moment="${name}"]`);
export const widget = (id: string, attributes = ''): string =>
  `<poll-results poll="${id}" ${attributes}></poll-results>`;
export const texts = (page: Page, part: string): Promise<string[]> =>
  page.locator(`poll-results [part="${part}"]`).allTextContents();

/** How far a bar is filled, 0 to 1, once it has stopped. */
export async function filled(page: Page, row: number): Promise<number> {
  return page
    .locator('.fill')
    .nth(row)
    .evaluate(async fill => {
      await Promise.all(fill.getAnimations().map(animation => animation.finished));
      const track = fill.parentElement!.getBoundingClientRect();
      const bar = fill.getBoundingClientRect();
      const shown = Math.min(bar.right, track.right) - Math.max(bar.left, track.left);
      return Math.max(0, shown / track.width);
    });
}
