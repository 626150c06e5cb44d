import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../e2e/chromium.ts';
import { type RunningRelay, redisObstacle, startRelay } from '../contender/tallycast.ts';
import { pause } from '../system/clock.ts';
import { type Bench, median, percentile, row, type Sample } from './bench.ts';

const SCENE = 'one vote after a quiet moment';
const OVERLAY = 'Tallycast overlay';
const BARE_PAGE = 'bare page on the same stream';
const QUIET_MS = 400;

export const pixel: Bench = {
  name: 'pixel',
  title: 'Pixel: from casting a ballot to changed pixels in Chromium',
  control: BARE_PAGE,
  targets: [
    {
      contender: OVERLAY,
      metric: 'vote to pixel p50',
      text: 'at most 110 ms',
      isMet: ({ value }) => value <= 110,
    },
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
      for (const [contender, open] of [
        [BARE_PAGE, openBarePage],
        [OVERLAY, openOverlay],
      ] as const) {
        progress(contender);
        const page = await open(browser, relay);
        const times = await measure(page, relay, quick ? 5 : 40);
        samples.push(
          ...row(SCENE, contender, [
            ['vote to pixel p50', 'ms', median(times)],
            ['vote to pixel p99', 'ms', percentile(times, 0.99)],
          ]),
        );
        await page.close();
      }
      return samples;
    } finally {
      await browser.close();
      await relay.stop();
    }
  },
};

async function openOverlay(browser: Browser, { port, pollId }: RunningRelay): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
  await page.goto(`http://127.0.0.1:${port}/overlay/${pollId}`);
  await page.waitForFunction(() => (document.body.textContent ?? '').length > 10);
  return page;
}

/** The least that a page can do: write the number that came. */
async function openBarePage(browser: Browser, { port, pollId }: RunningRelay): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
  await page.setContent(`<script>
    new WebSocket('ws://127.0.0.1:${port}/api/poll/${pollId}/live').onmessage = event => {
      document.body.textContent = JSON.parse(event.data).total_votes;
    };
  </script>`);
  await page.waitForFunction(() => (document.body.textContent ?? '') !== '');
  return page;
}

/** @returns milliseconds from the cast call to the end of the first painted frame with a change in it, ascending */
async function measure(page: Page, relay: RunningRelay, votes: number): Promise<number[]> {
  const times: number[] = [];
  for (let vote = 0; vote < votes; vote += 1) {
    await pause(QUIET_MS);
    const painted = await page.evaluateHandle(armed);
    const castMs = performance.timeOrigin + performance.now();
    await relay.publish();
    times.push((await painted.evaluate(({ at }) => at)) - castMs);
  }
  return times.sort((a, b) => a - b);
}

/** When the next change is on the screen. Runs in the page, hence no help from outside. */
export function armed(): { at: Promise<number> } {
  const at = new Promise<number>(resolve => {
    const observer = new MutationObserver(() => {
      observer.disconnect();
      // After the frame that shows the change was made: a message is handled behind the painting.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.timeOrigin + performance.now());
        port2.postMessage(undefined);
      });
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  return { at };
}
