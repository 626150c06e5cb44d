import { createServer, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import en from '../../src/locales/en.json' with { type: 'json' };
import { findFreePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { BROWSERS, type DrivenBrowser, type DrivenPage } from './driven-browsers.ts';

/** Nothing that only looks good ends a script that carries a ballot: each nicety of a browser is broken in turn. */

const getter = (owner: string, name: string, body: string) =>
  `Object.defineProperty(${owner}, '${name}', { configurable: true, get() { ${body} } });`;
const refuse = (owner: string, name: string) => getter(owner, name, 'throw new Error("refused")');
const throwing = (owner: string, ...names: string[]) =>
  names
    .map(name => `if (${owner}) ${owner}['${name}'] = function () { throw new RangeError('broken'); };`)
    .join('');
const languages = (value: string) =>
  `if (globalThis.document) ${getter('navigator', 'languages', `return ${value}`)}`;

/** Runs before any other script, in pages and workers. */
const BROKEN = {
  'a POSIX locale': languages('["en-US@posix"]'),
  'what is no language tag': languages('["en_US", "C", "", undefined, null, 7]'),
  Intl: throwing(
    'Intl',
    'DateTimeFormat',
    'NumberFormat',
    'PluralRules',
    'ListFormat',
    'DisplayNames',
    'Segmenter',
    'RelativeTimeFormat',
    'Collator',
    'Locale',
    'getCanonicalLocales',
  ),
  storage: ['localStorage', 'sessionStorage'].map(name => refuse('globalThis', name)).join(''),
  crypto: `if (globalThis.crypto?.subtle) { ${getter('crypto', 'subtle', 'return { importKey: () => Promise.reject(new Error("refused")) }')} }`,
  observers: throwing('globalThis', 'IntersectionObserver', 'ResizeObserver', 'PerformanceObserver'),
  'fonts, clipboard and media queries':
    `if (globalThis.document) ${refuse('document', 'fonts')} ${throwing('globalThis', 'matchMedia')}` +
    refuse('navigator', 'clipboard'),
  'scrolling and focus': `if (globalThis.document) { ${throwing('Element.prototype', 'scrollIntoView')} ${throwing('HTMLElement.prototype', 'focus')} }`,
} as const;

let broken = '';
let site: LiveSite;
let front: Server;
let url: string;

beforeAll(async () => {
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  site = await startLiveSite({ proofCost: 20, voteUrl: url });
  front = createServer(async (request, response) => {
    const { 'accept-encoding': _, connection, ...headers } = request.headers;
    const body = request.method === 'POST' ? await buffer(request) : undefined;
    const reply = await fetch(site.url + request.url, {
      method: request.method as string,
      headers: headers as Record<string, string>,
      redirect: 'manual',
      ...(body && { body: new Uint8Array(body) }),
    });
    const isScript = reply.headers.get('content-type')?.includes('javascript');
    const text = Buffer.from(await reply.arrayBuffer());
    response.writeHead(
      reply.status,
      [...reply.headers]
        .filter(([name]) => !/^(?:content-(?:length|encoding)|transfer-encoding)$/.test(name))
        .flat(),
    );
    response.end(isScript ? `${broken}\n${text}` : text);
  });
  await new Promise<void>(done => front.listen(port, '127.0.0.1', done));
});
afterAll(async () => {
  front?.closeAllConnections();
  front?.close();
  await site?.close();
});

describe.each(Object.entries(BROWSERS))('in %s, a ballot is counted', (_, open) => {
  let browser: DrivenBrowser;
  let page: DrivenPage | undefined;
  beforeAll(async () => {
    browser = await open();
  });
  afterEach(() => page?.close());
  afterAll(() => browser?.close());

  it.each(Object.entries(BROKEN))('though the browser breaks: %s', async (_, script) => {
    broken = script;
    const { id } = await site.createPoll({ mip: true });
    page = await browser.newPage();
    await page.open(`${url}/${id}`);
    const opened = page;
    const waitFor = (condition: string, what: string) =>
      until(() => opened.run<boolean>(`return ${condition}`).catch(() => false), what, 40_000);
    await waitFor(`document.querySelector('[data-solved]') !== null`, 'the human check');
    await page.run(`document.querySelector('[data-vote] input:not([type=hidden])').click();
      document.querySelector('[data-vote] [data-submit]').click();`);
    await waitFor(
      `document.body.innerText.includes(${JSON.stringify(en.vote.counted.title)})`,
      'the receipt',
    );
    expect((await site.counts(id)).voters).toBe(1);
  });
});
