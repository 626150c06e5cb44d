// @module-tag caddy
// @module-tag nginx
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startCaddy } from '../support/caddy.ts';
import { kill, said, spawnKept } from '../support/child-process.ts';
import { findFreePort } from '../support/free-port.ts';
import { startNginx } from '../support/nginx.ts';
import { builtFile } from '../support/relay-process.ts';
import { browserRig } from './browser-rig.ts';

/** The program behind the shipped proxies, with a path in each public URL. */

const rig = browserRig(async () => ({ close() {} }));

async function startBelow(start: typeof startCaddy) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-path-'));
  const ports = [await findFreePort(), await findFreePort()];
  const [relays, voting] = ports.map(port => [`127.0.0.1:${port}`]) as [string[], string[]];
  const door = await start({ relays, voting, paths: ['/polls', '/vote'] });
  const program = spawnKept(process.execPath, [builtFile('start/main.js')], {
    env: {
      ...process.env,
      PORT: `${ports[0]}`,
      VOTE_PORT: `${ports[1]}`,
      DATA_DIR: dataDir,
      PROOF_COST: '1',
      PUBLIC_URL: door.url,
      VOTE_PUBLIC_URL: door.voteUrl,
      TRUST_PROXY: '127.0.0.1',
    },
  });
  onTestFinished(async () => {
    await kill(program, 'SIGTERM');
    await door.stop();
    await rm(dataDir, { recursive: true });
  });
  await said(program, 'voting', 20_000);
  return door;
}

/** Opens pages whose requests must all succeed below the two paths. */
class Visit {
  readonly faults: string[] = [];
  readonly #context: BrowserContext;

  constructor(context: BrowserContext, bases: readonly string[]) {
    this.#context = context;
    context.on('response', response => {
      const url = response.url();
      const isBelow = bases.some(base => url === base || url.startsWith(`${base}/`));
      // Browsers ask for it by themselves.
      if (!isBelow && !url.endsWith('/favicon.ico')) this.faults.push(`outside: ${url}`);
      if (response.status() >= 400) this.faults.push(`${response.status()} ${url}`);
    });
  }

  async open(url: string): Promise<Page> {
    const page = await this.#context.newPage();
    page.on('pageerror', error => this.faults.push(error.message));
    const reply = await page.goto(url);
    expect([url, reply?.status()]).toEqual([url, 200]);
    return page;
  }

  /** Requests everything that a page links on its own host. */
  async follow(page: Page): Promise<void> {
    const links = await page.locator('[href], [src]').evaluateAll(elements =>
      elements.map(element => {
        const { href, src } = element as HTMLAnchorElement & HTMLImageElement;
        return href || src;
      }),
    );
    const { host } = new URL(page.url());
    for (const link of new Set(links))
      if (/^http/.test(link) && new URL(link).host === host)
        await page.request.get(link).then(reply => {
          const path = new URL(link).pathname;
          if (!/^\/(polls|vote)(\/|$)/.test(path) || reply.status() >= 400)
            this.faults.push(`link ${reply.status()} ${link} on ${page.url()}`);
        });
  }
}

describe.each([
  ['the Caddyfile, both on one host', startCaddy],
  ['nginx.conf', startNginx],
])('behind %s', (_, start) => {
  it('pages, assets, forms, redirects, cookies, overlay and desk work below a path', async () => {
    const { url, voteUrl } = await startBelow(start);
    const context = await rig.browser.newContext({ locale: 'en-US' });
    const visit = new Visit(context, [url, voteUrl, url.replace('http', 'ws')]);

    for (const path of ['', '/overlay', '/docs', '/docs/protocol', '/docs/log'])
      await visit.follow(await visit.open(url + path));

    const create = await visit.open(`${voteUrl}/new`);
    await visit.follow(create);
    await create.getByLabel('Question', { exact: true }).fill('Lunch?');
    await create.getByLabel('Answer 1').fill('Soup');
    await create.getByLabel('Answer 2').fill('Salad');
    await create.getByText('Voting rules').click();
    await create.getByLabel('Anyone can check the result').check();
    await create.getByRole('button', { name: /Yes, at an event/ }).click();
    const link = await create.getByLabel('Voting link', { exact: true }).inputValue();
    await create.getByText('This device remembers this poll.').waitFor();
    expect(link.startsWith(`${voteUrl}/`)).toBe(true);
    const id = link.slice(-12);

    const overlay = await visit.open(`${url}/overlay/${id}?speed=0`);
    await overlay.getByText('Lunch?').first().waitFor();
    const present = await visit.open(`${link}/present`);
    await present.locator('[data-on=true]').getByText('Lunch?').first().waitFor();
    const voter = await visit.open(link);
    await visit.follow(voter);
    await voter.getByLabel('Salad').check();
    await voter.getByRole('button', { name: 'Vote', exact: true }).click();
    await voter.getByRole('heading', { name: 'Your vote has been counted' }).waitFor();
    await overlay.getByText('100').first().waitFor();
    await voter.reload();
    await voter.getByText('1 vote', { exact: true }).waitFor();

    const manage = await visit.open(voteUrl);
    await manage.getByRole('region', { name: 'Polls on this device' }).getByRole('link').click();
    await manage.getByRole('button', { name: 'Close voting' }).click();
    await manage.getByRole('heading', { name: 'Voting is closed' }).first().waitFor();
    expect(manage.url().startsWith(`${voteUrl}/${id}/manage`)).toBe(true);
    await visit.follow(manage);

    await voter.getByRole('link', { name: 'Check my vote' }).click();
    await voter.getByText('It’s number 1: Salad.').waitFor();
    await voter.getByRole('button', { name: 'Check the result' }).click();
    await voter.getByRole('heading', { name: 'The log confirms the result' }).waitFor();
    await visit.follow(voter);

    const show = (await (
      await fetch(`${url}/api/show`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ show: { name: 'friday-night', title: 'Friday' } }),
      })
    ).json()) as { show_key: string };
    const desk = await visit.open(`${voteUrl}/desk/friday-night#key=${show.show_key}`);
    await desk.locator('[name="line"]').fill('Dinner? | Rice | Beans');
    await desk.keyboard.press('Enter');
    await desk.locator('[data-rundown] li').waitFor();
    const audience = await visit.open(`${voteUrl}/show/friday-night`);
    await desk.keyboard.press('Escape');
    await desk.keyboard.press('n');
    await audience.getByText('Dinner?').first().waitFor();
    await audience.reload();
    await audience.getByText('Dinner?').first().waitFor();

    const cookies = await context.cookies();
    expect(cookies.length).toBeGreaterThan(0);
    for (const { path, name } of cookies)
      expect([name, path]).toEqual([name, expect.stringMatching(/^\/vote/)]);
    expect(visit.faults).toEqual([]);
  });
});
