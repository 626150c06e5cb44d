import { expect, it, onTestFinished } from 'vitest';
import { openCounter } from '../chat/chat-stage.ts';
import { startTwitchServer } from '../chat/twitch-server.ts';
import { castBallots } from '../support/test-relay.ts';
import { findViolations } from './axe.ts';
import { deskRig, word } from './desk/desk-rig.ts';

const rig = deskRig();

it('is linked at the desk, and told on air while the poll is open', async () => {
  const show = await rig.takeShow();
  const poll = { title: 'Which song?', answers: ['Waterloo', 'Volare', 'Halo'] };
  const { id } = (await show.addPoll(poll)).json;
  await show.press('next');
  await castBallots(rig.site.engine, id, 1, 2);
  const desk = await rig.desk(show);
  const overlay = `${rig.site.relay.url}/overlay/show/${show.name}`;
  const screen = await rig.open(`${overlay}?sources=1`);
  await screen.locator('.row').first().waitFor({ state: 'attached' });
  expect(await screen.locator('.chat').count()).toBe(0);

  await desk.getByText('Votes from chat').click();
  const section = desk.locator('[data-chats]');
  await section.getByLabel('Channel name or address').fill('not a channel');
  await section.getByRole('button', { name: 'Link chat' }).click();
  await expect.poll(() => word(desk)).toContain('This isn’t the name or address of a channel');
  await section.getByLabel('Channel name or address').fill('https://www.twitch.tv/FridayNight');
  await section.getByRole('button', { name: 'Link chat' }).click();
  await expect.poll(() => section.locator('li b').allTextContents()).toEqual(['Twitch fridaynight']);
  // No process of this site reads chats.
  await expect.poll(() => section.locator('[data-state=off]').count()).toBe(1);
  expect((await show.get()).json.chat).toEqual([{ platform: 'twitch', channel: 'fridaynight' }]);
  expect(await findViolations(desk)).toEqual([]);

  await expect.poll(() => screen.locator('.chat').allTextContents()).toEqual(['Type 1, 2, or 3 in chat']);
  expect(await screen.locator('.label').allTextContents()).toEqual(poll.answers);
  expect(await screen.locator('.key').allTextContents()).toEqual(['1', '2', '3']);
  expect(await screen.locator('.sources').count()).toBe(0);
  await castBallots(rig.site.engine, id, 0, 1, 'kick');
  await expect.poll(() => screen.locator('.sources').allTextContents()).toEqual(['Web page 2', 'Kick 1']);

  await rig.site.engine.polls.change(id, { closed: true });
  await expect.poll(() => screen.locator('.chat').count()).toBe(0);
  expect(await screen.locator('.label').allTextContents()).toContain('Volare');
  await section.getByRole('button', { name: 'Unlink Twitch fridaynight' }).click();
  await expect.poll(async () => (await show.get()).json.chat).toEqual([]);
});

it('shows how a linked chat is, and takes a second link of the same channel for the first', async () => {
  const twitch = await startTwitchServer();
  onTestFinished(() => twitch.close());
  const { close } = openCounter(rig.site.engine, [twitch]);
  onTestFinished(close);
  const show = await rig.takeShow();
  const { id } = (await show.addPoll()).json;
  await show.press('next');
  const desk = await rig.desk(show);
  const manage = await rig.open(`${rig.site.url}/${id}/manage#key=${show.key}`);
  await manage.locator('[data-manage]').waitFor();
  await desk.getByText('Votes from chat').click();
  const section = desk.locator('[data-chats]');
  for (const name of [twitch.channel, `https://twitch.tv/${twitch.channel}`]) {
    const field = section.getByLabel('Channel name or address');
    await field.fill(name);
    await section.getByRole('button', { name: 'Link chat' }).click();
    await expect.poll(() => field.inputValue()).toBe('');
  }
  expect(await section.locator('li b').allTextContents()).toEqual([`Twitch ${twitch.channel}`]);
  const state = () => section.locator('[data-state]').textContent();
  await expect.poll(state).toMatch(/^Connected · Messages/);
  let user = 0;
  const isCounted = async () => {
    user += 1;
    twitch.say({ userId: `${user}`, text: '1' });
    return state();
  };
  await expect.poll(isCounted).toMatch(/^Connected · Messages\/s: [1-9]\d* · Votes: [1-9]/);
  await expect
    .poll(() => manage.locator('[data-sources]').textContent())
    .toMatch(/^Web page 0 · Twitch [1-9]/);
  await twitch.stop();
  await expect.poll(state).toMatch(/^Connection lost. Trying again… \(.+\) · Messages\/s: 0 · Votes: [1-9]/);
  expect(await findViolations(desk)).toEqual([]);
  await desk.setViewportSize({ width: 320, height: 800 });
  expect(await desk.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});

it('votes before the opening are counted under the picture, and a chat that is lost is in the top row until it is back', async () => {
  const twitch = await startTwitchServer();
  onTestFinished(() => twitch.close());
  const { close } = openCounter(rig.site.engine, [twitch]);
  onTestFinished(close);
  const show = await rig.takeShow();
  await show.addPoll({ status: 'upcoming' });
  await show.patch({ chat: [{ platform: 'twitch', channel: twitch.channel }] });
  await show.press('next');
  const desk = await rig.desk(show);
  const chat = desk.locator('.gauges [data-unread]');
  const lamps = () => chat.evaluateAll(all => all.map(({ textContent }) => textContent));
  const isRead = async () => (await show.get()).json.chat_state[0].state === 'connected';
  await expect.poll(isRead).toBe(true);
  await expect.poll(lamps).toEqual([]);
  for (const userId of ['1', '2', '3']) twitch.say({ userId, text: '1' });
  await expect
    .poll(() => desk.locator('.notes [data-early]').allTextContents())
    .toEqual(['3 votes came before voting was open']);
  await twitch.stop();
  await expect.poll(lamps).toEqual([expect.stringMatching(/^TwitchConnection lost/)]);
  await desk.setViewportSize({ width: 320, height: 900 });
  expect(await chat.isVisible()).toBe(true);
  await twitch.start();
  await expect.poll(lamps, { timeout: 60_000 }).toEqual([]);
});

it('says letters where the poll has them, and nothing where it is kept to the page', async () => {
  const show = await rig.takeShow();
  const answers = ['One', 'Two', 'Three', 'Four', 'Five'];
  await show.addPoll({ title: 'Letters?', answers, chat_words: true });
  await show.addPoll({ title: 'Page?', chat: false });
  await show.addPoll({ title: 'Many?', answers });
  await show.patch({ chat: [{ platform: 'twitch', channel: 'fridaynight' }] });
  const screen = await rig.open(`${rig.site.relay.url}/overlay/show/${show.name}`);
  const told = async (title: string, text: string[]) => {
    await show.press('next');
    await screen.locator('.title', { hasText: title }).waitFor({ state: 'attached' });
    await expect.poll(() => screen.locator('.chat').allTextContents()).toEqual(text);
  };
  await told('Letters?', ['Type A–E in chat']);
  await told('Page?', []);
  await told('Many?', ['Type 1–5 in chat']);
});
