import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** Opens the builder of a relay in a window of its own, once its picture is there. */
export async function openBuilder(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  query = '',
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1500, height: 1000 }, ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  const page = await context.newPage();
  await page.goto(`${url}/overlay${query}`);
  await page.frameLocator('#preview').locator('.panel').waitFor();
  return page;
}
