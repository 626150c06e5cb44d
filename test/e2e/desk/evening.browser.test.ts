import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { solveForm } from '../../voting/visitor.ts';
import { deskRig, pressSettled } from './desk-rig.ts';

const rig = deskRig();

const QUESTIONS = Array.from({ length: 10 }, (_, at) => `Question number ${at + 1}?`);
const VOTERS = 30;

/** The text of an overlay. */
const drawn = async (overlay: Page) =>
  (await overlay.locator('body').allInnerTexts()).join().replace(/\s+/g, ' ');

/** A voter's page, waiting for the first poll. */
async function openPhone(show: string): Promise<Page> {
  const page = await rig.open('about:blank', 390, 844);
  // Pages fetch final results after a random delay of up to four seconds: none here.
  await page.addInitScript(() => {
    Math.random = () => 0;
  });
  await page.goto(`${rig.site.url}/show/${show}`);
  await page.getByRole('heading', { name: 'The next poll opens soon' }).last().waitFor();
  return page;
}

/** The question on a voter's page, and its visible parts. */
function onPhone(page: Page): Promise<string> {
  return page.evaluate(() => {
    const parts = ['upcoming', 'voting', 'counted', 'ended', 'hidden-note', 'open'];
    const isSeen = (part: string) => document.querySelector(`[data-${part}]`)?.checkVisibility() ?? false;
    return [document.querySelector('h1')?.textContent, ...parts.filter(isSeen)].join(' / ');
  });
}

async function voteByPhone(page: Page): Promise<void> {
  await page.getByLabel('Right').check();
  await page.getByRole('button', { name: 'Vote', exact: true }).click();
  await page.getByRole('heading', { name: 'Your vote has been counted' }).waitFor();
}

/** The other voters, each with their own cookies and address. */
async function vote(id: string): Promise<void> {
  const voters = Array.from({ length: VOTERS - 1 }, async (_, at) => {
    const visitor = rig.site.visitor({ origin: rig.site.url });
    const form = await solveForm((await visitor.get(`/${id}`)).body);
    const { answers } = (await rig.site.engine.polls.find(id))!.poll;
    const answer = answers[at % 3 === 2 ? 1 : 0]!.id;
    const reply = await visitor.post(`/${id}/ballot`, { ...form, answer });
    expect(reply.statusCode).toBeLessThan(400);
  });
  await Promise.all(voters);
}

it('overlays, voters’ pages and a second desk follow each key of an evening of ten polls', async () => {
  const show = await rig.takeShow();
  const [desk, second] = [await rig.desk(show), await rig.desk(show)];
  const overlayUrl = `${rig.site.relay.url}/overlay/show/${show.name}?speed=0`;
  const overlays = await Promise.all([rig.open(overlayUrl), rig.open(`${overlayUrl}&style=donut`)]);
  const onlooker = await openPhone(show.name);
  // A page stays for six seconds after a vote, so voters take turns.
  const voters = await Promise.all([1, 2, 3].map(() => openPhone(show.name)));
  const seen = async (read: (overlay: Page) => Promise<boolean>) => {
    for (const overlay of overlays) await expect.poll(() => read(overlay)).toBe(true);
  };
  const shows = (...words: string[]) =>
    seen(async overlay => {
      const text = await drawn(overlay);
      return words.every(word => text.includes(word));
    });

  for (const question of QUESTIONS) {
    await desk.fill('#add-line', `${question} | Left | Right`);
    await desk.press('#add-line', 'Enter');
    await expect.poll(() => desk.inputValue('#add-line')).toBe('');
  }
  await desk.evaluate(() => (document.activeElement as HTMLElement).blur());
  await expect.poll(() => second.locator('[data-rundown] li').count()).toBe(QUESTIONS.length);

  /** Presses a key at one desk and checks both. */
  const step = async (key: string, at: number, state: RegExp) => {
    await desk.keyboard.press(key);
    for (const page of [desk, second]) {
      const row = page.locator('[data-rundown] li').nth(at);
      await expect.poll(() => row.locator('.tag').textContent()).toBe('On air');
      await expect.poll(() => row.locator('.status').textContent()).toMatch(state);
    }
  };

  for (const [at, question] of QUESTIONS.entries()) {
    const voter = voters[at % voters.length]!;
    const phonesShow = async (watching: string, voting = watching) => {
      await expect.poll(() => onPhone(onlooker)).toBe(`${question} / ${watching}`);
      await expect.poll(() => onPhone(voter)).toBe(`${question} / ${voting}`);
    };
    await step('n', at, /^Not started/);
    await shows(question, 'Voting opens soon');
    await phonesShow('upcoming');
    await step('r', at, /results hidden$/);
    await step('o', at, /^Open · 0 votes · results hidden$/);
    await shows(question);
    await phonesShow('voting');
    const { on_air: id } = (await show.get()).json;
    await Promise.all([vote(id), voteByPhone(voter)]);
    await phonesShow('voting', 'counted / hidden-note');
    await step('o', at, /^Closed · 30 votes · results hidden$/);
    await phonesShow('ended / hidden-note', 'counted / ended / hidden-note');
    for (const page of [...overlays, onlooker, voter]) expect(await drawn(page)).not.toContain('67');
    await step('r', at, /^Closed · 30 votes$/);
    await shows(question, '67');
    await phonesShow('ended / open', 'counted / ended / open');
    for (const phone of [onlooker, voter])
      await expect.poll(() => drawn(phone)).toMatch(/20 67\s?%.*10 33\s?%/);
    expect((await rig.site.engine.polls.find(id))?.results).toMatchObject({
      votes: [20, 10],
      status: 'closed',
    });
  }
  await pressSettled(desk, 'c');
  await seen(async overlay => !(await drawn(overlay)).includes('Question'));
  for (const phone of [onlooker, ...voters])
    await expect.poll(() => phone.locator('.show-strip').textContent()).toMatch(/^The next poll opens soon/);
  expect(rig.faults).toEqual([]);
});
