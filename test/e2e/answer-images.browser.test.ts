import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/api-request.ts';
import { png } from '../support/images.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { findViolations } from './axe.ts';
import { browserRig } from './browser-rig.ts';
import { firstColor } from './pixels.ts';

const rig = browserRig<LiveSite>(() => startLiveSite({ proofCost: 10 }));
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const KB = 1024;
/** Bytes a second, and milliseconds: a phone on 3G. */
const THREE_G = { offline: false, downloadThroughput: 90_000, uploadThroughput: 40_000, latency: 300 };

async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await rig.browser.newContext({ locale: 'en-US', ...options });
  return context.newPage();
}

async function put(id: string, answer: string, image: Buffer, key: string): Promise<void> {
  const reply = await ask(`${rig.site.relay.url}/api/poll/${id}/answer/${answer}/image`, {
    method: 'PUT',
    headers: { 'x-api-key': key },
    body: new Uint8Array(image),
  });
  expect(reply.status).toBe(200);
}

/** Each picture has another color. @param bytes of each */
async function pictured(count: number, bytes = 0) {
  const answers = Array.from({ length: count }, (_, index) => ({
    answer: `Song ${index + 1}${index === 1 ? ' with a name that is much longer than those of the others' : ''}`,
    color: '#00a000',
  }));
  const made = await rig.site.createPoll({ title: 'Which song?', answers });
  for (const [index, { id }] of made.poll.answers.entries())
    await put(made.id, id, png(40, 40, [200, 10 * index, 0], bytes), made.adminKey);
  return made;
}

const boxesOf = (page: Page) =>
  page.locator('.answer').evaluateAll(answers =>
    answers.map(answer => {
      const { x, y, width, height } = answer.getBoundingClientRect();
      return [x, y + scrollY, width, height].map(Math.round);
    }),
  );

/** In the middle of a box. */
async function colorOf(face: Locator): Promise<string> {
  await face.evaluate(box => box.scrollIntoView({ block: 'center' }));
  const { x, y, width, height } = (await face.boundingBox())!;
  const clip = { x: x + width / 2, y: y + height / 2, width: 4, height: 4 };
  return firstColor(rig.browser, await face.page().screenshot({ clip }));
}

describe('answers with pictures on the voting page', () => {
  it('are a grid with readable names, in which nothing moves while pictures are late, missing or broken', async () => {
    const { id, poll } = await pictured(5);
    const page = await newPage(PHONE);
    let release = () => {};
    const held = new Promise<void>(done => {
      release = done;
    });
    const files = poll.answers.map(({ id }) => id);
    const urls: string[] = [];
    await page.route(/\/image\//, async route => {
      const place = urls.push(route.request().url()) - 1;
      await held;
      if (place === 3) await route.fulfill({ body: 'not an image', contentType: 'image/png' });
      else if (place === 4) await route.abort();
      else await route.continue();
    });
    // With its script, without which there is no check of a human, and before its pictures.
    await page.goto(`${rig.site.url}/${id}`, { waitUntil: 'domcontentloaded' });
    await page.locator('.answer').nth(4).waitFor();
    await expect.poll(() => urls.length).toBe(files.length);
    const before = await boxesOf(page);
    expect(before[1]![1]).toBe(before[0]![1]);
    expect(before[2]![1]).toBeGreaterThan(before[0]![1]!);
    const faces = page.locator('.answer .face');
    const late = await colorOf(faces.first());
    release();
    await expect.poll(() => colorOf(faces.first())).not.toBe(late);
    await page.waitForLoadState('load');
    expect(await boxesOf(page)).toEqual(before);
    const broken = urls.map(url => page.locator(`.answer img[src="${url}"]`)).slice(3);
    for (const image of broken) {
      expect(await colorOf(image.locator('..'))).toBe(late);
    }
    const names = await page
      .locator('.answer > span')
      .evaluateAll(spans => spans.map(span => span.scrollWidth <= span.clientWidth && span.clientHeight > 0));
    expect(names).toEqual([true, true, true, true, true]);
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('Song 3').tap();
    await page.getByRole('button', { name: 'Vote', exact: true }).tap();
    await page.getByRole('heading', { name: 'Your vote has been counted' }).waitFor();
    expect(await page.locator('.rows .face img').count()).toBe(5);
    expect((await rig.site.counts(id)).votes).toEqual([0, 0, 1, 0, 0]);
  });

  it('are cropped to a point, near the top by default, before the vote and after', async () => {
    const made = await rig.site.createPoll({
      image: 'https://pictures.example/a.png',
      image_focus: [10, 20],
      answers: ['One', { answer: 'Two', image_focus: [99.5, 0] }],
    });
    for (const { id } of made.poll.answers) await put(made.id, id, png(40, 80), made.adminKey);
    const page = await newPage(PHONE);
    await page.goto(`${rig.site.url}/${made.id}`);
    const positions = (of: string) =>
      page.locator(of).evaluateAll(images => images.map(image => getComputedStyle(image).objectPosition));
    expect(await positions('.picture')).toEqual(['0% 0%']);
    expect(await positions('.answer img')).toEqual(['50% 6%', '100% 0%']);
    await page.getByLabel('Two').tap();
    await page.getByRole('button', { name: 'Vote', exact: true }).tap();
    await page.getByRole('heading', { name: 'Your vote has been counted' }).waitFor();
    expect(await positions('.rows img')).toEqual(['50% 6%', '100% 0%']);
  });

  it('let a phone on 3G vote before the last of 20 pictures of 200 KB has come', async () => {
    const { id } = await pictured(20, 199 * KB);
    const page = await newPage(PHONE);
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', THREE_G);
    const whole = new Set<string>();
    page.on('requestfinished', request => request.url().includes('/image/') && whole.add(request.url()));
    // With its script, without which there is no check of a human, and before its pictures.
    await page.goto(`${rig.site.url}/${id}`, { waitUntil: 'domcontentloaded' });
    await page.getByLabel('Song 1', { exact: true }).tap();
    const button = page.getByRole('button', { name: 'Vote', exact: true });
    const [reply] = await Promise.all([
      page.waitForResponse(response => response.url().endsWith('/ballot')),
      button.tap(),
    ]);
    expect(reply.ok()).toBe(true);
    expect(whole.size).toBeLessThan(20);
    expect((await rig.site.counts(id)).voters).toBe(1);
  });
});

describe('a creator', () => {
  it('takes a chosen picture back, and a new answer has none', async () => {
    const page = await newPage();
    await page.goto(`${rig.site.url}/new`);
    await page.getByText('Colors and pictures').click();
    const field = page.getByLabel('Picture: 1', { exact: true });
    await field.setInputFiles({ name: 'soup.png', mimeType: 'image/png', buffer: png(30, 30) });
    await page.getByLabel('Remove picture: 1').waitFor();
    await page.getByRole('button', { name: 'Add answer' }).click();
    expect(await page.locator('[data-chosen]').count()).toBe(1);
    await page.getByLabel('Remove picture: 1').click();
    expect(await page.locator('[data-chosen]').count()).toBe(0);
    expect(await field.evaluate(input => (input as HTMLInputElement).files?.length)).toBe(0);
  });

  it('gives answers of a new poll colors and pictures, a large photo too', async () => {
    const page = await newPage();
    await page.goto(`${rig.site.url}/new`);
    const photo = await page.evaluate(async () => {
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = 400;
      const context = canvas.getContext('2d')!;
      const pixels = context.createImageData(400, 400);
      let noise = 1;
      pixels.data.forEach((_, at) => {
        noise = (noise * 48_271) % 2_147_483_647;
        pixels.data[at] = noise % 256;
      });
      context.putImageData(pixels, 0, 0);
      const blob = await new Promise<Blob | null>(done => canvas.toBlob(done, 'image/png'));
      return [...new Uint8Array(await blob!.arrayBuffer())];
    });
    await page.getByLabel('Question', { exact: true }).fill('Lunch?');
    await page.getByLabel('Answer 1', { exact: true }).fill('Soup');
    await page.getByLabel('Answer 2', { exact: true }).fill('Salad');
    expect(await page.getByLabel('Color: 1').isVisible()).toBe(false);
    await page.getByText('Colors and pictures').click();
    await page.getByLabel('Color: 2').fill('#ff0000');
    const [small, large] = [png(30, 30), Buffer.from(photo)];
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/png', buffer });
    await page.getByLabel('Picture: 1').setInputFiles(file('broken.png', Buffer.from('not an image')));
    await page.getByText('Answer 1: the picture couldn’t be saved.').waitFor();
    await page.getByLabel('Picture: 1', { exact: true }).setInputFiles(file('soup.png', small));
    expect(await page.getByText('the picture couldn’t be saved').count()).toBe(0);
    await page.getByLabel('Picture: 2', { exact: true }).setInputFiles(file('salad.png', large));
    await page.getByLabel('Remove picture: 2').waitFor();
    expect(await page.locator('[data-chosen] canvas').count()).toBe(2);
    await page.getByText('More options').click();
    await page.locator('[data-question] [type=file]').setInputFiles(file('lunch.png', small));
    await page.getByLabel('Remove picture: Question').waitFor();
    await page.route('**/answer/*/image', route => route.abort(), { times: 1 });
    await page.getByRole('button', { name: /Yes, at an event/ }).click();
    await page.getByText('Answer 1: the picture couldn’t be saved.').waitFor();
    await page.getByRole('button', { name: /Yes, at an event/ }).click();
    const voteUrl = await page.getByLabel('Voting link', { exact: true }).inputValue();
    const voter = await newPage();
    await voter.goto(voteUrl);
    const shown = () =>
      voter.locator('img.picture').evaluate(image => (image as HTMLImageElement).naturalWidth);
    await expect.poll(shown).toBe(30);
    const results = await rig.site.relay.read(voteUrl.slice(-12));
    const [soup, salad] = results.poll_answers;
    expect([soup?.color, salad?.color]).toEqual([undefined, '#ff0000']);
    const served = await Promise.all(
      [soup, salad].map(async answer => {
        const reply = await fetch(`${rig.site.relay.url}${answer?.image}`);
        return Buffer.from(await reply.arrayBuffer());
      }),
    );
    expect(served[0]?.equals(small)).toBe(true);
    expect(large.length).toBeGreaterThan(200 * KB);
    expect(served[1]?.length).toBeLessThanOrEqual(200 * KB);
  });
});
