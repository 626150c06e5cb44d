import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startTwitchServer } from '../chat/twitch-server.ts';
import { itemsOf, walk } from '../document/walk.ts';
import { findFreePort } from '../support/free-port.ts';
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts';
import { until } from '../support/until.ts';
import { browserRig } from './browser-rig.ts';
import { pressSettled, rundownIs } from './desk/desk-rig.ts';

const rig = browserRig(async () => ({ close: () => undefined }));

it('the steps that the document for streamers has for Twitch lead from the start of the program to a vote on air', async () => {
  const twitch = await startTwitchServer();
  onTestFinished(() => twitch.close());
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-streamer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const votePort = await findFreePort();
  const page = await (await rig.browser.newContext({ locale: 'en-US' })).newPage();
  const section = page.locator('[data-chats]');
  let program: RelayProcess;
  let show = '';

  const items = itemsOf('src/chat/STREAMERS.md', 'Twitch, in three minutes').filter(item => /^\d/.test(item));
  await walk(items, [
    {
      text: /^1\. Start .* ``` (CHAT)=(\w+) npm start ```/,
      do: async ([setting = '', platforms = '']) => {
        program = await startRelayProcess('', {
          [setting]: platforms,
          CHAT_TWITCH_URL: twitch.url,
          VOTE_PORT: `${votePort}`,
          DATA_DIR: folder,
        });
        onTestFinished(() => program.stop());
      },
    },
    {
      text: /^2\. Open `http:\/\/127\.0\.0\.1:8081(\S+)`, .* such as `([\w-]+)`, and keep its key/,
      do: async ([path, name = '']) => {
        show = name;
        await page.goto(`http://127.0.0.1:${votePort}${path}`);
        const form = page.locator('[data-set-up-form]');
        await form.getByLabel('Name').fill(name);
        await form.getByRole('button').click();
        await expect.poll(() => page.locator('#desk-link').inputValue()).toContain('#key=show_');
      },
    },
    {
      text: /^3\. .* press "([^"]+)", choose (\w+), .* press "([^"]+)"\. Press (\w+)/,
      do: async ([sheet = '', platform = '', button = '', key = '']) => {
        await page.getByText(sheet).click();
        await section.getByLabel('Platform').selectOption({ label: platform });
        await section.getByLabel('Channel name or address').fill(twitch.channel);
        await section.getByRole('button', { name: button }).click();
        await section.locator('li b', { hasText: twitch.channel }).waitFor();
        await page.keyboard.press(key);
        await page.locator('[data-chats]:not([open])').waitFor();
      },
    },
    {
      text: /^4\. .* in one line: `([^`]+)`\. Press "([^"]+)" \((\w)\), .* "([^"]+)" \((\w)\)\. Messages from before/,
      do: async ([line = '', next = '', nextKey = '', open = '', openKey = '']) => {
        await page.fill('#add-line', line);
        await page.press('#add-line', 'Enter');
        await page.locator('[data-rundown] li', { hasText: line.split(' | ')[0]! }).waitFor();
        await page.keyboard.press('Escape');
        const button = (label: string, key: string) =>
          page.locator(`button[data-step][aria-keyshortcuts=${key}]`, { hasText: label }).first();
        await button(next, nextKey).waitFor();
        await pressSettled(page, nextKey.toLowerCase());
        await until(() => twitch.isRead(), 'the channel to be joined');
        const early = async () => {
          twitch.say({ userId: '1', text: '1' });
          return section.locator('[data-state]').textContent();
        };
        await expect.poll(early).toMatch(/votes? came before voting was open/);
        await button(open, openKey).waitFor();
        await pressSettled(page, openKey.toLowerCase());
        await rundownIs(page, [/Open/]);
      },
    },
    {
      text: /^5\. .* source of (\d+) × (\d+) .* ``` http:\/\/127\.0\.0\.1:8080(\S+) ```/,
      do: async ([width, height, path = '']) => {
        expect(path).toContain(show);
        await page.setViewportSize({ width: Number(width), height: Number(height) });
        await page.goto(program.url + path);
      },
    },
    {
      text: /^6\. Type `(\w)` in your chat/,
      do: async ([text = '']) => {
        let user = 1;
        const votes = async () => {
          user += 1;
          twitch.say({ userId: `${user}`, text });
          return page.locator('.row').first().textContent();
        };
        await expect.poll(votes).toMatch(/100\s*%/);
      },
    },
  ]);
});
