import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../e2e/chromium.ts';
import { png } from '../../support/images.ts';
import {
  nextBallot,
  openBenchEngine,
  type RunningRelay,
  redisObstacle,
  startRelay,
} from '../contender/tallycast.ts';
import { pause } from '../system/clock.ts';
import { type Bench, percentile, row, type Sample, type Standing } from './bench.ts';

const SCENE = 'a reveal, 1080p, software rendering';
const OVERLAY = 'Tallycast overlay, 12 answers';
const OVERLAY_WITH_IMAGES = `${OVERLAY} with images of 1024 x 1024`;
const BARE_PAGE = 'bare page that moves one square';
const ANSWERS = 12;
/** How many votes the last answer has, and how many more each one before it. */
const STEP = 3;
/** A reveal is over after two seconds. */
const REVEAL_MS = 1_900;
/** A sixtieth of a second, rounded. */
const FRAME_MS = 17;
/** In a trace: the clock that frames are begun by, and a frame put on the display. */
const TICK = 'DelayBasedBeginFrameSource::OnTimerTick';
const SHOWN = 'Display::DrawAndSwap';
/** What drawing a frame costs: script, style, layout and paint; commit; pixels; layers laid together, and shown. */
const COSTS = [
  'ProxyMain::BeginMainFrame',
  'ProxyImpl::ReadyToCommit',
  'RasterTask',
  'ProxyImpl::ScheduledActionDraw',
  SHOWN,
];
/** A page that was just loaded has more to do. */
const SETTLED_MS = 1_000;
const SCREEN = { width: 1920, height: 1080 };

export const frames: Bench = {
  name: 'frames',
  title: 'Frames: how evenly pictures follow each other while results are revealed',
  control: BARE_PAGE,
  targets: [
    ...[OVERLAY, OVERLAY_WITH_IMAGES].map(contender => ({
      contender,
      metric: `frames within ${FRAME_MS} ms`,
      text: 'at least 95 %, or as many as the bare page',
      isMet: ({ value, ratio }: Standing) => value >= 95 || ratio >= 1,
    })),
  ],
  async run({ quick, note, progress }) {
    const obstacle = redisObstacle();
    if (obstacle) {
      note(obstacle);
      return [];
    }
    const relay = await startRelay();
    const browser = await launchChromium();
    try {
      const samples: Sample[] = [];
      const contenders: [string, (browser: Browser, relay: RunningRelay) => Promise<FrameTimes>][] = [
        [BARE_PAGE, moveSquare],
        [OVERLAY, (browser, relay) => revealPoll(browser, relay)],
        [OVERLAY_WITH_IMAGES, (browser, relay) => revealPoll(browser, relay, png(1_024, 1_024))],
      ];
      for (const [contender, run] of contenders) {
        const traces: FrameTimes[] = [];
        for (let time = 0; time < (quick ? 1 : 5); time += 1) {
          progress(contender);
          traces.push(await run(browser, relay));
        }
        const gaps = traces.flatMap(({ gaps }) => gaps).sort((one, other) => one - other);
        const within = (gaps.filter(gap => Math.round(gap) <= FRAME_MS).length / gaps.length) * 100;
        const costMs = traces.reduce((sum, trace) => sum + trace.costMs, 0) / gaps.length;
        samples.push(
          ...row(SCENE, contender, [
            [`frames within ${FRAME_MS} ms`, '%', within],
            ['from frame to frame p95', 'ms', percentile(gaps, 0.95)],
            ['from frame to frame p99', 'ms', percentile(gaps, 0.99)],
            ['CPU per frame', 'ms', costMs],
          ]),
        );
      }
      return samples;
    } finally {
      await browser.close();
      await relay.stop();
    }
  },
};

/** The least that can move: one square, by transform, as long as a reveal. */
async function moveSquare(browser: Browser): Promise<FrameTimes> {
  const page = await browser.newPage({ viewport: SCREEN });
  await page.setContent('<div style="width: 200px; height: 200px; background: red; will-change: transform">');
  return measure(browser, page, () =>
    page.evaluate(ms => {
      document
        .querySelector('div')!
        .animate({ transform: ['none', 'translateX(1500px)'] }, { duration: ms, fill: 'forwards' });
    }, REVEAL_MS),
  );
}

/** A hidden poll with votes on it, shown by its creator. @param image of each answer */
async function revealPoll(
  browser: Browser,
  { port, redis }: RunningRelay,
  image?: Buffer,
): Promise<FrameTimes> {
  const api = `http://127.0.0.1:${port}/api/poll`;
  const answers = Array.from({ length: ANSWERS }, (_, at) => `Answer number ${at + 1}`);
  const poll = { title: 'Which one of these?', answers, results_visibility: 'hidden' };
  const created = await fetch(api, { method: 'POST', body: JSON.stringify({ poll }) });
  const { id, admin_key, poll_answers } = (await created.json()) as {
    id: string;
    admin_key: string;
    poll_answers: { id: string }[];
  };
  const headers = { 'x-api-key': admin_key };
  if (image) {
    for (const { id: answer } of poll_answers) {
      const stored = await fetch(`${api}/${id}/answer/${answer}/image`, {
        method: 'PUT',
        body: Uint8Array.from(image),
        headers,
      });
      if (!stored.ok) throw new Error(await stored.text());
    }
  }
  const engine = await openBenchEngine(redis.url);
  for (const [at, answer] of poll_answers.entries())
    for (let vote = 0; vote < (ANSWERS - at) * STEP; vote += 1)
      await engine.castBallot(nextBallot(id, [answer.id]));
  await engine.close();
  const page = await browser.newPage({ viewport: SCREEN });
  await page.goto(`http://127.0.0.1:${port}/overlay/${id}`);
  await page.locator('.row').first().waitFor({ state: 'attached' });
  return measure(browser, page, async () => {
    const body = JSON.stringify({ poll: { results_visibility: 'always' } });
    await fetch(`${api}/${id}`, { method: 'PATCH', body, headers });
    await page.locator('.percent').first().waitFor({ state: 'attached' });
  });
}

interface FrameTimes {
  /** Milliseconds from the tick by which a frame was begun to that of the next frame shown. */
  readonly gaps: readonly number[];
  readonly costMs: number;
}

/** Traces what goes on after `begin`, for as long as a reveal takes. */
async function measure(browser: Browser, page: Page, begin: () => Promise<unknown>): Promise<FrameTimes> {
  await page.evaluate(async () => {
    await document.fonts.ready;
  });
  await pause(SETTLED_MS);
  await begin();
  await browser.startTracing(page, { categories: ['viz', 'cc'] });
  await pause(REVEAL_MS);
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  await page.close();
  return readFrames(trace.traceEvents);
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  /** Microseconds, as all times are. */
  readonly ts: number;
  /** CPU time of a whole event, phase X. */
  readonly tdur?: number;
}

function readFrames(events: readonly TraceEvent[]): FrameTimes {
  const timesOf = (wanted: string) =>
    events
      .filter(({ name, ph }) => name === wanted && ph === 'X')
      .map(({ ts }) => ts / 1000)
      .sort((one, other) => one - other);
  const ticks = timesOf(TICK);
  const begun = timesOf(SHOWN).map(shown => ticks.findLast(tick => tick <= shown) ?? shown);
  const costs = events.filter(({ name, ph }) => COSTS.includes(name) && ph === 'X');
  return {
    gaps: begun.slice(1).map((tick, at) => tick - begun[at]!),
    costMs: costs.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1000,
  };
}
