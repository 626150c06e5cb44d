import { describe, expect, it } from 'vitest';
import type { Drawn } from '../../src/picture/draw/film.ts';
import type { Laid } from '../../src/picture/draw/lay-out.ts';
import { layOut } from '../../src/picture/draw/lay-out.ts';
import { drawingStyles, styleTraits } from '../../src/picture/styles.ts';
import { themeNames } from '../../src/picture/themes.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import { atRest, boxOf, draw, HD, lettersOf, lookOf, NOW_MS, pixelsOf, type Size } from './drawn.ts';

const onAir = drawingStyles.filter(style => style !== 'host');
const VIDEO = { black: [0, 0, 0], white: [255, 255, 255] } as const;
/** WCAG's for text; and for what steps back beside a winner, that of large text. */
const READABLE = 4.5;
const READABLE_BESIDE = 3;

type Color = readonly [red: number, green: number, blue: number];

/** Reads `#rgb`, `#rrggbb` or `#rrggbbaa`. */
function readColor(hex: string): readonly [color: Color, alpha: number] {
  const channel = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16);
  return [[channel(1), channel(3), channel(5)], hex.length > 7 ? channel(7) / 255 : 1];
}

function over(hex: string, alpha: number, ground: Color): Color {
  const [color, own] = readColor(hex);
  const part = own * alpha;
  const mix = (at: 0 | 1 | 2) => color[at] * part + ground[at] * (1 - part);
  return [mix(0), mix(1), mix(2)];
}

function luminance(color: Color): number {
  const [red, green, blue] = color.map(value => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Color;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Color, other: Color): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The color of a ground, and how much of it one sees; undefined for what is no ground. */
function groundOf(
  { part: { shape, key }, at }: Drawn,
  video: Color,
): readonly [color: string, alpha: number] | undefined {
  if (shape.kind === 'plate') return [shape.color, at.alpha];
  if (shape.kind === 'box' && !key.startsWith('swatch')) return [shape.fill.color, at.alpha];
  // An image of the color of the video.
  return shape.kind === 'image'
    ? [`#${video.map(part => part.toString(16).padStart(2, '0')).join('')}`, 1]
    : undefined;
}

/** The contrast of every text with its ground over this video, by what it says. */
function contrastsOf(laid: Laid, video: Color): [name: string, ratio: number, alpha: number][] {
  const drawn = atRest(laid);
  return drawn.flatMap((one, index): [string, number, number][] => {
    const { shape } = one.part;
    if (shape.kind !== 'text' && shape.kind !== 'figure' && shape.kind !== 'pill') return [];
    const box = boxOf(one.part);
    const letters = lettersOf(one.part, laid.isRtl)[0] ?? box;
    const [x, y] = [(letters.left + letters.right) / 2, (letters.top + letters.bottom) / 2];
    let ground: Color = video;
    for (const below of drawn.slice(0, index)) {
      const fill = groundOf(below, video);
      const room = boxOf(below.part);
      const isUnder = room.left <= x && x <= room.right && room.top <= y && y <= room.bottom;
      if (fill && isUnder) ground = over(fill[0], fill[1], ground);
    }
    const isPlain = shape.kind === 'pill' ? shape.ground !== '' : shape.isPlain === true;
    // Letters without a plate have an outline.
    if (laid.theme.strokewidth > 0 && !isPlain) ground = over(laid.theme.stroke, one.at.alpha, ground);
    if (shape.kind === 'pill' && shape.ground !== '') ground = over(shape.ground, one.at.alpha, ground);
    const ink = over(shape.kind === 'pill' ? shape.ink : shape.color, one.at.alpha, ground);
    return [[one.part.key, contrast(ink, ground), one.at.alpha]];
  });
}

describe.each(themeNames)('the theme %s', theme => {
  it.each(drawingStyles)('has enough contrast over black and white: %s', style => {
    const deadline = new Date(1_800_000_005_000).toISOString();
    const polls = [
      knownResults([9, 8, 7, 6, 5, 4, 3, 2]),
      knownResults([5, 3], { deadline }),
      knownHidden({ status: 'closed' }),
      ...Array.from({ length: 14 }, (_, winner) =>
        knownResults(
          Array.from({ length: 14 }, (_, at) => (at === winner ? 99 : at + 1)),
          { status: 'closed' },
        ),
      ),
    ];
    const faults = polls.flatMap((poll, at) => {
      const laid = draw(poll, `style=${style}&theme=${theme}&qr=right&rehearsal=1`);
      return Object.entries(VIDEO).flatMap(([video, color]) =>
        contrastsOf(laid, color)
          .filter(([, ratio, alpha]) => ratio < (alpha < 1 ? READABLE_BESIDE : READABLE))
          .map(([name, ratio]) => `${name} of poll ${at} over ${video}: ${ratio.toFixed(2)}`),
      );
    });
    expect(faults).toEqual([]);
  });
});

const fullStyles = onAir.filter(style => !styleTraits[style].ignores.includes('scene'));

describe.each(fullStyles)('a full picture of the style %s', style => {
  it.each(['theme=dark', 'theme=light', 'theme=flat', 'theme=outline', 'text=c0c0c0&soft=909090'])(
    'has enough contrast over any image and color: %s',
    query => {
      const size = { width: 16, height: 9 };
      const polls = [knownResults([9, 8, 7, 2], { status: 'closed' }), knownResults([5, 3]), knownHidden()];
      const faults = polls.flatMap(poll =>
        Object.entries(VIDEO).flatMap(([video, color]) => {
          const image = { ...size, draw: () => {} };
          const asked = `style=${style}&scene=full&${query}`;
          const shown = layOut(poll, lookOf(asked, HD, { ground: { image, name: video } }), NOW_MS);
          const colored = draw(poll, `${asked}&ground=${video === 'black' ? '000' : 'ffffff'}`);
          return [...contrastsOf(shown, color), ...contrastsOf(colored, color)]
            .filter(([, ratio, alpha]) => ratio < (alpha < 1 ? READABLE_BESIDE : READABLE))
            .map(([name, ratio]) => `${name} over ${video}: ${ratio.toFixed(2)}`);
        }),
      );
      expect(faults).toEqual([]);
    },
  );
});

it.each([
  ['', [640, 360]],
  ['&style=versus', [1280, 720]],
  ['&scene=full', [640, 360]],
] as const)(
  'has a scrim behind texts with an outline, in which each is legible over white: %s',
  (query, size) => {
    const laid = draw(knownResults([9, 8, 7, 6]), `theme=outline${query}`, size);
    const ground = atRest(laid).filter(({ part }) => /^(screen|plate)$/.test(part.key));
    const { data, width } = pixelsOf(ground, laid, size, '#ffffff');
    const at = (x: number, y: number): Color => {
      const [red = 0, green = 0, blue = 0] = data.subarray((y * width + x) * 4);
      return [red, green, blue];
    };
    const box = boxOf(ground[0]!.part);
    const [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom].map(edge =>
      Math.round(edge * laid.unitPx),
    ) as [number, number, number, number];
    for (let y = top + 1; y < bottom - 1; y += 7)
      for (let x = left + 1; x < right - 1; x++)
        expect(contrast([255, 255, 255], at(x, y))).toBeGreaterThanOrEqual(READABLE);
    // It fades without a seam, in each direction.
    const middle = Math.round((top + bottom) / 2);
    for (const [x, y] of [
      [-1, 0],
      [-1, -1],
    ] as const) {
      const lights = Array.from(
        { length: left === 0 ? 0 : Math.min(top, 18) },
        (_, step) => at(left + x * step, (y === 0 ? middle : top) + y * step)[0]!,
      );
      expect(lights).toEqual([...lights].sort((one, other) => one - other));
      expect(lights.at(-1) ?? 255).toBeGreaterThan(200);
    }
  },
);

it('measures contrast as WCAG does', () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBe(21);
  expect(contrast([119, 119, 119], [255, 255, 255])).toBeCloseTo(4.48, 2);
  expect(over('#ffffff80', 1, [0, 0, 0])[0]).toBeCloseTo(128, 0);
});

describe.each(onAir)('%s', style => {
  it.each([
    ['1920x1080', HD],
    ['400x225', [400, 225]],
    ['320x640', [320, 640]],
  ] as const)('has no ink outside the safe area of %s', (_, size: Size) => {
    const [width, height] = size;
    const text = 'ÅÄ gjpqy 👩‍👩‍👧 أَيُّ';
    const results = knownResults([9, 5, 3, 1], { status: 'closed' });
    const poll = {
      ...results,
      title: `${text} `.repeat(4),
      poll_answers: results.poll_answers.map((entry, at) => ({ ...entry, answer: `${text} ${at}` })),
    };
    // Without a shadow, which may reach into the margin.
    const laid = draw(poll, `style=${style}&theme=flat&qr=right&lang=en&rehearsal=1&away=1`, size);
    const { data } = pixelsOf(atRest(laid), laid, size, '#ffffff');
    const [x, y] = [Math.floor(0.05 * width) - 1, Math.floor(0.05 * height) - 1];
    const stray: string[] = [];
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++) {
        const isInside = column >= x && column < width - x && row >= y && row < height - y;
        if (!isInside && data[(row * width + column) * 4 + 1]! < 250) stray.push(`${column}, ${row}`);
      }
    expect(stray).toEqual([]);
  });
});

describe.each([640, 1280, 1920, 2560, 3840])('a donut in a picture %i wide', width => {
  it.each([
    ['halves', [5, 5]],
    ['quarters', [5, 5, 5, 5]],
    ['a quarter and the rest', [3, 1]],
    ['one answer', [8]],
    ['thirds', [4, 4, 4]],
  ] as const)('has an even ring and an empty middle: %s', (_, votes) => {
    const size: Size = [width, (width * 9) / 16];
    const laid = draw(knownResults(votes), 'style=donut', size);
    const rings = atRest(laid).filter(({ part }) => part.shape.kind === 'ring');
    const { data } = pixelsOf(rings, laid, size, '#ffffff');
    const { at, shape } = rings[0]!.part;
    if (shape.kind !== 'ring') throw new Error('no ring');
    const { unitPx } = laid;
    const [outer, centerX, centerY] = [at.width / 2, at.x + at.width / 2, at.y + at.width / 2];
    const inner = outer - shape.thickness;
    const parts = rings.slice(1).map(({ at: { start, value }, part }) => ({
      start,
      end: start + value,
      color: readColor(part.shape.kind === 'ring' ? part.shape.fill.color : ''),
    }));
    const faults = new Set<string>();
    const edge = 1.5 / unitPx;
    for (let row = Math.floor((centerY - outer) * unitPx); row <= (centerY + outer) * unitPx; row++)
      for (
        let column = Math.floor((centerX - outer) * unitPx);
        column <= (centerX + outer) * unitPx;
        column++
      ) {
        const [x, y] = [(column + 0.5) / unitPx - centerX, (row + 0.5) / unitPx - centerY];
        const radius = Math.hypot(x, y);
        if (radius > outer - edge) continue;
        const first = (row * size[0] + column) * 4;
        const [red, green, blue] = [data[first]!, data[first + 1]!, data[first + 2]!];
        if (radius < inner - edge && red + green + blue < 3 * 255)
          faults.add(`in the middle: ${red}, ${green}, ${blue}`);
        if (radius < inner + edge) continue;
        const turn = (Math.atan2(x, -y) / (2 * Math.PI) + 1) % 1;
        const away = (one: number) => Math.abs(((turn - one + 1.5) % 1) - 0.5) * 2 * Math.PI * radius;
        const own = parts.find(({ start, end }) => turn >= start && turn < end);
        if (!own || (parts.length > 1 && Math.min(away(own.start), away(own.end)) < 4 + 2 * edge)) continue;
        const [wanted] = own.color;
        if (Math.max(Math.abs(wanted[0] - red), Math.abs(wanted[1] - green), Math.abs(wanted[2] - blue)) > 2)
          faults.add(`in the ring: ${red}, ${green}, ${blue}`);
      }
    expect([...faults]).toEqual([]);
  });
});

describe('a color of fewer digits', () => {
  const stepped = knownHidden({
    status: 'closed',
    revealed_from: 2,
    total_votes: 8,
    poll_answers: [
      { id: 'a1', answer: 'One', sorting: 1, type: 'text' },
      { id: 'a2', answer: 'Two', sorting: 2, type: 'text', votes: 3, place: 2 },
    ],
  });
  const polls = [knownResults([5, 3]), knownResults([5, 3], { status: 'closed' }), stepped];
  const partsOf = (color: string, scene: string) => {
    const asked = `scene=${scene}&accent=${color}&soft=${color}&colors=${color}`;
    return polls.flatMap(poll => draw(poll, asked).parts);
  };

  it.each([
    ['fd0', 'ffdd00'],
    ['444c', '444444cc'],
  ])('%s draws as %s does, and makes no other color malformed', (short, long) => {
    for (const scene of ['panel', 'full']) {
      const drawn = JSON.stringify(partsOf(short, scene));
      expect(drawn).toBe(JSON.stringify(partsOf(long, scene)));
      for (const [color] of drawn.matchAll(/#[0-9a-f]{2,}/g)) expect([7, 9]).toContain(color.length);
    }
  });
});
