import type { Browser } from 'playwright-core';

/** Every channel of every pixel of a screenshot, read by the browser itself. */
async function readPixels(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const base64 = await page.evaluate(async data => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width: image.width, height: image.height });
    const context = canvas.getContext('2d')!;
    context.drawImage(image, 0, 0);
    const { data: bytes } = context.getImageData(0, 0, image.width, image.height);
    const reader = new FileReader();
    reader.readAsDataURL(new Blob([bytes]));
    await new Promise(done => reader.addEventListener('load', done));
    return String(reader.result).split(',')[1]!;
  }, png.toString('base64'));
  await page.close();
  return Buffer.from(base64, 'base64');
}

/** The first pixel as `red,green,blue`. */
export async function firstColor(browser: Browser, png: Buffer): Promise<string> {
  return [...(await readPixels(browser, png)).subarray(0, 3)].join();
}

/** How far two pictures of one size are apart in the channel where they differ most, 0 to 255. */
export async function largestDifference(browser: Browser, one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = [await readPixels(browser, one), await readPixels(browser, other)];
  let largest = 0;
  for (const [at, channel] of a.entries()) largest = Math.max(largest, Math.abs(channel - b[at]!));
  return largest;
}

/** Letters are drawn a trace differently where they are not clipped. */
const TRACE = 24;

/** The rows of pixels in which two pictures of one size differ visibly, from the top. */
export async function differingRows(browser: Browser, one: Buffer, other: Buffer): Promise<number[]> {
  if (one.equals(other)) return [];
  const page = await browser.newPage();
  const rows = await page.evaluate(
    async ([pictures, trace]) => {
      const read = async (data: string) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        Object.assign(canvas, { width: image.width, height: image.height });
        const context = canvas.getContext('2d')!;
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      const [a, b] = [await read(pictures[0]!), await read(pictures[1]!)];
      const found = new Set<number>();
      for (const [at, channel] of a.data.entries())
        if (Math.abs(channel - b.data[at]!) > trace) found.add(Math.floor(at / (4 * a.width)));
      return [...found];
    },
    [[one.toString('base64'), other.toString('base64')], TRACE] as const,
  );
  await page.close();
  return rows;
}
