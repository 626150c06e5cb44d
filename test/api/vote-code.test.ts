import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, faultOfError } from '../support/api-request.ts';
import { pointShow } from '../support/point-show.ts';
import { readCodes } from '../support/read-code.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await startTestRelay();
});
afterAll(() => relay.close());

const image = async (path: string) => {
  const response = await fetch(`${relay.url}${path}`);
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
};
/** Width and height, as the head of a PNG has them. */
const sizeOf = (png: Uint8Array) => [16, 20].map(at => Buffer.from(png).readUInt32BE(at));

describe('the code of a poll', () => {
  it('leads to its voting page, from the picture that it links to and as PNG of the size asked for', async () => {
    const { id } = await relay.create();
    for (const [query, pixels] of [
      ['', 1_024],
      ['?size=128', 128],
      ['?size=1999', 1_999],
    ] as const) {
      const { response, bytes } = await image(`/api/poll/${id}/qr.png${query}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect([sizeOf(bytes), await readCodes(bytes)]).toEqual([[pixels, pixels], [`http://vote.test/${id}`]]);
    }
  });

  it('is an SVG that says where it leads', async () => {
    const { id } = await relay.create();
    const reply = await ask(`${relay.url}/api/poll/${id}/qr.svg?size=300`);
    expect(reply.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
    expect(reply.text).toMatch(/^<svg [^>]*width="300" height="300" viewBox="0 0 (\d+) \1"/);
    expect(reply.text).toContain(`<title>http://vote.test/${id}</title>`);
  });

  it('is JSON with the dark modules that the SVG draws', async () => {
    const { id } = await relay.create();
    const { text } = await ask(`${relay.url}/api/poll/${id}/qr.svg`);
    const reply = await ask(`${relay.url}/api/poll/${id}/qr.json`);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { address, modules, dark } = JSON.parse(reply.text);
    expect([address, text]).toEqual([
      `http://vote.test/${id}`,
      expect.stringContaining(`viewBox="0 0 ${modules} ${modules}"`),
    ]);
    const drawn = dark.map(([x, y, width]: number[]) => `M${x} ${y}h${width}v1H${x}z`).join('');
    expect(text).toContain(`<path fill="#000" d="${drawn}"/>`);
  });

  it('is plain bytes to a client that asks for those, and a picture to every other one', async () => {
    const { id } = await relay.create();
    for (const [accept, type] of [
      ['application/octet-stream', 'application/octet-stream'],
      ['image/png, application/octet-stream', 'image/png'],
      ['image/avif,image/webp,*/*;q=0.8', 'image/png'],
      ['text/html', 'image/png'],
    ] as const) {
      const { headers } = await ask(`${relay.url}/api/poll/${id}/qr.png`, { headers: { accept } });
      expect([accept, headers.get('content-type'), headers.get('vary')]).toEqual([accept, type, 'accept']);
    }
  });

  it('can be cached, and is not sent again if unchanged', async () => {
    const { id } = await relay.create({ results_visibility: 'hidden' });
    const url = `${relay.url}/api/poll/${id}/qr.svg`;
    const first = await ask(url);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    const etag = first.headers.get('etag') ?? '';
    await relay.cast(id, 0, 2);
    const second = await ask(url, { headers: { 'if-none-match': etag } });
    expect([second.status, second.text]).toEqual([304, '']);
  });

  it('of a simulated poll leads to the page about rehearsals', async () => {
    const { bytes } = await image('/api/poll/rehearsal/qr.png');
    expect(await readCodes(bytes)).toEqual(['http://vote.test/rehearsal']);
  });
});

describe('the code of a show', () => {
  it('leads to the page of its audience, whatever is on air', async () => {
    await pointShow(relay.engine, 'evening', null);
    const { bytes } = await image('/api/show/evening/qr.png');
    expect(await readCodes(bytes)).toEqual(['http://vote.test/show/evening']);
  });
});

describe('a code that cannot be drawn', () => {
  it.each([
    ['/api/poll/nosuchpoll00/qr.svg', 404, 'poll_not_found'],
    ['/api/poll/nosuch/qr.png', 404, 'poll_not_found'],
    ['/api/show/nobodys/qr.svg', 404, 'show_not_found'],
    ['/api/show/..%2F..%2Fetc/qr.png', 404, 'show_not_found'],
    ['/api/poll/rehearsal/qr.svg?size=12', 400, 'invalid_request'],
    ['/api/poll/rehearsal/qr.png?size=2049', 400, 'invalid_request'],
    ['/api/poll/rehearsal/qr.png?size=1e3', 400, 'invalid_request'],
    ['/api/poll/rehearsal/qr.png?size=300&size=400', 400, 'invalid_request'],
    ['/api/poll/rehearsal/qr.gif', 404, 'route_not_found'],
  ] as const)('is refused: %s', async (path, status, code) => {
    const reply = await ask(`${relay.url}${path}`);
    expect([reply.status, faultOfError(reply, code)]).toEqual([status, undefined]);
  });

  it('takes no other method', async () => {
    const reply = await ask(`${relay.url}/api/poll/rehearsal/qr.svg`, { method: 'POST' });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
