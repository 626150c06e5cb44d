import type { Page } from 'playwright-core';
import type { Language } from '../../src/locales/catalogues.ts';
import { pointShow } from '../support/point-show.ts';
import { type LiveSite, startLiveSite, type TestPoll } from '../voting/voting-site.ts';

/**
 * Every page of the voting front end, found by language-independent selectors. User content is
 * Greek, which is no page language.
 */

/**
 * The longest texts and words (de, tr), both directions, and each kind of script. A text that no
 * catalogue has is English in all of them; voting/language.test.ts and the build compare the
 * catalogues of all languages.
 */
export const TESTED_LANGUAGES = [
  'en',
  'de',
  'tr',
  'uk',
  'ar',
  'hi',
  'ja',
] as const satisfies readonly Language[];

const DAY_MS = 86_400_000;
const LONG_WORD = 'Ψηφοφορία';
const OWN = { title: `${LONG_WORD} για το τραγούδι`, answers: ['Άλφα', 'Βήτα', 'Γάμμα'] };

/** Long words, right-to-left text, and markup. */
const DIFFICULT = {
  title: `${LONG_WORD.repeat(6)} ${'και ακόμα μία ερώτηση '.repeat(9)}`,
  answers: ['مرحبا بالعالم', 'Ω'.repeat(120), '👩‍👩‍👧‍👦 Όλη η οικογένεια', 'Άλφα', '<b>Βήτα</b>'],
};

type Polls = Record<
  | 'open'
  | 'members'
  | 'closed'
  | 'afterDeadline'
  | 'hidden'
  | 'upcoming'
  | 'ending'
  | 'verifiable'
  | 'verifiableHidden'
  | 'verified'
  | 'changing',
  TestPoll
>;

export interface Tour {
  readonly site: LiveSite;
  readonly polls: Polls;
  close(): Promise<void>;
}

export async function prepareTour(): Promise<Tour> {
  const oidc = { issuer: 'https://id.test', clientId: 'x', clientSecret: 'y', name: 'Ταυτότητα' };
  const site = await startLiveSite({ proofCost: 10, oidc });
  const deadline = new Date(Date.now() + 2 * DAY_MS + 3 * 3_600_000).toISOString();
  const draft = { ...OWN, mip: true };
  const polls = {
    open: await site.createPoll({ ...draft, ma: true, co: true, enter_name: true, deadline }),
    members: await site.createPoll({ ...draft, only_reg: true }),
    closed: await site.createPoll({ ...DIFFICULT, mip: true }),
    afterDeadline: await site.createPoll({ ...draft, deadline, results_visibility: 'after_deadline' }),
    hidden: await site.createPoll({ ...DIFFICULT, mip: true, ma: true, results_visibility: 'hidden' }),
    ending: await site.createPoll(draft),
    upcoming: await site.createPoll({ ...draft, status: 'upcoming' }),
    verifiable: await site.createPoll({ ...DIFFICULT, mip: true, ma: true, verifiable: true }),
    verifiableHidden: await site.createPoll({ ...draft, verifiable: true, results_visibility: 'hidden' }),
    verified: await site.createPoll({ ...draft, verifiable: true }),
    changing: await site.createPoll({ ...draft, change_vote: true }),
  };
  for (const voter of ['receipt', 'other'])
    await site.engine.castBallot({
      pollId: polls.verified.id,
      answers: [polls.verified.poll.answers[0]!.id],
      voter,
      address: voter,
      ballotId: voter,
    });
  await site.engine.polls.change(polls.verified.id, { closed: true });
  await site.relay.cast(polls.closed.id, 0, 1_234);
  await site.relay.cast(polls.closed.id, 1, 7);
  await site.engine.polls.change(polls.closed.id, { closed: true });
  await site.relay.cast(polls.ending.id, 0, 4);
  const { id, poll } = polls.open;
  const answers = poll.answers.slice(0, 2).map(answer => answer.id);
  const voter = 'voter';
  const ballot = { pollId: id, answers, voter, address: voter, ballotId: voter, name: 'Ελένη' };
  await site.engine.castBallot(ballot);
  for (const name of ['Ελένη', ''])
    await site.engine.comments.add(id, { id: `c${name}`, name, text: 'Ωραία', writtenAtMs: Date.now() }, 10);
  return { site, polls, close: () => site.close() };
}

const SEND = '.cast button[type=submit]';

/** Submits a form without the validation of the browser. */
async function submit(page: Page, form: string): Promise<void> {
  await Promise.all([
    page.waitForNavigation(),
    page.evaluate(selector => document.querySelector<HTMLFormElement>(selector)?.submit(), form),
  ]);
}

async function vote(page: Page, tour: Tour, name: keyof Polls): Promise<void> {
  await page.goto(`${tour.site.url}/${tour.polls[name].id}`);
  await page.locator('label.answer input').first().check();
  const own = page.locator('input[name=name][required]');
  if ((await own.count()) > 0) await own.fill('Ελένη');
  await page.locator(SEND).click();
  await page.locator('.notice.good').waitFor();
}

async function fillPoll(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/new`);
  await page.locator('input[name=title]').fill(OWN.title);
  for (const [index, text] of OWN.answers.slice(0, 2).entries())
    await page.locator('input[name=answer]').nth(index).fill(text);
}

/** In order: later stops depend on earlier ones. */
export const STOPS: Readonly<Record<string, (page: Page, tour: Tour) => Promise<unknown>>> = {
  start: (page, { site }) => page.goto(site.url),
  vote: async (page, { site, polls }) => {
    await page.goto(`${site.url}/${polls.open.id}`);
    await page.locator('[data-solved]').waitFor();
    await page.locator('.peek > summary').click();
  },
  refused: async (page, { site, polls }) => {
    await page.goto(`${site.url}/${polls.open.id}`);
    await submit(page, 'form.vote');
  },
  receipt: (page, tour) => vote(page, tour, 'open'),
  'after-deadline': (page, tour) => vote(page, tour, 'afterDeadline'),
  // With the form of a second tab, whose ballot comes second.
  'voted-before': async (page, tour) => {
    await page.goto(`${tour.site.url}/${tour.polls.changing.id}`);
    const tab = await page.context().newPage();
    await vote(tab, tour, 'changing');
    await tab.close();
    await page.locator('label.answer input').last().check();
    await page.locator(SEND).click();
    await page.locator('.notice.problem').waitFor();
  },
  change: async page => {
    await page.locator('[data-change] a').click();
    await page.locator('[name=withdraw]').waitFor();
  },
  withdrawn: async page => {
    await page.locator('[name=withdraw]').click();
    await page.locator('[data-counted] .notice.calm').waitFor();
  },
  hidden: (page, tour) => vote(page, tour, 'hidden'),
  check: async (page, tour) => {
    await vote(page, tour, 'verifiable');
    await page.locator('a[href$="/check"]').click();
    await page.locator('[data-verdict] .notice').waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
  },
  'check-hidden': async (page, tour) => {
    await vote(page, tour, 'verifiableHidden');
    await page.locator('a[href$="/check"]').click();
    await page.locator('[data-verdict] .notice').waitFor();
  },
  'check-result': async (page, { site, polls }) => {
    await page.goto(`${site.url}/${polls.verified.id}/check#receipt`);
    await page.locator('.notice.good').waitFor();
    await page.locator('[data-check-result]').click();
    await page.locator('[data-result] .notice.good').waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
  },
  'check-failed': async page => {
    await page.route('**/log/entries*', async route => {
      const reply = await route.fetch();
      return route.fulfill({
        response: reply,
        body: (await reply.text()).replaceAll('"nonce":"', '"nonce":"A'),
      });
    });
    // A check that fails is repeated after some seconds.
    await page.evaluate(() => {
      const { setTimeout } = window;
      Object.assign(window, { setTimeout: (run: () => void) => setTimeout(run) });
    });
    await page.locator('[data-check-result]').click();
    await page.locator('[data-result] .notice.problem').waitFor();
    await page.unroute('**/log/entries*');
    for (const summary of await page.locator('[data-result] summary').all()) await summary.click();
  },
  upcoming: (page, { site, polls }) => page.goto(`${site.url}/${polls.upcoming.id}`),
  members: (page, { site, polls }) => page.goto(`${site.url}/${polls.members.id}`),
  closed: (page, { site, polls }) => page.goto(`${site.url}/${polls.closed.id}`),
  ring: async page => {
    await page.locator('.chart').click();
    await page.locator('.ring .fill').first().waitFor({ state: 'hidden' });
  },
  create: async (page, { site }) => {
    await page.goto(`${site.url}/new`);
    for (const summary of await page.locator('summary').all()) await summary.click();
  },
  'create-refused': async (page, { site }) => {
    await page.goto(`${site.url}/new`);
    await page.locator('input[value=after_deadline]').evaluate(input => (input as HTMLInputElement).click());
    await submit(page, 'form[data-create]');
  },
  share: async (page, { site }) => {
    await fillPoll(page, site.url);
    await page.locator('button[name=mip][value="1"]').click();
    await page.locator('.qr').waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
  },
  // With the poll of the stop before.
  device: async (page, { site }) => {
    await page.goto(site.url);
    await page.locator('[data-device-polls] .state', { hasText: /\p{L}/u }).waitFor();
    await page.locator('[data-device-polls] button').click();
    await page.locator('[data-undo]').click();
  },
  key: (page, { site, polls }) => page.goto(`${site.url}/${polls.open.id}/manage`),
  'wrong-key': async page => {
    await page.locator('input[name=key]').fill('x');
    await submit(page, 'form[data-key-form]');
  },
  manage: async (page, { site, polls }) => {
    await page.goto(`${site.url}/${polls.open.id}/manage#key=${polls.open.adminKey}`);
    await page.locator('[data-manage]').waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
  },
  // Hides and reveals the results.
  managed: async page => {
    for (let presses = 0; presses < 2; presses += 1) {
      await submit(page, 'form[action$="/visibility"]');
      await page.locator('.notice.good').waitFor();
    }
  },
  names: (page, { site, polls }) => page.goto(`${site.url}/${polls.open.id}/manage/names`),
  ballots: async (page, { site, polls }) => {
    const { id, poll } = polls.open;
    const answers = [poll.answers[0]!.id];
    for (let voter = 0; voter < 60; voter += 1) {
      const [key, network] = [`network-${voter}`, voter < 55 ? 'one' : 'other'];
      await site.engine.castBallot({
        pollId: id,
        answers,
        voter: key,
        address: key,
        ballotId: key,
        network,
        name: 'Ελένη',
      });
    }
    await page.goto(`${site.url}/${id}/manage/ballots`);
    await submit(page, 'form[action$="/remove-ballots"]');
    await page.locator('.notice').waitFor();
    await submit(page, 'form[action$="/put-back"]');
    await page.locator('.notice').waitFor();
    await submit(page, 'form[action$="/remove-ballots"]');
    for (const summary of await page.locator('summary').all()) await summary.click();
  },
  undelivered: async (page, { site, polls }) => {
    await page.context().clearCookies();
    await page.goto(`${site.url}/${polls.open.id}`);
    await page.locator('label.answer input').first().check();
    await page.locator('input[name=name]').first().fill('Ελένη');
    // Not an error status, which the browser would log.
    await page.route('**/ballot', route => route.fulfill({ body: '' }));
    await page.locator(SEND).click();
    await page.locator('[data-undelivered]').waitFor();
  },
  ended: async (page, { site, polls }) => {
    const { id } = polls.ending;
    await site.engine.polls.change(id, { closed: false });
    await page.goto(`${site.url}/${id}`);
    // Not before: a ballot that arrives navigates, which would interrupt the line above.
    await page.unroute('**/ballot');
    await page.locator('[data-solved]').waitFor();
    await site.engine.polls.change(id, { closed: true });
    // Makes the page request the state.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.locator('[data-ended]:not([hidden])').waitFor();
  },
  'show-waiting': async (page, { site }) => {
    await pointShow(site.engine, 'quiet-night', null);
    await page.goto(`${site.url}/show/quiet-night`);
  },
  'show-offer': async (page, { site, polls }) => {
    await pointShow(site.engine, 'busy-night', polls.afterDeadline.id);
    await page.goto(`${site.url}/show/busy-night`);
    await page.locator('[data-vote] input[type=radio]').first().check();
    await pointShow(site.engine, 'busy-night', polls.ending.id);
    await page.locator('.show-strip .button').waitFor();
  },
  'show-share': (page, { site }) => page.goto(`${site.url}/show/busy-night/share`),
  missing: (page, { site }) => page.goto(`${site.url}/nothing/here`),
};
