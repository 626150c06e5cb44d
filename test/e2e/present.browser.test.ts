import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { send } from '../support/api-request.ts';
import { readCodes } from '../support/read-code.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { takeShow } from '../support/test-show.ts';
import { startLiveSite } from '../voting/voting-site.ts';
import { findViolations } from './axe.ts';
import { browserRig } from './browser-rig.ts';

const VOTE_URL = 'https://vote.example.org';
const SCREENS = [
  [1024, 768],
  [3840, 2160],
  [1080, 1920],
] as const;

/** Pages reach the relay by a link that can fail. */
const rig = browserRig(async () => {
  const link = await startTcpProxy(0);
  const relayUrl = `http://127.0.0.1:${link.port}`;
  const site = await startLiveSite({ voteUrl: VOTE_URL, relayUrl }, { voteUrl: VOTE_URL });
  link.leadTo(Number(new URL(site.relay.url).port));
  const close = () => Promise.all([site.close(), link.close()]).then(() => {});
  return { ...site, link, close };
});

async function open(
  path: string,
  [width, height]: readonly [number, number] = [1024, 768],
  query = '',
): Promise<Page> {
  const page = await rig.browser.newPage({ viewport: { width, height }, locale: 'en-US' });
  await page.goto(`${rig.site.url}${path}/present${query}`);
  await page.locator('[data-on=true]').waitFor();
  return page;
}

const words = (page: Page, name: string) => page.locator(`.words .${name}`).allTextContents();
const codes = async (page: Page) => readCodes(await page.screenshot());
const isFullScreen = (page: Page) => page.evaluate(() => document.fullscreenElement !== null);
const change = (id: string, poll: object, key: string) =>
  send(`${rig.site.relay.url}/api/poll/${id}`, 'PATCH', { poll }, key);

/** In a page: notes each drawing, also those that another one replaces before a frame. */
function recordDrawn(): void {
  const drawn: string[] = [];
  Object.assign(window, { drawn });
  const words = document.querySelector('.words')!;
  const replace = words.replaceChildren.bind(words);
  words.replaceChildren = (...nodes) => {
    replace(...nodes);
    drawn.push(`${words.parentElement!.dataset['style']} ${words.querySelector('.title')?.textContent}`);
  };
}

describe('the screen of a room', () => {
  it.each(SCREENS)('has question, results and a code that can be scanned: %d × %d', async (...size) => {
    const answers = Array.from({ length: 20 }, (_, at) => `Answer ${at + 1}`);
    const { id } = await rig.site.relay.create({ answers, closes_in: 3_600 });
    await rig.site.relay.cast(id, 0, 3);
    const page = await open(`/${id}`, size);
    await expect.poll(() => words(page, 'total')).toEqual(['3 votes']);
    expect(await words(page, 'title')).toEqual(['Which song next?']);
    expect(await words(page, 'clock')).toHaveLength(1);
    await expect.poll(() => words(page, 'address')).toEqual([`vote.example.org/${id}`]);
    await expect.poll(() => codes(page)).toEqual([`${VOTE_URL}/${id}`]);
    expect(await page.evaluate(() => [innerWidth, innerHeight])).toEqual(
      await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.scrollHeight,
      ]),
    );
  });

  it('follows votes, rounds, a correction and the close, after which it has no code', async () => {
    const { id, admin_key } = await rig.site.relay.create({ join_code: true });
    const page = await open(`/${id}`);
    await expect.poll(() => codes(page)).toHaveLength(1);
    await rig.site.relay.cast(id, 1, 2);
    await expect.poll(() => words(page, 'count')).toEqual(['2', '0']);
    await change(id, { title: 'Which song now?' }, admin_key);
    await expect.poll(() => words(page, 'title')).toEqual(['Which song now?']);
    await change(id, { status: 'closed' }, admin_key);
    await expect.poll(() => words(page, 'state')).toEqual(['Final results']);
    expect(await words(page, 'address')).toEqual([]);
    await expect.poll(() => codes(page)).toEqual([]);
    await send(`${rig.site.relay.url}/api/poll/${id}/again`, 'POST', {}, admin_key);
    await expect.poll(() => words(page, 'waiting')).toEqual(['Waiting for the first vote']);
    await expect.poll(() => codes(page)).toHaveLength(1);
  });

  it('says in the language of the page that its poll was deleted, without its code', async () => {
    const { id, admin_key } = await rig.site.relay.create();
    const page = await open(`/${id}`, [1024, 768], '?lang=de');
    await expect.poll(() => codes(page)).toHaveLength(1);
    await send(`${rig.site.relay.url}/api/poll/${id}`, 'DELETE', undefined, admin_key);
    await expect.poll(() => words(page, 'title')).toEqual(['Diese Umfrage wurde gelöscht.']);
    await expect.poll(() => codes(page)).toEqual([]);
  });

  it('shows the question and the code of a poll that opens later, and its answers from the opening on', async () => {
    const { id, admin_key } = await rig.site.relay.create({ status: 'upcoming' });
    const page = await open(`/${id}`);
    await expect.poll(() => words(page, 'state')).toEqual(['Voting opens soon']);
    await expect.poll(() => codes(page)).toEqual([`${VOTE_URL}/${id}`]);
    expect(await words(page, 'row')).toEqual([]);
    await change(id, { status: 'open' }, admin_key);
    await expect.poll(() => words(page, 'row')).toHaveLength(2);
  });

  it('follows a show from poll to poll, also to a hidden one, with its code between them', async () => {
    const show = await takeShow(rig.site.relay);
    await show.patch({ title: 'Friday night', look: { style: 'ticker' } });
    await show.addPoll({ title: 'Best song?' });
    const hidden = (await show.addPoll({ title: 'Best dress?', results_visibility: 'hidden' })).json;
    const page = await open(`/show/${show.name}`);
    await expect.poll(() => words(page, 'title')).toEqual(['Friday night']);
    expect(await words(page, 'state')).toEqual(['Voting opens soon']);
    await expect.poll(() => codes(page)).toEqual([`${VOTE_URL}/show/${show.name}`]);
    await show.press('next');
    await expect.poll(() => words(page, 'title')).toEqual(['Best song?']);
    // A strip would leave the screen empty.
    expect(await page.locator('.tallycast').getAttribute('data-style')).toBe('bars');
    await show.press('next');
    await rig.site.relay.cast(hidden.id, 0, 7);
    await expect.poll(() => words(page, 'title')).toEqual(['Best dress?']);
    for (const figure of ['count', 'percent', 'total']) expect(await words(page, figure)).toEqual([]);
    await show.press('clear');
    await expect.poll(() => words(page, 'title')).toEqual(['Friday night']);
    await expect.poll(() => codes(page)).toHaveLength(1);
  });

  it('draws no poll that leaves in the look of the next one, also where the code comes back', async () => {
    const show = await takeShow(rig.site.relay);
    const first = (await show.addPoll({ title: 'Best song?' })).json;
    const second = (await show.addPoll({ title: 'Best dress?' })).json;
    const looks = { [first.id]: { style: 'donut' }, [second.id]: { style: 'columns' } };
    await show.patch({ on_air: first.id, looks });
    const page = await open(`/show/${show.name}`);
    await expect.poll(() => codes(page)).toHaveLength(1);
    await show.press('close');
    await expect.poll(() => words(page, 'state')).toEqual(['No votes']);
    await page.evaluate(recordDrawn);
    await show.press('next');
    await expect.poll(() => words(page, 'title')).toEqual(['Best dress?']);
    await expect.poll(() => codes(page)).toHaveLength(1);
    const drawn = await page.evaluate(() => (window as unknown as { drawn: string[] }).drawn);
    expect(drawn).toContain('columns Best dress?');
    expect(drawn).not.toContain('columns Best song?');
  });

  it('keeps its picture while the relay is away, also over a reload, and catches up by itself', async () => {
    const { relay, link } = rig.site;
    const { id } = await relay.create();
    await relay.cast(id, 0, 2);
    const page = await open(`/${id}`);
    await expect.poll(() => words(page, 'count')).toEqual(['2', '0']);
    await expect.poll(() => codes(page)).toHaveLength(1);
    link.refuse(true);
    link.cut();
    await relay.cast(id, 0, 3);
    expect(await words(page, 'count')).toEqual(['2', '0']);
    expect(await codes(page)).toHaveLength(1);
    await page.reload();
    await expect.poll(() => words(page, 'count')).toEqual(['2', '0']);
    link.refuse(false);
    await expect.poll(() => words(page, 'count')).toEqual(['5', '0']);
    await expect.poll(() => codes(page)).toHaveLength(1);
  });

  it('without a script has the same in a still picture, that is whole in the window', async () => {
    const { id } = await rig.site.relay.create({ join_code: true });
    for (const [width, height] of [...SCREENS, [390, 844]] as const) {
      const page = await rig.browser.newPage({ viewport: { width, height }, javaScriptEnabled: false });
      await page.goto(`${rig.site.url}/${id}/present`);
      await expect.poll(() => codes(page)).toEqual([`${VOTE_URL}/${id}`]);
      const [picture, code] = await Promise.all(
        ['Results', 'QR code for the voting page'].map(name => page.getByRole('img', { name }).boundingBox()),
      );
      for (const box of [picture!, code!]) {
        expect(box.x + box.width).toBeLessThanOrEqual(width);
        expect(box.y + box.height).toBeLessThanOrEqual(height);
      }
    }
  });

  it('fills the screen by its button and by F, and has nothing else on it', async () => {
    const { id } = await rig.site.relay.create();
    const page = await open(`/${id}`);
    const button = page.getByRole('button', { name: 'Full screen' });
    expect(await page.locator('a, button, input').count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    await button.click();
    await expect.poll(() => isFullScreen(page)).toBe(true);
    await page.keyboard.press('f');
    await expect.poll(() => isFullScreen(page)).toBe(false);
    await page.keyboard.press('F');
    await expect.poll(() => isFullScreen(page)).toBe(true);
    await page.keyboard.press('Control+f');
    expect(await isFullScreen(page)).toBe(true);
  });

  it('shows no pointer and no button once the pointer has rested', async () => {
    const { id } = await rig.site.relay.create();
    const page = await open(`/${id}`);
    const shown = () =>
      page.evaluate(() => {
        const [screen, button] = ['.present', '.present button'].map(name => document.querySelector(name)!);
        return [getComputedStyle(screen!).cursor, getComputedStyle(button!).opacity];
      });
    await expect.poll(shown).toEqual(['none', '0']);
    await page.mouse.move(100, 100);
    expect(await shown()).toEqual(['auto', '1']);
    await expect.poll(shown).toEqual(['none', '0']);
  });

  it('is linked from the desk without its key', async () => {
    const show = await takeShow(rig.site.relay);
    const page = await rig.browser.newPage({ locale: 'en-US' });
    await page.goto(`${rig.site.url}/desk/${show.name}#key=${show.key}`);
    await page.locator('.links summary').click();
    const link = page.getByRole('link', { name: 'Present', exact: true });
    expect(await link.getAttribute('href')).toBe(`${VOTE_URL}/show/${show.name}/present`);
  });

  it('takes no key from its address, so that hidden results stay hidden, and has none', async () => {
    const { id, view_key } = await rig.site.relay.create({ results_visibility: 'hidden' });
    await rig.site.relay.cast(id, 0, 7);
    const page = await rig.browser.newPage({ locale: 'en-US' });
    await page.goto(`${rig.site.url}/${id}/present#key=${view_key}`);
    await expect.poll(() => words(page, 'row')).toHaveLength(2);
    expect(await words(page, 'count')).toEqual([]);
    expect(await page.content()).not.toMatch(/view_|admin_|show_/);
  });
});
