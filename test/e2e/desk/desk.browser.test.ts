import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { formatJoinCode } from '../../../src/poll/join-code.ts';
import { findViolations } from '../axe.ts';
import { deskRig, holdClock, press, pressSettled, rundownIs, settled, word } from './desk-rig.ts';

const rig = deskRig();

const LINES = ['First? | Yes | No', 'Second? | Yes | No', 'Third? | Yes | No'];

/** The request is carried out, and the page never learns it. */
async function loseReply(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

async function deskOfThree() {
  const show = await rig.takeShow();
  for (const [title] of LINES.map(line => line.split(' | ')))
    await show.addPoll({ title, answers: ['Yes', 'No'], status: 'upcoming' });
  return { show, desk: await rig.desk(show) };
}

const row = (desk: Page, question: string) => desk.locator('[data-rundown] li', { hasText: question });

describe('setting up a show', () => {
  it('takes one form and leads to the desk, which shows a link to keep', async () => {
    const page = await rig.open(`${rig.site.url}/desk`);
    const taking = page.locator('[data-set-up-form]');
    const [title, name] = [taking.getByLabel('Title'), taking.getByLabel('Name')];
    const { name: taken } = await rig.takeShow();
    for (const [wanted, reason] of [
      ['Friday Night', 'Use 3 to 40 lowercase letters'],
      ['next', 'This name is already in use.'],
      [taken, 'This name is already in use.'],
    ] as const) {
      await page.reload();
      await name.fill(wanted);
      await taking.getByRole('button').click();
      await expect.poll(() => page.locator('#name-fault').textContent()).toContain(reason);
      expect(await name.evaluate(field => field === document.activeElement)).toBe(true);
    }
    await page.reload();
    await title.fill('Ça va: Größe?');
    expect(await name.inputValue()).toBe('ca-va-grosse');
    await title.fill('Friday Night Live');
    expect(await name.inputValue()).toBe('friday-night-live');
    await name.fill('friday-night');
    await title.fill('Friday Night Live!');
    expect(await name.inputValue()).toBe('friday-night');
    await taking.getByRole('button').click();
    await page.getByRole('heading', { name: 'Friday Night Live!' }).waitFor();
    const link = await page.locator('#desk-link').inputValue();
    expect(link).toMatch(/\/desk\/friday-night#key=show_[\w-]{43}$/);
    // The open links cover the rundown until the operator goes on.
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('heading', { level: 1 }).click(),
    ]) {
      await page.locator('.links[open]').waitFor();
      await page.getByText('Save this link').click();
      await leave();
      await page.locator('.links:not([open])').waitFor();
      await page.getByText('Links', { exact: true }).click();
    }
    await page.reload();
    await page.locator('[data-work]:not([hidden])').waitFor();
    expect(page.url()).toBe(`${rig.site.url}/desk/friday-night`);

    const other = await rig.open(link);
    await other.locator('[data-work]:not([hidden])').waitFor();
    expect(other.url()).not.toContain('show_');
  });

  it('the desk asks for a missing key, rejects a wrong one, and offers an unknown name', async () => {
    const show = await rig.takeShow();
    const page = await rig.open(`${rig.site.url}/desk/${show.name}`);
    await page.getByText('Enter the show key to open this desk.').waitFor();
    await page.getByLabel('Show key').fill('show_wrong');
    await page.getByRole('button', { name: 'Open desk' }).click();
    await page.getByText('This show key doesn’t work').waitFor();
    await page.getByLabel('Show key').fill(show.key);
    await page.getByRole('button', { name: 'Open desk' }).click();
    await page.locator('[data-work]:not([hidden])').waitFor();
    const nobody = await rig.open(`${rig.site.url}/desk/nobody-took-this#key=show_x`);
    await nobody.getByRole('link', { name: 'Set up show' }).click();
    expect(await nobody.locator('[data-set-up-form]').getByLabel('Name').inputValue()).toBe(
      'nobody-took-this',
    );
    const malformed = await rig.open(`${rig.site.url}/desk/${encodeURIComponent('Not a Name')}#key=show_x`);
    await malformed.getByText('Use 3 to 40 lowercase letters').waitFor();
  });
});

it('shows a rejection by the relay in the language of the page', async () => {
  const form = await rig.open(`${rig.site.url}/desk?lang=de`);
  const taking = form.locator('[data-set-up-form]');
  await taking.getByLabel('Name').fill('Friday Night');
  await taking.getByRole('button').click();
  await taking.getByText('Der Name muss aus 3 bis 40 Kleinbuchstaben').waitFor();

  const show = await rig.takeShow();
  const desk = await rig.open(`${rig.site.url}/desk/${show.name}?lang=de#key=${show.key}`);
  await desk.locator('[data-work]:not([hidden])').waitFor();
  const add = async (line: string, words: string) => {
    await desk.locator('#add-line').fill(line);
    await desk.locator('#add-line').press('Enter');
    await desk.locator('[role=status]', { hasText: words }).waitFor();
  };
  await add(`${'x'.repeat(301)} | Ja | Nein`, 'Höchstens 300 Zeichen für die Frage');
  await desk.route('**/api/show/*/poll', route =>
    route.fulfill({
      status: 409,
      headers: { 'access-control-allow-origin': '*' },
      json: { success: 0, error: { code: 'newer_than_this_desk', message: 'Some words in English.' } },
    }),
  );
  await add('Frage? | Ja | Nein', 'Es wurde nichts geändert. (newer_than_this_desk)');
  expect(await word(desk)).not.toContain('English');
});

it('asks for the key when the one in the address cannot be decoded', async () => {
  const { name } = await rig.takeShow();
  const page = await rig.open(`${rig.site.url}/desk/${name}#key=%zz`);
  await page.getByText('This show key doesn’t work').waitFor();
  expect(page.url()).not.toContain('#');
});

describe('the rundown', () => {
  it('is reordered by drag, keyboard and buttons, and the last change can be undone', async () => {
    const { desk } = await deskOfThree();
    await rundownIs(desk, [/^First/, /^Second/, /^Third/]);
    const [from, to] = await Promise.all(
      ['Third?', 'First?'].map(question => row(desk, question).locator('[data-handle]').boundingBox()),
    );
    await desk.mouse.move(from!.x + 5, from!.y + 5);
    await desk.mouse.down();
    await desk.mouse.move(to!.x + 5, to!.y + 2, { steps: 5 });
    await desk.mouse.up();
    await rundownIs(desk, [/^Third/, /^First/, /^Second/]);
    await row(desk, 'Third?').locator('.choose').focus();
    await desk.keyboard.press('Shift+ArrowDown');
    await rundownIs(desk, [/^First/, /^Third/, /^Second/]);
    await row(desk, 'Third?').locator('.choose').click();
    await desk.getByRole('button', { name: 'Move “Third?” down' }).click();
    await rundownIs(desk, [/^First/, /^Second/, /^Third/]);
    await settled(desk);
    await row(desk, 'Second?').locator('.choose').focus();
    await desk.keyboard.press('Delete');
    await rundownIs(desk, [/^First/, /^Third/]);
    await press(desk, 'z');
    await rundownIs(desk, [/^First/, /^Second/, /^Third/]);
  });

  it('marks deleted polls and skips them, and does not open polls of other owners', async () => {
    const { show, desk } = await deskOfThree();
    const { id: foreign } = await rig.site.relay.create({ title: 'Foreign?' });
    const [first, second, third] = (await show.get()).json.rundown;
    await show.patch({ rundown: [first, second, third, foreign], on_air: foreign });
    await rig.site.engine.polls.remove(second);
    await rundownIs(desk, [
      /^First/,
      /^Deleted poll \/ .*\/ This poll was deleted. Remove it/,
      /^Third/,
      'Foreign? / On air / Open · 0 votes',
    ]);
    await desk.keyboard.press('o');
    await expect.poll(() => word(desk)).toContain('Use its manage page to open');
    await pressSettled(desk, 'p');
    await rundownIs(desk, [/^First/, /^Deleted/, /^Third\? \/ On air/, /^Foreign/]);
    await pressSettled(desk, 'p');
    await rundownIs(desk, [/^First\? \/ On air/, /^Deleted/, /^Third/, /^Foreign/]);
  });
});

describe('a step', () => {
  it('has one key, which also takes it back, and explains why it does nothing', async () => {
    const { show, desk } = await deskOfThree();
    await press(desk, 'o');
    await expect.poll(() => word(desk)).toContain('Nothing is on air. Take a poll first.');
    await pressSettled(desk, 'n');
    await rundownIs(desk, [/^First\? \/ On air \/ Not started/, /Next/, /^Third/]);
    await press(desk, 'o');
    await rundownIs(desk, [/Open · 0 votes$/, /^Second/, /^Third/]);
    const [closing] = await Promise.all([
      desk.waitForRequest(sent => sent.url().endsWith('/close')),
      press(desk, 'x'),
    ]);
    expect(closing.postDataJSON().show.closes_in).toBe(30);
    await desk.getByText('Closes in').waitFor();
    await expect.poll(() => desk.locator('[data-clock]').textContent()).toMatch(/^0:([0-2]\d|30)$/);
    await press(desk, 'x');
    await desk.getByText('Closes in').waitFor({ state: 'hidden' });
    await pressSettled(desk, 'c');
    await rundownIs(desk, [/^First\? \/ {2}\/ Open/, /^Second\? \/ Next/, /^Third/]);
    await pressSettled(desk, 'c');
    await rundownIs(desk, [/^First\? \/ On air/, /^Second/, /^Third/]);
    await row(desk, 'Third?').locator('.choose').click();
    await pressSettled(desk, 't');
    await rundownIs(desk, [/^First/, /^Second/, /^Third\? \/ On air/]);
    await pressSettled(desk, 'n');
    await expect.poll(() => word(desk)).toContain('This is the last poll');
    expect((await show.get()).json.on_air).toBe((await show.get()).json.rundown[2]);
    await row(desk, 'Second?').locator('.choose').click();
    await desk.locator('[data-work]:not([data-settling])').waitFor();
    await desk.getByRole('button', { name: 'Take: Second?' }).click();
    await rundownIs(desk, [/^First/, /^Second\? \/ On air/, /^Third/]);
  });

  it('ignores letters typed into a field until Escape', async () => {
    const { desk } = await deskOfThree();
    await desk.keyboard.press('a');
    await desk.keyboard.type('no');
    expect(await desk.inputValue('#add-line')).toBe('no');
    await desk.keyboard.press('Enter');
    await expect.poll(() => word(desk)).toContain('Enter a question and at least two answers');
    await desk.keyboard.press('Escape');
    await pressSettled(desk, 'n');
    await rundownIs(desk, [/^First\? \/ On air/, /^Second/, /^Third/]);
  });

  it('is not sent while the relay is down, and the message ends when the relay is back', async () => {
    const { show, desk } = await deskOfThree();
    await desk.route('**/api/show/**', route => route.abort());
    await desk.getByText('Can’t reach the server.').waitFor();
    await pressSettled(desk, 'n');
    await desk.locator('[role=status]', { hasText: 'this wasn’t sent' }).waitFor();
    await desk.unroute('**/api/show/**');
    await expect.poll(async () => (await word(desk)).trim()).toBe('');
    expect((await show.get()).json.on_air).toBeNull();
  });

  it('whose reply is lost is sent again as the same press, and is carried out once', async () => {
    const { show, desk } = await deskOfThree();
    const sent: (string | undefined)[][] = [];
    desk.on('request', request => {
      if (request.method() !== 'POST') return;
      const headers = request.headers();
      sent.push([headers['idempotency-key'], headers['request-expires'], request.postData() ?? '']);
    });
    const [first] = (await show.get()).json.rundown;
    const onlyPress = (route: Route) =>
      route.request().method() === 'POST' && sent.length < 3 ? loseReply(route) : route.continue();
    await desk.route(`**/api/show/${show.name}/next`, onlyPress);
    await desk.keyboard.press('n');
    await expect.poll(() => word(desk)).toContain('That worked.');
    expect((await show.get()).json).toMatchObject({ on_air: first, place: first });
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(each => each.join())).size).toBe(1);
  });

  it('expires by the relay’s clock, even if the desk’s clock is wrong', async () => {
    const { desk } = await deskOfThree();
    // From a reply, as the relay's clock is.
    await expect.poll(() => desk.locator('.gauges').textContent()).toMatch(/Phones\s*0/);
    await desk.evaluate(() => {
      const now = Date.now;
      Date.now = () => now() - 3_600_000;
    });
    const [press] = await Promise.all([
      desk.waitForRequest(request => request.method() === 'POST'),
      desk.keyboard.press('n'),
    ]);
    const restMs = Number(press.headers()['request-expires']) * 1_000 - Date.now();
    expect(Math.abs(restMs)).toBeLessThan(60_000);
    await rundownIs(desk, [/^First\? \/ On air/, /^Second/, /^Third/]);
  });

  it('closes the poll on air and takes the next one by one key; what stays open off air is marked', async () => {
    const { show, desk } = await deskOfThree();
    const marked = desk.locator('[data-rundown] li[data-open] .phase');
    await press(desk, 'w');
    await expect.poll(() => word(desk)).toContain('Nothing is on air.');
    await pressSettled(desk, 'n');
    await rundownIs(desk, [/^First\? \/ On air/, /Next/, /^Third/]);
    await press(desk, 'o');
    await rundownIs(desk, [/Open/, /Next/, /^Third/]);
    expect(await marked.count()).toBe(0);
    const advance = await holdClock(desk);
    await advance(1_000);
    await pressSettled(desk, 'n');
    await rundownIs(desk, [/Open/, /^Second\? \/ On air/, /Next/]);
    expect(await marked.allTextContents()).toEqual(['Open']);
    await press(desk, 'o');
    await rundownIs(desk, [/Open/, /Open/, /Next/]);
    await advance(1_000);
    const [request] = await Promise.all([
      desk.waitForRequest(sent => sent.url().endsWith('/next')),
      pressSettled(desk, 'w'),
    ]);
    await rundownIs(desk, [/Open/, /^Second.*Closed · 0 votes$/, /^Third\? \/ On air/]);
    const [, second] = (await show.get()).json.rundown;
    expect(request.postDataJSON().show).toMatchObject({
      if: { on_air: second, status: 'open' },
      close_before_next: true,
    });
    await advance(1_000);
    await pressSettled(desk, 'w');
    await expect.poll(() => word(desk)).toContain('This is the last poll');
    // One press, which one key takes back.
    await desk.getByRole('button', { name: /^Undo.*Next: Third\?/ }).waitFor();
    await pressSettled(desk, 'z');
    await rundownIs(desk, [/Open/, /^Second\? \/ On air \/ Open/, /Next/]);
  });

  it('reveals place by place, says before what it shows, and takes each press back, of any desk', async () => {
    const show = await rig.takeShow();
    const { id } = (
      await show.addPoll({
        title: 'Who wins?',
        answers: ['Ann', 'Bob', 'Cid'],
        results_visibility: 'hidden',
        status: 'upcoming',
      })
    ).json;
    const desk = await rig.desk(show);
    const step = desk.locator('[data-step=step]');
    const poll = async () => (await rig.site.relay.engine.polls.find(id))?.results;
    await pressSettled(desk, 'n');
    await desk
      .getByText(/On air/)
      .first()
      .waitFor();
    await press(desk, 'o');
    await rundownIs(desk, [/Open/]);
    for (const [answer, votes] of [1, 3, 2].entries()) await rig.site.relay.cast(id, answer, votes);
    await press(desk, 's');
    await expect.poll(() => word(desk)).toContain('Voting is still open. Close it first.');
    await press(desk, 'o');
    await rundownIs(desk, [/Closed · 6 votes/]);
    await expect.poll(() => step.textContent()).toContain('3. Ann');
    await press(desk, 's');
    await expect.poll(() => step.textContent()).toContain('2. Cid');
    expect(await poll()).toMatchObject({ revealedFrom: 3, resultsVisibility: 'hidden' });
    // By a program. The desk shows it, and takes it back.
    await show.press('step');
    await expect.poll(() => step.textContent()).toContain('1. Bob');
    await desk.getByRole('button', { name: /^Undo.*Next place/ }).waitFor();
    await pressSettled(desk, 'z');
    await expect
      .poll(() => word(desk))
      .toContain('Taken back: Next place: Who wins? · Viewers have already seen it.');
    expect(await poll()).toMatchObject({ revealedFrom: 3 });
    await rundownIs(desk, [/1 of 3 shown$/]);
    // The second press comes within two seconds, however busy the machine is.
    await holdClock(desk);
    await press(desk, 'r');
    await expect.poll(() => word(desk)).toContain('revealed place by place. Press again');
    await press(desk, 'r');
    await rundownIs(desk, [/Closed · 6 votes$/]);
    await press(desk, 's');
    await expect.poll(() => word(desk)).toContain('There’s nothing left to reveal.');
    for (const [status, taken] of [
      [/1 of 3 shown$/, 'Show results'],
      [/hidden/, 'Next place'],
      [/Open/, 'Close voting'],
      [/Closed/, 'Open voting'],
    ] as const) {
      await desk.getByRole('button', { name: new RegExp(`^Undo.*${taken}`) }).waitFor();
      await pressSettled(desk, 'z');
      await expect.poll(() => word(desk)).toContain(`Taken back: ${taken}: Who wins?`);
      await rundownIs(desk, [status]);
    }
  });

  it('has options of the show under Links, which other desks see', async () => {
    const { show, desk } = await deskOfThree();
    await desk.getByText('Links', { exact: true }).click();
    await desk.getByLabel('Reveal the last two places together').click();
    await expect.poll(async () => (await show.get()).json.final_two).toBe(true);
    await show.patch({ close_before_next: true });
    await expect
      .poll(() => desk.getByLabel('Close an open poll when another one is taken').isChecked())
      .toBe(true);
  });

  it('that shows hidden results while voting is open takes a second press within two seconds', async () => {
    const { show, desk } = await deskOfThree();
    const { id } = (await show.addPoll({ results_visibility: 'hidden', status: 'open' })).json;
    await show.patch({ on_air: id });
    const visibility = async () => (await show.get('/rundown')).json.rundown.at(-1).results_visibility;
    await rig.site.relay.cast(id, 1, 2);
    await expect.poll(() => desk.locator('.figures').textContent()).toMatch(/^Only at this desk:1.*2 ?2.*0$/);
    const advance = await holdClock(desk);
    await press(desk, 'r');
    await expect.poll(() => word(desk)).toContain('Voting is still open. Press again within 2 seconds');
    await advance(2_100);
    await press(desk, 'r');
    expect(await visibility()).toBe('hidden');
    await press(desk, 'r');
    await desk.locator('[data-step=results]', { hasText: 'Hide results' }).waitFor();
    expect(await visibility()).toBe('always');
    await press(desk, 'r');
    await expect.poll(visibility).toBe('hidden');
  });

  it('that removes the poll on air takes a second press, and the poll stays on air with its buttons', async () => {
    const { show, desk } = await deskOfThree();
    const { id } = (await show.addPoll({ status: 'open' })).json;
    await show.patch({ on_air: id });
    const row = desk.locator(`[data-rundown] li[data-poll="${id}"]`);
    await row.locator('.choose').click();
    const remove = desk.locator('.drawer').getByRole('button', { name: /^Remove/ });
    await remove.click();
    await expect.poll(() => word(desk)).toContain('This poll is on air and stays on air.');
    expect((await show.get()).json.rundown).toContain(id);
    await remove.click();
    await row.waitFor({ state: 'detached' });
    await press(desk, 'o');
    await expect.poll(async () => (await rig.site.engine.polls.find(id))!.results.status).toBe('closed');
    expect((await show.get()).json).toMatchObject({ on_air: id });
  });

  it('links to the presenter’s screen with a key that only reads, and replaces it by a second press', async () => {
    const { show, desk } = await deskOfThree();
    await desk.getByText('Links', { exact: true }).click();
    const link = desk.locator('#host-link');
    const first = (await show.get()).json.view_key;
    await expect.poll(() => link.inputValue()).toContain(`?style=host#key=${first}`);
    const replace = desk.getByRole('button', { name: 'New presenter’s link' });
    await replace.click();
    await expect.poll(() => word(desk)).toContain('Press again within 2 seconds');
    expect((await show.get()).json.view_key).toBe(first);
    await replace.click();
    await expect.poll(() => link.inputValue()).not.toContain(first);
    expect(await link.inputValue()).toContain((await show.get()).json.view_key);
    expect((await show.get('', first)).status).toBe(403);
  });

  it('fails after the key was renewed, and works with the new key', async () => {
    const { show, desk } = await deskOfThree();
    const { show_key: key } = (await show.press('show_key')).json;
    await desk.getByText('This show key doesn’t work').waitFor();
    await desk.getByLabel('Show key').fill(key);
    await desk.getByRole('button', { name: 'Open desk' }).click();
    await desk.locator('[data-work]:not([hidden])').waitFor();
    await desk.evaluate(() => (document.activeElement as HTMLElement).blur());
    await pressSettled(desk, 'n');
    await rundownIs(desk, [/^First\? \/ On air/, /^Second/, /^Third/]);
  });
});

describe('the selected row', () => {
  const tools = (desk: Page) => desk.locator('[data-drawer]');
  const select = (desk: Page, question: string) => row(desk, question).locator('.choose').click();

  it('opens and closes a poll that is not on air, shows its results, and has buttons named with the poll', async () => {
    const { show, desk } = await deskOfThree();
    await pressSettled(desk, 'n');
    await select(desk, 'Third?');
    const names = await tools(desk)
      .getByRole('button')
      .evaluateAll(buttons => buttons.map(button => button.ariaLabel ?? button.textContent));
    expect(names.filter(name => !name.includes('Third?'))).toEqual(['Add poll+ A']);
    await tools(desk).getByRole('button', { name: 'Open voting: Third?' }).click();
    await rundownIs(desk, [/On air/, /^Second/, 'Third? /  / Open · 0 votes']);
    await tools(desk).getByLabel('Hidden until shown: Third?').click();
    await rundownIs(desk, [/On air/, /^Second/, /Open · 0 votes · results hidden$/]);
    expect(await tools(desk).getByLabel('Hidden until shown: Third?').isChecked()).toBe(true);
    await tools(desk).getByRole('button', { name: 'Close voting: Third?' }).click();
    await rundownIs(desk, [/On air/, /^Second/, /Closed · 0 votes · results hidden$/]);
    await tools(desk).getByRole('button', { name: 'Close in 30 s: Third?' }).click({ force: true });
    await expect.poll(() => word(desk)).toContain('Voting isn’t open');
    expect((await show.get()).json.on_air).toBe((await show.get()).json.rundown[0]);
    const link = tools(desk).getByRole('link', { name: 'Manage: Third?' });
    const manage = await rig.open((await link.getAttribute('href'))!);
    await manage.getByRole('heading', { name: 'Third?' }).waitFor();
    await manage.locator('[data-now]').waitFor();
  });

  it('takes any number of seconds, which count from the opening of a poll that is not open yet', async () => {
    const { desk } = await deskOfThree();
    await select(desk, 'Second?');
    await tools(desk).getByLabel('Close in: Second?').first().fill('135');
    await desk.keyboard.press('Enter');
    await rundownIs(desk, [/^First/, /Not started · 0 votes · Closes 2:15 after opening$/, /^Third/]);
    await tools(desk).getByRole('button', { name: 'Keep open: Second?' }).click();
    await rundownIs(desk, [/^First/, /Not started · 0 votes$/, /^Third/]);
  });

  it('is left by Escape to the row, and gives way where another desk removes the poll', async () => {
    const { show, desk } = await deskOfThree();
    await select(desk, 'Second?');
    await tools(desk).getByRole('button', { name: 'Take: Second?' }).focus();
    await desk.keyboard.press('Escape');
    await desk.locator('#add-line').waitFor();
    expect(await desk.evaluate(() => document.activeElement?.textContent)).toContain('Second?');
    await select(desk, 'Second?');
    const [first, , third] = (await show.get()).json.rundown;
    await show.patch({ rundown: [first, third] });
    await desk.locator('#add-line').waitFor();
  });
});

describe('editing a poll', () => {
  const edit = async (desk: Page, question: string) => {
    await row(desk, question).locator('.choose[aria-pressed=false]').click();
    await desk.getByRole('button', { name: `Edit: ${question}` }).click();
    await desk.locator('form.edit').waitFor();
    return desk.locator('form.edit');
  };
  const answersOf = async (id: string) =>
    (await rig.site.engine.polls.find(id))!.poll.answers.map(({ text }) => text);

  it('before the first vote changes the question and the list of answers, by keyboard', async () => {
    const { show, desk } = await deskOfThree();
    const [id] = (await show.get()).json.rundown;
    await row(desk, 'First?').locator('.choose').focus();
    await desk.keyboard.press('Enter');
    await tabTo(desk, '[data-edit]');
    await desk.keyboard.press('Enter');
    await desk.getByText('No votes yet').waitFor();
    await desk.keyboard.press('ControlOrMeta+a');
    await desk.keyboard.type('Corrected?');
    await tabTo(desk, '[name=description]');
    await desk.keyboard.type('In short.');
    await tabTo(desk, '[name=answer]');
    await desk.keyboard.press('Alt+ArrowDown');
    await tabTo(desk, '[data-more]');
    await desk.keyboard.press('Enter');
    await desk.keyboard.type('Maybe');
    await desk.keyboard.press('Alt+ArrowUp');
    await desk.keyboard.press('Alt+ArrowUp');
    await desk.keyboard.press('Enter');
    await rundownIs(desk, [/^Corrected\?/, /^Second/, /^Third/]);
    await desk.getByRole('button', { name: 'Edit: Corrected?', exact: true }).waitFor();
    await expect.poll(() => desk.evaluate(() => document.activeElement?.ariaLabel)).toBe('Edit: Corrected?');
    expect(await answersOf(id)).toEqual(['Maybe', 'No', 'Yes']);
    expect((await rig.site.engine.polls.find(id))!.poll.description).toBe('In short.');
  });

  it('after the first vote is public, which the form says, and keeps every vote', async () => {
    const { show, desk } = await deskOfThree();
    const [id] = (await show.get()).json.rundown;
    await show.patch({ on_air: id });
    await rig.site.engine.polls.change(id, { closed: false });
    const page = await rig.open(`${rig.site.url}/${id}`, 390, 844);
    await page.getByLabel('Yes').check();
    await page.getByRole('button', { name: 'Vote', exact: true }).click();
    await rundownIs(desk, [/Open · 1 vote$/, /^Second/, /^Third/]);
    const form = await edit(desk, 'First?');
    await form.getByText('your correction is public').waitFor();
    expect(await form.locator('.rules, [data-handle]').count()).toBe(0);
    await form.getByLabel('Answer 1', { exact: true }).fill('Yes!');
    await form.getByLabel('Question', { exact: true }).fill('First of all?');
    await form.getByRole('button', { name: 'Save: First?' }).click();
    await rundownIs(desk, [/^First of all\? \/ On air \/ Open · 1 vote$/, /^Second/, /^Third/]);
    const air = desk.frameLocator('[data-picture="air"] iframe');
    await air.getByText('First of all?').first().waitFor();
    const { poll, results } = (await rig.site.engine.polls.find(id))!;
    expect(results.votes).toEqual([1, 0]);
    expect(poll.earlier).toMatchObject([{ title: 'First?', answers: [{ text: 'Yes' }] }]);
    const voting = await rig.open(`${rig.site.url}/${id}`);
    await voting.getByText('Edited on').click();
    await voting.getByText('Answer 1: Yes').waitFor();
  });

  it('says when another desk changed the poll meanwhile, and sends only what was changed', async () => {
    const { show, desk } = await deskOfThree();
    const [id] = (await show.get()).json.rundown;
    const second = await rig.desk(show);
    const forms = [await edit(desk, 'First?'), await edit(second, 'First?')] as const;
    await forms[0].getByLabel('Question', { exact: true }).fill('From the first desk?');
    await forms[0].getByRole('button', { name: /^Save/ }).click();
    await forms[1].getByText('Another desk has changed this poll.').waitFor();
    await forms[1].getByLabel('Answer 2', { exact: true }).fill('Never');
    await forms[1].getByRole('button', { name: /^Save/ }).click();
    await rundownIs(second, [/^From the first desk/, /^Second/, /^Third/]);
    await expect.poll(() => answersOf(id)).toEqual(['Yes', 'Never']);
  });

  it('is left by Escape, which changes nothing', async () => {
    const { show, desk } = await deskOfThree();
    const [id] = (await show.get()).json.rundown;
    const form = await edit(desk, 'First?');
    for (const answer of ['Answer 1', 'Answer 2']) await form.getByLabel(answer, { exact: true }).fill('A');
    await form.getByRole('button', { name: /^Save/ }).click();
    await expect.poll(() => word(desk)).toContain('All answers must be different');
    await form.getByLabel('Answer 1', { exact: true }).press('Escape');
    await form.waitFor({ state: 'detached' });
    expect(await desk.evaluate(() => document.activeElement?.ariaLabel)).toBe('Edit: First?');
    expect(await answersOf(id)).toEqual(['Yes', 'No']);
  });
});

describe('the settings of a row', () => {
  it('are changed by one press until the first vote, and seen at a second desk', async () => {
    const { show, desk } = await deskOfThree();
    const [, id] = (await show.get()).json.rundown;
    const second = await rig.desk(show);
    await row(desk, 'Second?').locator('.choose').click();
    const network = desk.getByLabel('One vote per network: Second?');
    expect(await network.isChecked()).toBe(false);
    await network.click();
    await row(desk, 'Second?').getByText('one vote per network').waitFor();
    await desk.getByLabel('Hidden until shown: Second?').click();
    await row(desk, 'Second?').getByText('results hidden').waitFor();
    await desk.getByRole('button', { name: 'Close in 60 s: Second?' }).click();
    const texts =
      /Not started · 0 votes · Closes 1:00 after opening · one vote per network · results hidden$/;
    for (const page of [desk, second]) await rundownIs(page, [/^First/, texts, /^Third/]);
    expect(await network.isChecked()).toBe(true);
    expect(await desk.locator('[aria-current=true]').textContent()).toBe('60 s');
    const { poll, results } = (await rig.site.engine.polls.find(id))!;
    expect(poll.settings.sharedAddress).toBe(false);
    expect(results).toMatchObject({ resultsVisibility: 'hidden', closesInMs: 60_000, status: 'upcoming' });
    await network.click();
    for (const page of [desk, second])
      await rundownIs(page, [/^First/, /after opening · results hidden$/, /^Third/]);
    const changes = desk.getByLabel('Votes can be changed: Second?');
    await changes.click();
    await expect.poll(() => changes.isChecked()).toBe(true);
    expect((await rig.site.engine.polls.find(id))!.poll.settings.allowChange).toBe(true);
    await row(second, 'Second?').locator('.choose').click();
    const elsewhere = (label: string) => second.getByLabel(`${label}: Second?`);
    await expect.poll(() => elsewhere('Votes can be changed').isChecked()).toBe(true);
    await elsewhere('Join code').click();
    for (const page of [desk, second])
      await rundownIs(page, [/^First/, /Join code \d{3}.\d{3} · results hidden$/, /^Third/]);
    await rig.site.engine.polls.change(id, { closed: false });
    const phone = await rig.open(`${rig.site.url}/${id}`, 390, 844);
    await phone.getByLabel('Yes').check();
    await phone.getByRole('button', { name: 'Vote', exact: true }).click();
    await rundownIs(desk, [/^First/, /1 vote/, /^Third/]);
    await network.click({ force: true });
    await expect.poll(() => word(desk)).toContain('its rules are fixed');
    await changes.click({ force: true });
    await desk.getByLabel('Join code: Second?').click();
    await rundownIs(desk, [/^First/, /1 vote · results hidden$/, /^Third/]);
    const { settings, joinCode } = (await rig.site.engine.polls.find(id))!.poll;
    expect(settings).toMatchObject({ sharedAddress: true, allowChange: true });
    expect(joinCode).toBeUndefined();
  });

  it('give a show a join code, and take it back', async () => {
    const { show, desk } = await deskOfThree();
    await desk.getByText('Links', { exact: true }).click();
    const code = desk.locator('.links .join-code');
    await desk.locator('[data-option=join_code]').click();
    await code.waitFor();
    expect(await code.textContent()).toContain(formatJoinCode((await show.get()).json.join_code));
    await desk.locator('[data-option=join_code]').click();
    await code.waitFor({ state: 'detached' });
    expect((await show.get()).json).not.toHaveProperty('join_code');
  });
});

describe('a copy', () => {
  it('of a poll follows it with its texts and settings, once, also if the reply is lost', async () => {
    const { show, desk } = await deskOfThree();
    const [first] = (await show.get()).json.rundown;
    await rig.site.engine.polls.change(first, { closed: false });
    const phone = await rig.open(`${rig.site.url}/${first}`, 390, 844);
    await phone.getByLabel('Yes').check();
    await phone.getByRole('button', { name: 'Vote', exact: true }).click();
    await rundownIs(desk, [/Open · 1 vote$/, /^Second/, /^Third/]);
    await row(desk, 'First?').locator('.choose').click();
    await desk.getByRole('button', { name: 'Copy: First?' }).click();
    await rundownIs(desk, [/Open · 1 vote$/, 'First? /  / Not started · 0 votes', /^Second/, /^Third/]);
    await desk.route('**/copy', loseReply, { times: 2 });
    await row(desk, 'Third?').locator('.choose').click();
    await desk.getByRole('button', { name: 'Copy: Third?' }).click();
    await rundownIs(desk, [/^First/, /^First/, /^Second/, /^Third/, /^Third/]);
    await expect.poll(() => word(desk)).toContain('That worked.');
    expect((await show.get()).json.own).toHaveLength(5);
  });

  it('of the show has its polls and look, and its key is shown once', async () => {
    const { show, desk } = await deskOfThree();
    const { id: foreign } = await rig.site.relay.create({ title: 'Foreign?' });
    await show.patch({ title: 'Friday', rundown: [...(await show.get()).json.rundown, foreign] });
    await desk.getByText('Links').click();
    const form = desk.locator('[data-copy-show]');
    for (const [name, text] of [
      ['Not a name', 'Use 3 to 40 lowercase letters'],
      [show.name, 'Choose another one.'],
    ] as const) {
      await form.getByLabel('Name of the copy').fill(name);
      await form.getByRole('button').click();
      await desk.locator('.links .said', { hasText: text }).waitFor();
    }
    await form.getByLabel('Name of the copy').fill(`${show.name}-copy`);
    await form.getByRole('button').click();
    await desk.getByText('belong to another show: 1').waitFor();
    expect(await desk.evaluate(() => document.activeElement?.id)).toBe('copy-link');
    const link = new URL(await desk.locator('#copy-link').inputValue());
    const copy = await rig.open(`${rig.site.url}${link.pathname}${link.hash}`);
    await copy.getByRole('heading', { name: 'Friday' }).waitFor();
    await rundownIs(copy, [/^First.*Not started · 0 votes$/, /^Second/, /^Third/]);
    expect(copy.url()).toBe(`${rig.site.url}/desk/${show.name}-copy`);
    await desk.reload();
    await desk.locator('[data-work]:not([hidden])').waitFor();
    expect(await desk.locator('#copy-link').count()).toBe(0);
  });

  it('of a show asks for an operator’s key where setting one up takes it', async () => {
    const { show, desk } = await deskOfThree();
    let key: string | undefined;
    await desk.route(`**/api/show/${show.name}/copy`, route => {
      key = route.request().headers()['x-api-key'];
      const error = { code: 'api_key_rejected', message: '' };
      return route.fulfill({
        status: 403,
        headers: { 'access-control-allow-origin': '*' },
        json: { success: 0, error },
      });
    });
    await desk.getByText('Links').click();
    const form = desk.locator('[data-copy-show]');
    await form.getByLabel('Name of the copy').fill('a-copy');
    await form.getByRole('button').click();
    await desk.locator('.links .said', { hasText: 'Enter the operator key' }).waitFor();
    await form.getByLabel('Operator key').fill('operator_wrong');
    await form.getByRole('button').click();
    await desk.locator('.links .said', { hasText: 'This operator key isn’t valid' }).waitFor();
    expect(key).toBe('operator_wrong');
  });
});

it('downloads the results of all polls as CSV and JSON, without a key in an address', async () => {
  const { show, desk } = await deskOfThree();
  const addresses: string[] = [];
  desk.on('request', request => addresses.push(request.url()));
  await desk.getByText('Links').click();
  for (const format of ['csv', 'json']) {
    const button = desk.getByRole('button', { name: `Results as ${format.toUpperCase()}` });
    const [download] = await Promise.all([desk.waitForEvent('download'), button.click()]);
    expect(download.suggestedFilename()).toBe(`${show.name}-results.${format}`);
    const text = Buffer.concat(await (await download.createReadStream()).toArray()).toString();
    for (const question of ['First?', 'Second?', 'Third?']) expect(text).toContain(question);
  }
  expect(addresses.filter(address => address.includes('/results'))).toHaveLength(2);
  expect(addresses.filter(address => address.includes(show.key))).toEqual([]);
});

it('adds a poll with hidden results, one vote per network, changes of votes, a closing time and a log, or without any of it', async () => {
  const show = await rig.takeShow();
  const desk = await rig.desk(show);
  const added = async (line: string) => {
    await desk.fill('#add-line', line);
    await desk.press('#add-line', 'Enter');
    await expect.poll(() => desk.inputValue('#add-line')).toBe('');
    const { poll, results } = (await rig.site.engine.polls.find((await show.get()).json.rundown.at(-1)))!;
    const { closesInMs, resultsVisibility } = results;
    const { sharedAddress, isVerifiable, showLogSize, allowChange } = poll.settings;
    return { sharedAddress, isVerifiable, showLogSize, allowChange, closesInMs, resultsVisibility };
  };
  expect(await added('Plain? | Yes | No')).toEqual({
    sharedAddress: true,
    isVerifiable: false,
    showLogSize: false,
    allowChange: false,
    resultsVisibility: 'always',
  });
  await desk.getByLabel('Hidden until shown').check();
  await desk.getByLabel('One vote per network').check();
  await desk.getByLabel('Votes can be changed').check();
  await desk.getByLabel('Closes after').fill('45');
  const size = desk.getByLabel('With vote count');
  expect(await size.isVisible()).toBe(false);
  await desk.locator('form.add').getByLabel('Join code').check();
  await desk.getByLabel('Verifiable').check();
  await size.check();
  const set = { sharedAddress: false, closesInMs: 45_000, resultsVisibility: 'hidden' };
  expect(await added('Set? | Yes | No')).toEqual({
    ...set,
    isVerifiable: true,
    showLogSize: true,
    allowChange: true,
  });
  await rundownIs(desk, [
    /^Plain.*0 votes$/,
    /^Set\?.*one vote per network · Verifiable · Join code \d{3}.\d{3} · results hidden$/,
  ]);
  // Settings of one poll are not those of the next.
  expect((await added('Unset? | Yes | No')).resultsVisibility).toBe('always');
});

it('counts overlays and open voting pages apart', async () => {
  const { show, desk } = await deskOfThree();
  const gauges = () => desk.locator('.gauges').textContent();
  await rig.open(`${rig.site.relay.url}/overlay/show/${show.name}`);
  await expect.poll(gauges).toMatch(/Overlays\s*1\s*Phones\s*0/);
  await pressSettled(desk, 'n');
  await rundownIs(desk, [/On air/, /^Second/, /^Third/]);
  await press(desk, 'o');
  await rundownIs(desk, [/Open/, /^Second/, /^Third/]);
  const phones = [1, 2].map(() => rig.open(`${rig.site.url}/show/${show.name}`, 390, 844));
  for (const phone of await Promise.all(phones)) await phone.getByText('See results without voting').click();
  await expect.poll(gauges).toMatch(/Overlays\s*1\s*Phones\s*2/);
});

it('warns at the row of a poll whose text is cut on air, once a picture has shown it', async () => {
  const show = await rig.takeShow();
  for (const [title, answer] of [
    ['Short?', 'Yes'],
    ['Too long?', 'W'.repeat(200)],
  ])
    await show.addPoll({ title, answers: [answer, 'No'], status: 'upcoming' });
  const desk = await rig.desk(show);
  const warning = desk.locator('[data-rundown] li', { hasText: 'Text cut on air' });
  await desk.frameLocator('[data-picture="next"] iframe').getByText('Short?').waitFor();
  expect(await warning.count()).toBe(0);
  await row(desk, 'Too long').locator('.choose').click();
  await warning.waitFor();
  expect(await warning.locator('.question').textContent()).toContain('Too long');
});

it('shows how many ballots of its own poll on air were rejected and why, and moves no button for it', async () => {
  const { show, desk } = await deskOfThree();
  const [own] = (await show.get()).json.rundown;
  await show.patch({ on_air: own });
  await rundownIs(desk, [/On air/, /./, /./]);
  const button = desk.locator('[data-step]').last();
  const before = await button.boundingBox();
  expect(await desk.locator('[data-rejected]').isVisible()).toBe(false);
  await rig.site.engine.records.spend(`rejected:${own}:same_network`, 1_200, 1e6, 60_000);
  await desk.getByText('Rejected votes: 1,200 · same network: 1,200').waitFor();
  expect(await button.boundingBox()).toEqual(before);
  await show.press('clear');
  await desk.locator('[data-rejected]').waitFor({ state: 'hidden' });
});

it('a rehearsal simulates votes, is marked on every screen, and changes no poll', async () => {
  const { show, desk } = await deskOfThree();
  const overlay = await rig.open(`${rig.site.relay.url}/overlay/show/${show.name}?speed=0`);
  const drawn = async () => (await overlay.locator('body').allInnerTexts()).join();
  await pressSettled(desk, 'h');
  await rundownIs(desk, [/^First\? \/ Rehearsal \/ Not started/, /^Second/, /^Third/]);
  await expect.poll(drawn).toMatch(/rehearsal/i);
  await press(desk, 'o');
  await rundownIs(desk, [/Open · [1-9]\d* votes?$/, /^Second/, /^Third/]);
  await pressSettled(desk, 'n');
  await rundownIs(desk, [/^First\? \/ {2}\/ Not started · 0 votes/, /^Second\? \/ Rehearsal/, /^Third/]);
  await expect.poll(drawn).toContain('Second?');
  await pressSettled(desk, 'h');
  await rundownIs(desk, [/^First/, /^Second\? \/ {2}\//, /^Third/]);
  await expect.poll(drawn).not.toContain('Second?');
  for (const id of (await show.get()).json.rundown)
    expect((await rig.site.engine.polls.find(id))!.results).toMatchObject({ version: 1, status: 'upcoming' });
});

/** Presses Tab until the element has the focus. */
async function tabTo(desk: Page, selector: string): Promise<void> {
  await expect
    .poll(async () => {
      await desk.keyboard.press('Tab');
      return desk.evaluate(wanted => document.activeElement?.matches(wanted), selector);
    })
    .toBe(true);
}

it('runs a show by keyboard alone, with the shortcuts turned off', async () => {
  const { desk } = await deskOfThree();
  const { keyboard } = desk;
  await tabTo(desk, '.links summary');
  await keyboard.press('Enter');
  await tabTo(desk, '[data-shortcuts] input');
  await keyboard.press('Space');
  await keyboard.press('Escape');
  await desk.locator('.links[open]').waitFor({ state: 'detached' });
  await keyboard.press('n');
  await tabTo(desk, '#add-line');
  await keyboard.type('Fourth? | Yes | No');
  await tabTo(desk, '[name=hidden]');
  await keyboard.press('Space');
  await keyboard.press('Enter');
  await rundownIs(desk, [/^First\? \/ Next/, /^Second/, /^Third/, /^Fourth.*hidden$/]);
  await tabTo(desk, '[data-step=next]');
  await keyboard.press('Enter');
  await rundownIs(desk, [/^First\? \/ On air/, /^Second/, /^Third/, /^Fourth/]);
  await tabTo(desk, '[data-step=open]');
  await keyboard.press('Enter');
  await rundownIs(desk, [/Open · 0 votes$/, /^Second/, /^Third/, /^Fourth/]);
  await tabTo(desk, '.choose');
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await tabTo(desk, '[data-do=open]');
  await keyboard.press('Enter');
  await rundownIs(desk, [/On air \/ Open/, /Next \/ Open · 0 votes$/, /^Third/, /^Fourth/]);
  await tabTo(desk, '[name=seconds]');
  await keyboard.type('90');
  await keyboard.press('Enter');
  await desk.locator('[aria-label="Keep open: Second?"][aria-disabled=false]').waitFor();
  await tabTo(desk, '[aria-label="Take: Second?"]');
  await keyboard.press('Enter');
  await rundownIs(desk, [/^First/, /On air/, /^Third/, /^Fourth/]);
  await desk.getByText('Closes in').waitFor();
  expect(await desk.evaluate(() => document.activeElement?.textContent)).toContain('Second?');
  await keyboard.press('ArrowDown');
  await keyboard.press('Shift+ArrowDown');
  await rundownIs(desk, [/^First/, /^Second/, /^Fourth/, /^Third/]);
  // The focus goes with the row, once the reply has come.
  await expect.poll(() => desk.evaluate(() => document.activeElement?.textContent)).toContain('Third?');
  await keyboard.press('Delete');
  await rundownIs(desk, [/^First/, /^Second/, /^Fourth/]);
});

it('is accessible and fits at 320, 1280 and 3840 pixels', async () => {
  const { show, desk } = await deskOfThree();
  await show.addPoll({ title: 'W'.repeat(300), answers: ['Yes', 'No'] });
  await pressSettled(desk, 'n');
  await rundownIs(desk, [/On air/, /^Second/, /^Third/, /^WWW/]);
  const expectAccessible = async (page: Page) => {
    for (const width of [320, 3840, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const violations = await findViolations(page, { iframes: false });
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect({ width, violations, isWide }).toEqual({ width, violations: [], isWide: false });
    }
  };
  await expectAccessible(desk);
  await row(desk, 'WWW').locator('.choose').click();
  await expectAccessible(desk);
  await desk.locator('[data-edit]').click();
  await desk.locator('form.edit').waitFor();
  await expectAccessible(desk);
  await desk.keyboard.press('Escape');
  await desk.getByText('Links').click();
  await expectAccessible(desk);
  await expectAccessible(await rig.open(`${rig.site.url}/desk`));
});
