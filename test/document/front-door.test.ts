import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const TEXTS = ['/docs', '/docs/protocol', '/docs/recipes', '/docs/client', '/docs/log', '/docs/chat'];
const PAGES = ['/', '/docs/reference', ...TEXTS];

describe('the front door of a relay', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({ voteUrl: 'https://vote.test/a"b' });
  });
  afterAll(() => relay.close());

  const links = async (path: string) => {
    const { text } = await ask(relay.url + path, { headers: HTML });
    return [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link);
  };

  it('links to everything that is there', async () => {
    const local = (await links('/')).filter(link => link.startsWith('/'));
    expect(local).toEqual(
      expect.arrayContaining([
        '/overlay',
        '/docs',
        '/docs/protocol',
        '/docs/log',
        '/openapi.json',
        '/asyncapi.json',
        '/readyz',
      ]),
    );
    for (const link of new Set(local))
      expect([link, (await ask(relay.url + link)).status]).toEqual([link, 200]);
  });

  it('has pages that link to each other, and no link that leads nowhere', async () => {
    for (const path of TEXTS)
      for (const link of await links(path)) {
        const [to = '', anchor] = link.split('#');
        if (to !== '' && !to.startsWith('/')) continue;
        const page = await ask(relay.url + (to || path), { headers: HTML });
        expect([path, link, page.status]).toEqual([path, link, 200]);
        if (anchor) expect(page.text, `${path}: ${link}`).toContain(`id="${anchor}"`);
      }
    expect(await links('/docs')).toEqual(expect.arrayContaining(TEXTS.slice(1)));
  });

  it('shows the addresses of this relay in all examples', async () => {
    for (const path of ['/', ...TEXTS])
      expect((await ask(relay.url + path, { headers: HTML })).text).not.toMatch(/127\.0\.0\.1:808[01]/);
    expect((await ask(`${relay.url}/docs`)).text).toContain('http://relay.test/api/poll');
    expect((await ask(`${relay.url}/docs/protocol`)).text).toContain('ws://relay.test/api/poll');
  });

  it('says where polls are created, whatever the setting holds', async () => {
    for (const path of ['/', '/new']) expect(await links(path)).toContain('https://vote.test/a&#34;b/new');
  });

  it.each([...PAGES, '/no/such/page'])('%s runs nothing but its own', async path => {
    const { headers, text } = await ask(relay.url + path, { headers: HTML });
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(text).not.toMatch(/<script(?![^>]*\bsrc="\/)|<style|style="|\son\w+="/);
  });

  it.each(['/no/such/page', '/overlay/assets/none.js', '/docs/assets/none.css'])(
    '%s is a page to a browser and JSON to a program',
    async path => {
      const page = await ask(relay.url + path, { headers: HTML });
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(page.text).toContain('Page not found');
      for (const headers of [{}, { accept: 'application/json' }, { accept: '*/*' }] as Record<
        string,
        string
      >[]) {
        const { status, json } = await ask(relay.url + path, { headers });
        expect([status, json.error.code]).toEqual([404, 'route_not_found']);
      }
    },
  );

  it('answers a browser in JSON wherever the API is', async () => {
    const { id } = await relay.create();
    expect((await ask(`${relay.url}/api/poll/${id}`, { headers: HTML })).json.id).toBe(id);
    for (const path of ['/api/poll/nobodyisHere', '/api/none', '/api'])
      expect((await ask(relay.url + path, { headers: HTML })).json.success).toBe(0);
    const posted = await ask(`${relay.url}/none`, { method: 'POST', headers: HTML });
    expect(posted.json.error.code).toBe('route_not_found');
  });

  it('shows the same bytes whatever is stored', async () => {
    const read = () =>
      Promise.all(
        [...PAGES, '/openapi.json', '/asyncapi.json'].map(async path => (await ask(relay.url + path)).text),
      );
    const before = await read();
    const { id } = await relay.create({ results_visibility: 'hidden' });
    await relay.cast(id, 0, 2);
    expect(await read()).toEqual(before);
  });
});

describe('what browsers and search engines ask every server for', () => {
  let site: LiveSite;
  beforeAll(async () => {
    site = await startLiveSite();
  });
  afterAll(() => site.close());

  it.each([
    ['/favicon.ico', 'image/x-icon', '00000100'],
    ['/icon.svg', 'image/svg+xml', '3c737667'],
    ['/apple-touch-icon.png', 'image/png', '89504e47'],
    ['/robots.txt', 'text/plain; charset=utf-8', '55736572'],
  ])('%s is at both servers', async (path, type, begins) => {
    for (const url of [site.relay.url, site.url]) {
      const response = await fetch(url + path);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
      expect(bytes.subarray(0, 4).toString('hex')).toBe(begins);
    }
  });
});
