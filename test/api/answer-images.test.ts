import { once } from 'node:events';
import { request } from 'node:http';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeLines } from '../../src/archive/archive-file.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { kindOf } from '../../src/poll/image-size.ts';
import { readImage } from '../../src/poll/stored-image.ts';
import { makeDataDirectory, removeDataDirectory } from '../engine/embedded/data-directory.ts';
import { ask, expectError, issuesOf, post, send } from '../support/api-request.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { heldClock } from '../support/held-clock.ts';
import { jpegHead, png, webpHead } from '../support/images.ts';
import { LiveClient } from '../support/live-client.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';

const KB = 1024;
const RED = '#ff0000';
const RGB = [255, 0, 0];
const COLORED = ['Waterloo', { answer: 'Volare', color: '#1E90FF' }];

/** A PNG that says this size, and has other pixels than that. */
function headOf(width: number, height: number): Buffer {
  const image = png(1, 1);
  image.writeUInt32BE(width, 16);
  image.writeUInt32BE(height, 20);
  return image;
}

async function sizeAndColors(bytes: Buffer) {
  const { width, height } = await loadImage(bytes);
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(await loadImage(bytes), 0, 0);
  const colorAt = (y: number) => {
    const [red, , blue, alpha] = context.getImageData(Math.floor(width / 2), y, 1, 1).data;
    if (alpha === 0) return 'none';
    return red! > blue! ? 'red' : 'blue';
  };
  return { width, height, top: colorAt(0), bottom: colorAt(height - 1) };
}

describe('colors and images of answers', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({ changesPerMinute: 1_000 });
  });
  afterAll(() => relay.close());

  const pathOf = (id: string, answer: string) => `${relay.url}/api/poll/${id}/answer/${answer}/image`;
  const put = (id: string, answer: string, image: Buffer | string, key: string) =>
    ask(pathOf(id, answer), {
      method: 'PUT',
      headers: { 'x-api-key': key, 'content-type': 'image/png' },
      body: new Uint8Array(Buffer.from(image)),
    });
  const remove = (id: string, answer: string, key: string) =>
    ask(pathOf(id, answer), { method: 'DELETE', headers: { 'x-api-key': key } });
  const open = (path: string) => fetch(`${relay.url}${path}`);
  const change = (id: string, poll: unknown, key: string) =>
    send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll }, key);
  const create = async (poll: object = {}) => {
    const { json } = await post(relay.url, { poll: { title: 'Q', answers: COLORED, ...poll } });
    const [first, second] = json.poll_answers as [{ id: string }, { id: string }];
    return { ...json, key: json.admin_key, first: first.id, second: second.id };
  };
  const facesOf = (json: { poll_answers: { color?: string; image?: string }[] }) =>
    json.poll_answers.map(({ color, image }) => [color, image]);

  it('takes a string, or an object with a color, and gives colors in lower case on every surface', async () => {
    const { id, key, first, second, poll_answers } = await create();
    const answers = [
      { id: first, answer: 'Waterloo', sorting: 1, type: 'text' },
      { id: second, answer: 'Volare', sorting: 2, type: 'text', color: '#1e90ff' },
    ];
    expect(poll_answers).toEqual(answers);
    const counted = answers.map(answer => ({ ...answer, votes: 0 }));
    expect((await relay.read(id)).poll_answers).toEqual(counted);
    const { json } = await ask(`${relay.url}/api/poll/${id}/definition`);
    expect(json.poll_answers).toEqual(answers);
    const live = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live`);
    const results = await live.message(message => message.type === 'results');
    expect(results).toMatchObject({ poll_answers: counted });
    await change(id, { results_visibility: 'hidden' }, key);
    const hidden = await live.message(message => message.type === 'hidden');
    expect(hidden).toMatchObject({ poll_answers: answers });
    live.close();
  });

  it('names what is wrong with an answer', async () => {
    const faults = async (answers: unknown) =>
      issuesOf(await post(relay.url, { poll: { title: 'Q', answers } }));
    expect(await faults(['a', { answer: 'b', color: 'red' }])).toEqual({
      'poll.answers.1.color': 'must be a color like #1e90ff',
    });
    expect(await faults(['a', { color: RED }])).toEqual({ 'poll.answers.1.answer': 'is required' });
    expect(await faults(['a', { answer: 'a', color: RED }])).toEqual({
      'poll.answers.1': 'is the same as answer 1',
    });
    expect(await faults(['a', 5])).toEqual({ 'poll.answers.1': 'must be a string' });
  });

  it('changes colors at any time, which is no correction', async () => {
    const { id, key, first, second } = await create();
    await relay.cast(id, 1);
    const { json } = await change(id, { answers: [{ id: first, color: '#FF0000' }] }, key);
    expect(facesOf(json)).toEqual([
      [RED, undefined],
      ['#1e90ff', undefined],
    ]);
    expect(json).not.toHaveProperty('edited_at');
    expect(json).toMatchObject({ total_votes: 1, ignored: [] });
    const same = await change(id, { answers: [{ id: first, color: RED }] }, key);
    expect(same.json.version).toBe(json.version);
    const texts = [
      { id: first, answer: 'Waterloo (1974)' },
      { id: second, color: null },
    ];
    const corrected = await change(id, { answers: texts }, key);
    expect(facesOf(corrected.json)).toEqual([
      [RED, undefined],
      [undefined, undefined],
    ]);
    expect(corrected.json).toHaveProperty('edited_at');
    expect((await relay.engine.polls.find(id))?.poll.earlier).toMatchObject([
      { answers: [{ id: first, text: 'Waterloo' }] },
    ]);
    expectError(await change(id, { answers: [{ id: 'none', color: RED }] }, key), 404, 'answer_not_found');
    expectError(await change(id, { answers: [{ color: RED }] }, key), 400, 'invalid_request');
  });

  it('crops each image to a point, which a copy keeps, and another image or null resets', async () => {
    const { id, key, first, second, poll_answers } = await create({
      answers: ['Waterloo', { answer: 'Volare', image_focus: [20, 30] }],
      image: 'https://pictures.example/a.png',
      image_focus: [0, 100],
    });
    expect(poll_answers[1]).toMatchObject({ image_focus: [20, 30] });
    await put(id, second, png(20, 20), key);
    await relay.cast(id, 1);
    const points = async (of = id) => {
      const { json } = await ask(`${relay.url}/api/poll/${of}/definition`);
      return [json, ...json.poll_answers].map(({ image_focus }) => image_focus);
    };
    expect(await points()).toEqual([[0, 100], undefined, [20, 30]]);
    const set = await change(
      id,
      { image_focus: [1.5, 2], answers: [{ id: first, image_focus: [3, 4] }] },
      key,
    );
    expect(set.json).toMatchObject({ poll_answers: [{ image_focus: [3, 4] }, { image_focus: [20, 30] }] });
    expect(set.json).toMatchObject({ image_focus: [1.5, 2] });
    expect(set.json).not.toHaveProperty('edited_at');
    const same = await change(id, { image_focus: [1.5, 2] }, key);
    expect(same.json.version).toBe(set.json.version);
    const hidden = await change(id, { results_visibility: 'hidden' }, key);
    expect(hidden.status).toBe(200);
    expect((await ask(`${relay.url}/api/poll/${id}`)).json.poll_answers?.[1] ?? {}).not.toHaveProperty(
      'votes',
    );
    const all = [
      [1.5, 2],
      [3, 4],
      [20, 30],
    ];
    const copyWith = async (poll: object) =>
      (await send(`${relay.url}/api/poll/${id}/copy`, 'POST', { poll }, { 'x-api-key': key })).json.id;
    expect(await points(await copyWith({}))).toEqual(all);
    expect(await points(await copyWith({ image: 'https://pictures.example/b.png' }))).toEqual([
      undefined,
      ...all.slice(1),
    ]);
    const sent = { image: 'https://pictures.example/b.png', image_focus: [7, 7] };
    expect(await points(await copyWith(sent))).toEqual([[7, 7], ...all.slice(1)]);
    await send(`${relay.url}/api/poll/${id}/again`, 'POST', {}, { 'x-api-key': key });
    expect(await points()).toEqual(all);
    await put(id, second, png(21, 21), key);
    await change(id, { image_focus: null, answers: [{ id: first, image_focus: null }] }, key);
    expect(await points()).toEqual([undefined, undefined, undefined]);
  });

  it('names what is wrong with a point', async () => {
    const { id, key, first } = await create();
    const message = 'must be two numbers from 0 to 100, such as [50, 28]';
    for (const point of [[50], [1, 2, 3], [101, 0], ['1', 2], '50 28', { x: 1 }, null]) {
      const poll = { title: 'Q', answers: ['a', { answer: 'b', image_focus: point }], image_focus: point };
      const issues = issuesOf(await post(relay.url, { poll }));
      expect(new Set(Object.values(issues))).toEqual(new Set([message]));
      expect(Object.keys(issues).join()).toMatch(/^poll\.answers\.1\.image_focus.*,poll\.image_focus/);
      if (point === null) continue;
      const changed = await change(id, { answers: [{ id: first, image_focus: point }] }, key);
      expect(Object.values(issuesOf(changed))).toEqual([message]);
    }
  });

  it('are those of each round, also where the next one has other answers', async () => {
    const { id, key, first, second } = await create();
    const pathsOf = async (round: number) =>
      (await ask(`${relay.url}/api/poll/${id}?round=${round}`)).json.poll_answers.map(
        ({ image }: { image?: string }) => image,
      );
    const isServed = async (path: string) => (await open(path)).status === 200;
    await put(id, first, png(20, 20), key);
    await put(id, second, png(30, 30), key);
    const begin = (poll: object) =>
      send(`${relay.url}/api/poll/${id}/again`, 'POST', { poll }, { 'x-api-key': key });
    const ofFirst = await pathsOf(1);
    expect((await begin({ title: 'Once more' })).status).toBe(200);
    const ofSecond = await pathsOf(2);
    for (const path of [...ofFirst, ...ofSecond]) expect([path, await isServed(path)]).toEqual([path, true]);
    expect((await begin({ answers: ['Volare', 'Fernando'] })).status).toBe(200);
    expect([await pathsOf(1), await pathsOf(2)]).toEqual([ofFirst, ofSecond]);
    expect(await pathsOf(3)).toEqual([undefined, undefined]);
    for (const path of [...ofFirst, ...ofSecond]) expect([path, await isServed(path)]).toEqual([path, true]);
    expect(await isServed(ofFirst[0].replace(/[0-9a-f]{8}/, '00000000'))).toBe(false);
    const { status } = await open(`/api/poll/${id}/picture.png?round=1`);
    expect(status).toBe(200);
  });

  it.each([
    ['png', 'image/png', png(300, 100)],
    ['jpg', 'image/jpeg', jpegHead(1024, 1024)],
    ['webp', 'image/webp', webpHead('VP8X', 1024, 1)],
  ])(
    'gives an answer a %s under its hash, which runs nothing, and which caches check',
    async (_, type, image) => {
      const { id, key, second } = await create();
      await relay.cast(id, 1);
      const reply = await put(id, second, image, key);
      const path = `/api/poll/${id}/image/${readImage(image, '').file}`;
      expect(facesOf(reply.json)).toEqual([
        [undefined, undefined],
        ['#1e90ff', path],
      ]);
      expect(reply.json).not.toHaveProperty('edited_at');
      const served = await open(path);
      expect(Buffer.from(await served.arrayBuffer()).equals(image)).toBe(true);
      const headers = Object.fromEntries(served.headers);
      expect(headers).toMatchObject({
        'content-type': type,
        'cache-control': 'public, max-age=300',
        etag: `"${path.split(/[/.]/).at(-2)}"`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
      });
      const known = { headers: { 'if-none-match': served.headers.get('etag')! } };
      const unchanged = await fetch(`${relay.url}${path}`, known);
      expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
      const again = await put(id, second, image, key);
      expect([again.status, again.json.version]).toEqual([200, reply.json.version]);
      for (const _ of [1, 2])
        expect((await remove(id, second, key)).json.poll_answers[1].image).toBeUndefined();
      expect(await relay.engine.polls.findImage(id, path.split('/').at(-1)!)).toBeUndefined();
    },
  );

  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  it.each([
    ['an SVG', svg],
    ['a PNG with HTML behind it', Buffer.concat([png(2, 2), Buffer.from('<script>alert(1)</script>')])],
    ['HTML behind the signature of a PNG', Buffer.concat([png(1, 1).subarray(0, 8), Buffer.from(svg)])],
    ['a PNG that is cut off', png(50, 50).subarray(0, -20)],
    ['a JPEG that is cut off', jpegHead(10, 10).subarray(0, -1)],
    ['a WebP that is cut off', webpHead('VP8 ', 10, 10).subarray(0, -1)],
    ['a WebP with more behind it', Buffer.concat([webpHead('VP8 ', 10, 10), Buffer.from('<script>')])],
    ['nothing', ''],
  ])('rejects %s', async (_, image) => {
    const { id, key, first } = await create();
    expectError(await put(id, first, image, key), 415, 'unsupported_media_type');
    expect((await relay.read(id)).poll_answers[0]).not.toHaveProperty('image');
  });

  it('rejects 25 megapixels and one, 10 MB and a byte, other keys, and answers that are not there', async () => {
    const { id, key, first, view_key } = await create();
    const bomb = await put(id, first, headOf(25_000_001, 1), key);
    expectError(bomb, 400, 'invalid_request');
    expect(issuesOf(bomb)).toEqual({ image: 'must be at most 25 megapixels; it is 25000001 × 1' });
    const large = await put(id, first, Buffer.alloc(10 * KB * KB + 1), key);
    expectError(large, 413, 'body_too_large');
    expect(large.json.error.message).toMatch(/10240 KB/);
    expectError(await put(id, first, png(1, 1), view_key), 403, 'api_key_rejected');
    expectError(await put(id, 'none', png(1, 1), key), 404, 'answer_not_found');
    expectError(await put('AAAAAAAAAAAA', first, png(1, 1), key), 404, 'poll_not_found');
    const elsewhere = `/api/poll/${id}/image/${'0'.repeat(64)}.png`;
    expectError(await ask(`${relay.url}${elsewhere}`), 404, 'image_not_found');
  });

  it('stores an image of 200 KB and 1,024 pixels as it is, and any larger one smaller', async () => {
    const { id, key, first } = await create();
    const stored = async (image: Buffer) => {
      const path = (await put(id, first, image, key)).json.poll_answers[0].image;
      return Buffer.from(await (await open(path)).arrayBuffer());
    };
    const most = png(1024, 1, RGB, 200 * KB - png(1024, 1, RGB, 1).length + 1);
    expect((await stored(most)).equals(most)).toBe(true);
    for (const larger of [png(1024, 1, RGB, most.length), png(1025, 1)]) {
      const image = await stored(larger);
      expect([kindOf(image), await sizeAndColors(image)]).toMatchObject(['webp', { width: 1024, height: 1 }]);
    }
  });

  it('makes a photo of a phone an upright picture without its facts, which counts as what is stored', async () => {
    const small = await startTestRelay({ clock: heldClock(), createBytesPerDay: 700_000 });
    const { json } = await post(small.url, { poll: { title: 'Q', answers: COLORED } });
    const path = `${small.url}/api/poll/${json.id}/answer/${json.poll_answers[0].id}/image`;
    const canvas = createCanvas(4032, 3024);
    const context = canvas.getContext('2d');
    for (const [at, color] of ['#f00', '#00f'].entries()) {
      context.fillStyle = color;
      context.fillRect(at * 2016, 0, 2016, 3024);
    }
    const head = Buffer.from(
      'ffe1002245786966000049492a0008000000010012010300010000000600000000000000',
      'hex',
    );
    const facts = Buffer.from('Where this was taken');
    const plain = await canvas.encode('jpeg', 90);
    // On its side, with the facts behind its head, and a film of 2 MB behind it.
    const photo = Buffer.concat([plain.subarray(0, 2), head, facts, plain.subarray(2)]);
    photo.writeUInt16BE(0x22 - 2 + facts.length + 2, 4);
    const body = new Uint8Array(Buffer.concat([photo, Buffer.alloc(2 * KB * KB, 'film')]));
    for (const _ of [1, 2]) {
      const reply = await ask(path, { method: 'PUT', headers: { 'x-api-key': json.admin_key }, body });
      const served = await fetch(`${small.url}${reply.json.poll_answers[0].image}`);
      const image = Buffer.from(await served.arrayBuffer());
      expect(image.includes(facts)).toBe(false);
      expect(await sizeAndColors(image)).toEqual({ width: 768, height: 1024, top: 'red', bottom: 'blue' });
    }
    await small.close();
  });

  it('keeps the transparency of an image that it scales', async () => {
    const { id, key, first } = await create();
    const image = await createCanvas(2000, 1000).encode('png');
    const { image: path } = (await put(id, first, image, key)).json.poll_answers[0];
    const { top } = await sizeAndColors(Buffer.from(await (await open(path)).arrayBuffer()));
    expect(top).toBe('none');
  });

  it('rejects what is too large to be stored and cannot be decoded, without harm to the next one', async () => {
    const { id, key, first } = await create();
    const photo = await createCanvas(2000, 1000).encode('jpeg', 90);
    const broken = [
      jpegHead(4096, 4096),
      webpHead('VP8X', 4096, 1),
      headOf(2000, 2000),
      photo.subarray(0, -2),
      Buffer.concat([png(2000, 1), Buffer.from('<script>')]),
    ];
    for (const image of broken) expectError(await put(id, first, image, key), 415, 'unsupported_media_type');
    expect((await put(id, first, photo, key)).status).toBe(200);
  });

  it('reads two large images of an address at a time, none without the key, and small ones always', async () => {
    const { id, key, first } = await create();
    const [photo, small] = [png(1, 1, RGB, 300 * KB), png(1, 1)];
    const begin = (headers: Record<string, string | number>) => {
      const upload = request(pathOf(id, first), { method: 'PUT', headers });
      const status = once(upload, 'response').then(([reply]) => {
        reply.resume();
        return reply.statusCode as number;
      });
      upload.flushHeaders();
      return { upload, status };
    };
    const headers = { 'x-api-key': key, 'content-length': photo.length };
    expect(await begin({ 'content-length': photo.length }).status).toBe(401);
    const begun = [
      begin(headers),
      begin({ 'x-api-key': key, 'transfer-encoding': 'chunked' }),
      begin(headers),
    ];
    const [rejected, status] = await Promise.race(begun.map(async one => [one, await one.status] as const));
    expect(status).toBe(429);
    expect((await put(id, first, small, key)).status).toBe(200);
    for (const one of begun.filter(one => one !== rejected)) {
      one.upload.end(photo);
      expect(await one.status).toBe(200);
    }
    await expect.poll(async () => (await put(id, first, photo, key)).status).toBe(200);
  });

  it('counts no large image of a client that has left, nor one that is pipelined', async () => {
    const dataDir = await makeDataDirectory();
    const double = new EngineDouble(await openEngine({ dataDir }));
    const one = await startTestRelay({ engine: double.engine });
    const { id, admin_key } = await one.create();
    const photo = png(1, 1, RGB, 300 * KB);
    const beginUpload = (bytes: number) =>
      [
        `PUT /api/poll/${id}/image HTTP/1.1`,
        'Host: relay.test',
        `X-API-Key: ${admin_key}`,
        `Content-Length: ${bytes}\r\n\r\n`,
      ].join('\r\n');
    let requests = 0;
    one.app.server.on('request', () => {
      requests += 1;
    });
    for (let times = 0; times < 6; times += 1) {
      requests = 0;
      const accepted = once(one.app.server, 'connection');
      double.held = [];
      const client = await RawSocket.open(one.url);
      const [socket] = await accepted;
      if (times % 2 === 1) client.send(beginUpload(0));
      client.send(beginUpload(photo.length));
      // Reads at the same time are one.
      await until(() => requests > times % 2 && double.held!.length > 0, 'a read');
      const left = once(socket, 'close');
      client.reset();
      await left.catch(() => {});
      const { held } = double;
      double.held = undefined;
      for (const go of held) go();
    }
    const reply = await ask(`${one.url}/api/poll/${id}/image`, {
      method: 'PUT',
      headers: { 'x-api-key': admin_key },
      body: new Uint8Array(photo),
    });
    expect(reply.status).toBe(200);
    await one.close();
    await double.engine.close();
    await removeDataDirectory(dataDir);
  });

  it('reaches those who watch, and leaves a poll without them as it was, byte for byte', async () => {
    const plain = await create({ answers: ['Waterloo', 'Volare'] });
    const text = await (await open(`/api/poll/${plain.id}`)).text();
    expect(text).not.toMatch(/color|image/);
    const rows = await (await open(`/api/poll/${plain.id}?format=csv`)).text();
    expect(rows.split('\r\n')[0]).toMatch(/,voided_votes,revealed_from$/);
    const live = await LiveClient.open(`${relay.wsUrl}/api/poll/${plain.id}/live`);
    await live.message(message => message.type === 'results');
    await put(plain.id, plain.first, png(3, 3), plain.key);
    await live.until(() => live.last?.type === 'results' && live.last.version === 2, 'the image');
    expect(live.last).toMatchObject({
      poll_answers: [{ image: expect.stringContaining(`/api/poll/${plain.id}/image/`) }, {}],
    });
    live.close();
  });

  it('is in rows, CSV and XML of a poll that has any', async () => {
    const { id } = await create();
    const read = async (format: string) => (await open(`/api/poll/${id}?format=${format}`)).text();
    expect(JSON.parse(await read('rows'))).toMatchObject([
      { color: '', image: '' },
      { color: '#1e90ff', image: '' },
    ]);
    const [head, , second] = (await read('csv')).split('\r\n');
    expect([head?.endsWith(',revealed_from,color,image'), second?.endsWith(',#1e90ff,')]).toEqual([
      true,
      true,
    ]);
    expect(await read('xml')).toContain('<color>#1e90ff</color><image></image>');
  });

  it('a copy has colors and images of its own', async () => {
    const { id, key, first } = await create();
    const image = png(5, 5, [9, 9, 9]);
    await put(id, first, image, key);
    const copy = await send(`${relay.url}/api/poll/${id}/copy`, 'POST', {}, { 'x-api-key': key });
    const [path] = copy.json.poll_answers.map((answer: { image?: string }) => answer.image) as [string];
    expect(path).toContain(`/api/poll/${copy.json.id}/image/`);
    expect(copy.json.poll_answers[1].color).toBe('#1e90ff');
    await send(`${relay.url}/api/poll/${id}`, 'DELETE', undefined, key);
    const served = await open(path);
    expect(Buffer.from(await served.arrayBuffer()).equals(image)).toBe(true);
    expect((await relay.read(copy.json.id)).poll_answers[0]).toMatchObject({ image: path });
    const other = await send(
      `${relay.url}/api/poll/${copy.json.id}/copy`,
      'POST',
      { poll: { answers: ['A', 'B'] } },
      { 'x-api-key': copy.json.admin_key },
    );
    expect(facesOf(other.json)).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('is copied with a show, whose key sets it', async () => {
    const show = await takeShow(relay);
    const made = await send(
      `${relay.url}/api/show/${show.name}/poll`,
      'POST',
      { poll: { title: 'Q', answers: COLORED } },
      { 'x-api-key': show.key },
    );
    const { id, poll_answers } = made.json;
    expect((await put(id, poll_answers[0].id, png(7, 7), show.key)).status).toBe(200);
    const name = `${show.name}-two`;
    const copy = await send(
      `${relay.url}/api/show/${show.name}/copy`,
      'POST',
      { show: { name } },
      { 'x-api-key': show.key },
    );
    const copied = await relay.read(copy.json.polls[0].id);
    expect(copied.poll_answers).toMatchObject([
      { image: expect.stringContaining(copied.id) },
      { color: '#1e90ff' },
    ]);
    expect((await open(copied.poll_answers[0]!.image!)).status).toBe(200);
  });

  describe('the image of the question', () => {
    const path = (id: string) => `${relay.url}/api/poll/${id}/image`;
    const putOfQuestion = (id: string, image: Buffer, key: string) =>
      ask(path(id), { method: 'PUT', headers: { 'x-api-key': key }, body: new Uint8Array(image) });
    const imageOf = async (id: string) => (await ask(`${relay.url}/api/poll/${id}/definition`)).json.image;
    const bytesAt = async (of: string) => Buffer.from(await (await open(of)).arrayBuffer());

    it('replaces a URL, is served as an answer’s, and is removed', async () => {
      const { id, key } = await create({ image: 'https://pictures.example/a.png' });
      const image = png(5, 5, [9, 9, 9]);
      expect((await putOfQuestion(id, image, 'admin_wrong')).status).toBe(403);
      const { status, json } = await putOfQuestion(id, image, key);
      expect([status, json.ignored]).toEqual([200, undefined]);
      const file = readImage(image, '').file;
      expect(await imageOf(id)).toBe(`/api/poll/${id}/image/${file}`);
      expect(await bytesAt(await imageOf(id))).toEqual(image);
      expectError(await putOfQuestion(id, Buffer.from('no image'), key), 415, 'unsupported_media_type');
      const version = (await relay.read(id)).version;
      expect((await putOfQuestion(id, image, key)).json.version).toBe(version);
      for (const _ of [1, 2]) await ask(path(id), { method: 'DELETE', headers: { 'x-api-key': key } });
      expect(await imageOf(id)).toBeNull();
      expect(await relay.engine.polls.findImage(id, file)).toBeUndefined();
    });

    it('stays with a poll whose answers change, with a copy and with the next round', async () => {
      const { id, key, first } = await create();
      const image = png(5, 5, [8, 8, 8]);
      await putOfQuestion(id, image, key);
      await put(id, first, image, key);
      await remove(id, first, key);
      expect(await bytesAt(await imageOf(id))).toEqual(image);
      const headers = { 'x-api-key': key };
      const copy = (poll?: object) => send(`${relay.url}/api/poll/${id}/copy`, 'POST', { poll }, headers);
      const copied = await copy({ answers: ['x', 'y'] });
      expect(await bytesAt(await imageOf(copied.json.id))).toEqual(image);
      const other = await copy({ image: 'https://pictures.example/b.png' });
      expect(await imageOf(other.json.id)).toBe('https://pictures.example/b.png');
      await send(`${relay.url}/api/poll/${id}/again`, 'POST', {}, headers);
      expect(await imageOf(id)).toMatch(/~2\/image\//);
      expect(await bytesAt(await imageOf(id))).toEqual(image);
    });
  });

  it('is in an archive as a line of its own', async () => {
    const { id, key, first } = await create();
    const image = png(6, 6, [1, 2, 3]);
    await put(id, first, image, key);
    const parts: string[] = [];
    const counts = { records: 0, polls: 0, ballots: 0 };
    for await (const part of writeLines(relay.engine.archive, counts, 0)) parts.push(part);
    const lines = parts.join('').split('\n');
    const at = lines.findIndex(line => line.includes(`"${id}"`));
    expect(JSON.parse(lines[at + 1]!)).toEqual({
      type: 'image',
      file: readImage(image, '').file,
      data: image.toString('base64'),
    });
  });

  it('survives uploads that race each other and a deletion: nothing is left behind', async () => {
    const { id, key, first } = await create();
    const images = Array.from({ length: 6 }, (_, index) => png(4, 4, [index, 0, 0]));
    const uploads = await Promise.all(images.map(image => put(id, first, image, key)));
    expect(uploads.map(({ status }) => status)).toEqual(images.map(() => 200));
    const stored = async () =>
      (
        await Promise.all(images.map(image => relay.engine.polls.findImage(id, readImage(image, '').file)))
      ).filter(data => data !== undefined).length;
    expect(await stored()).toBe(1);
    const [removed, ...late] = await Promise.all([
      send(`${relay.url}/api/poll/${id}`, 'DELETE', undefined, key),
      ...images.map(image => put(id, first, image, key)),
    ]);
    expect(removed?.status).toBe(200);
    for (const { status } of late) expect([200, 404]).toContain(status);
    expect(await stored()).toBe(0);
  });

  it('counts against what its address may store in a day, a repeated one only once', async () => {
    const small = await startTestRelay({ clock: heldClock(), createBytesPerDay: 70_000 });
    const { json } = await post(small.url, { poll: { title: 'Q', answers: COLORED } });
    const upload = (image: Buffer) =>
      ask(`${small.url}/api/poll/${json.id}/answer/${json.poll_answers[0].id}/image`, {
        method: 'PUT',
        headers: { 'x-api-key': json.admin_key },
        body: new Uint8Array(image),
      });
    const image = png(10, 10, [0, 0, 0], 30_000);
    for (const _ of [1, 2, 3]) expect((await upload(image)).status).toBe(200);
    expectError(await upload(png(10, 10, [1, 1, 1], 30_000)), 429, 'rate_limited');
    const copy = await send(
      `${small.url}/api/poll/${json.id}/copy`,
      'POST',
      {},
      { 'x-api-key': json.admin_key },
    );
    expectError(copy, 429, 'rate_limited');
    await small.close();
  });

  it('cost a kept picture no work, however many there are', async () => {
    const answers = Array.from({ length: 30 }, (_, index) => `Answer ${index}`);
    const { json } = await post(relay.url, { poll: { title: 'Q', answers } });
    for (const [index, { id }] of (json.poll_answers as { id: string }[]).entries())
      await put(json.id, id, png(8, 8, [index, 0, 0], 190 * KB), json.admin_key);
    const picture = `${relay.url}/api/poll/${json.id}/picture.png`;
    const etag = (await fetch(picture)).headers.get('etag')!;
    const cpuOf = async (url: string, status: number, headers: Record<string, string> = {}) => {
      const spent: number[] = [];
      for (let at = 0; at < 9; at += 1) {
        const before = process.cpuUsage();
        const reply = await fetch(url, { headers });
        await reply.arrayBuffer();
        expect(reply.status).toBe(status);
        const { user, system } = process.cpuUsage(before);
        spent.push(user + system);
      }
      return spent.sort((one, other) => one - other)[4]!;
    };
    const control = await cpuOf(`${relay.url}/api/poll/${json.id}`, 200);
    const cached = await cpuOf(picture, 304, { 'if-none-match': etag });
    const kept = await cpuOf(picture, 200);
    // A read of thirty images costs 25 times a read of results.
    expect(Math.max(cached, kept) / control).toBeLessThan(8);
  });
});
