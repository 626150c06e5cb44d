import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as canvas from '@napi-rs/canvas';
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Browser } from 'playwright-core';
import type { Canvas2D } from '../../src/picture/draw/canvas.ts';
import { Film, type Motion, STILL } from '../../src/picture/draw/film.ts';
import { type Laid, layOut } from '../../src/picture/draw/lay-out.ts';
import type { Look, VoteCode } from '../../src/picture/draw/look.ts';
import { paint } from '../../src/picture/draw/paint.ts';
import { revealMotion } from '../../src/picture/draw/timing.ts';
import { TypeSetter } from '../../src/picture/draw/type-setter.ts';
import { readParameters, type Settings } from '../../src/picture/parameters.ts';
import type { PollSnapshot } from '../../src/picture/picture.ts';
import { Rehearsal } from '../../src/picture/rehearsal.ts';
import { OverlayWording } from '../../src/picture/wording.ts';
import { seededRandom } from '../../src/poll/rehearsal.ts';
import { revealedAnswers } from '../../src/poll/reveal-steps.ts';
import { FAMILIES, registerFonts } from '../../src/still/fonts.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';
import { findFreePort } from '../support/free-port.ts';
import { type Frame, joinFrames } from './animated-webp.ts';
import { launchChromium } from './chromium.ts';

const SCREEN = { width: 960, height: 540 };
const PHONE = { width: 390, height: 720 };
const ON_AIR = {
  'bars-dark': 'style=bars',
  'versus-final': 'style=versus&cast=two&moment=closed&align=center',
  'hidden-code': 'style=bars&moment=hidden&qr=right',
};
const SEED = 41;
const VOTES = [469, 1126, 548, 413, 606];
const PAUSE_MS = 1_200;
const HOLD_MS = 3_000;
const STEP_MS = 700;
/** Of a long strip, which is a file of half a megabyte as it is. */
const LONG = { frameMs: 110, quality: 55 };
const QUALITY = 70;
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
    registerFonts(canvas, pathToFileURL(join(process.cwd(), 'dist', 'fonts/')));
    const code = await readCode(`${relay.url}/api/poll/rehearsal/qr.json`);
    for (const [name, query] of Object.entries(ON_AIR))
      writeFileSync(join(FOLDER, `${name}.png`), drawOnAir(query, code));
    writeFileSync(join(FOLDER, 'reveal.webp'), await drawReveal());
    writeFileSync(join(FOLDER, 'steps.webp'), await drawSteps());
    await takePhones(browser, relay, join(FOLDER, 'phones.png'));
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
  const child = spawn(process.execPath, ['dist/start/main.js'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
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

async function readCode(url: string): Promise<VoteCode> {
  return (await fetch(url)).json() as Promise<VoteCode>;
}

/** What an overlay with this query shows of a rehearsal, without the mark of one. */
function drawOnAir(query: string, code: VoteCode): Buffer {
  const { settings: asked } = readParameters(new URLSearchParams(query));
  const poll = new Rehearsal(asked, Date.now(), seededRandom(SEED)).read(Date.now());
  const screen = new Screen(asked, code);
  screen.show(poll, 0, STILL);
  return screen.draw(0).toBuffer('image/png');
}

/** A screen with evening light, and an overlay before it. */
class Screen {
  readonly #canvas = createCanvas(SCREEN.width, SCREEN.height);
  readonly #context = this.#canvas.getContext('2d');
  readonly #type = new TypeSetter(this.#context as unknown as Canvas2D, FAMILIES);
  readonly #film = new Film();
  readonly #look: Look;
  #laid: Laid | undefined;

  constructor(settings: Settings, code?: VoteCode) {
    this.#look = {
      settings,
      code,
      type: this.#type,
      width: SCREEN.width,
      height: SCREEN.height,
      wording: new OverlayWording('en', settings.decimals),
      logo: undefined,
      ground: undefined,
      isCodePermanent: true,
      around: { away: false },
      turn: 0,
    };
  }

  show(poll: PollSnapshot, nowMs: number, motion: Motion): void {
    this.#laid = layOut(poll, this.#look, Date.now());
    this.#film.show(this.#laid.parts, nowMs, motion);
  }

  reveal(poll: PollSnapshot, nowMs: number, pauseMs: number): void {
    const before = this.#laid?.picture;
    this.#laid = layOut(poll, this.#look, Date.now());
    this.#film.show(this.#laid.parts, nowMs, revealMotion(before, this.#laid.picture, 1, pauseMs).motion);
  }

  get endMs(): number {
    return this.#film.endMs;
  }

  draw(nowMs: number, { x, y, width, height } = { x: 0, y: 0, ...SCREEN }): Canvas {
    const { unitPx } = this.#laid!;
    const context = this.#context;
    paintDusk(context);
    context.save();
    context.scale(unitPx, unitPx);
    paint(context as unknown as Canvas2D, this.#film.at(nowMs), { type: this.#type, unitPx });
    context.restore();
    const clipped = createCanvas(width, height);
    clipped.getContext('2d').drawImage(this.#canvas, -x, -y);
    return clipped;
  }
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

const TITLE = 'Which song should close the show?';

interface Shown {
  readonly poll: PollSnapshot;
  /** How long the picture stays after its last movement. */
  readonly holdMs: number;
}

/** Hidden results come, from the last place to the first. */
function drawReveal(): Promise<Buffer> {
  return drawStrip([
    { poll: songs(undefined), holdMs: HOLD_MS / 2 },
    { poll: songs('all'), holdMs: HOLD_MS },
  ]);
}

/** The same, place by place, as an operator takes the steps. */
function drawSteps(): Promise<Buffer> {
  const steps = [5, 4, 3, 2].map(place => ({ poll: songs(place), holdMs: STEP_MS }));
  return drawStrip(
    [{ poll: songs(undefined), holdMs: STEP_MS }, ...steps, { poll: songs('all'), holdMs: HOLD_MS }],
    LONG,
  );
}

/** A closed poll of songs. @param from the best place that is shown; undefined for none */
function songs(from: number | 'all' | undefined): PollSnapshot {
  const results = knownResults(VOTES, { title: TITLE, status: 'closed' });
  const answers = results.poll_answers.map((answer, at) => ({ ...answer, answer: SONGS[at]! }));
  if (from === 'all') return { ...results, poll_answers: answers };
  const revealed = revealedAnswers({ votes: VOTES, revealedFrom: from });
  const poll_answers = answers.map(({ votes: _, ...answer }, at) => ({ ...answer, ...revealed[at] }));
  const { total_votes, total_voters } = results;
  const shown = from === undefined ? {} : { revealed_from: from, total_votes, total_voters };
  return knownHidden({ title: TITLE, status: 'closed', poll_answers, ...shown });
}

/** Each picture replaces the one before as a reveal, or a step of one. */
async function drawStrip(
  strip: readonly Shown[],
  { frameMs, quality } = { frameMs: FRAME_MS, quality: QUALITY },
): Promise<Buffer> {
  const { settings } = readParameters(new URLSearchParams());
  const screen = new Screen(settings);
  const shots: { readonly webp: Buffer; readonly atMs: number }[] = [];
  let atMs = 0;
  for (const [at, { poll, holdMs }] of strip.entries()) {
    if (at === 0) screen.show(poll, atMs, STILL);
    else screen.reveal(poll, atMs, PAUSE_MS);
    const endMs = Math.max(atMs, screen.endMs);
    for (; atMs < endMs + frameMs; atMs += frameMs) {
      const webp = await screen.draw(atMs, CORNER).encode('webp', quality);
      if (!shots.at(-1)?.webp.equals(webp)) shots.push({ webp, atMs });
    }
    atMs += holdMs;
  }
  const frames = shots.map(({ webp, atMs: fromMs }, at): Frame => {
    return { webp, durationMs: (shots[at + 1]?.atMs ?? atMs) - fromMs };
  });
  return joinFrames(frames, CORNER);
}

/** A picture to lay an overlay over: evening light in a few flat bands, which make small files. */
function paintDusk(paint: SKRSContext2D): void {
  const { width, height } = SCREEN;
  const bands = ['#1d2440', '#2f2f55', '#4f3b66', '#7b4a6b', '#a95e66', '#d17f5f', '#eaa765', '#f6cf84'];
  for (const [at, color] of bands.entries()) {
    paint.fillStyle = color;
    paint.beginPath();
    paint.arc(width * 0.72, height * 1.05, width * (1.05 - at * 0.13), 0, 7);
    if (at === 0) paint.rect(0, 0, width, height);
    paint.fill();
  }
}

await takeReadmePictures();
