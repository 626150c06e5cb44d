import { request } from 'node:http';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

/** More than the limit of concurrent requests of each queue. */
const CROWD = 700;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: 'en-US' };

const rig = browserRig<LiveSite>(() => startLiveSite({ proofCost: 50 }));

async function phone(options: BrowserContextOptions = {}): Promise<Page> {
  return (await rig.browser.newContext({ ...PHONE, ...options })).newPage();
}

/** A poll whose reads hang until `release`, so that its requests fill a queue. */
async function blockedPoll(): Promise<{ id: string; release(): void }> {
  const { id } = await rig.site.createPoll({ mip: true });
  const { polls } = rig.site.services.engine;
  const { find } = polls;
  let release = () => {};
  const released = new Promise<void>(done => {
    release = done;
  });
  vi.spyOn(polls, 'find').mockImplementation(async pollId => {
    if (pollId === id) await released;
    return find(pollId);
  });
  return { id, release };
}

/** Sends a crowd of requests. @returns the number of replies so far */
function crowd(method: 'GET' | 'POST', path: string): { readonly replies: number } {
  const seen = { replies: 0 };
  const headers = {
    accept: method === 'GET' ? 'text/html' : 'application/json',
    origin: rig.site.url,
    'content-type': 'application/x-www-form-urlencoded',
  };
  for (let n = 0; n < CROWD; n += 1) {
    const sent = request(rig.site.url + path, { method, headers, agent: false }, reply => {
      seen.replies += 1;
      reply.resume();
    });
    sent.on('error', () => {});
    sent.end();
  }
  return seen;
}

describe('during overload', () => {
  it.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('a new visitor %s gets a busy page that loads the poll in turn', async (_, on) => {
    const blocked = await blockedPoll();
    const { id } = await rig.site.createPoll();
    const others = crowd('GET', `/${blocked.id}`);
    await until(() => others.replies > 0, 'the first rejection');
    const page = await phone({ javaScriptEnabled: on });
    // Its next try waits until the busy page has been seen.
    let visits = 0;
    let show = () => {};
    const isSeen = new Promise<void>(done => {
      show = done;
    });
    await page.route(`${rig.site.url}/${id}`, async route => {
      visits += 1;
      if (visits > 1) await isSeen;
      await route.continue();
    });
    const reply = await page.goto(`${rig.site.url}/${id}`);
    expect(reply?.status()).toBe(503);
    await page.getByRole('heading', { name: 'It’s very busy right now' }).waitFor();
    blocked.release();
    show();
    await page.getByRole('heading', { name: 'Which song next?' }).waitFor();
    expect(page.url()).toBe(`${rig.site.url}/${id}`);
  });

  it('a ballot is retried by its page and counted once', async () => {
    const { id } = await rig.site.createPoll({ mip: true });
    const page = await phone();
    await page.goto(`${rig.site.url}/${id}`);
    await page.getByText('✓ Ready').waitFor();
    await page.getByLabel('Volare').tap();
    const blocked = await blockedPoll();
    const others = crowd('POST', `/${blocked.id}/ballot`);
    await until(() => others.replies > 0, 'the first rejection');
    await page.getByRole('button', { name: 'Vote', exact: true }).tap();
    await page.getByText('Your vote hasn’t been sent yet. Trying again').waitFor();
    expect(await page.getByLabel('Volare').isChecked()).toBe(true);
    expect(await rig.site.counts(id)).toEqual({ votes: [0, 0, 0], voters: 0 });
    blocked.release();
    await page.getByText('You chose Volare.').waitFor();
    expect(await rig.site.counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });
  });
});
