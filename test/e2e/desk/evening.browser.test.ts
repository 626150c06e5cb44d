import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { solveForm } from '../../voting/visitor.ts';
import { deskRig } from './desk-rig.ts';

const rig = deskRig();

const QUESTIONS = Array.from({ length: 10 }, (_, at) => `Question number ${at + 1}?`);
const VOTERS = 30;

/** What an overlay draws, as one text. */
const drawn = async (overlay: Page) =>
  (await overlay.locator('body').allInnerTexts()).join().replace(/\s+/g, ' ');

/** Thirty people, each with a browser's cookies and an address of their own. */
async function vote(id: string): Promise<void> {
  const voters = Array.from({ length: VOTERS }, async (_, at) => {
    const visitor = rig.site.visitor({ origin: rig.site.url });
    const form = await solveForm((await visitor.get(`/${id}`)).body);
    const { answers } = (await rig.site.engine.polls.find(id))!.poll;
    const answer = answers[at % 3 === 0 ? 1 : 0]!.id;
    const reply = await visitor.post(`/${id}/ballot`, { ...form, answer });
    expect(reply.statusCode).toBeLessThan(400);
  });
  await Promise.all(voters);
}

it('an evening of ten polls: one key a step, and every overlay and the second desk are right after each', async () => {
  const show = await rig.takeShow();
  const [desk, second] = [await rig.desk(show), await rig.desk(show)];
  const overlayUrl = `${rig.site.relay.url}/overlay/show/${show.name}?speed=0`;
  const overlays = await Promise.all([rig.open(overlayUrl), rig.open(`${overlayUrl}&style=donut`)]);
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

  /** One key at this desk; the other one says the same. */
  const step = async (key: string, at: number, state: RegExp) => {
    await desk.keyboard.press(key);
    for (const page of [desk, second]) {
      const row = page.locator('[data-rundown] li').nth(at);
      await expect.poll(() => row.locator('.tag').textContent()).toBe('On air');
      await expect.poll(() => row.locator('.status').textContent()).toMatch(state);
    }
  };

  for (const [at, question] of QUESTIONS.entries()) {
    await step('n', at, /^Ready/);
    await shows(question, 'Voting opens soon');
    await step('r', at, /results hidden$/);
    await step('o', at, /^Open · 0 votes · results hidden$/);
    await shows(question);
    const { on_air: id } = (await show.get()).json;
    await vote(id);
    await step('o', at, /^Closed · 30 votes · results hidden$/);
    expect(await Promise.all(overlays.map(drawn))).not.toContainEqual(expect.stringContaining('67'));
    await step('r', at, /^Closed · 30 votes$/);
    await shows(question, '67');
    expect((await rig.site.engine.polls.find(id))?.results).toMatchObject({
      votes: [20, 10],
      status: 'closed',
    });
  }
  await desk.keyboard.press('c');
  await seen(async overlay => !(await drawn(overlay)).includes('Question'));
  expect(rig.faults).toEqual([]);
});
