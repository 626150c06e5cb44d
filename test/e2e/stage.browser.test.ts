import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { withoutCounts } from '../../src/client/watch-state.ts';
import { knownResults } from '../overlay/poll-snapshots.ts';
import { browserRig } from './browser-rig.ts';
import { drawScene, StagePages } from './stage-page.ts';

const rig = browserRig(browser => StagePages.bundle(browser));

const COUNTS = Array.from({ length: 26 }, (_, at) => 400 - at * 10);
const PAGED = 'style=bars&scene=full&turn=2';

const START_S = 1_900_000_000;

/** A page whose time passes only when a test says so. */
async function open(): Promise<Page> {
  const page = await rig.site.open();
  await page.clock.install({ time: (START_S - 60) * 1_000 });
  await page.clock.pauseAt(START_S * 1_000);
  return page;
}

/** The first answer of the page that is drawn. */
async function firstOn(page: Page): Promise<string> {
  return (await page.locator('.row .label').first().textContent()) ?? '';
}

it('turns its pages while votes come in ten times a second', async () => {
  const page = await open();
  await drawScene(page, PAGED, knownResults(COUNTS));
  const seen = new Set([await firstOn(page)]);
  for (let votes = 1; votes <= 60; votes += 1) {
    await drawScene(page, PAGED, knownResults([400 + votes, ...COUNTS.slice(1)]));
    await page.clock.runFor(100);
    seen.add(await firstOn(page));
  }
  expect(seen.size).toBe(2);
});

it('turns no page in the middle of a reveal', async () => {
  const page = await open();
  // A tie, because a winner would fill the picture.
  const poll = knownResults([400, ...COUNTS.slice(0, -1)], { status: 'closed' });
  await drawScene(page, PAGED, withoutCounts(poll));
  await page.clock.runFor(1_900);
  await drawScene(page, PAGED, poll);
  const seen = new Set([await firstOn(page)]);
  // The next turn is due.
  await page.clock.runFor(200);
  expect(await firstOn(page)).toBe([...seen][0]);
  for (let turn = 0; turn < 6; turn += 1) {
    await page.clock.runFor(2_000);
    seen.add(await firstOn(page));
  }
  expect(seen.size).toBe(2);
});

it('counts down on when results are drawn again that it has had for a while, or were stored', async () => {
  const page = await open();
  const left = () => page.locator('.clock').textContent();
  const deadline = new Date((START_S + 60) * 1_000).toISOString();
  const readAt = (timestamp: number) => knownResults([3, 1], { timestamp, deadline });
  await drawScene(page, 'qr=none', readAt(START_S));
  expect(await left()).toBe('Closes in 1:00');
  await page.clock.runFor(15_500);
  expect(await left()).toBe('Closes in 0:45');
  for (const away of [true, false]) {
    await drawScene(page, 'qr=none', readAt(START_S), away);
    expect(await left()).toBe('Closes in 0:45');
  }
  await drawScene(page, 'qr=none', readAt(START_S - 20), true);
  expect(await left()).toBe('Closes in 0:45');
  // The clock of this page was set.
  await drawScene(page, 'qr=none', readAt(START_S + 2));
  expect(await left()).toBe('Closes in 0:58');
});
