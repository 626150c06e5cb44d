import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LiveSite, startLiveSite } from './voting-site.ts';

const LIMIT_BYTES = 60_000;

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

/** Bytes that a phone receives for a page and everything that it loads, head lines included. */
async function weigh(path: string, encoding: string): Promise<{ bytes: number; files: string[] }> {
  const load = async (url: string) => {
    const reply = await site.server.inject({ url, headers: { 'accept-encoding': encoding, host: 'x' } });
    expect(reply.statusCode).toBe(200);
    const head = Object.entries(reply.headers).reduce(
      (sum, [name, value]) => sum + `${name}: ${value}\r\n`.length,
      0,
    );
    return { bytes: head + reply.rawPayload.length, text: reply.body };
  };
  const page = await load(path);
  const files = [...page.text.matchAll(/(?:src|href|data-worker)="(\/assets\/[^"]+)"/g)].map(
    match => match[1]!,
  );
  const loaded = await Promise.all(files.map(load));
  return { bytes: page.bytes + loaded.reduce((sum, file) => sum + file.bytes, 0), files };
}

describe('a voting page', () => {
  it.each([
    ['br', 40_000],
    ['gzip', 45_000],
    ['identity', 70_000],
  ])(
    'with its scripts, styles and check is small on the wire: with %s at most %d bytes',
    async (encoding, limit) => {
      const { id } = await site.createPoll({
        co: true,
        has_deadline: true,
        deadline: '2099-01-01T00:00:00.000Z',
      });
      const { bytes, files } = await weigh(`/${id}`, encoding);
      expect(files.map(file => file.replace(/\.[\w-]{10}\./, '.')).sort()).toEqual([
        '/assets/proof-worker.js',
        '/assets/vote.js',
        '/assets/voting.css',
      ]);
      expect(bytes).toBeLessThan(limit);
    },
  );

  it('with a hundred answers still is, compressed as phones ask for it', async () => {
    const answers = Array.from({ length: 100 }, (_, n) => `Answer number ${n} of one hundred`);
    const { id } = await site.createPoll({ answers });
    expect((await weigh(`/${id}`, 'br')).bytes).toBeLessThan(LIMIT_BYTES);
  });
});

describe('the font of a voting page', () => {
  const font = async () => {
    const { id } = await site.createPoll();
    const { bytes, files } = await weigh(`/${id}`, 'br');
    const sheet = files.find(file => file.endsWith('.css')) ?? '';
    const { body } = await site.server.inject({ url: sheet });
    return {
      bytes,
      body,
      urls: [...body.matchAll(/url\((\/assets\/[^)]+\.woff2)\)/g)].map(([, url]) => url!),
    };
  };

  it('is one file, which text does not wait for and browsers keep', async () => {
    const { body, urls } = await font();
    expect(urls).toHaveLength(1);
    expect(body).toMatch(/@font-face\{[^}]*font-display:swap/);
    const { statusCode, headers } = await site.server.inject({ url: urls[0]! });
    expect([statusCode, headers['content-type']]).toEqual([200, 'font/woff2']);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('and the page are 90 KB at most together', async () => {
    const { bytes, urls } = await font();
    const { rawPayload } = await site.server.inject({ url: urls[0]! });
    expect(bytes + rawPayload.length).toBeLessThan(90_000);
  });
});

describe('assets', () => {
  it('may be kept for ever, because a new content has a new name', async () => {
    const { id } = await site.createPoll();
    const { files } = await weigh(`/${id}`, 'br');
    for (const url of files) {
      const { headers } = await site.server.inject({ url });
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
    const stale = files[0]!.replace(/\.[\w-]{10}\./, '.AAAAAAAAAA.');
    expect((await site.server.inject({ url: stale })).statusCode).toBe(404);
  });
});
