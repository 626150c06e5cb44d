import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import { findFreePort } from '../support/free-port.ts';
import { type Frame, joinFrames } from './animated-webp.ts';
import { launchChromium } from './chromium.ts';
import { StagePages } from './stage-page.ts';
import type { StageWindow } from './stage-window.ts';

const SCREEN = { width: 960, height: 540 };
const PHONE = { width: 390, height: 720 };
const ON_AIR = {
  'bars-dark': 'style=bars',
  'versus-final': 'style=versus&cast=two&moment=closed&align=center',
  'hidden-code': 'style=bars&moment=hidden&qr=right',
};
/** Slow motion, so that pictures of it can be taken one after the other. */
const SLOWNESS = 4;
const REVEAL_MS = 4_200;
const PAUSE_S = 1.2;
const HOLD_MS = 3_000;
const QUALITY = 0.7;
/** In the time of the reveal, from one picture to the next. */
const FRAME_MS = 70;
/** The corner in which it happens. */
const CORNER = { x: 0, y: 0, width: 560, height: 540 };

const SONGS = ['Northern Lights', 'Paper Planes', 'Golden Hour', 'Midnight Train', 'Slow Motion'];
const PHONES = [
  { lang: 'en', scheme: 'light', title: 'Which song should close the show?', answers: SONGS },
  {
    lang: 'ar',
    scheme: 'dark',
    title: 'أي أغنية تختتم العرض؟',
    answers: ['أضواء الشمال', 'طائرات ورقية', 'الساعة الذهبية', 'قطار منتصف الليل', 'حركة بطيئة'],
  },
] as const;

const FOLDER = 'test/e2e/pictures';

/** Draws what the README shows: `npm run pictures`. */
async function takeReadmePictures(): Promise<void> {
  const [browser, relay] = await Promise.all([launchChromium(), startRelay()]);
  try {
    for (const [name, query] of Object.entries(ON_AIR)) {
      const address = `${relay.url}/overlay/rehearsal?rehearsal=1&speed=0&${query}`;
      await takeOnAir(browser, address, join(FOLDER, `${name}.png`));
    }
    await takePhones(browser, relay, join(FOLDER, 'phones.png'));
    await takeReveal(browser, join(FOLDER, 'reveal.webp'));
  } finally {
    await relay.stop();
    await browser.close();
  }
}

interface Relay {
  readonly url: string;
  readonly voteUrl: string;
  stop(): Promise<void>;
}

/** The program as people run it, on a poll store of its own. */
async function startRelay(): Promise<Relay> {
  const [port, votePort] = [await findFreePort(), await findFreePort()];
  const dataDir = mkdtempSync(join(tmpdir(), 'tallycast-pictures-'));
  const addresses = {
    PORT: `${port}`,
    VOTE_PORT: `${votePort}`,
    VOTE_PUBLIC_URL: 'https://vote.example.org',
  };
  const env = { ...process.env, ...addresses, DATA_DIR: dataDir, REDIS_URL: '', LOG_LEVEL: 'error' };
  const child = spawn(process.execPath, ['dist/main.js'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok)
    await new Promise(done => setTimeout(done, 100));
  return {
    url,
    voteUrl: `http://127.0.0.1:${votePort}`,
    async stop() {
      child.kill();
      await new Promise(done => child.once('exit', done));
      rmSync(dataDir, { recursive: true });
    },
  };
}

async function takeOnAir(browser: Browser, address: string, path: string): Promise<void> {
  const page = await browser.newPage({ viewport: SCREEN, locale: 'en-US' });
  const video = await page.evaluate(paintDusk);
  await page.setContent(
    `<style>body { margin: 0; background: url(${video}) } iframe { width: 100vw; height: 100vh; border: 0 }</style>
    <iframe src="${address}"></iframe>`,
  );
  const overlay = page.frameLocator('iframe');
  await overlay.locator('.tallycast:not(.empty) .panel').waitFor({ state: 'attached' });
  if (address.includes('qr=')) await overlay.locator('.code-card path[d]').waitFor();
  // What is being shown is the picture, and that it is a rehearsal goes without saying.
  await overlay.locator('.rehearsal').evaluate(element => element.remove());
  await page.screenshot({ path });
  await page.close();
  console.log(path);
}

/** A voting page in two languages, side by side. */
async function takePhones(browser: Browser, { url, voteUrl }: Relay, path: string): Promise<void> {
  const pictures: string[] = [];
  for (const { lang, scheme, title, answers } of PHONES) {
    const poll = { title, answers, closes_in: 900 };
    const created = await fetch(`${url}/api/poll`, { method: 'POST', body: JSON.stringify({ poll }) });
    const { id } = (await created.json()) as { id: string };
    const page = await browser.newPage({ viewport: PHONE, locale: lang, colorScheme: scheme });
    await page.goto(`${voteUrl}/${id}`);
    await page.locator('label.answer').nth(1).click();
    pictures.push((await page.screenshot()).toString('base64'));
    await page.close();
  }
  const page = await browser.newPage({
    viewport: { width: 2 * PHONE.width + 90, height: PHONE.height + 60 },
  });
  const phones = pictures.map(data => `<img src="data:image/png;base64,${data}">`);
  await page.setContent(`<style>
    body { margin: 0; display: flex; gap: 30px; padding: 30px; background: #2f2f55 }
    img { border-radius: 34px }
  </style>${phones.join('')}`);
  await page.screenshot({ path });
  await page.close();
  console.log(path);
}

/** Hidden results come, from the last place to the first. */
async function takeReveal(browser: Browser, path: string): Promise<void> {
  const pages = await StagePages.bundle(browser);
  const page = await pages.open(SCREEN.width, SCREEN.height);
  const text = {
    title: 'Which song should close the show?',
    poll_answers: knownResults([469, 1126, 548, 413, 606]).poll_answers.map((answer, at) => ({
      ...answer,
      answer: SONGS[at]!,
    })),
  };
  await page.evaluate(
    video => {
      document.body.style.background = `url(${video})`;
    },
    await page.evaluate(paintDusk),
  );
  const show = (poll: ReturnType<typeof knownResults> | ReturnType<typeof knownHidden>) =>
    page.evaluate(([query, scene]) => (globalThis as unknown as StageWindow).show(query, scene), [
      `speed=${1 / SLOWNESS}&reveal_pause=${PAUSE_S * SLOWNESS}`,
      { poll, away: false },
    ] as const);
  await show(
    knownHidden({ ...text, poll_answers: text.poll_answers.map(({ votes: _, ...answer }) => answer) }),
  );
  const shots = [{ png: await page.screenshot({ clip: CORNER }), atMs: 0 }];
  await show(knownResults([469, 1126, 548, 413, 606], text));
  const beganMs = performance.now();
  for (let atMs = 0; atMs < REVEAL_MS; atMs = (performance.now() - beganMs) / SLOWNESS) {
    const png = await page.screenshot({ clip: CORNER });
    if (!png.equals(shots.at(-1)!.png)) shots.push({ png, atMs });
    await page.waitForTimeout(FRAME_MS * SLOWNESS - ((performance.now() - beganMs) % (FRAME_MS * SLOWNESS)));
  }
  const frames: Frame[] = [];
  for (const [at, { png, atMs }] of shots.entries()) {
    const untilMs = at === 0 ? atMs + HOLD_MS / 2 : (shots[at + 1]?.atMs ?? atMs + HOLD_MS);
    frames.push({ webp: await toWebp(page, png), durationMs: untilMs - atMs });
  }
  writeFileSync(path, joinFrames(frames, CORNER));
  await pages.close();
  console.log(path);
}

async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
  const url = await page.evaluate(
    async ({ data, quality }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width: image.width, height: image.height });
      canvas.getContext('2d', { alpha: false })!.drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', quality);
    },
    { data: png.toString('base64'), quality: QUALITY },
  );
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

/** A picture to lay an overlay over, as a data URL: evening light in a few flat bands, which make small files. Runs in the page. */
function paintDusk(): string {
  const canvas = document.createElement('canvas');
  canvas.width = innerWidth;
  canvas.height = innerHeight;
  const paint = canvas.getContext('2d')!;
  const bands = ['#1d2440', '#2f2f55', '#4f3b66', '#7b4a6b', '#a95e66', '#d17f5f', '#eaa765', '#f6cf84'];
  for (const [at, color] of bands.entries()) {
    paint.fillStyle = color;
    paint.beginPath();
    paint.arc(innerWidth * 0.72, innerHeight * 1.05, innerWidth * (1.05 - at * 0.13), 0, 7);
    if (at === 0) paint.rect(0, 0, innerWidth, innerHeight);
    paint.fill();
  }
  return canvas.toDataURL();
}

await takeReadmePictures();
