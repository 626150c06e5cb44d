import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { itemsOf, type Step, walk } from '../../document/walk.ts';
import { send } from '../../support/api-request.ts';
import { castBallots } from '../../support/test-relay.ts';
import { deskRig, holdClock, pressSettled, rundownIs, settled, word } from './desk-rig.ts';

/** An evening at the desk, by the document for shows. The relay's clock is held, so that no busy machine lets a press settle. */

const SETTLE_MS = 1_000;
const rig = deskRig(SETTLE_MS);
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const LONG_MS = 300_000;

it('the desk does what the document for shows says of it', { timeout: LONG_MS }, async () => {
  const items = itemsOf('src/show/README.md', 'The desk');
  const name = /show\/([\w-]+)`/.exec(items.join())![1]!;
  let desk: Page;
  let overlay: Page;

  let advance: (ms: number) => Promise<void> = async () => undefined;
  /** Lets a second pass, by the clocks of relay and desk. */
  const settle = async () => {
    vi.setSystemTime(Date.now() + SETTLE_MS);
    await advance(SETTLE_MS);
  };
  const press = async (key: string) => {
    await settle();
    await pressSettled(desk, key.toLowerCase());
  };
  const row = (question: string) => desk.locator('[data-rundown] li', { hasText: question });
  const drawer = () => desk.locator('[data-drawer]');
  const links = () => desk.getByText('Links', { exact: true });
  const step = (label: string | RegExp) => desk.locator('button[data-step]', { hasText: label }).first();
  const saysWord = (text: string | RegExp) => expect.poll(() => word(desk)).toMatch(text);
  const choose = async (question: string) => {
    await row(question).locator('.choose').click();
    await drawer().getByLabel(`Edit: ${question}`, { exact: true }).waitFor();
  };
  const onAir = async () =>
    (await send(`${rig.site.relay.url}/api/show/${name}`, 'GET')).json.on_air as string;
  const vote = async (...votes: number[]) => {
    for (const [answer, times] of votes.entries())
      await castBallots(rig.site.engine, await onAir(), answer, times);
  };

  const evening: Step[] = [
    {
      text: /^Set up a show at `http:\/\/127\.0\.0\.1:8081(\S+)`.* The letter of each is on it; a switch under "(\w+)"/,
      do: async ([path, under]) => {
        desk = await rig.open(rig.site.url + path);
        const form = desk.locator('[data-set-up-form]');
        await form.getByLabel('Name').fill(name);
        await form.getByRole('button').click();
        await desk.locator('#desk-link').waitFor();
        expect(await links().textContent()).toBe(under);
        expect(await desk.locator('[data-shortcuts] input').isChecked()).toBe(true);
        expect(await desk.locator('[data-system-scheme] input').isChecked()).toBe(false);
        await desk.keyboard.press('Escape');
        for (const button of await desk.locator('[data-work] button[data-key]').all())
          expect(await button.locator('kbd').textContent()).toBe(
            await button.getAttribute('aria-keyshortcuts'),
          );
      },
    },
    {
      text: /^- Add a poll in one line: `(\S+) \| Answer \| Answer`; a pasted list is a poll a line\./,
      do: async ([question = '']) => {
        const lines = ['First', 'Second', 'Third'].map(
          title => `${question.replace('Question', title)} | Ann | Bob | Cid`,
        );
        await desk.fill('#add-line', lines[0]!);
        await desk.press('#add-line', 'Enter');
        await rundownIs(desk, [/^First/]);
        await desk.locator('#add-line').evaluate((field, pasted) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text', pasted);
          field.dispatchEvent(
            new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
          );
        }, lines.slice(1).join('\n'));
        await rundownIs(desk, [/^First/, /^Second/, /^Third/]);
        await desk.keyboard.press('Escape');
      },
    },
    {
      text: /^- Select a row of the rundown to take it, open or close it, close it in some seconds, hide or show its results, give it a join code or a \[look of its own\].*, edit, copy, move or remove it\. "(Removed polls)"/,
      do: async ([removed = '']) => {
        for (const question of ['First?', 'Second?']) {
          await choose(question);
          await drawer().getByLabel(`Hidden until shown: ${question}`).click();
          await row(question).getByText('results hidden').waitFor();
        }
        for (const button of ['Take', 'Open voting', 'Close in 30 s', 'Join code', 'Edit', 'Copy', 'Remove'])
          expect(await drawer().getByLabel(`${button}: Second?`, { exact: true }).count(), button).toBe(1);
        await drawer().getByLabel('Style: Second?').selectOption('versus');
        await desk.frameLocator('[data-picture=chosen] iframe').locator('[data-style=versus]').waitFor();
        await drawer().getByRole('button', { name: 'Move “Second?” down' }).click();
        await rundownIs(desk, [/^First/, /^Third/, /^Second/]);
        await settled(desk);
        await drawer().getByLabel('Remove: Second?').click();
        await rundownIs(desk, [/^First/, /^Third/]);
        await desk.getByText(removed).click();
        await desk.getByRole('button', { name: 'Put back: Second?' }).click();
        await rundownIs(desk, [/^First/, /^Third/, /^Second/]);
      },
    },
    {
      text: /^- By keyboard: arrows move through the rundown and with (\w+) move the poll, (\w+) selects it, (\w+) leads on to its buttons, (\w+) removes it, (\w+) goes back/,
      do: async ([moving, selecting = '', leading = '', removing = '', leaving = '']) => {
        const focused = () => desk.evaluate(() => document.activeElement?.textContent ?? '');
        await row('First?').locator('.choose').focus();
        await desk.keyboard.press('ArrowDown');
        await desk.keyboard.press('ArrowDown');
        await expect.poll(focused).toContain('Second?');
        await settled(desk);
        await desk.keyboard.press(`${moving}+ArrowUp`);
        await rundownIs(desk, [/^First/, /^Second/, /^Third/]);
        await expect.poll(focused).toContain('Second?');
        await settled(desk);
        await desk.keyboard.press(selecting);
        const inDrawer = () =>
          desk.evaluate(() => document.activeElement?.closest('[data-drawer]')?.textContent ?? '');
        await expect
          .poll(async () => {
            await desk.keyboard.press(leading);
            return inDrawer();
          })
          .not.toBe('');
        await desk.keyboard.press(leaving);
        await row('Third?').locator('.choose').focus();
        await settled(desk);
        await desk.keyboard.press(removing);
        await rundownIs(desk, [/^First/, /^Second/]);
        await press('z');
        await rundownIs(desk, [/^First/, /^Second/, /^Third/]);
      },
    },
    {
      text: /^- A press counts for what its operator saw\..* A held key presses nothing\./,
      do: async () => {
        await press('n');
        await rundownIs(desk, [/^First\? \/ On air/, /Next/, /^Third/]);
        await press('o');
        await rundownIs(desk, [/Open/, /Next/, /^Third/]);
        await settled(desk);
        // By the relay's clock not a second later.
        await pressSettled(desk, 'o');
        await saysWord('so nothing was done');
        await settle();
        await desk.locator('[data-work]:not([data-settling])').waitFor();
        // The first of these is a press. The repeats would bring the poll back.
        for (let repeats = 0; repeats < 6; repeats += 1) await desk.keyboard.down('c');
        await desk.keyboard.up('c');
        await settled(desk);
        await rundownIs(desk, [/^First\? \/ {2}\/ Open/, /^Second/, /^Third/]);
        await press('c');
        await rundownIs(desk, [/^First\? \/ On air \/ Open/, /^Second/, /^Third/]);
      },
    },
    {
      text: /^- Hidden results of the poll on air and of the selected one are ranked at the desk/,
      do: async () => {
        await vote(1, 3, 2);
        const counts = desk.locator('.figures').first().locator('li > b');
        await expect.poll(() => counts.allTextContents()).toEqual(['3', '2', '1']);
      },
    },
    {
      text: /^- A second press within two seconds is needed to show results while voting is open/,
      do: async () => {
        advance = await holdClock(desk);
        await press('r');
        await saysWord('Press again within 2 seconds');
        await advance(3 * SETTLE_MS);
        await rundownIs(desk, [/results hidden$/, /^Second/, /^Third/]);
      },
    },
    {
      text: /^- After the first vote, \[answers can only be reworded\]/,
      do: async () => {
        await choose('First?');
        await drawer().getByLabel('Edit: First?', { exact: true }).click();
        const form = desk.locator('form.edit');
        await form.getByText('your correction is public').waitFor();
        expect(await form.locator('.rules, [data-handle]').count()).toBe(0);
        await form.getByLabel('Answer 1', { exact: true }).press('Escape');
        await form.waitFor({ state: 'detached' });
      },
    },
    {
      text: /^- (\w) reveals a closed poll with hidden results place by place, .* (\w) shows the rest\. With "([^"]+)" under "Links"/,
      do: async ([stepKey = '', restKey = '', option = '']) => {
        await links().click();
        await desk.getByLabel(option).waitFor();
        await desk.keyboard.press('Escape');
        await press('o');
        await rundownIs(desk, [/Closed · 6 votes/, /^Second/, /^Third/]);
        await step('3. Ann').waitFor();
        await press(stepKey);
        await step('2. Cid').waitFor();
        await press(restKey);
        await saysWord('Press again within 2 seconds');
        await pressSettled(desk, restKey.toLowerCase());
        await rundownIs(desk, [/Closed · 6 votes$/, /^Second/, /^Third/]);
      },
    },
    {
      text: /^- (\w) takes the last press back, .* its button says which/,
      do: async ([key = '']) => {
        for (const taken of ['Show results', 'Next place', 'Close voting']) {
          await desk.getByRole('button', { name: new RegExp(`^Undo.*${taken}`) }).waitFor();
          await press(key);
          await saysWord(`Taken back: ${taken}`);
        }
        await rundownIs(desk, [/Open · 6 votes/, /^Second/, /^Third/]);
      },
    },
    {
      text: /^- (\w) begins the next round of a closed poll\. (\w) returns to the round before/,
      do: async ([key = '', back = '']) => {
        await press('o');
        await rundownIs(desk, [/Closed · 6 votes/, /^Second/, /^Third/]);
        await press(key);
        await saysWord('This round has votes.');
        await pressSettled(desk, key.toLowerCase());
        await rundownIs(desk, [/Open · 0 votes/, /^Second/, /^Third/]);
        await press(back);
        await rundownIs(desk, [/Closed · 6 votes/, /^Second/, /^Third/]);
      },
    },
    {
      text: /^- (\w) is "([^"]+)", as one press\. With "([^"]+)" under "Links"/,
      do: async ([key = '', label = '', option = '']) => {
        await press('z');
        await rundownIs(desk, [/Open/, /^Second/, /^Third/]);
        await step(label).waitFor();
        await press(key);
        await rundownIs(desk, [/^First.*Closed/, /^Second\? \/ On air/, /^Third/]);
        await links().click();
        await desk.getByLabel(option).waitFor();
        await desk.keyboard.press('Escape');
      },
    },
    {
      text: /^The audience needs one address, `http:\/\/127\.0\.0\.1:8081(\S+)`\. `…(\S+)` has a QR code .* `…\/(\w+)` is \[for a projector\]/,
      do: async ([address = '', share = '', present = '']) => {
        await press('o');
        const phone = await rig.open(rig.site.url + address);
        await phone.getByRole('radio', { name: 'Ann' }).check();
        await phone.getByRole('button', { name: 'Vote', exact: true }).click();
        await phone.getByText('Your vote has been counted').waitFor();
        await phone.goto(rig.site.url + share);
        await phone.locator('.qr').first().waitFor();
        expect(await phone.content()).not.toContain('show_');
        await phone.goto(`${rig.site.url}${address}/${present}`);
        await phone.locator('canvas, .row').first().waitFor({ state: 'attached' });
      },
    },
    {
      text: /^- A rehearsal runs the whole show with a simulated audience, marked on every screen/,
      do: async () => {
        overlay = await rig.open(`${rig.site.relay.url}/overlay/show/${name}?speed=0`);
        await press('o');
        await rundownIs(desk, [/^First/, /^Second.*Closed/, /^Third/]);
        await press('c');
        await rundownIs(desk, [/^First/, /^Second\? \/ {2}\//, /^Third/]);
        await press('h');
        await saysWord('Press again within 2 seconds to rehearse');
        await pressSettled(desk, 'h');
        const drawn = async () => (await overlay.locator('body').allInnerTexts()).join();
        await expect.poll(drawn).toMatch(/rehearsal/i);
        await press('h');
        await expect.poll(drawn).not.toMatch(/rehearsal/i);
        await rundownIs(desk, [/^First.*Closed · 6 votes/, /^Second.*Closed · 1 vote/, /^Third/]);
      },
    },
    {
      text: /^- After the show, "Links" has the results of all its polls, and copies the show/,
      do: async () => {
        await links().click();
        for (const format of ['CSV', 'JSON'])
          await desk.getByRole('button', { name: `Results as ${format}` }).waitFor();
        const form = desk.locator('[data-copy-show]');
        await form.getByLabel('Name of the copy').fill(`${name}-next`);
        await form.getByRole('button').click();
        await expect.poll(() => desk.locator('#copy-link').inputValue()).toContain('#key=show_');
      },
    },
    {
      text: /^"([^"]+)" under "Links" saves the \[look of the show\]/,
      do: async ([label = '']) => {
        await desk.getByRole('link', { name: label }).click();
        await expect.poll(() => desk.url()).toContain(`/overlay?show=${name}`);
      },
    },
  ];
  await walk(items, evening);
});
