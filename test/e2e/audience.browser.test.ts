import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findFreePort } from '../support/free-port.ts';
import { pointShow } from '../support/point-show.ts';
import { startLiveSite, startVotingSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

const rig = browserRig(() => startLiveSite({ proofCost: 50 }));
let names = 0;

interface Evening {
  readonly name: string;
  readonly polls: readonly { readonly id: string; readonly title: string }[];
  /** @param poll its index, or null */
  putOnAir(poll: number | null): Promise<void>;
}

async function evening(...drafts: Record<string, unknown>[]): Promise<Evening> {
  names += 1;
  const name = `evening-${names}`;
  const polls: { id: string; title: string }[] = [];
  for (const [at, draft] of drafts.entries()) {
    const title = `Question ${at + 1}`;
    polls.push({ id: (await rig.site.createPoll({ title, mip: true, ...draft })).id, title });
  }
  const putOnAir = (poll: number | null) =>
    pointShow(rig.site.engine, name, poll === null ? null : polls[poll]!.id);
  await putOnAir(null);
  return { name, polls, putOnAir };
}

async function openPhone(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await rig.browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    locale: 'en-US',
    ...options,
  });
  const page = await context.newPage();
  await page.goto(rig.site.url + path);
  return page;
}

const isOn = (page: Page, name: string) =>
  page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
const heading = (page: Page, name: string) => page.getByRole('heading', { name });
const offer = (page: Page) => page.getByRole('link', { name: 'Go to the next poll' });
const strip = (page: Page) => page.locator('.show-strip');

async function vote(page: Page, answer: string): Promise<void> {
  await page.getByLabel(answer).tap();
  await page.getByRole('button', { name: 'Vote', exact: true }).tap();
  await heading(page, 'Your vote has been counted').waitFor();
}

describe('a voter who follows a show', () => {
  it('keeps a choice, votes, sees the outcome, and moves on afterwards', async () => {
    const { name, polls, putOnAir } = await evening({}, { results_visibility: 'hidden' });
    await putOnAir(0);
    const page = await openPhone(`/show/${name}`);
    await page.getByLabel('Volare').tap();
    const before = await page.getByLabel('Volare').boundingBox();
    await putOnAir(1);
    await offer(page).waitFor();
    expect(await page.getByLabel('Volare').boundingBox()).toEqual(before);
    expect(await page.getByLabel('Volare').isChecked()).toBe(true);
    // The outcome is seen before the page moves on by itself.
    let moveOn = () => {};
    const isSeen = new Promise<void>(done => {
      moveOn = done;
    });
    const isNext = ({ pathname }: URL) => pathname === `/${polls[1]!.id}`;
    await page.route(isNext, route => isSeen.then(() => route.continue()));
    await page.getByRole('button', { name: 'Vote', exact: true }).tap();
    await heading(page, 'Your vote has been counted').waitFor();
    moveOn();
    await isOn(page, 'Question 2');
    expect(await rig.site.counts(polls[0]!.id)).toEqual({ votes: [0, 1, 0], voters: 1 });
    await putOnAir(0);
    await isOn(page, 'Question 1');
    await heading(page, 'Your vote has been counted').waitFor();
  });

  it('moves on by a link, or by itself once the poll with the choice is closed', async () => {
    const { name, polls, putOnAir } = await evening({}, {}, {});
    await putOnAir(0);
    const page = await openPhone(`/show/${name}`);
    await page.getByLabel('Volare').tap();
    await putOnAir(1);
    await offer(page).tap();
    await isOn(page, 'Question 2');
    await page.getByLabel('Volare').tap();
    await putOnAir(2);
    await offer(page).waitFor();
    await putOnAir(1);
    await expect.poll(() => strip(page).textContent()).toBe('');
    await putOnAir(2);
    await offer(page).waitFor();
    await rig.site.engine.polls.change(polls[1]!.id, { closed: true });
    await isOn(page, 'Question 3');
  });

  it('keeps a comment that is written and not sent', async () => {
    const { name, putOnAir } = await evening({ co: true }, {});
    await putOnAir(0);
    const page = await openPhone(`/show/${name}`);
    await vote(page, 'Volare');
    const comment = page.locator('textarea');
    await comment.fill('What a song!');
    await comment.blur();
    await putOnAir(1);
    await offer(page).waitFor();
    expect(await comment.inputValue()).toBe('What a song!');
  });

  it('sees the last results between two polls', async () => {
    const { name, polls, putOnAir } = await evening({}, {});
    await putOnAir(0);
    const page = await openPhone(`/show/${name}`);
    await vote(page, 'Volare');
    await rig.site.engine.polls.change(polls[0]!.id, { closed: true });
    await putOnAir(null);
    await strip(page).getByText('The next poll opens soon').waitFor();
    const late = await openPhone(`/show/${name}`);
    await strip(late).getByText('The next poll opens soon').waitFor();
    await isOn(late, 'Question 1');
    await late.getByText('1 vote', { exact: false }).first().waitFor();
    await putOnAir(1);
    await Promise.all([isOn(page, 'Question 2'), isOn(late, 'Question 2')]);
  });

  it('sees the poll on air open, and waits after it is deleted', async () => {
    const { name, polls, putOnAir } = await evening({ status: 'upcoming', results_visibility: 'hidden' }, {});
    await putOnAir(0);
    const page = await openPhone(`/show/${name}`);
    await heading(page, 'Voting hasn’t started yet').waitFor();
    // The long poll of the show reports the change before the next request of the state.
    await page.route('**/state', route => route.abort());
    await rig.site.engine.polls.change(polls[0]!.id, { closed: false });
    await page.getByRole('button', { name: 'Vote', exact: true }).waitFor();
    await rig.site.engine.polls.remove(polls[0]!.id);
    await heading(page, 'The next poll opens soon').last().waitFor();
    await putOnAir(1);
    await isOn(page, 'Question 2');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/show/${name}`);
    await page.goBack();
    expect(page.url()).toBe('about:blank');
  });

  it('moves on after its server restarts', async () => {
    const { name, putOnAir } = await evening({}, {});
    await putOnAir(0);
    const { engine, url, server } = rig.site;
    const other = await startVotingSite({ engine, voteUrl: url, relayUrl: rig.site.relay.url });
    const port = await findFreePort();
    await other.server.listen({ host: '127.0.0.1', port });
    const page = await openPhone('/');
    await page.goto(`http://127.0.0.1:${port}/show/${name}`);
    await isOn(page, 'Question 1');
    await other.close();
    await putOnAir(1);
    const next = await startVotingSite({ engine, voteUrl: url, relayUrl: rig.site.relay.url });
    await next.server.listen({ host: '127.0.0.1', port });
    await isOn(page, 'Question 2');
    await next.close();
    expect(server.server.listening).toBe(true);
  });
});
