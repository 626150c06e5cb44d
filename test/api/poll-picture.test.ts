import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { marks, palettes } from '../../src/picture/row-look.ts';
import { type ApiReply, ask, expectError, send } from '../support/api-request.ts';
import { heldClock } from '../support/held-clock.ts';
import { png } from '../support/images.ts';
import { type CreatedPoll, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';

const SIZE = { width: 600, height: 400 };
const STYLES = ['bars', 'columns', 'donut', 'versus', 'ticker', 'big-number'];
const TEXTS = {
  arabic: [
    'أي أغنية تختتم العرض هذه الليلة حتى يعود الجميع إلى بيوتهم سعداء؟',
    'قطار منتصف الليل السريع',
    'שעת הזהב',
  ],
  thai: ['เพลงไหนที่ควรปิดการแสดงในคืนนี้เพื่อให้ทุกคนกลับบ้านอย่างมีความสุข', 'ที่ปั๊มน้ำมันผู้ใหญ่บ้านกู้เงิน', 'เครื่องบินกระดาษ'],
  german: [
    'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz ändern?',
    'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
    'Nein, auf gar keinen Fall, denn das wäre ein Fehler, den wir alle bereuen würden',
  ],
  emoji: ['👩‍👩‍👧 é́ 🚂?', '🚂', '\u{1F3F4}\u{E0067}\u{E0062}'],
  longest: ['W'.repeat(300), 'M'.repeat(200), 'm'.repeat(199)],
};

const SIZES = ['600x400', '400x225', '240x500'];

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Row by row, each 0xrrggbb. */
  readonly colors: Uint32Array;
}

async function decode(png: Buffer): Promise<Pixels> {
  const image = (await loadImage(png)) as Image;
  const { width, height } = image;
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const colors = new Uint32Array(width * height);
  for (let at = 0; at < colors.length; at += 1)
    colors[at] = (data[4 * at]! << 16) | (data[4 * at + 1]! << 8) | data[4 * at + 2]!;
  return { width, height, colors };
}

/** Reads `#rrggbb`. */
const numberOf = (color: string) => Number.parseInt(color.slice(1), 16);

/** Returns how many pixels of a color the longest row and column of a picture have, and where the first ones are. */
function extentOf({ width, height, colors }: Pixels, color: string) {
  const rows = Array<number>(height).fill(0);
  const columns = Array<number>(width).fill(0);
  const wanted = numberOf(color);
  for (const [at, pixel] of colors.entries())
    if (pixel === wanted) {
      rows[Math.floor(at / width)]! += 1;
      columns[at % width]! += 1;
    }
  const first = (counts: readonly number[]) => counts.findIndex(count => count > 0);
  return {
    across: Math.max(...rows),
    down: Math.max(...columns),
    left: first(columns),
    top: first(rows),
  };
}

/** Returns the colors of a picture, each like `#8985f4`. */
function colorsOf({ colors }: Pixels): Set<string> {
  return new Set([...new Set(colors)].map(color => `#${color.toString(16).padStart(6, '0')}`));
}

describe('the results as a picture', () => {
  let relay: TestRelay;
  let poll: CreatedPoll;
  beforeAll(async () => {
    // Each request is in another minute of the limit.
    let nowMs = Date.now();
    relay = await startTestRelay({ clock: () => (nowMs += 60_000) });
    poll = await relay.create({ answers: ['One', 'Two', 'Three'] });
    await relay.cast(poll.id, 0, 12);
    await relay.cast(poll.id, 1, 6);
  });
  afterAll(() => relay.close());

  const get = (id: string, query = '', headers: Record<string, string> = {}) =>
    fetch(`${relay.url}/api/poll/${id}/picture.png?size=${SIZE.width}x${SIZE.height}${query}`, { headers });
  const bytes = async (id: string, query = '', headers: Record<string, string> = {}) => {
    const reply = await get(id, query, headers);
    if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`);
    return Buffer.from(await reply.arrayBuffer());
  };
  const draw = async (id: string, query = '') => decode(await bytes(id, query));
  const close = ({ id, admin_key }: CreatedPoll) =>
    send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll: { status: 'closed' } }, admin_key);

  it('has the size that is asked for, 1200 × 630 by default', async () => {
    const usual = await fetch(`${relay.url}/api/poll/${poll.id}/picture.png`);
    expect(usual.headers.get('content-type')).toBe('image/png');
    expect(await decode(Buffer.from(await usual.arrayBuffer()))).toMatchObject({ width: 1200, height: 630 });
    expect(await draw(poll.id)).toMatchObject(SIZE);
  });

  it('has the logo of the show that owns the poll, at the start of its head, in every style', async () => {
    const show = await takeShow(relay);
    const { id } = (await show.addPoll({ title: 'Which?' })).json;
    await relay.cast(id, 0, 3);
    const body = new Uint8Array(png(400, 100, [255, 0, 255]));
    const headers = { 'x-api-key': show.key, 'content-type': 'image/png' };
    const etag = async () => (await get(id)).headers.get('etag');
    const before = await etag();
    await ask(`${relay.url}/api/show/${show.name}/logo`, { method: 'PUT', headers, body });
    expect(await etag()).not.toBe(before);
    for (const style of STYLES) {
      const picture = await draw(id, `&style=${style}`);
      const { across, down, left, top } = extentOf(picture, '#ff00ff');
      expect(Math.abs(across - 4 * down), style).toBeLessThan(5);
      expect([across > 40, left < SIZE.width / 2, top < SIZE.height / 2], style).toEqual([true, true, true]);
    }
    const isFree = async (query: string) => extentOf(await draw(id, query), '#ff00ff').across === 0;
    expect([await isFree('&logo=0'), await isFree('&title=0')]).toEqual([true, false]);
  });

  it('gives the winner the picture with moment=winner, and is the usual one without a winner, or with a tie', async () => {
    const [first = ''] = palettes.dark;
    const won = await relay.create({ answers: ['One', 'Two'] });
    await relay.cast(won.id, 0, 2);
    const winner = '&moment=winner';
    expect(await bytes(won.id, winner)).toEqual(await bytes(won.id));
    expect(await bytes(won.id, '&moment=closed')).toEqual(await bytes(won.id));
    await close(won);
    for (const style of STYLES)
      expect(extentOf(await draw(won.id, `${winner}&style=${style}`), first)).toMatchObject({
        down: SIZE.height,
        left: 0,
        top: 0,
      });
    expect(extentOf(await draw(won.id), first).down).toBeLessThan(SIZE.height / 2);
    const tied = await relay.create({ answers: ['One', 'Two'] });
    await relay.cast(tied.id, 0, 2);
    await relay.cast(tied.id, 1, 2);
    await close(tied);
    expect(await bytes(tied.id, winner)).toEqual(await bytes(tied.id));
  });

  it('has bars and columns in proportion to the votes', async () => {
    const [first = '', second = '', third = ''] = palettes.dark;
    const bars = await draw(poll.id, '&scale=leader');
    const length = extentOf(bars, first).across;
    expect(length).toBeGreaterThan(SIZE.width / 2);
    expect(Math.abs(extentOf(bars, second).across - length / 2)).toBeLessThan(6);
    expect(extentOf(bars, third).across).toBe(0);
    const columns = await draw(poll.id, '&style=columns');
    const height = extentOf(columns, first).down;
    expect(Math.abs(extentOf(columns, second).down - height / 2)).toBeLessThan(6);
  });

  it('has the colors of theme and parameters, the accent while one can vote, and then the color of the winner', async () => {
    const look = async (query: string) => colorsOf(await draw(poll.id, query));
    const light = await look('&theme=light');
    expect(palettes.light.slice(0, 2).every(color => light.has(color))).toBe(true);
    expect(light.has(palettes.dark[0]!)).toBe(false);
    expect((await look('&colors=123456,654321')).has('#123456')).toBe(true);
    expect((await look('&style=donut&theme=flat')).has('#12161f')).toBe(true);
    const { accent } = marks.dark;
    expect((await look('')).has(accent)).toBe(true);
    expect((await look('&accent=00ff00')).has('#00ff00')).toBe(true);
    const closed = await relay.create();
    await relay.cast(closed.id, 1, 2);
    await close(closed);
    // The winner's row and the state have the winner's color.
    const colors = colorsOf(await draw(closed.id));
    expect([colors.has(accent), colors.has(palettes.dark[1]!)]).toEqual([false, true]);
  });

  it.each(STYLES)(
    'in style %s shows no figure of hidden results, and every figure to their keys',
    async style => {
      const [one, other] = [
        await relay.create({ results_visibility: 'hidden' }),
        await relay.create({ results_visibility: 'hidden' }),
      ];
      const query = `&style=${style}`;
      const before = await bytes(one.id, query);
      await relay.cast(one.id, 0, 7);
      await relay.cast(other.id, 1, 20);
      expect((await bytes(one.id, query)).equals(before)).toBe(true);
      const replies = [await get(one.id, query), await get(other.id, query)];
      expect(replies[0]!.headers.get('etag')).toBe(replies[1]!.headers.get('etag'));
      expect(Buffer.from(await replies[1]!.arrayBuffer()).equals(before)).toBe(true);
      for (const key of [one.view_key, one.admin_key]) {
        const reply = await get(one.id, query, { 'x-api-key': key });
        expect(reply.headers.get('cache-control')).toBe('private, no-store');
        expect(reply.headers.get('etag')).toBeNull();
        expect(Buffer.from(await reply.arrayBuffer()).equals(before)).toBe(false);
      }
      expect((await get(one.id, `${query}&key=${one.view_key}`)).status).toBe(200);
      expect((await get(one.id, query, { 'x-api-key': other.view_key })).status).toBe(403);
    },
  );

  it('shows no answer of an upcoming poll', async () => {
    const create = (answers: string[]) => relay.create({ title: 'What comes?', status: 'upcoming', answers });
    const [one, other] = [await create(['A secret', 'B']), await create(['Other', 'C', 'D'])];
    expect((await bytes(one.id)).equals(await bytes(other.id))).toBe(true);
  });

  it('is the same for the same position, which its URL may carry', async () => {
    const { position } = await relay.read(poll.id);
    const first = await get(poll.id, `&position=${position}`);
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    expect(await first.arrayBuffer()).toEqual(await (await get(poll.id)).arrayBuffer());
    expect((await get(poll.id, '', { 'if-none-match': etag })).status).toBe(304);
    await relay.cast(poll.id, 2);
    const next = await get(poll.id, `&position=${position}`, { 'if-none-match': etag });
    expect(next.status).toBe(200);
    expect(next.headers.get('cache-control')).toBe('no-cache');
    expect(next.headers.get('etag')).not.toBe(etag);
  });

  it.each(Object.entries(TEXTS).map(([name, texts], at) => ({ name, texts, at })))(
    'keeps $name text inside its margins, in every style',
    async ({ texts, at: turn }) => {
      const [title, ...answers] = texts;
      const { id } = await relay.create({ title, answers });
      await relay.cast(id, 0, 3);
      // Each style in one size for each kind of text, and in every size over all kinds.
      for (const [at, style] of STYLES.entries()) {
        const size = SIZES[(at + turn) % SIZES.length];
        const url = `${relay.url}/api/poll/${id}/picture.png?size=${size}&style=${style}&theme=flat`;
        const picture = await decode(await readPicture(url));
        const { width, height, colors } = picture;
        const [x, y] = [Math.floor(width * 0.05) - 1, Math.floor(height * 0.05) - 1];
        const outside = [];
        for (let across = 0; across < width; across += 1)
          for (let down = 0; down < height; down += 1) {
            const isInside = across >= x && across < width - x && down >= y && down < height - y;
            if (!isInside && colors[down * width + across] !== colors[0]) outside.push([across, down]);
          }
        expect([size, style, outside.slice(0, 3)]).toEqual([size, style, []]);
        const texts = colorsOf(picture);
        expect(texts.has('#ffffff')).toBe(true);
      }
    },
  );

  it.each([
    ['size', 'size=100x100'],
    ['size', 'size=1920x1200'],
    ['size', 'size=5'],
    ['style', 'style=code'],
    ['theme', 'theme=pink'],
    ['accent', 'accent=red'],
    ['lang', 'lang=!'],
    ['top', 'top=0'],
  ])('rejects a wrong %s (%s)', async (path, query) => {
    const reply: ApiReply = await ask(`${relay.url}/api/poll/${poll.id}/picture.png?${query}`);
    expectError(reply, 400, 'invalid_request');
    expect(reply.json.error.issues.map((issue: { path: string }) => issue.path)).toEqual([path]);
  });

  it('takes the URL of an overlay, whose place, time and motion change nothing', async () => {
    const plain = await bytes(poll.id, '&style=donut');
    const query = '&style=donut&align=right&speed=0&countdown=0&font=Arial&qr=right&hz=5';
    expect((await bytes(poll.id, query)).equals(plain)).toBe(true);
  });

  it('marks simulated polls in every state', async () => {
    for (const id of ['rehearsal', `rehearsal-${poll.id}`])
      expect(colorsOf(await draw(id, '&style=ticker')).has('#ffd25e')).toBe(true);
  });

  it('is no picture of a poll that does not exist', async () => {
    expectError(await ask(`${relay.url}/api/poll/nobodyisHere/picture.png`), 404, 'poll_not_found');
  });

  it('is drawn once for simultaneous requests, and not without end for one address', async () => {
    const small = (top: number) =>
      fetch(`${relay.url}/api/poll/${poll.id}/picture.png?size=200x200&radius=${top}`);
    const many = await Promise.all(Array.from({ length: 100 }, () => small(50)));
    expect(many.map(({ status }) => status).filter(status => status !== 200)).toEqual([]);
    const other = await startTestRelay({ clock: heldClock() });
    try {
      const { id } = await other.create();
      const statuses: number[] = [];
      for (let at = 0; at < 61; at += 1) {
        const url = `${other.url}/api/poll/${id}/picture.png?size=200x200&radius=${at}`;
        const reply = await fetch(url);
        statuses.push(reply.status);
        if (reply.status === 429) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect(statuses).toEqual([...Array<number>(60).fill(200), 429]);
      // Pictures that are kept cost nothing.
      expect((await fetch(`${other.url}/api/poll/${id}/picture.png?size=200x200&radius=0`)).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});

/** On a connection of its own: the relay may close an idle one just as a request is sent. */
async function readPicture(url: string): Promise<Buffer> {
  const [reply] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  return Buffer.concat(await reply.toArray());
}
