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
  it.each(['br', 'gzip', 'identity'])(
    'is under 60 KB on the wire with %s, scripts, styles and check included',
    async encoding => {
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
      expect(bytes).toBeLessThan(LIMIT_BYTES);
    },
  );

  it('with a hundred answers still is, compressed as phones ask for it', async () => {
    const answers = Array.from({ length: 100 }, (_, n) => `Answer number ${n} of one hundred`);
    const { id } = await site.createPoll({ answers });
    expect((await weigh(`/${id}`, 'br')).bytes).toBeLessThan(LIMIT_BYTES);
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
