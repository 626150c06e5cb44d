import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import en from '../../src/locales/en.json' with { type: 'json' };
import { pointShow } from '../support/point-show.ts';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { BROWSERS, type DrivenBrowser, type DrivenPage } from './driven-browsers.ts';

/** The voter's whole way, in the engines of browsers that other tests do not know. */

const PATIENCE_MS = 40_000;

/** Seen by a person: in the text of the page as it is drawn. */
const shows = (page: DrivenPage, text: string) =>
  until(
    () => page.run<boolean>('return document.body.innerText.includes(args[0])', text).catch(() => false),
    `“${text}” on the page`,
    PATIENCE_MS,
  );

const choose = (page: DrivenPage, answer: string) =>
  page.run(
    `[...document.querySelectorAll('label')].find(label => label.innerText.trim() === args[0]).click()`,
    answer,
  );

const press = (page: DrivenPage, button: string) =>
  page.run(
    `[...document.querySelectorAll('button')].find(one => one.innerText.trim() === args[0] && one.checkVisibility?.() !== false).click()`,
    button,
  );

describe.each(['firefox', 'webkit'] as const)('a voter with %s', name => {
  let browser: DrivenBrowser;
  let site: LiveSite;
  let page: DrivenPage | undefined;
  beforeAll(async () => {
    [browser, site] = await Promise.all([BROWSERS[name](), startLiveSite({ proofCost: 20 })]);
  });
  afterEach(() => page?.close());
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  async function openPage(path: string): Promise<DrivenPage> {
    page = await browser.newPage();
    await page.open(site.url + path);
    return page;
  }

  it('votes, gets a receipt that a reload keeps, and sees the results change with the next vote', async () => {
    const { id } = await site.createPoll({ mip: true });
    const page = await openPage(`/${id}`);
    await choose(page, 'Volare');
    await press(page, en.vote.vote);
    await shows(page, en.vote.counted.title);
    await shows(page, en.vote.counted.text.replace('{{choices}}', 'Volare'));
    await site.relay.cast(id, 0, 3);
    await shows(page, en.live.votes_other.replace('{{count}}', '4'));
    await page.open(`${site.url}/${id}`);
    await shows(page, en.vote.counted.title);
    expect(await site.counts(id)).toEqual({ votes: [3, 1, 0], voters: 4 });
  });

  it('finds the vote in the log, and counts all votes again after the end', async () => {
    const { id } = await site.createPoll({ mip: true, verifiable: true });
    await site.relay.cast(id, 0, 5);
    const page = await openPage(`/${id}`);
    await choose(page, 'Volare');
    await press(page, en.vote.vote);
    await shows(page, en.check.vote.title);
    await site.engine.polls.change(id, { closed: true });
    await page.open(`${site.url}/${id}/check`);
    await shows(page, en.check.verdict.found.title);
    await shows(page, en.check.byBrowser);
    await press(page, en.check.result.title);
    await shows(page, en.check.result.right.title);
  });

  it('votes once, however often the button is pressed', async () => {
    const { id } = await site.createPoll({ mip: true });
    const page = await openPage(`/${id}`);
    await shows(page, en.live.ready);
    await choose(page, 'Waterloo');
    await page.run(
      `const button = [...document.querySelectorAll('button')].find(one => one.innerText.trim() === args[0]);
      for (let press = 0; press < 5; press += 1) button.click();`,
      en.vote.vote,
    );
    await shows(page, en.vote.counted.title);
    expect(await site.counts(id)).toEqual({ votes: [1, 0, 0], voters: 1 });
  });

  it('keeps the choice when the ballot is not delivered, and is counted by a retry', async () => {
    const { id } = await site.createPoll({ mip: true });
    const page = await openPage(`/${id}`);
    await shows(page, en.live.ready);
    await choose(page, 'Hallelujah');
    // The first request fails as it does where the network is gone.
    await page.run(`const send = window.fetch; let failed = 0;
      window.fetch = (...given) => String(given[0]?.url ?? given[0]).includes('/ballot') && failed++ === 0
        ? Promise.reject(new TypeError('network')) : send(...given);`);
    await press(page, en.vote.vote);
    await shows(page, en.vote.counted.title);
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 1], voters: 1 });
  });

  it('sees the form when voting opens, and the result when it ends', async () => {
    const { id } = await site.createPoll({ mip: true, status: 'upcoming' });
    const page = await openPage(`/${id}`);
    await shows(page, en.vote.upcoming.title);
    await site.engine.polls.change(id, { closed: false });
    await comeBackUntil(page, en.vote.chooseOne);
    await shows(page, en.live.ready);
    // An answer with the focus would look chosen.
    expect(await page.run('return document.activeElement.tagName')).not.toBe('INPUT');
    await choose(page, 'Volare');
    await press(page, en.vote.vote);
    await shows(page, en.vote.counted.title);
    await site.engine.polls.change(id, { closed: true });
    await shows(page, en.vote.ended.title);
  });

  it('is led through a show by its page', async () => {
    const first = await site.createPoll({ mip: true, title: 'Best song?' });
    await pointShow(site.engine, 'friday-night', first.id);
    const page = await openPage('/show/friday-night');
    await shows(page, 'Best song?');
    const second = await site.createPoll({ mip: true, title: 'Best singer?' });
    await pointShow(site.engine, 'friday-night', second.id);
    await shows(page, 'Best singer?');
  });

  it('comments after the vote, and sees the comments of others arrive', async () => {
    const { id } = await site.createPoll({ mip: true, co: true });
    const page = await openPage(`/${id}`);
    await choose(page, 'Volare');
    await press(page, en.vote.vote);
    await shows(page, en.vote.counted.title);
    await page.run(
      `const box = document.querySelector('textarea');
      box.value = args[0]; box.dispatchEvent(new Event('input', { bubbles: true }));`,
      'Sing it again',
    );
    await press(page, en.vote.comments.send);
    await until(async () => (await site.engine.comments.list(id)).length === 1, 'the comment', PATIENCE_MS);
    await shows(page, 'Sing it again');
    await site.engine.comments.add(
      id,
      {
        id: 'another-comment',
        name: 'Ann',
        text: 'So do I',
        writtenAtMs: Date.now(),
      },
      100,
    );
    await shows(page, 'So do I');
  });
});

/** As when the tab is opened again: a page asks seldom while its voter sees no results. */
async function comeBackUntil(page: DrivenPage, text: string): Promise<void> {
  const timer = setInterval(() => {
    page.run(`document.dispatchEvent(new Event('visibilitychange'))`).catch(() => {});
  }, 1_500);
  await shows(page, text).finally(() => clearInterval(timer));
}
