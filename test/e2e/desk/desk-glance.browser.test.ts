import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { castBallots } from '../../support/test-relay.ts';
import { findViolations } from '../axe.ts';
import { deskRig, holdClock, press, pressSettled, rundownIs, word } from './desk-rig.ts';

/** What an operator sees and hears without reading. */

const rig = deskRig();

async function deskOf(...polls: Record<string, unknown>[]) {
  const show = await rig.takeShow();
  const ids: string[] = [];
  for (const poll of polls)
    ids.push(
      (await show.addPoll({ answers: ['Ann', 'Bob', 'Cid', 'Dan'], status: 'upcoming', ...poll })).json.id,
    );
  return { show, ids, desk: await rig.desk(show) };
}

const cue = (desk: Page) =>
  desk.locator('[data-cue]').evaluateAll(keys => keys.map(key => key.dataset['step']));
const tally = async (desk: Page) =>
  ((await desk.locator('.tally .state').textContent()) ?? '').replace(/\s+/g, ' ');
const borderOf = (desk: Page, place: string) =>
  desk
    .locator(`[data-picture=${place}] .frame`)
    .evaluate(frame => getComputedStyle(frame, '::after').borderTopColor);

it('one line over the picture says what viewers have, and one filled key what comes next', async () => {
  const { desk, ids } = await deskOf({ title: 'First?', results_visibility: 'hidden' }, { title: 'Second?' });
  await expect.poll(() => tally(desk)).toBe('Nothing on air');
  await expect.poll(() => cue(desk)).toEqual(['next']);
  await pressSettled(desk, 'n');
  await expect.poll(() => tally(desk)).toBe('On air · Not started · 0 votes · results hidden');
  await expect.poll(() => cue(desk)).toEqual(['open']);
  expect(await borderOf(desk, 'air')).toBe('rgb(196, 35, 26)');
  expect(await borderOf(desk, 'next')).toBe('rgb(26, 122, 69)');
  await press(desk, 'o');
  await desk.getByText('Voting open').waitFor();
  for (const [answer, votes] of [1, 4, 3, 2].entries()) await rig.site.relay.cast(ids[0]!, answer, votes);
  await expect.poll(() => tally(desk)).toBe('On air · Voting open · 10 votes · results hidden');
  expect(await cue(desk)).toEqual(['open']);
  await press(desk, 'o');
  await expect.poll(() => tally(desk)).toBe('On air · Voting closed · 10 votes · results hidden');
  expect(await cue(desk)).toEqual(['step']);
  await desk.locator('[data-option=final_two]').evaluate(box => (box as HTMLElement).click());
  await press(desk, 's');
  await expect.poll(() => tally(desk)).toBe('On air · Voting closed · 10 votes · 1 of 4 shown');
  await press(desk, 's');
  const step = desk.locator('[data-step=step]');
  await expect.poll(() => step.textContent()).toBe('Last two + winnerS2. Cid · 1. Bob');
  const figures = await desk.locator('.notes .figures li').allTextContents();
  expect(figures.map(row => row.replace(/\s+/g, ''))).toEqual([
    '1Bob4',
    '2Cid3',
    '3Dan2✓Shown',
    '4Ann1✓Shown',
  ]);
  await press(desk, 's');
  await expect.poll(() => tally(desk)).toBe('On air · Voting closed · 10 votes');
  expect(await cue(desk)).toEqual(['next']);
  await desk.locator('[data-poll] .choose').first().click();
  const next = desk.locator('[data-picture=next]');
  expect(await next.locator('.caption').textContent()).toBe('Second?');
  expect(await next.locator('iframe').getAttribute('data-preview')).toBe(ids[1]);
  expect(await desk.locator('[data-picture=chosen] iframe').getAttribute('data-preview')).toBe(ids[0]);
});

it('what a slip would ruin in a reveal is not beside its step, at any width', async () => {
  const { desk } = await deskOf({ title: 'First?' });
  for (const width of [1440, 1024, 390, 320]) {
    await desk.setViewportSize({ width, height: 900 });
    const box = async (name: string) => (await desk.locator(`[data-step=${name}]`).boundingBox())!;
    const step = await box('step');
    for (const name of ['open', 'results', 'again']) {
      const { x, y, width: wide, height } = await box(name);
      const gapX = Math.max(x - step.x - step.width, step.x - x - wide);
      const gapY = Math.max(y - step.y - step.height, step.y - y - height);
      expect({ width, name, isApart: Math.max(gapX, gapY) > 20 }).toEqual({ width, name, isApart: true });
    }
  }
});

it('the only countdown is large, and late votes contradict no key', async () => {
  const { desk, show, ids } = await deskOf({ title: 'First?' });
  await show.patch({ delay: 60, on_air: ids[0] });
  await show.press('open');
  await castBallots(rig.site.engine, ids[0]!, 0, 2);
  await show.press('close', { closes_in: 9 });
  const clock = desk.locator('[data-clock]');
  await expect.poll(() => clock.textContent()).toMatch(/^0:0\d$/);
  expect(await clock.evaluate(text => getComputedStyle(text).fontSize)).toBe('32px');
  expect(await desk.locator('.clock[data-ending]').count()).toBe(1);
  await show.press('close');
  await expect.poll(() => tally(desk)).toMatch(/^On air · Voting closed · 2 votes · \d\d s of late votes$/);
  await rundownIs(desk, [/^First\? \/ On air \/ \d\d s of late votes/]);
  await press(desk, 's');
  await expect.poll(() => word(desk)).toMatch(/^\d\d s of late votes/);
  await press(desk, 'x');
  await expect.poll(() => word(desk)).toContain('Voting isn’t open.');
});

it('the list follows the show, unless the operator has just scrolled it, and rows keep height and place', async () => {
  const titles = Array.from({ length: 30 }, (_, at) => ({
    title: `Question ${at + 1}?`,
    results_visibility: 'hidden',
  }));
  const { desk, show, ids } = await deskOf(...titles);
  const list = desk.locator('[data-rundown]');
  const isInSight = (at: number) =>
    list.evaluate((box, id) => {
      const row = box.querySelector(`[data-poll="${id}"]`)!.getBoundingClientRect();
      const { top, bottom } = box.getBoundingClientRect();
      return row.top >= top - 1 && row.bottom <= bottom + 1;
    }, ids[at]!);
  const boxes = () =>
    desk
      .locator('[data-rundown] .question')
      .evaluateAll(all =>
        all.map(text => [text.getBoundingClientRect().left, text.closest('li')!.offsetHeight]),
      );
  await expect.poll(async () => (await boxes()).length).toBe(30);
  const before = await boxes();
  await show.patch({ on_air: ids[20] });
  await expect.poll(async () => [await isInSight(20), await isInSight(21)]).toEqual([true, true]);
  await show.press('open');
  await desk.getByText('Voting open').waitFor();
  expect(await boxes()).toEqual(before);
  const advance = await holdClock(desk);
  await advance(6_000);
  await list.evaluate(box => {
    const scrolled = new Promise<void>(resolve => {
      box.addEventListener('scroll', () => resolve(), { once: true });
    });
    box.scrollTo(0, 0);
    return scrolled;
  });
  await show.patch({ on_air: ids[25] });
  await desk.locator(`[data-poll="${ids[25]}"][data-on-air]`).waitFor();
  expect(await list.evaluate(box => box.scrollTop)).toBe(0);
  await advance(6_000);
  await show.patch({ on_air: ids[10] });
  await expect.poll(async () => [await isInSight(10), await isInSight(11)]).toEqual([true, true]);
});

it('a screen reader hears presses of this desk and of another one, and what was taken back', async () => {
  const { desk, show } = await deskOf({ title: 'First?' }, { title: 'Second?' });
  const second = await rig.desk(show);
  const heard = (page: Page) => page.locator('.notes > [role=status]').textContent();
  await pressSettled(desk, 'n');
  await expect.poll(() => heard(second)).toBe('Another desk: Next: First?');
  await press(desk, 'o');
  await expect.poll(() => heard(desk)).toBe('Open voting: First?');
  await expect.poll(() => heard(second)).toBe('Another desk: Open voting: First?');
  await pressSettled(desk, 'z');
  await expect.poll(() => heard(second)).toBe('Another desk: Taken back: Open voting: First?');
});

it('while a field has the focus, the desk says that keys are off; without the relay, keys are dimmed', async () => {
  const { desk } = await deskOf({ title: 'First?' });
  const note = desk.locator('.typing');
  expect(await note.isVisible()).toBe(false);
  await desk.locator('#add-line').focus();
  expect(await note.isVisible()).toBe(true);
  await desk.keyboard.press('Escape');
  expect(await note.isVisible()).toBe(false);
  await pressSettled(desk, 'n');
  await desk.route('**/api/show/**', route => route.abort());
  await desk.locator('[data-away] [data-cue]').waitFor();
  const background = () => desk.locator('[data-cue]').evaluate(key => getComputedStyle(key).backgroundColor);
  await expect.poll(background).toBe('rgba(0, 0, 0, 0)');
});

it('follows the light scheme of the system on request, in this browser, and axe finds nothing', async () => {
  const { desk, ids } = await deskOf({ title: 'First?', results_visibility: 'hidden' }, { title: 'Second?' });
  await desk.emulateMedia({ colorScheme: 'light' });
  const ground = () => desk.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(await ground()).toBe('rgb(15, 18, 22)');
  await desk.getByText('Links', { exact: true }).click();
  await desk.getByText('Light or dark like the system').click();
  await expect.poll(ground).toBe('rgb(246, 247, 249)');
  await desk.reload();
  await desk.locator('[data-work]:not([hidden])').waitFor();
  expect(await ground()).toBe('rgb(246, 247, 249)');
  await pressSettled(desk, 'n');
  await press(desk, 'o');
  await desk.getByText('Voting open').waitFor();
  await rig.site.relay.cast(ids[0]!, 0, 2);
  await desk.locator('.figures').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await desk.emulateMedia({ colorScheme });
    for (const width of [1280, 390]) {
      await desk.setViewportSize({ width, height: 844 });
      expect(await findViolations(desk, { iframes: false })).toEqual([]);
    }
  }
});
