import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { idOfRound } from '../../../src/poll/poll.ts';
import { deskRig, holdClock, press, pressSettled, rundownIs, settled, word } from './desk-rig.ts';

/** Two hands on one cue. The relay's clock is held, so that no busy machine lets a press settle. */

const SETTLE_MS = 1_000;
const rig = deskRig(SETTLE_MS);
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

async function desksOfThree() {
  const show = await rig.takeShow();
  for (const title of ['First?', 'Second?', 'Third?'])
    await show.addPoll({ title, answers: ['Yes', 'No'], status: 'upcoming', results_visibility: 'hidden' });
  return { show, desk: await rig.desk(show), second: await rig.desk(show) };
}

const settle = () => void vi.setSystemTime(Date.now() + SETTLE_MS);

it.each([0, 400])(
  'N %i ms apart at two desks moves one step, and the desk that comes second says why',
  async apartMs => {
    const { desk, second } = await desksOfThree();
    await pressSettled(desk, 'n');
    for (const page of [desk, second]) await rundownIs(page, [/^First\? \/ On air/, /Next/, /^Third/]);
    settle();
    await desk.keyboard.press('n');
    await second.waitForTimeout(apartMs);
    await second.keyboard.press('n');
    // The first press may be the second to arrive.
    const words = async () => (await Promise.all([desk, second].map(word))).join();
    await expect.poll(words).toMatch(/so nothing was done/);
    for (const page of [desk, second]) await rundownIs(page, [/^First/, /^Second\? \/ On air/, /^Third/]);
  },
);

it('O twice closes, N and then O opens what N took, Z takes back what its button names', async () => {
  const { desk, second } = await desksOfThree();
  await pressSettled(desk, 'n');
  await rundownIs(desk, [/^First\? \/ On air/, /Next/, /^Third/]);
  await press(desk, 'o');
  for (const page of [desk, second]) await rundownIs(page, [/Open/, /Next/, /^Third/]);
  settle();
  await desk.keyboard.press('o');
  for (const page of [desk, second]) await rundownIs(page, [/Closed/, /Next/, /^Third/]);
  for (const page of [desk, second]) {
    await press(page, 'o');
    await expect.poll(() => word(page)).toContain('so nothing was done. Close voting: First?');
  }
  await press(desk, 'z');
  for (const page of [desk, second]) await rundownIs(page, [/Open/, /Next/, /^Third/]);
});

it('G at two desks begins one round, which Z takes back', async () => {
  const { show, desk, second } = await desksOfThree();
  await pressSettled(desk, 'n');
  await press(desk, 'o');
  await rundownIs(desk, [/Open/, /Next/, /^Third/]);
  const id = (await show.get()).json.on_air;
  await rig.site.relay.cast(id);
  settle();
  await press(desk, 'o');
  for (const page of [desk, second]) await rundownIs(page, [/Closed · 1 vote/, /Next/, /^Third/]);
  settle();
  for (const page of [desk, second]) {
    await page.locator('[data-work]:not([data-settling])').waitFor();
    await holdClock(page);
    await press(page, 'g');
    await expect.poll(() => word(page)).toContain('This round has votes.');
  }
  await Promise.all([desk, second].map(page => page.keyboard.press('g')));
  for (const page of [desk, second]) await rundownIs(page, [/Open · 0 votes/, /Next/, /^Third/]);
  await Promise.all([desk, second].map(settled));
  const { poll } = (await rig.site.engine.polls.find(id))!;
  expect(poll.round).toBe(2);
  await second.getByRole('button', { name: /^Undo.*Again: First/ }).waitFor();
  await show.press('undo');
  for (const page of [desk, second]) await rundownIs(page, [/Closed · 1 vote/, /Next/, /^Third/]);
  expect(await rig.site.engine.polls.find(idOfRound(id, 1))).toBeUndefined();
});

it('a held Delete or Enter presses once, and removed polls are put back', async () => {
  const { show, desk } = await desksOfThree();
  const hold = async (key: string) => {
    await desk.keyboard.down(key);
    for (let repeats = 0; repeats < 20; repeats += 1) await desk.keyboard.down(key);
    await desk.keyboard.up(key);
  };
  await desk.locator('[data-rundown] li .choose').last().focus();
  await hold('Delete');
  await rundownIs(desk, [/^First/, /^Second/]);
  await desk.locator('[data-step=next]').focus();
  await hold('Enter');
  await rundownIs(desk, [/^First\? \/ On air/, /Next/]);
  await desk.getByText('Removed polls').click();
  await desk.getByRole('button', { name: 'Put back: Third?' }).click();
  await rundownIs(desk, [/^First\? \/ On air/, /Next/, /^Third/]);
  expect((await show.get()).json.undo.press).toBe('add');
});

it('what is typed in the form of a poll that another desk removes stays, and is no press', async () => {
  const { show, desk } = await desksOfThree();
  await desk.locator('[data-rundown] li .choose').last().click();
  await desk.locator('[data-edit]').click();
  await desk.locator('form.edit [name=title]').fill('Third, co');
  const [one, two] = (await show.get()).json.rundown;
  await show.patch({ rundown: [one, two] });
  await rundownIs(desk, [/^First/, /^Second/]);
  await desk.keyboard.type('rnz');
  expect(await desk.locator('form.edit [name=title]').inputValue()).toBe('Third, cornz');
  expect((await show.get()).json.on_air).toBeNull();
});

it('six pasted lines are six polls, and Undo takes them back one by one', async () => {
  const { desk, show } = await desksOfThree();
  const added = ['A', 'B', 'C', 'D', 'E', 'F'];
  const text = added.map(name => `${name}? | 1 | 2\n`).join('\n');
  await desk.locator('#add-line').evaluate((field, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', pasted);
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
  const before = [/^First/, /^Second/, /^Third/];
  const rowsOf = (names: readonly string[]) => [...before, ...names.map(name => new RegExp(`^${name}\\?`))];
  await rundownIs(desk, rowsOf(added));
  for (let left = added.length - 1; left >= 0; left -= 1) {
    await pressSettled(desk, 'z');
    await rundownIs(desk, rowsOf(added.slice(0, left)));
  }
  expect((await show.get()).json.rundown).toHaveLength(before.length);
});
