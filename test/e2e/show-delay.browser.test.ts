import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { itemsOf, walk } from '../document/walk.ts';
import { send } from '../support/api-request.ts';
import { castBallots } from '../support/test-relay.ts';
import { deskRig, pressSettled, word } from './desk/desk-rig.ts';

const rig = deskRig();

const state = (screen: Page) => screen.locator('.state');

/** A show with a poll on air and votes in it, and a delay that no test outlasts. */
async function setUp(poll: Record<string, unknown> = {}) {
  const show = await rig.takeShow();
  const { id } = (await show.addPoll({ title: 'Which song?', answers: ['Yes', 'No'], ...poll })).json;
  await show.press('next');
  await castBallots(rig.site.engine, id, 0, 2);
  const desk = await rig.desk(show);
  await desk.getByText('Links').click();
  await desk.getByLabel('Viewers are behind by').fill('60');
  await desk.locator('form[data-delay] button').click();
  await expect.poll(async () => (await show.get()).json.delay).toBe(60);
  await desk.keyboard.press('Escape');
  const overlay = `${rig.site.relay.url}/overlay/show/${show.name}`;
  const screens = [
    await rig.open(`${overlay}?style=bars`),
    await rig.open(`${overlay}?style=host#key=${show.key}`),
  ] as const;
  for (const screen of screens) await state(screen).waitFor({ state: 'attached' });
  return { show, id, desk, screens };
}

const COUNTING = 'Counting the last votes';

it('closes on air at once and after the late votes for phones; figures stand still until then', async () => {
  const { show, id, desk, screens } = await setUp();
  const phone = await rig.open(`${rig.site.url}/show/${show.name}`);
  await phone.getByRole('button', { name: 'Vote', exact: true }).waitFor();
  await pressSettled(desk, 'o');
  for (const screen of screens) await expect.poll(() => state(screen).textContent()).toBe(COUNTING);
  await expect.poll(() => screens[1].locator('.late').textContent()).toMatch(/^Late votes 0:[0-5]\d$/);
  await desk.locator('[data-late]', { hasText: /^\d\d s of late votes$/ }).waitFor();
  await desk.locator('[data-clock]').waitFor({ state: 'hidden' });
  expect(await screens[0].locator('.tag').count()).toBe(0);
  await phone.getByRole('radio', { name: 'Yes' }).check();
  await phone.getByRole('button', { name: 'Vote', exact: true }).click();
  await phone.getByText('Your vote has been counted').waitFor();
  // The desk has the vote, and so have the screens.
  await expect.poll(() => desk.locator('[data-rundown]').first().textContent()).toContain('3');
  for (const screen of screens) {
    expect(await state(screen).textContent()).toBe(COUNTING);
    expect(await screen.locator('.total').textContent()).toBe('2 votes');
  }
  await rig.site.engine.polls.change(id, { closed: true });
  for (const screen of screens) await expect.poll(() => state(screen).textContent()).toBe('Final results');
  expect(await screens[0].locator('.tag').allTextContents()).toEqual(['Winner']);
  for (const screen of screens) expect(await screen.locator('.total').textContent()).toBe('3 votes');
});

it('shows the winner on a press of its own, on the screens of the show alone, then the table', async () => {
  const { show, id, desk, screens } = await setUp();
  const other = await rig.open(`${rig.site.relay.url}/overlay/${id}?style=bars`);
  await desk.getByText('Links').click();
  await desk.getByLabel('The winner comes on a press of its own').click();
  await expect.poll(async () => (await show.get()).json.winner).toBe('press');
  await desk.keyboard.press('Escape');
  await rig.site.engine.polls.change(id, { closed: true });
  const tags = (screen: Page) => screen.locator('.tag').allTextContents();
  await expect.poll(() => tags(other)).toEqual(['Winner']);
  for (const screen of screens) {
    await expect.poll(() => state(screen).textContent()).toBe('Voting closed');
    expect(await tags(screen)).toEqual([]);
  }
  const step = desk.locator('[data-step=step]');
  await expect.poll(() => step.textContent()).toContain('Show the winner');
  await pressSettled(desk, 's');
  for (const screen of screens) await expect.poll(() => state(screen).textContent()).toBe('Final results');
  await expect.poll(() => tags(screens[0])).toEqual(['Winner']);
  await screens[0].reload();
  await expect.poll(() => tags(screens[0])).toEqual(['Winner']);
  await expect.poll(() => step.textContent()).toContain('Back to the table');
  await pressSettled(desk, 's');
  await expect.poll(async () => (await show.get()).json.aired_winner).toEqual({ round: 1, past: true });
  await pressSettled(desk, 'z');
  await pressSettled(desk, 'z');
  for (const screen of screens) await expect.poll(() => tags(screen)).toEqual([]);
});

it('counts down to the close on air, and one key opens the vote again', async () => {
  const { desk, screens } = await setUp();
  await pressSettled(desk, 'x');
  for (const screen of screens) {
    const clock = screen.locator('.clock');
    await clock.waitFor({ state: 'attached' });
    expect(await clock.textContent()).toMatch(/Closes in 0:[0-3]\d/);
  }
  await expect.poll(() => desk.locator('[data-clock]').textContent()).toMatch(/^0:[0-3]\d$/);
  await expect.poll(() => desk.locator('[data-late]').textContent()).toBe('60 s of late votes');
  await pressSettled(desk, 'o');
  for (const screen of screens) await expect.poll(() => state(screen).textContent()).toBe(COUNTING);
  await desk.locator('[data-step=open]', { hasText: 'Open voting' }).waitFor();
  await pressSettled(desk, 'o');
  for (const screen of screens) await expect.poll(() => state(screen).textContent()).toBe('Vote now');
  await expect.poll(async () => (await word(desk)).trim()).toBe('');
});

it('does for viewers behind what the document for shows says', async () => {
  const items = itemsOf('src/show/README.md', 'Viewers behind').filter(item => item.startsWith('- '));
  const { show, id, desk, screens } = await setUp();
  const says = async (words: string) => {
    for (const screen of screens) await expect.poll(() => state(screen).textContent()).toBe(words);
  };
  const poll = async () => (await rig.site.engine.polls.find(id))!.results;
  const restS = async () => ((await poll()).deadlineMs! - Date.now()) / 1_000;
  await walk(items, [
    {
      text: /^- `close` ends the vote on air at once: .* say "([^"]+)"\. The poll itself closes `delay` later.* `open` and `undo` go on/,
      do: async ([words = '']) => {
        await pressSettled(desk, 'o');
        await says(words);
        expect((await poll()).status).toBe('open');
        expect((await show.press('undo')).status).toBe(200);
        await says('Vote now');
      },
    },
    {
      text: /^- Seconds of `(\w+)` and `(\w+)`, .* are seconds on air: the poll closes `delay` after them/,
      do: async buttons => {
        for (const button of buttons) {
          expect((await show.press(button, { closes_in: 600 })).status).toBe(200);
          expect(await restS()).toBeGreaterThan(600);
          expect(await restS()).toBeLessThanOrEqual(660);
        }
      },
    },
    {
      text: /^- A `deadline`, and `(\w+)` of `PATCH \/api\/poll\/<id>`, are when the poll closes\. .* count down to `delay` before it/,
      do: async ([member = '']) => {
        const { status } = await send(
          `${rig.site.relay.url}/api/poll/${id}`,
          'PATCH',
          { poll: { [member]: 600 } },
          show.key,
        );
        expect(status).toBe(200);
        expect(await restS()).toBeLessThanOrEqual(600);
        for (const screen of screens)
          await expect.poll(() => screen.locator('.clock').textContent()).toMatch(/[78]:\d\d|9:00/);
      },
    },
    {
      text: /^- "([^"]+)" and the winner wait until the poll is closed/,
      do: async ([words = '']) => {
        expect((await show.press('close')).status).toBe(200);
        await says(COUNTING);
        expect(await screens[0].locator('.tag').count()).toBe(0);
        await rig.site.engine.polls.change(id, { closed: true });
        await says(words);
      },
    },
  ]);
});
