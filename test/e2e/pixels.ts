import type { Browser } from 'playwright-core';

/** The color of the first pixel of a screenshot as `red,green,blue`, read by the browser itself. */
export async function firstColor(browser: Browser, png: Buffer): Promise<string> {
  const page = await browser.newPage();
  const color = await page.evaluate(async data => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const context = document.createElement('canvas').getContext('2d')!;
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, 1, 1).data.slice(0, 3).join();
  }, png.toString('base64'));
  await page.close();
  return color;
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
      const [one, other] = [new Uint32Array(a.data.buffer), new Uint32Array(b.data.buffer)];
      const found = new Set<number>();
      // Whole pixels first: there are ten million, and nearly all are equal.
      for (let at = 0; at < one.length; at += 1) {
        if (one[at] === other[at]) continue;
        const isSeen = [0, 1, 2, 3].some(
          channel => Math.abs(a.data[4 * at + channel]! - b.data[4 * at + channel]!) > trace,
        );
        if (isSeen) found.add(Math.floor(at / a.width));
      }
      return [...found];
    },
    [[one.toString('base64'), other.toString('base64')], TRACE] as const,
  );
  await page.close();
  return rows;
}
