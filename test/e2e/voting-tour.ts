import type { Page } from 'playwright-core';

import { type LiveSite, startLiveSite, type TestPoll } from '../voting/voting-site.ts';

/** Every page of the voting front end, found without a word of any language. What people write is Greek, which no page speaks. */

const DAY_MS = 86_400_000;
const LONG_WORD = 'Ψηφοφορία';
const OWN = { title: `${LONG_WORD} για το τραγούδι`, answers: ['Άλφα', 'Βήτα', 'Γάμμα'] };

type Polls = Record<'open' | 'members' | 'closed' | 'sealed' | 'hidden' | 'upcoming', TestPoll>;

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
    closed: await site.createPoll(draft),
    sealed: await site.createPoll({ ...draft, deadline, results_visibility: 'after_deadline' }),
    hidden: await site.createPoll({ ...draft, results_visibility: 'hidden' }),
    upcoming: await site.createPoll({ ...draft, status: 'upcoming' }),
  };
  await site.relay.cast(polls.closed.id, 0, 1_234);
  await site.relay.cast(polls.closed.id, 1, 7);
  await site.engine.polls.change(polls.closed.id, { closed: true });
  const { id, poll } = polls.open;
  const answers = poll.answers.slice(0, 2).map(answer => answer.id);
  const voter = 'somebody';
  const ballot = { pollId: id, answers, voter, address: voter, ballotId: voter, name: 'Ελένη' };
  await site.engine.castBallot(ballot);
  for (const name of ['Ελένη', ''])
    await site.engine.comments.add(id, { id: `c${name}`, name, text: 'Ωραία', writtenAtMs: Date.now() }, 10);
  return { site, polls, close: () => site.close() };
}

const SEND = '.cast button[type=submit]';

/** Sends what is there, past what the browser itself would refuse. */
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

/** In this order, in one browser: later ones need what earlier ones did. */
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
  sealed: (page, tour) => vote(page, tour, 'sealed'),
  hidden: (page, tour) => vote(page, tour, 'hidden'),
  upcoming: (page, { site, polls }) => page.goto(`${site.url}/${polls.upcoming.id}`),
  members: (page, { site, polls }) => page.goto(`${site.url}/${polls.members.id}`),
  closed: (page, { site, polls }) => page.goto(`${site.url}/${polls.closed.id}`),
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
    await page.locator(SEND).click();
    await page.locator('.qr').waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
  },
  key: (page, { site, polls }) => page.goto(`${site.url}/${polls.open.id}/manage`),
  'wrong-key': async page => {
    await page.locator('input[name=key]').fill('x');
    await submit(page, 'form[data-key-form]');
  },
  manage: async (page, { site, polls }) => {
    await page.goto(`${site.url}/${polls.open.id}/manage#key=${polls.open.adminKey}`);
    await page.locator('[data-manage]').waitFor();
  },
  // The first step that is offered, and the one that takes it back.
  managed: async page => {
    for (let presses = 0; presses < 2; presses += 1) {
      await submit(page, 'form[action$="/visibility"]');
      await page.locator('.notice.good').waitFor();
    }
  },
  names: (page, { site, polls }) => page.goto(`${site.url}/${polls.open.id}/manage/names`),
  missing: (page, { site }) => page.goto(`${site.url}/nothing/here`),
};
