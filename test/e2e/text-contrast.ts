import type { Page } from 'playwright-core';

/** How far in colour a pixel has to change without its letter, of those that change most: to be part of one, to be its core. */
const PART = 0.1;
const CORE = 0.85;
/** A neighbour or two of thousands may be the edge of something else. */
const OUTLIERS = 0.05;

const TEXTS =
  '.title, .label, .tag, .foot span, .number, .best, .count, .percent, .turns, .rehearsal, .address';
const WITHOUT_LETTERS = '.tallycast * { -webkit-text-fill-color: transparent !important }';

/**
 * The contrast of every text on a stage with what lies directly around its letters, from the pixels of two screenshots, one
 * with and one without letters: the plate, or an outline, over the video. Each is `[text, ratio]`, WCAG's.
 */
export async function measureContrast(page: Page): Promise<[text: string, ratio: number][]> {
  const panel = await page.locator('.panel').boundingBox();
  const clip = { x: panel!.x - 8, y: panel!.y - 8, width: panel!.width + 16, height: panel!.height + 16 };
  const boxes = await page.evaluate(findTexts, { selector: TEXTS, ...clip });
  const drawn = await page.screenshot({ clip });
  const style = await page.addStyleTag({ content: WITHOUT_LETTERS });
  const bare = await page.screenshot({ clip });
  await style.evaluate(element => (element as HTMLElement).remove());
  const pictures = [drawn, bare].map(png => png.toString('base64'));
  return page.evaluate(compare, { pictures, boxes, PART, CORE, OUTLIERS });
}

interface TextBox {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The texts within an area, in its coordinates. Runs in the page. */
function findTexts({
  selector,
  x,
  y,
  width,
  height,
}: { selector: string } & Omit<TextBox, 'text'>): TextBox[] {
  const boxes: TextBox[] = [];
  for (const element of document.querySelectorAll<HTMLElement>(selector)) {
    const box = element.getBoundingClientRect();
    const isLeaf = element.children.length === 0 && element.textContent !== '';
    const isSeen = getComputedStyle(element).visibility === 'visible' && !element.closest('.waits');
    const isInside = box.left >= x && box.top >= y && box.right <= x + width && box.bottom <= y + height;
    if (!isLeaf || !isSeen || !isInside || box.width < 1) continue;
    const name = `${element.className} "${element.textContent}"`;
    const [left, top] = [Math.floor(box.left - x), Math.floor(box.top - y)];
    boxes.push({ text: name, x: left, y: top, width: Math.ceil(box.width), height: Math.ceil(box.height) });
  }
  return boxes;
}

interface Compared {
  readonly pictures: readonly string[];
  readonly boxes: readonly TextBox[];
  readonly PART: number;
  readonly CORE: number;
  readonly OUTLIERS: number;
}

/** Runs in the page. */
async function compare({ pictures, boxes, PART, CORE, OUTLIERS }: Compared): Promise<[string, number][]> {
  const [drawn, bare] = await Promise.all(
    pictures.map(async data => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width: image.width, height: image.height });
      const context = canvas.getContext('2d', { willReadFrequently: true })!;
      context.drawImage(image, 0, 0);
      return context;
    }),
  );
  const linear = (channel: number) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const luminance = (data: Uint8ClampedArray, at: number) =>
    0.2126 * linear(data[at]!) + 0.7152 * linear(data[at + 1]!) + 0.0722 * linear(data[at + 2]!);
  const ratio = (a: number, b: number) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  return boxes.map(({ text, x, y, width, height }) => {
    const a = drawn!.getImageData(x, y, width, height).data;
    const b = bare!.getImageData(x, y, width, height).data;
    const change = Array.from({ length: width * height }, (_, at) =>
      Math.max(...[0, 1, 2].map(channel => Math.abs(a[at * 4 + channel]! - b[at * 4 + channel]!))),
    );
    const most = change.reduce((one, other) => Math.max(one, other), 0);
    const letters: number[] = [];
    const around: number[] = [];
    for (const [at, changed] of change.entries()) {
      if (changed > CORE * most) letters.push(luminance(a, at * 4));
      if (changed > PART * most) continue;
      const column = at % width;
      const near = [-1, 0, 1].flatMap(dx =>
        column + dx < 0 || column + dx >= width
          ? []
          : [-1, 0, 1].map(dy => change[at + dx + dy * width] ?? 0),
      );
      if (near.some(other => other > PART * most)) around.push(luminance(a, at * 4));
    }
    // Invisible text has no pixels of its own.
    if (most < 8 || around.length === 0) return [text, 1];
    const letter = letters.sort((one, other) => one - other)[letters.length >> 1]!;
    const ratios = around.map(backing => ratio(letter, backing)).sort((one, other) => one - other);
    return [text, ratios[Math.floor(ratios.length * OUTLIERS)]!];
  });
}
