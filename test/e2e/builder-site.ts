import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

/** A relay with its builder. */
export class BuilderSite {
  readonly relay: TestRelay;

  private constructor(relay: TestRelay) {
    this.relay = relay;
  }

  static async open(this: void): Promise<BuilderSite> {
    return new BuilderSite(await startTestRelay());
  }

  get url(): string {
    return this.relay.url;
  }

  /** Opens the builder in a window of its own, once its picture is there. */
  async visit(browser: Browser, options: BrowserContextOptions = {}, path = ''): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1500, height: 1000 }, ...options });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: this.url });
    const page = await context.newPage();
    await page.goto(`${this.url}/overlay${path}`);
    await page.frameLocator('#preview').locator('.panel').waitFor();
    return page;
  }

  close(): Promise<void> {
    return this.relay.close();
  }
}
