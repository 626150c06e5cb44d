import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/locales/catalogues.ts';
import { type LiveSite, startLiveSite } from './voting-site.ts';

const LIMIT_BYTES = 60_000;

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

/** Bytes of a page and everything that it loads, headers included. */
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
    ['br', 30_000],
    ['gzip', 45_000],
    ['identity', 71_000],
  ])('with scripts, styles and check has, with %s, at most %d bytes', async (encoding, limit) => {
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
  });

  it('with a hundred answers has at most 60 KB with brotli', async () => {
    const answers = Array.from({ length: 100 }, (_, n) => `Answer number ${n} of one hundred`);
    const { id } = await site.createPoll({ answers });
    expect((await weigh(`/${id}`, 'br')).bytes).toBeLessThan(LIMIT_BYTES);
  });
});

describe('the font of a voting page', () => {
  const FACE = /url\((?:\.\/)?([^)]+\.woff2)\)[^}]*?unicode-range:([^;}]+)/g;

  /** Includes the font files for the letters of the page. */
  async function weighWithFont(path: string): Promise<{ bytes: number; fonts: string[] }> {
    const { bytes, files } = await weigh(path, 'br');
    const page = await site.server.inject({ url: path });
    const { body: sheet } = await site.server.inject({ url: files.find(file => file.endsWith('.css'))! });
    const letters = [...new Set(page.body)].map(letter => letter.codePointAt(0)!);
    const met = [...sheet.matchAll(FACE)].filter(([, , ranges = '']) =>
      ranges.split(',').some(range => {
        const [first = 0, last = first] = range
          .split('-')
          .map(end => Number.parseInt(end.replace(/U\+/, ''), 16));
        return letters.some(letter => letter >= first && letter <= last);
      }),
    );
    const loaded = await Promise.all(
      met.map(([, url = '']) => site.server.inject({ url: `/assets/${url}` })),
    );
    for (const { statusCode, headers } of loaded)
      expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'font/woff2',
        'public, max-age=31536000, immutable',
      ]);
    return {
      bytes: bytes + loaded.reduce((sum, { rawPayload }) => sum + rawPayload.length, 0),
      fonts: met.map(([, url = '']) => url.replace(/.*inter-|\..*/g, '')).sort(),
    };
  }

  it.each(LANGUAGES)('and the page together have at most 90 KB in %s', async language => {
    const { id } = await site.createPoll();
    expect((await weighWithFont(`/${id}?lang=${language}`)).bytes).toBeLessThan(90_000);
  });

  it('is loaded for the scripts of the language only, without delaying text', async () => {
    const { id } = await site.createPoll();
    const fonts = async (language: string) => (await weighWithFont(`/${id}?lang=${language}`)).fonts;
    expect(await fonts('de')).toEqual(['latin']);
    expect(await fonts('pl')).toEqual(['latin', 'latin-european']);
    expect(await fonts('uk')).toEqual(['cyrillic', 'latin']);
    const { files } = await weigh(`/${id}`, 'br');
    const { body } = await site.server.inject({ url: files.find(file => file.endsWith('.css'))! });
    expect(body.match(/@font-face\{/g)).toHaveLength(body.match(/font-display:swap/g)?.length ?? 0);
  });
});

describe('assets', () => {
  it('are immutable, because new content has a new name', async () => {
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
