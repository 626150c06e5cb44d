import type { Browser } from 'playwright-core';

/** The colour of the first pixel of a screenshot as `red,green,blue`, read by the browser itself. */
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
