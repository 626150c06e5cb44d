import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../e2e/chromium.ts';
import { type RunningFrontEnd, startVotingFrontEnd } from '../contender/voting-front-end.ts';
import { pause } from '../system/clock.ts';
import { type Bench, median, percentile, row } from './bench.ts';
import { armed } from './pixel.ts';

const SCENE = 'a show of two polls, one overlay of 1080p';
const DESK = 'Tallycast desk';
const BARE_REQUEST = 'bare request, the same overlay';
const QUIET_MS = 400;

type Press = (key: 'n' | 'p') => Promise<unknown>;

export const desk: Bench = {
  name: 'desk',
  title: 'Desk: from a key on the desk to changed pixels of an overlay, both in Chromium',
  control: BARE_REQUEST,
  targets: [
    {
      contender: DESK,
      metric: 'press to pixel p50',
      text: 'under 200 ms',
      isMet: ({ value }) => value < 200,
    },
    {
      contender: DESK,
      metric: 'press to pixel worst',
      text: 'under 400 ms',
      isMet: ({ value }) => value < 400,
    },
  ],
  async run({ quick, progress }) {
    const site = await startVotingFrontEnd('embedded', {});
    const browser = await launchChromium();
    try {
      const show = await takeShow(site);
      const overlay = await openOverlay(browser, show);
      const presses = quick ? 6 : 40;
      progress(BARE_REQUEST);
      const bare = await measure(overlay, key => show.step(key === 'n' ? 'next' : 'previous'), presses);
      progress(DESK);
      const page = await openDesk(browser, site, show);
      const pressed = await measure(overlay, key => page.keyboard.press(key), presses);
      return [BARE_REQUEST, DESK].flatMap((contender, at) => {
        const times = [bare, pressed][at]!;
        return row(SCENE, contender, [
          ['press to pixel p50', 'ms', median(times)],
          ['press to pixel p99', 'ms', percentile(times, 0.99)],
          ['press to pixel worst', 'ms', times.at(-1) ?? Number.NaN],
        ]);
      });
    } finally {
      await browser.close();
      await site.stop();
    }
  },
};

interface Show {
  readonly url: string;
  readonly name: string;
  readonly key: string;
  step(button: string): Promise<void>;
}

async function takeShow({ relayPort }: RunningFrontEnd): Promise<Show> {
  const url = `http://127.0.0.1:${relayPort}`;
  const name = 'bench';
  const send = async (path: string, body: unknown, key = '') => {
    const headers = { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) };
    const reply = await fetch(`${url}/api/show${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as { show_key: string };
  };
  const { show_key: key } = await send('', { show: { name } });
  for (const title of ['One?', 'Two?'])
    await send(`/${name}/poll`, { poll: { title, answers: ['Yes', 'No'] } }, key);
  await send(`/${name}/next`, {}, key);
  return { url, name, key, step: async button => void (await send(`/${name}/${button}`, {}, key)) };
}

async function openOverlay(browser: Browser, { url, name }: Show): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
  await page.goto(`${url}/overlay/show/${name}`);
  await page.waitForFunction(() => document.body.textContent?.includes('One?'));
  return page;
}

async function openDesk(browser: Browser, { port }: RunningFrontEnd, { name, key }: Show): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`http://127.0.0.1:${port}/desk/${name}#key=${key}`);
  await page.waitForFunction(() => document.querySelectorAll('[data-rundown] li').length === 2);
  return page;
}

/** @returns milliseconds from the press to the end of the first painted frame with a change in it, ascending */
async function measure(overlay: Page, press: Press, times: number): Promise<number[]> {
  const taken: number[] = [];
  for (let time = 0; time < times; time += 1) {
    await pause(QUIET_MS);
    const painted = await overlay.evaluateHandle(armed);
    const pressedMs = performance.timeOrigin + performance.now();
    await press(time % 2 === 0 ? 'n' : 'p');
    taken.push((await painted.evaluate(({ at }) => at)) - pressedMs);
  }
  return taken.sort((a, b) => a - b);
}
