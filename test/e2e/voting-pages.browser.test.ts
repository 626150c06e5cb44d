import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { pointShow } from '../support/point-show.ts';
import { type LiveSite, startLiveSite, type TestPoll } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

/**
 * Walks through every page in every state: nothing for axe to complain about, nothing that sticks out, nothing too small for
 * a thumb. With PICTURES=<folder> it leaves a picture of each, for somebody to look at.
 */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PICTURES = process.env['PICTURES'];
const SMALLEST_TARGET = 44;
/** The narrowest in the dark and the widest in the light find what the others would; pictures are made of all. */
const LOOKS = [
  { width: 320, height: 640, colorScheme: 'light' },
  { width: 320, height: 640, colorScheme: 'dark' },
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 1280, height: 800, colorScheme: 'dark' },
].filter(
  ({ width, colorScheme }) =>
    PICTURES !== undefined || ((width === 320) === (colorScheme === 'dark') && width !== 390),
) as {
  width: number;
  height: number;
  colorScheme: 'light' | 'dark';
}[];

const DAY_MS = 86_400_000;
const LONG = {
  title: `${'Supercalifragilistic'.repeat(3)} and ${'a question that goes on '.repeat(9)}`,
  answers: [
    'مرحبا بالعالم',
    'W'.repeat(120),
    '👩‍👩‍👧‍👦 The whole family',
    'Short',
    '<script>alert(1)</script>',
  ],
};

let site: LiveSite;
let polls: Record<'open' | 'long' | 'private' | 'closed' | 'sealed' | 'named' | 'ending', TestPoll>;
const rig = browserRig(async () => {
  const oidc = { issuer: 'https://id.test', clientId: 'x', clientSecret: 'y', name: 'Example ID' };
  site = await startLiveSite({ proofCost: 10, oidc });
  const deadline = new Date(Date.now() + DAY_MS + 3 * 3_600_000).toISOString();
  const ending = { has_deadline: true, deadline };
  polls = {
    open: await site.createPoll({
      title: 'Which song closes the show?',
      description: 'The band plays it.\nOne vote each.',
      mip: true,
      co: true,
      ...ending,
    }),
    long: await site.createPoll({
      ...LONG,
      ma: true,
      mip: true,
      enter_name: true,
      results_visibility: 'hidden',
    }),
    private: await site.createPoll({ title: 'For members', only_reg: true, priv: true }),
    closed: await site.createPoll({ ...LONG, mip: true }),
    ending: await site.createPoll({ title: 'Which way?', mip: true }),
    sealed: await site.createPoll({
      title: 'Best picture',
      mip: true,
      results_visibility: 'after_deadline',
      ...ending,
    }),
    named: await site.createPoll({
      title: 'Who comes along?',
      mip: true,
      enter_name: true,
      ma: true,
      co: true,
    }),
  };
  for (const [answer, times] of [
    [0, 3],
    [1, 14],
    [2, 1],
    [4, 6],
  ] as const)
    await site.relay.cast(polls.closed.id, answer, times);
  await site.engine.polls.change(polls.closed.id, { closed: true });
  await site.relay.cast(polls.ending.id, 0, 4);
  await site.relay.cast(polls.open.id, 0, 7);
  await site.relay.cast(polls.open.id, 2, 31);
  for (const [index, name] of ['Ada Lovelace', 'محمد', '<b>Bo</b>'].entries())
    await site.engine.castBallot({
      pollId: polls.named.id,
      answers: polls.named.poll.answers.slice(0, index + 1).map(answer => answer.id),
      voter: name,
      address: name,
      ballotId: name,
      name,
    });
  const writtenAtMs = Date.now();
  for (const poll of [polls.open, polls.named])
    for (const [id, name, text] of [
      ['1', 'Mira', 'Waterloo, of course.'],
      ['2', 'Anonymous', 'I came for the encore,\nand stay for it.'],
    ] as const)
      await site.engine.comments.add(poll.id, { id, name, text, writtenAtMs }, 10);
  return site;
});

const go = (page: Page, path: string) => page.goto(`${site.url}${path}`);

async function vote(page: Page, { id }: TestPoll): Promise<void> {
  await go(page, `/${id}`);
  await page.locator('label.answer').first().click();
  if ((await page.locator('input[name=name][required]').count()) > 0)
    await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('button', { name: 'Vote', exact: true }).click();
  await page.getByText('Your vote has been counted').waitFor();
}

async function manage(page: Page, { id, adminKey }: TestPoll, path = ''): Promise<void> {
  await go(page, `/${id}/manage#key=${adminKey}`);
  await page.getByText('Voting is').first().waitFor();
  if (path !== '') await go(page, `/${id}/manage${path}`);
}

const STATES: Record<string, (page: Page) => Promise<unknown>> = {
  front: page => go(page, '/'),
  vote: page => go(page, `/${polls.open.id}`),
  peek: async page => {
    await go(page, `/${polls.open.id}`);
    await page.getByText('See results without voting').click();
  },
  voted: page => vote(page, polls.open),
  long: page => go(page, `/${polls.long.id}`),
  refused: async page => {
    await go(page, `/${polls.long.id}`);
    await page.getByLabel('Your name').fill('Ada');
    await page.getByRole('button', { name: 'Vote', exact: true }).click();
    await page.getByText('Choose an answer first').waitFor();
  },
  'voted-hidden': page => vote(page, polls.long),
  'voted-sealed': page => vote(page, polls.sealed),
  'sign-in': page => go(page, `/${polls.private.id}`),
  closed: page => go(page, `/${polls.closed.id}`),
  create: page => go(page, '/new'),
  'create-unfolded': async page => {
    await go(page, '/new');
    for (const summary of await page.locator('summary').all()) await summary.click();
  },
  'create-refused': async page => {
    await go(page, '/new');
    await page.getByLabel('Question').fill('Lunch?');
    await page.getByText('Schedule and results').click();
    await page.getByText('Everyone, once voting ends').click();
    await page.getByRole('button', { name: 'Create poll' }).click();
    await page.getByText('Please check your entries').waitFor();
  },
  share: async page => {
    await go(page, '/new');
    await page.getByLabel('Question').fill('Lunch?');
    await page.getByLabel('Answer 1').fill('Soup');
    await page.getByLabel('Answer 2').fill('Salad');
    await page.getByRole('button', { name: 'Create poll' }).click();
    await page.getByText('Your poll is ready').waitFor();
  },
  'share-hidden': async page => {
    await go(page, '/new');
    await page.getByLabel('Question').fill('Lunch?');
    await page.getByLabel('Answer 1').fill('Soup');
    await page.getByLabel('Answer 2').fill('Salad');
    await page.getByText('Schedule and results').click();
    await page.getByLabel('Only you, until you show them').check();
    await page.getByRole('button', { name: 'Create poll' }).click();
    await page.getByText('For you only').click();
  },
  undelivered: async page => {
    await go(page, `/${polls.open.id}`);
    await page.locator('label.answer').first().click();
    // A reply that is not ours: the browser would note an error of the network on the console, which this test forbids.
    await page.route('**/ballot', route => route.fulfill({ body: 'Log in first' }));
    await page.getByRole('button', { name: 'Vote', exact: true }).click();
    await page.getByText('Your vote hasn’t been sent yet').waitFor();
  },
  ended: async page => {
    const { id } = polls.ending;
    await site.engine.polls.change(id, { closed: false });
    await go(page, `/${id}`);
    await page.getByText('Check passed').waitFor();
    await site.engine.polls.change(id, { closed: true });
    // As when its voter comes back to the tab, so that the page asks now.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.getByText('4 votes, final').waitFor();
  },
  managed: async page => {
    await manage(page, polls.open);
    await page.getByRole('button', { name: 'Hide results' }).click();
    await page.getByText('The results are hidden').waitFor();
    await page.getByRole('button', { name: 'Show results' }).click();
    await page.getByText('The results are visible').waitFor();
  },
  'manage-key': page => go(page, `/${polls.open.id}/manage`),
  manage: page => manage(page, polls.open),
  'manage-closed': page => manage(page, polls.closed),
  names: page => manage(page, polls.named, '/names'),
  'show-waiting': async page => {
    await pointShow(site.engine, 'quiet-night', null);
    await go(page, '/show/quiet-night');
  },
  'show-offer': async page => {
    await pointShow(site.engine, 'busy-night', polls.open.id);
    await go(page, '/show/busy-night');
    await page.locator('[data-vote] input[type=radio]').first().check();
    await pointShow(site.engine, 'busy-night', polls.ending.id);
    await page.getByText('Go to the next poll').waitFor();
  },
  'show-share': async page => {
    await pointShow(site.engine, 'busy-night', null);
    await go(page, '/show/busy-night/share');
  },
  missing: page => go(page, '/nothing/here'),
};

/** Elements that a thumb must hit and that are too small for it. Links within a sentence are text. */
function smallTargets(smallest: number): string[] {
  const targets = document.querySelectorAll<HTMLElement>(
    'button, .button, input, textarea, select, summary, footer a, .polls a',
  );
  return [...targets]
    .map(element => element.closest('label') ?? element)
    .filter(element => element.checkVisibility() && element.getAttribute('type') !== 'hidden')
    .filter(element => element.getBoundingClientRect().height < smallest)
    .map(element => element.outerHTML.slice(0, 120));
}

describe.each(Object.entries(STATES))('the page %s', (name, open) => {
  it.each(LOOKS)(
    'at $width px, $colorScheme, is accessible and fits',
    async ({ colorScheme, ...viewport }) => {
      const context = await rig.browser.newContext({
        viewport,
        colorScheme,
        reducedMotion: 'reduce',
        locale: 'en-US',
      });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', error => faults.push(String(error)));
      page.on(
        'console',
        message =>
          message.type() === 'error' &&
          !/status of 4\d\d/.test(message.text()) &&
          faults.push(message.text()),
      );
      await open(page);
      await page.evaluate(AXE);
      const { violations } = (await page.evaluate('axe.run()')) as {
        violations: { id: string; nodes: { html: string }[] }[];
      };
      expect(violations.map(({ id, nodes }) => [id, nodes.map(node => node.html)])).toEqual([]);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      expect(await page.evaluate(smallTargets, SMALLEST_TARGET)).toEqual([]);
      expect(faults).toEqual([]);
      if (PICTURES !== undefined) {
        mkdirSync(PICTURES, { recursive: true });
        await page.screenshot({
          path: `${PICTURES}/${name}-${viewport.width}-${colorScheme}.png`,
          fullPage: true,
        });
      }
    },
  );
});
