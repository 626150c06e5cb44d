import * as canvas from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import type { Canvas2D } from '../../src/picture/draw/canvas.ts';
import { coverOf, objectPosition } from '../../src/picture/draw/cover.ts';
import { type Face, type Faces, paint } from '../../src/picture/draw/paint.ts';
import type { Part } from '../../src/picture/draw/part.ts';
import { drawingStyles } from '../../src/picture/styles.ts';
import { themeNames } from '../../src/picture/themes.ts';
import { type CanvasModule, Images } from '../../src/still/images.ts';
import { knownResults } from '../overlay/poll-snapshots.ts';
import { jpegHead, png } from '../support/images.ts';
import { atRest, boxOf, draw, type Pixels, type Size, type } from './drawn.ts';

/** Answers with a picture and a color. */

const styles = drawingStyles.filter(style => style !== 'code');
const SIZE: Size = [960, 540];
const RED = '#e4002b';

function pollOf(changes: readonly { color?: string; image?: string }[]) {
  const poll = knownResults(changes.map((_, at) => 90 - 10 * at));
  return { ...poll, poll_answers: poll.poll_answers.map((answer, at) => ({ ...answer, ...changes[at] })) };
}

const portraits = pollOf([0, 1, 2, 3].map(at => ({ image: `/face/${at}`, color: RED })));

function facesIn(parts: readonly Part[]) {
  return parts.flatMap(part => (part.shape.kind === 'face' ? [{ part, shape: part.shape }] : []));
}

function pixelsWith(poll: typeof portraits, query: string, faces: Faces | undefined): Pixels {
  const laid = draw(poll, query, SIZE);
  const drawn = canvas.createCanvas(...SIZE);
  const context = drawn.getContext('2d');
  context.scale(laid.unitPx, laid.unitPx);
  paint(context as unknown as Canvas2D, atRest(laid), { type, ...laid, faces });
  const [width, height] = SIZE;
  return { width, height, data: context.getImageData(0, 0, width, height).data };
}

/** A picture of one color, which fills what it is drawn in. */
const green: Face = {
  width: 10,
  height: 10,
  draw(context, ...sides) {
    context.fillStyle = '#00ff00';
    context.fillRect(...(sides.slice(4) as [number, number, number, number]));
  },
};

function colorAt({ width, data }: Pixels, x: number, y: number): number[] {
  const at = 4 * (Math.round(y) * width + Math.round(x));
  return [...data.slice(at, at + 3)];
}

describe.each(styles)('%s', style => {
  it('draws a picture in the box that has its color until then, and nothing else moves', () => {
    const query = `style=${style}`;
    const [without, withAll] = [
      pixelsWith(portraits, query, undefined),
      pixelsWith(portraits, query, () => green),
    ];
    const laid = draw(portraits, query, SIZE);
    const boxes = facesIn(laid.parts).map(({ part }) => boxOf(part));
    expect(boxes.length).toBeGreaterThan(0);
    for (const { left, top, right, bottom } of boxes) {
      const middle = [((left + right) / 2) * laid.unitPx, ((top + bottom) / 2) * laid.unitPx] as const;
      expect(colorAt(without, ...middle)).toEqual([0xe4, 0x00, 0x2b]);
      expect(colorAt(withAll, ...middle)).toEqual([0, 255, 0]);
    }
    const isIn = (x: number, y: number) =>
      boxes.some(
        ({ left, top, right, bottom }) =>
          x >= left * laid.unitPx - 1 &&
          x <= right * laid.unitPx + 1 &&
          y >= top * laid.unitPx - 1 &&
          y <= bottom * laid.unitPx + 1,
      );
    const isSame = (at: number) =>
      [0, 1, 2].every(part => without.data[at + part] === withAll.data[at + part]);
    let moved = 0;
    for (let at = 0; at < without.data.length; at += 4) {
      if (isSame(at)) continue;
      if (!isIn((at / 4) % SIZE[0], Math.floor(at / 4 / SIZE[0]))) moved += 1;
    }
    expect(moved).toBe(0);
  });

  it('gives an answer without a picture a box like the others', () => {
    const some = pollOf([{ image: '/face/0' }, {}, { image: '/face/2' }]);
    const sizes = facesIn(draw(some, `style=${style}`).parts).map(({ shape }) => shape.size.join());
    expect(new Set(sizes).size).toBe(1);
    expect(facesIn(draw(pollOf([{}, {}]), `style=${style}`).parts)).toEqual([]);
  });
});

describe('a color of its own', () => {
  const fillsOf = (colors: readonly string[], query: string) =>
    draw(pollOf(colors.map(color => ({ color }))), query).parts.flatMap(({ shape }) =>
      shape.kind === 'bar' ? [shape.fill] : [],
    );

  it('replaces that of the palette', () => {
    expect(fillsOf([RED, '#00ff00'], '').map(({ color }) => color)).toEqual([RED, '#00ff00']);
    expect(fillsOf([RED, '#00ff00'], 'colors=111111,222222').map(({ color }) => color)).toEqual([
      RED,
      '#00ff00',
    ]);
  });

  it.each(themeNames)(
    'has an outline, on all answers, where one cannot be told apart from the ground: %s',
    theme => {
      const hasEdges = (colors: readonly string[]) =>
        fillsOf(colors, `theme=${theme}`).map(({ edge }) => edge !== undefined);
      const faint = theme === 'light' ? '#fbfbfd' : '#0b0f19';
      expect(hasEdges(['#808080', faint, '#7a7a7a'])).toEqual([true, true, true]);
      expect(hasEdges(['#808080', '#7a7a7a'])).toEqual([false, false]);
    },
  );
});

describe('a picture of a file', () => {
  const { parts, unitPx } = draw(portraits, 'style=bars', SIZE);
  const read = async (bytes: Buffer) => {
    const found = await new Images(canvas).findFaces(parts, unitPx, [{ file: '/face/0', bytes }], Infinity);
    return found?.('/face/0', 0, 0, RED);
  };

  it('is decoded once for pictures of similar sizes, and kept about as large as it is drawn', async () => {
    let decoded = 0;
    const loadImage = (bytes: Buffer) => {
      decoded += 1;
      return canvas.loadImage(bytes);
    };
    const images = new Images({ ...canvas, loadImage } as CanvasModule);
    const photo = { file: '/api/poll/a/image/0.png', bytes: png(640, 480) };
    const broken = { file: '/api/poll/a/image/1.png', bytes: png(640, 480).subarray(0, 40) };
    for (const poll of ['a', 'b'])
      for (const side of [65, 128]) {
        const file = photo.file.replace('/a/', `/${poll}/`);
        expect(await images.find({ ...photo, file }, side)).toMatchObject({ width: 171, height: 128 });
        expect(await images.find(broken, side)).toBeUndefined();
      }
    expect(decoded).toBe(2);
    expect(await images.find(photo, 480)).toMatchObject({ width: 640, height: 480 });
  });

  it('leaves the rest for another turn once its time is over', async () => {
    const files = [{ file: '/face/0', bytes: png(8, 8) }];
    expect(await new Images(canvas).findFaces(parts, unitPx, files, 0)).toBeUndefined();
  });

  it('is left out if it is no image, or too large by its header', async () => {
    const bomb = png(64, 64);
    bomb.writeUInt32BE(40_000, 16);
    for (const bytes of [bomb, jpegHead(4_097, 10), Buffer.from('<svg/>'), Buffer.alloc(0)])
      expect(await read(bytes)).toBeUndefined();
  });
});

it('covers a box with the part of a picture that has its head', () => {
  expect(coverOf({ width: 400, height: 200 }, { width: 50, height: 50 })).toEqual([100, 0, 200, 200]);
  const tall = coverOf({ width: 100, height: 400 }, { width: 200, height: 100 });
  expect(tall.map(Math.round)).toEqual([0, 87, 100, 50]);
  const square = coverOf({ width: 400, height: 400 }, { width: 200, height: 80 });
  expect(square.map(Math.round)).toEqual([0, 32, 400, 160]);
  expect(coverOf({ width: 100, height: 100 }, { width: 100, height: 90 })[1]).toBe(0);
});

it('crops about as much on a page that does not know the size of a picture', () => {
  const box = { width: 100, height: 100 };
  for (const length of [100, 133, 150, 178, 200])
    for (const percent of [0, 10, 28, 50, 70, 100]) {
      const [, top] = coverOf({ width: 100, height: length }, box, [50, percent]);
      const [x, y] = objectPosition([50, percent]).split(' ').map(Number.parseFloat);
      expect(x).toBe(50);
      expect(Math.abs((y! / 100) * (length - 100) - top)).toBeLessThan(12);
    }
});

it('crops to the point of each answer, also where answers share a picture', async () => {
  // From the left: red, green, blue.
  const file = canvas.createCanvas(300, 100);
  const context = file.getContext('2d');
  for (const [at, color] of ['#ff0000', '#00ff00', '#0000ff'].entries()) {
    context.fillStyle = color;
    context.fillRect(100 * at, 0, 100, 100);
  }
  const photo = { file: '/face/0', bytes: file.toBuffer('image/png') };
  const points = [[0, 50], undefined, [100, 28]] as const;
  const poll = pollOf(points.map(() => ({ image: photo.file })));
  const focused = {
    ...poll,
    poll_answers: poll.poll_answers.map((answer, at) => ({ ...answer, image_focus: points[at] })),
  };
  const laid = draw(focused, 'style=bars', SIZE);
  const faces = await new Images(canvas).findFaces(laid.parts, laid.unitPx, [photo], Infinity);
  const pixels = pixelsWith(focused, 'style=bars', faces);
  const middles = facesIn(laid.parts).map(({ part }) => {
    const { left, top, right, bottom } = boxOf(part);
    return colorAt(pixels, ((left + right) / 2) * laid.unitPx, ((top + bottom) / 2) * laid.unitPx);
  });
  expect(middles).toEqual([
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
  ]);
});
