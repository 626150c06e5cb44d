// @module-tag redis-server
import type { ChildProcess } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { connectChromium } from '../e2e/browser-rig.ts';
import { pressSettled, readRundown, word } from '../e2e/desk/desk-rig.ts';
import { kill, spawnKept } from '../support/child-process.ts';
import { findFreePort } from '../support/free-port.ts';
import { redisRig } from '../support/redis-rig.ts';
import { builtFile } from '../support/relay-process.ts';
import { castBallots } from '../support/test-relay.ts';
import { type TestShow, takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { measured } from './plan.ts';

const POLLS = 5;
const VOTERS = 30;
const HEALS_MS = 5_000;
/** What of the audience's page is seen, by the state on the desk. */
const PARTS: Record<string, string> = { 'Not started': 'upcoming', Open: 'voting', Closed: 'ended' };
/** For as long the relay is away. */
const AWAY_MS = 1_500;

const { start, closeAfter } = redisRig();
let browser: Awaited<ReturnType<typeof connectChromium>>;
beforeAll(async () => {
  browser = await connectChromium();
});
afterAll(() => browser.close());

/** One of the two programs, which comes back on the same port. */
class Program {
  readonly url: string;
  readonly #settings: Record<string, string>;
  #child: ChildProcess | undefined;

  constructor(port: number, settings: Record<string, string>) {
    this.url = `http://127.0.0.1:${port}`;
    this.#settings = settings;
  }

  async start(): Promise<void> {
    const env = { ...process.env, LOG_LEVEL: 'error', ...this.#settings };
    this.#child = spawnKept(process.execPath, [builtFile('start/main.js')], { env });
    const answers = () =>
      fetch(`${this.url}/livez`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(answers, 'the program to listen', 20_000);
  }

  async kill9(): Promise<void> {
    if (this.#child) await kill(this.#child, 'SIGKILL');
  }
}

it('T23: an evening at the desk, with the relay killed three times and Redis once, shows nothing wrong and does no step twice', async () => {
  const redis = await start(['--appendonly', 'yes', '--appendfsync', 'always']);
  const [port, votePort] = [await findFreePort(), await findFreePort()];
  const urls = { PUBLIC_URL: `http://127.0.0.1:${port}`, VOTE_PUBLIC_URL: `http://127.0.0.1:${votePort}` };
  const settings = { ...urls, PORT: `${port}`, VOTE_PORT: `${votePort}`, REDIS_URL: redis.url };
  const relay = new Program(port, { ...settings, ROLE: 'relay' });
  const voting = new Program(votePort, { ...settings, ROLE: 'voting' });
  closeAfter(() => Promise.all([relay.kill9(), voting.kill9()]));
  await Promise.all([relay.start(), voting.start()]);
  const engine = await openEngine({ redisUrl: redis.url });
  closeAfter(() => engine.close());

  const show = await takeShow(relay);
  for (let number = 1; number <= POLLS; number += 1)
    await show.addPoll({ title: `Question ${number}?`, answers: ['Left', 'Right'], status: 'upcoming' });
  const { rundown } = (await show.get()).json as { rundown: string[] };
  const [desk, second, overlay, phone] = await openPages(show, relay.url, voting.url);

  const heals: number[] = [];
  const follows: number[] = [];
  /** How long the desks, the overlay and the audience's page take once everything answers again. */
  const heal = async (comesBack: () => Promise<void>) => {
    await comesBack();
    const backMs = performance.now();
    const isWell = (page: Page) =>
      page.evaluate(() => document.querySelector('.word [data-connection]')?.textContent === '');
    await until(async () => (await isWell(desk)) && (await isWell(second)), 'the desks to be back', 20_000);
    await until(
      async () => (await overlay.locator('.words:not(:has(.away)) .title').count()) === 1,
      'the overlay to be back',
      20_000,
    );
    heals.push(performance.now() - backMs);
  };
  const restartRelay = () =>
    heal(async () => {
      await new Promise(done => setTimeout(done, AWAY_MS));
      await relay.start();
    });

  /** A key, until the desk says that it is done: pressed again only where it says that it was not. */
  const press = async (key: string, at: number, state: RegExp, breaks?: () => Promise<void>) => {
    const isDone = async (page: Page) => state.test((await readRundown(page))[at] ?? '');
    for (let presses = 1; ; presses += 1) {
      await pressSettled(desk, key);
      await breaks?.();
      breaks = undefined;
      // Once the relay is back its word about a press that was not sent is gone, too.
      const patienceMs = performance.now() + 8_000;
      const settled = async () =>
        (await isDone(desk)) || /try again/i.test(await word(desk)) || performance.now() > patienceMs;
      await until(settled, `${key} of poll ${at + 1}: ${state}`, 30_000);
      if (await isDone(desk)) break;
      expect(presses).toBeLessThan(4);
    }
    await until(() => isDone(second), `the second desk to say ${state}`, 30_000);
    // Whatever was answered and whatever was lost: where the show stands is where it was put.
    const { on_air, place } = (await show.get()).json;
    expect([on_air, place]).toEqual([rundown[at], rundown[at]]);
    const isDrawn = async () => (await drawn(overlay)).includes(`Question ${at + 1}?`);
    await until(isDrawn, `the overlay to show question ${at + 1}`, 5_000);
    // It hears of a step by the engine, whether a relay is there or not.
    const followMs = performance.now();
    const part = /Not started|Open|Closed/.exec(state.source)![0];
    const isRight = async () => (await onPhone(phone)) === `Question ${at + 1}? / ${PARTS[part]}`;
    await until(isRight, `the audience's page to say ${state}`, 30_000);
    follows.push(performance.now() - followMs);
  };

  for (const [at, id] of rundown.entries()) {
    const killing = () => Promise.all([relay.kill9(), restartRelay()]).then(() => {});
    // In the middle of a step, of two kinds.
    await press('n', at, /On air \/ Not started/, at === 1 ? killing : undefined);
    await press('o', at, /Open/, at === 2 ? killing : undefined);
    if (at === 3) {
      await relay.kill9();
      await until(async () => /Can’t reach the server/.test(await word(desk)), 'the desk to say so', 10_000);
      await desk.keyboard.press('n');
      await until(async () => /this wasn’t sent/.test(await word(desk)), 'the desk to refuse', 10_000);
      await restartRelay();
      // What was pressed meanwhile is not carried out late.
      expect((await show.get()).json.on_air).toBe(id);
    }
    if (at === 4) {
      await redis.kill9();
      await until(
        async () => /can’t reach its database/.test(await word(desk)),
        'the desk to say so',
        15_000,
      );
      await heal(() => redis.restart());
    }
    await castBallots(engine, id, 0, VOTERS);
    await press('o', at, /Closed · 30 votes/);
  }
  for (const id of rundown)
    expect((await engine.polls.find(id))?.results).toMatchObject({ status: 'closed', totalVoters: VOTERS });
  const shownMs = heals.map(ms => Math.round(ms));
  measured(
    'T23',
    `relay killed 3 times, Redis once: every step once, desks and overlay back after ${shownMs.join(', ')} ms, the audience's page right at most ${Math.round(Math.max(...follows))} ms behind the desks`,
  );
  expect(Math.max(...heals)).toBeLessThan(HEALS_MS);
  expect(Math.max(...follows)).toBeLessThan(HEALS_MS);
});

async function openPages(
  show: TestShow,
  relayUrl: string,
  voteUrl: string,
): Promise<[Page, Page, Page, Page]> {
  const open = async (url: string) => {
    const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
    await page.goto(url);
    return page;
  };
  const desk = async () => {
    const page = await open(`${voteUrl}/desk/${show.name}#key=${show.key}`);
    await until(async () => (await readRundown(page)).length === POLLS, 'the desk to be there', 20_000);
    return page;
  };
  return [
    await desk(),
    await desk(),
    await open(`${relayUrl}/overlay/show/${show.name}?speed=0&away=1`),
    await open(`${voteUrl}/show/${show.name}`),
  ];
}

/** The question on a page of the audience, and what can be done with it. */
function onPhone(page: Page): Promise<string> {
  return (
    page
      .evaluate(() => {
        const isSeen = (part: string) => document.querySelector(`[data-${part}]`)?.checkVisibility() ?? false;
        const parts = ['upcoming', 'voting', 'ended'].filter(isSeen);
        return [document.querySelector('h1')?.textContent, ...parts].join(' / ');
      })
      // On its way to the next question.
      .catch(() => '')
  );
}

async function drawn(overlay: Page): Promise<string> {
  return (await overlay.locator('body').allInnerTexts()).join();
}
