// @module-tag caddy
// @module-tag nginx
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCaddy } from '../support/caddy.ts';
import { findFreePort } from '../support/free-port.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { startNginx } from '../support/nginx.ts';
import { until } from '../support/until.ts';
import { solveForm } from '../voting/visitor.ts';
import { createPoll, startVotingSite, type VotingSite } from '../voting/voting-site.ts';

/** Two front ends on one engine behind the shipped proxies. */

const BROWSER = { accept: 'text/html,*/*' };
const DOOR = '127.0.0.1';
const AGAIN_MS = 200;

let owner: VotingSite;
let ports: number[];
let fronts: (VotingSite | undefined)[];
let door: FrontDoor;
let url: string;

async function startFront(index: number): Promise<void> {
  const site = await startVotingSite({
    engine: owner.engine,
    voteUrl: url,
    trustProxy: [DOOR],
  });
  await site.server.listen({ host: '127.0.0.1', port: ports[index] as number });
  fronts[index] = site;
}

async function stopFront(index: number): Promise<void> {
  await fronts[index]?.close();
  fronts[index] = undefined;
}

async function startBehind(start: typeof startCaddy): Promise<void> {
  owner = await startVotingSite();
  ports = [await findFreePort(), await findFreePort()];
  fronts = [];
  door = await start({ relays: [], voting: ports.map(port => `127.0.0.1:${port}`) });
  url = door.voteUrl;
  await Promise.all([startFront(0), startFront(1)]);
}

async function stopAll(): Promise<void> {
  await door?.stop();
  await Promise.all([stopFront(0), stopFront(1)]);
  await owner?.close();
}

async function vote(id: string, answer: string, voter: number) {
  const from = { 'x-forwarded-for': `198.51.100.${voter}` };
  const page = await fetch(`${url}/${id}`, { headers: { ...BROWSER, ...from } });
  const cookie = page.headers.getSetCookie().map(text => text.split(';')[0]);
  const form = (await solveForm(await page.text())) as Record<string, string>;
  const send = () =>
    fetch(`${url}/${id}/ballot`, {
      method: 'POST',
      headers: { ...from, accept: 'application/json', origin: url, cookie: cookie.join('; ') },
      body: new URLSearchParams({ ...form, answer }),
    });
  return { page: page.status, send };
}

/** Retries a 503, as a page does. */
async function delivered(send: () => Promise<Response>, tries: number): Promise<number> {
  const { status } = await send();
  if (status !== 503 || tries === 1) return status;
  await new Promise(done => setTimeout(done, AGAIN_MS));
  return delivered(send, tries - 1);
}

describe.each([
  // Debian's Caddy 2.6 cannot retry a request with a body, so the page does.
  ['Caddy', startCaddy, 5],
  ['nginx', startNginx, 1],
] as const)('two front ends behind the shipped %s', (_, start, tries) => {
  beforeAll(() => startBehind(start));
  afterAll(stopAll);

  it('serve one audience without errors while one of them restarts', async () => {
    const { id, poll } = await createPoll(owner.engine, { mip: true });
    const answer = poll.answers[1]!.id;
    const statuses = new Set<number>();
    for (let voter = 0; voter < 24; voter += 1) {
      if (voter === 8) await stopFront(0);
      if (voter === 16) await startFront(0);
      const { page, send } = await vote(id, answer, voter);
      statuses.add(page);
      // Twice, most likely at different front ends.
      for (const _ of ['first', 'again']) statuses.add(await delivered(send, tries));
    }
    expect([...statuses]).toEqual([200]);
    expect(await owner.counts(id)).toEqual({ votes: [0, 24, 0], voters: 24 });
  });

  it('are replaced by a page that reloads itself while both are down', async () => {
    const { id, poll } = await createPoll(owner.engine, { mip: true });
    const { send } = await vote(id, poll.answers[0]!.id, 99);
    await Promise.all([stopFront(0), stopFront(1)]);
    const away = await fetch(`${url}/${id}`, { headers: BROWSER });
    const seconds = away.headers.get('retry-after');
    expect([away.status, Number(seconds)]).toEqual([503, expect.toSatisfy(n => n >= 2 && n <= 5)]);
    expect(away.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await away.text()).toContain(`<meta http-equiv="refresh" content="${seconds}">`);
    const ballot = await send();
    expect([ballot.status, Number(ballot.headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
    // The URL of a form is not a page to reload.
    expect(await ballot.text()).not.toContain('refresh');
    await Promise.all([startFront(0), startFront(1)]);
    await until(async () => (await fetch(`${url}/${id}`, { headers: BROWSER })).status === 200, 'the page');
    expect((await send()).status).toBe(200);
    expect((await owner.counts(id)).voters).toBe(1);
  });
});

describe('two front ends behind the shipped nginx', () => {
  beforeAll(() => startBehind(startNginx));
  afterAll(stopAll);

  it('get one request a second for the state of a poll, and one for a script, from any number of clients', async () => {
    const { id } = await createPoll(owner.engine);
    const page = await (await fetch(`${url}/${id}`, { headers: BROWSER })).text();
    const script = /src="(\/assets\/[^"]+)"/.exec(page)?.[1] as string;
    // Before the first reply is kept, nginx lets requests through that have waited for 100 ms.
    for (const path of [`/${id}/state`, script]) await (await fetch(url + path)).arrayBuffer();
    const requests: string[] = [];
    for (const front of fronts)
      front?.server.server.prependListener('request', ({ url = '' }) => requests.push(url));
    const began = performance.now();
    for (let n = 0; n < 20; n += 1) {
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, nth) => {
          // What differs between pages.
          const headers = { 'tallycast-interval': `${3_000 + nth}`, cookie: `tallycast-voter=${nth}` };
          return [fetch(`${url}/${id}/state`, { headers }), fetch(url + script, { headers })];
        }).flat(),
      );
      for (const reply of replies) expect((await reply.arrayBuffer()).byteLength).toBeGreaterThan(0);
      expect(new Set(replies.map(reply => reply.status))).toEqual(new Set([200]));
    }
    const seconds = Math.ceil((performance.now() - began) / 1_000);
    // Of consecutive requests, two may overlap.
    expect(requests.filter(path => path.endsWith('/state')).length).toBeLessThanOrEqual(2 * seconds + 2);
    expect(requests.filter(path => path === script).length).toBeLessThanOrEqual(1);
  });
});
