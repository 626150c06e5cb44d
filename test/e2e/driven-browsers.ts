import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { inject } from 'vitest';
import { kill, logOf, said, spawnKept } from '../support/child-process.ts';
import { findFreePort } from '../support/free-port.ts';
import { programPath } from '../support/programs.ts';
import { until } from '../support/until.ts';

/** Chromium, Firefox and WebKit (the engine of Safari), in the operations that all their drivers have. */

const START_MS = 30_000;
/** A driver that does not answer fails its test with the command, before the test's own time is over. */
const COMMAND_MS = 45_000;
const PHONE: Size = { width: 390, height: 844 };

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A page in a profile of its own, of the size of a phone or of another one. */
export interface DrivenPage {
  open(url: string): Promise<void>;
  /** Evaluates the body of a function in the page. @returns what it returns, as JSON */
  run<Result>(body: string, ...args: readonly unknown[]): Promise<Result>;
  screenshot(): Promise<Buffer>;
  close(): Promise<void>;
}

export interface DrivenBrowser {
  newPage(size?: Size): Promise<DrivenPage>;
  close(): Promise<void>;
}

export const BROWSERS = {
  chromium: openChromium,
  firefox: openFirefox,
  webkit: openWebKit,
} as const satisfies Readonly<Record<string, () => Promise<DrivenBrowser>>>;

/** An expression that calls a function body with its arguments. */
const callOf = (body: string, args: readonly unknown[]) =>
  `((...args) => { ${body} })(...${JSON.stringify(args)})`;

async function openChromium(): Promise<DrivenBrowser> {
  const browser = await chromium.connect(inject('chromium'));
  return {
    async newPage(size = PHONE) {
      const context = await browser.newContext({ viewport: size, locale: 'en-US' });
      const page = await context.newPage();
      return {
        open: async url => void (await page.goto(url)),
        run: (body, ...args) => page.evaluate(callOf(body, args)),
        screenshot: () => page.screenshot(),
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

async function openFirefox(): Promise<DrivenBrowser> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: programPath('firefox'),
    extraPrefsFirefox: { 'intl.accept_languages': 'en-US', 'intl.locale.requested': 'en-US' },
  });
  return {
    async newPage(size = PHONE) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.setViewport(size);
      return {
        open: async url => void (await page.goto(url)),
        run: <Result>(body: string, ...args: readonly unknown[]) =>
          page.evaluate(callOf(body, args)) as Promise<Result>,
        screenshot: async () => Buffer.from(await page.screenshot()),
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

/** MiniBrowser of WebKitGTK on a screen in memory. Each page is a session, which begins without cookies. */
async function openWebKit(): Promise<DrivenBrowser> {
  const webDriver = programPath('WebKitWebDriver');
  const display = spawnKept(programPath('Xvfb'), [
    '-displayfd',
    '2',
    '-screen',
    '0',
    '1920x1200x24',
    '-nolisten',
    'tcp',
  ]);
  await said(display, /^\d+$/m, START_MS);
  const [number = ''] = /^\d+$/m.exec(logOf(display)) ?? [];
  const port = await findFreePort();
  // A kiosk without a locale: WebKit reports the language C there, which is no language tag.
  const env = { ...process.env, DISPLAY: `:${number}`, LC_ALL: 'C.UTF-8', NO_AT_BRIDGE: '1' };
  const driver = spawnKept(webDriver, [`--port=${port}`], { env });
  const options = { binary: findMiniBrowser(), args: ['--automation'] };
  const address = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${address}/status`).catch(() => undefined))?.ok === true;
  await until(isReady, 'the driver of WebKit', START_MS);
  const root = `${address}/session`;
  return {
    async newPage(size = PHONE) {
      const begin = () =>
        command<{ sessionId: string }>(root, 'POST', {
          capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
        });
      // MiniBrowser sometimes starts without ever answering its driver.
      const { sessionId } = await begin().catch(begin);
      const session = `${root}/${sessionId}`;
      await command(`${session}/window/rect`, 'POST', size);
      return {
        open: url => command(`${session}/url`, 'POST', { url }),
        run: (body, ...args) =>
          command(`${session}/execute/sync`, 'POST', { script: `const args = arguments; ${body}`, args }),
        screenshot: async () => Buffer.from(await command<string>(`${session}/screenshot`, 'GET'), 'base64'),
        close: () => command(session, 'DELETE'),
      };
    },
    async close() {
      await kill(driver);
      await kill(display);
    },
  };
}

/** Beside the library, in a folder that only the library knows. */
function findMiniBrowser(): string {
  const folders = ['/usr/lib', '/usr/lib64', '/usr/libexec', ...subfolders('/usr/lib')];
  const found = folders
    .flatMap(folder => subfolders(folder).filter(path => /webkit2gtk-4\.\d$/.test(path)))
    .map(folder => join(folder, 'MiniBrowser'))
    .find(path => existsSync(path));
  if (!found) throw new Error('The tests need MiniBrowser of WebKitGTK: install webkit2gtk-driver');
  return found;
}

function subfolders(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter(entry => entry.isDirectory()).map(entry => join(folder, entry.name));
}

/** One command of WebDriver. @throws Error with its message, where it fails */
async function command<Result = void>(url: string, method: string, body?: object): Promise<Result> {
  const signal = AbortSignal.timeout(COMMAND_MS);
  const reply = await fetch(url, { method, signal, ...(body && { body: JSON.stringify(body) }) });
  const { value } = (await reply.json()) as { value: Result & { message?: string } };
  if (!reply.ok) throw new Error(value.message ?? `status ${reply.status}`);
  return value;
}
