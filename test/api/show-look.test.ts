import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeLines } from '../../src/archive/archive-file.ts';
import { lookNames } from '../../src/picture/show-look.ts';
import { removeEmptyShows } from '../../src/show/shows.ts';
import { ask, expectError, issuesOf } from '../support/api-request.ts';
import { heldClock } from '../support/held-clock.ts';
import { jpegHead, png, webpHead } from '../support/images.ts';
import { LiveClient } from '../support/live-client.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { type TestShow, takeShow } from '../support/test-show.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const LOOK = {
  style: 'donut',
  theme: 'light',
  accent: '#1e90ff',
  colors: ['#ff8800', '#1e90ff80'],
  font: 'Noto Sans',
  radius: 12.5,
  speed: 0,
};
const KB = 1024;
const nameOf = (image: Buffer, kind: string) => `${createHash('sha256').update(image).digest('hex')}.${kind}`;

describe('the look of a show', () => {
  let relay: TestRelay;
  let show: TestShow;
  beforeAll(async () => {
    relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
  });
  afterAll(() => relay.close());
  beforeEach(async () => {
    show = await takeShow(relay);
  });

  type Kind = 'logo' | 'ground';
  const put = (
    kind: Kind,
    body: Buffer | string,
    headers: Record<string, string> = {},
    { name, key } = show,
  ) =>
    ask(`${relay.url}/api/show/${name}/${kind}`, {
      method: 'PUT',
      headers: { 'x-api-key': key, 'content-type': 'image/png', ...headers },
      body: new Uint8Array(Buffer.from(body)),
    });
  const remove = (kind: Kind, key = show.key) =>
    ask(`${relay.url}/api/show/${show.name}/${kind}`, { method: 'DELETE', headers: { 'x-api-key': key } });
  const open = async (path: string) => fetch(`${relay.url}${path}`);
  const read = async () => (await ask(`${relay.url}/api/show/${show.name}`)).json;

  it('is none at first', async () => {
    expect(await read()).toMatchObject({ look: null, logo: null, ground: null });
  });

  it('is kept as the table of parameters writes it, and public', async () => {
    const colors = ['F80', '#1E90FF80'];
    const reply = await show.patch({ look: { ...LOOK, accent: '1E90FF', colors } });
    expect([reply.status, reply.json.look]).toEqual([200, LOOK]);
    expect((await read()).look).toEqual(LOOK);
  });

  it('stays when something else changes, and is replaced as a whole', async () => {
    await show.patch({ look: LOOK });
    await show.patch({ title: 'Friday' });
    expect((await read()).look).toEqual(LOOK);
    expect((await show.patch({ look: { theme: 'flat' } })).json.look).toEqual({ theme: 'flat' });
  });

  it.each([null, {}])('%j removes it', async look => {
    await show.patch({ look: LOOK });
    expect((await show.patch({ look })).json.look).toBeNull();
  });

  it.each([
    [{ theme: 'neon' }, 'theme', /^must be one of dark, light, flat, outline$/],
    [{ style: 'code' }, 'style', /^must be one of bars, columns, donut, versus, ticker, big-number$/],
    [{ accent: 'red' }, 'accent', /^must be a color such as/],
    [{ accent: '#12345' }, 'accent', /^must be a color/],
    [{ colors: ['#fff', 'url(x)'] }, 'colors.1', /color/],
    [{ colors: Array(25).fill('#fff') }, 'colors', /up to 24/],
    [{ font: 'Inter"; }' }, 'font', /^must be a font name/],
    [{ radius: 61 }, 'radius', /^must be a number from 0 to 60$/],
    [{ speed: '1' }, 'speed', /^must be a number/],
    [{ sizee: 100 }, 'sizee', /^is not part of a look. A look can have: style, theme, /],
    [{ align: 'left' }, 'align', /^is not part of a look/],
    [{ answer: 1 }, 'answer', /^is not part of a look/],
  ])('rejects %j and names its place', async (look, path, message) => {
    const reply = await show.patch({ look });
    expectError(reply, 400, 'invalid_request');
    expect(issuesOf(reply)).toEqual({ [`show.look.${path}`]: expect.stringMatching(message) });
  });

  it('rejects what is no object', async () => {
    for (const look of ['dark', 7, ['dark']])
      expect(issuesOf(await show.patch({ look }))).toEqual({ 'show.look': expect.stringMatching(/object/) });
  });

  it('has every parameter of style, design and motion that suits a whole show', () => {
    expect(lookNames).toEqual([
      'style',
      'theme',
      'scene',
      'sort',
      'colors',
      'ground',
      'font',
      'plate',
      'edge',
      'text',
      'soft',
      'track',
      'accent',
      'stroke',
      'strokewidth',
      'radius',
      'bar',
      'padding',
      'blur',
      'speed',
      'reveal',
      'reveal_pause',
      'turn',
      'hide',
    ]);
  });

  it('is in an archive, with the images', async () => {
    await show.patch({ look: LOOK });
    await put('logo', png(30, 10));
    await put('ground', png(30, 20));
    const lines: string[] = [];
    const counts = { records: 0, polls: 0, ballots: 0 };
    for await (const part of writeLines(relay.engine.archive, counts, 0)) lines.push(part);
    const records = lines
      .join('')
      .split('\n')
      .filter(line => line.includes(show.name));
    expect(records.map(line => JSON.parse(line).name).sort()).toEqual([
      `ground:${show.name}`,
      `logo:${show.name}`,
      `show:${show.name}`,
    ]);
    expect(JSON.parse(JSON.parse(records.find(line => line.includes('"show:'))!).text).look).toEqual(LOOK);
  });

  describe.each([
    ['logo', 200],
    ['ground', 1024],
  ] as const)('the %s', (image, mostKb) => {
    it.each([
      ['png', 'image/png', png(300, 100)],
      ['jpg', 'image/jpeg', jpegHead(4096, 1)],
      ['webp', 'image/webp', webpHead('VP8 ', 640, 360)],
      ['webp', 'image/webp', webpHead('VP8L', 4096, 4096)],
      ['webp', 'image/webp', webpHead('VP8X', 16, 4096)],
    ])('is a %s under the hash of its bytes, whatever its type is called', async (kind, type, bytes) => {
      const reply = await put(image, bytes, { 'content-type': 'text/plain' });
      const path = `/api/show/${show.name}/${image}/${nameOf(bytes, kind)}`;
      expect([reply.status, reply.json[image]]).toEqual([200, path]);
      const served = await open(path);
      expect(Buffer.from(await served.arrayBuffer()).equals(bytes)).toBe(true);
      expect(served.headers.get('content-type')).toBe(type);
    });

    it('is checked by caches, drawn on every origin, and runs nothing when it is opened', async () => {
      const path = (await put(image, png(10, 10))).json[image];
      const { headers } = await open(path);
      const known = { 'if-none-match': headers.get('etag')! };
      expect((await fetch(`${relay.url}${path}`, { headers: known })).status).toBe(304);
      expect(headers.get('cache-control')).toBe('public, max-age=300');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      expect(headers.get('access-control-allow-origin')).toBe('*');
    });

    it('replaces the one before, whose address is then unknown', async () => {
      await put(image, png(10, 10, [1, 2, 3]));
      const before = (await read())[image];
      const after = (await put(image, png(10, 10, [4, 5, 6]))).json[image];
      expect(after).not.toBe(before);
      expectError(await ask(`${relay.url}${before}`), 404, `${image}_not_found`);
      expect((await open(after)).status).toBe(200);
    });

    it('is removed by DELETE, which may be repeated', async () => {
      const path = (await put(image, png(10, 10))).json[image];
      for (const _ of [1, 2]) expect((await remove(image)).json).toMatchObject({ [image]: null });
      expectError(await ask(`${relay.url}${path}`), 404, `${image}_not_found`);
      expect(await relay.engine.records.find(`${image}:${show.name}`)).toBeUndefined();
    });

    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    it.each([
      ['an SVG', svg],
      ['HTML', '<!doctype html><script>alert(1)</script>'],
      ['HTML behind the signature of a PNG', Buffer.concat([png(1, 1).subarray(0, 8), Buffer.from(svg)])],
      ['HTML that begins like a WebP', 'RIFF    WEBP<script>'],
      ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00', 'latin1')],
      ['a JPEG that ends before its size', jpegHead(10, 10).subarray(0, 12)],
      ['a PNG that ends before its size', png(10, 10).subarray(0, 18)],
      ['a form', '--x\r\nContent-Disposition: form-data; name="image"\r\n\r\n'],
      ['nothing', ''],
      ['two bytes', Buffer.of(0xff, 0xd8)],
    ])('rejects %s named image/png', async (_, body) => {
      const reply = await put(image, body);
      expectError(reply, 415, 'unsupported_media_type');
      expect(reply.json.error.message).toMatch(/PNG, JPEG or WebP/);
    });

    it.each([
      ['wide', png(4097, 1)],
      ['high', jpegHead(1, 4097)],
      ['wide', webpHead('VP8X', 100_000, 10)],
      ['flat', jpegHead(0, 10)],
    ])('rejects an image that is too %s, with its size', async (_, bytes) => {
      const reply = await put(image, bytes);
      expectError(reply, 400, 'invalid_request');
      expect(issuesOf(reply)[image]).toMatch(/^must be at most 4096 pixels wide and high; it is \d+ × \d+$/);
    });

    it('is no animation', async () => {
      const webp = webpHead('VP8X', 16, 16);
      webp.writeUInt8(0x02, 20);
      const apng = png(1, 1, [0, 0, 0], 8);
      apng.write('acTL', apng.indexOf('tEXt'), 'latin1');
      for (const bytes of [webp, apng]) expectError(await put(image, bytes), 415, 'unsupported_media_type');
    });

    it('takes so many bytes and not one more', async () => {
      const room = mostKb * KB - png(10, 10, [0, 0, 0], 1).length + 1;
      expect((await put(image, png(10, 10, [0, 0, 0], room))).status).toBe(200);
      const reply = await put(image, png(10, 10, [0, 0, 0], room + 1));
      expectError(reply, 413, 'body_too_large');
      expect(reply.json.error.message).toContain(`${mostKb} KB`);
    });

    it('needs the key of the show or an operator’s', async () => {
      const other = await takeShow(relay);
      expectError(await put(image, png(1, 1), { 'x-api-key': other.key }), 403, 'api_key_rejected');
      expectError(await remove(image, other.key), 403, 'api_key_rejected');
      expect((await put(image, png(1, 1), { 'x-api-key': OPERATOR_KEY })).status).toBe(200);
      const nowhere = await put(
        image,
        png(1, 1),
        { 'x-api-key': OPERATOR_KEY },
        { ...show, name: 'no-such-show' },
      );
      expectError(nowhere, 404, 'show_not_found');
      expect(await relay.engine.records.find(`${image}:no-such-show`)).toBeUndefined();
    });

    it('is deleted with its show, also with one that expires', async () => {
      const { records } = relay.engine;
      for (const end of [
        () =>
          ask(`${relay.url}/api/show/${show.name}`, { method: 'DELETE', headers: { 'x-api-key': show.key } }),
        () => removeEmptyShows(relay.engine, 0, Date.now() + 1_000),
      ]) {
        show = await takeShow(relay);
        await put(image, png(1, 1));
        expect(await records.find(`${image}:${show.name}`)).toBeDefined();
        await end();
        expect(await records.find(`show:${show.name}`)).toBeUndefined();
        expect(await records.find(`${image}:${show.name}`)).toBeUndefined();
      }
    });
  });

  describe('on the live stream', () => {
    const follow = () => LiveClient.open(`${relay.wsUrl}/api/show/${show.name}/live`);
    const nth = async (stream: LiveClient, count: number) => {
      await stream.until(() => stream.messages.length >= count, `${count} messages`);
      return stream.messages[count - 1];
    };

    it('reaches every follower without a key, and only when it changes', async () => {
      const stream = await follow();
      const nothing = { type: 'show', show: show.name, id: null };
      expect(await nth(stream, 1)).toEqual(nothing);
      await show.patch({ look: { theme: 'light' } });
      expect(await nth(stream, 2)).toEqual({ ...nothing, look: { theme: 'light' } });
      await show.patch({ title: 'Not for followers' });
      const { logo } = (await put('logo', png(2, 1))).json;
      expect(await nth(stream, 3)).toEqual({ ...nothing, look: { theme: 'light' }, logo });
      await show.patch({ look: null });
      expect(await nth(stream, 4)).toEqual({ ...nothing, logo });
      const { ground } = (await put('ground', png(2, 1))).json;
      expect(await nth(stream, 5)).toEqual({ ...nothing, logo, ground });
      stream.close();
    });
  });

  it('a logo counts against what its address may store in a day, a repeated one only once', async () => {
    const small = await startTestRelay({
      clock: heldClock(),
      createBytesPerDay: 67_000,
      operatorKeys: [OPERATOR_KEY],
    });
    const { name, key } = await takeShow(small);
    const upload = (image: Buffer, apiKey = key) =>
      ask(`${small.url}/api/show/${name}/logo`, {
        method: 'PUT',
        headers: { 'x-api-key': apiKey },
        body: new Uint8Array(image),
      });
    const image = png(10, 10, [0, 0, 0], 30_000);
    for (const _ of [1, 2, 3]) expect((await upload(image)).status).toBe(200);
    const another = png(10, 10, [1, 1, 1], 30_000);
    expectError(await upload(another), 429, 'rate_limited');
    expect((await upload(another, OPERATOR_KEY)).status).toBe(200);
    await small.close();
  });
});
