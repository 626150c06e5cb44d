// @module-tag caddy
// @module-tag nginx
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { startCaddy } from '../support/caddy.ts';
import { findFreePort } from '../support/free-port.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { heldClock } from '../support/held-clock.ts';
import { startNginx } from '../support/nginx.ts';
import { createPoll, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

/** The front door of the compose file, and a proxy for https in front of it, each with an address of its own. */
const DOOR = '127.0.0.1';
const HTTPS_PROXY = '127.0.0.3';
const STRANGER = '127.0.0.2';
const LIMIT = 2;
const START_MS = 60_000;

const forwarded = (address: string) => ({ 'x-forwarded-for': address, 'x-forwarded-proto': 'https' });

describe.each([
  ['Caddy', startCaddy],
  ['nginx', startNginx],
])('behind the shipped %s', (_, start) => {
  let relay: TestRelay;
  let door: FrontDoor;
  beforeAll(async () => {
    relay = await startTestRelay({
      clock: heldClock(),
      trustProxy: [DOOR, HTTPS_PROXY],
      createPerMinute: LIMIT,
    });
    door = await start({ relays: [new URL(relay.url).host] });
  });
  afterAll(async () => {
    await door?.stop();
    await relay.close();
  });

  /** Creates a poll through the door. @returns the status: 201, or 429 for an address that has had its share */
  function create(from: string, headers: Record<string, string> = {}): Promise<number> {
    return new Promise((done, fail) => {
      const sent = request(`${door.url}/api/poll`, {
        method: 'POST',
        localAddress: from,
        agent: false,
        headers: { 'content-type': 'application/json', ...headers },
      });
      sent.on('response', response => done(response.resume().statusCode ?? 0));
      sent.on('error', fail);
      sent.end(JSON.stringify({ poll: { title: 'Which song next?', answers: ['Waterloo', 'Volare'] } }));
    });
  }

  it.each(['203.0.113.1', '2001:db8:1:2::1'])(
    'a client behind a trusted https proxy counts by its own address: %s',
    async address => {
      for (let n = 0; n < LIMIT; n += 1) expect(await create(HTTPS_PROXY, forwarded(address))).toBe(201);
      expect(await create(HTTPS_PROXY, forwarded(address))).toBe(429);
      // What a client put in front of that changes nothing.
      expect(await create(HTTPS_PROXY, forwarded(`6.6.6.6, ${address}`))).toBe(429);
    },
  );

  it('addresses of one IPv6 network count as one, of two networks as two', async () => {
    for (const last of ['a', 'b'])
      expect(await create(HTTPS_PROXY, forwarded(`2001:db8:7:7::${last}`))).toBe(201);
    expect(await create(HTTPS_PROXY, forwarded('2001:db8:7:7::c'))).toBe(429);
    expect(await create(HTTPS_PROXY, forwarded('2001:db8:7:8::c'))).toBe(201);
  });

  it('a client cannot forge its address', async () => {
    for (let n = 0; n < LIMIT; n += 1) expect(await create(STRANGER, forwarded(`198.51.100.${n}`))).toBe(201);
    expect(await create(STRANGER, forwarded('198.51.100.99'))).toBe(429);
  });

  it('replies as documented to large requests and while no relay is up, serves no metrics, and logs no address or key', async () => {
    const { id, view_key } = await relay.create({ results_visibility: 'hidden' });
    const poll = `${door.url}/api/poll/${id}?key=${view_key}`;
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    expect((await fetch(poll, { headers })).status).toBe(200);
    // A connection that closes while the body is on its way may take the reply with it, from the proxy too.
    let tries = 0;
    const refusal = () => {
      // Each has an address of its own, because an address has a few tries a minute.
      tries += 1;
      const options = { method: 'POST', localAddress: `127.0.1.${tries}`, agent: false };
      return new Promise<string | undefined>(done => {
        const sent = request(`${door.url}/api/poll`, options, async response => {
          const body = await text(response).catch(() => '');
          done(body ? `${response.statusCode} ${JSON.parse(body).error.code}` : undefined);
        });
        sent.on('error', () => done(undefined));
        sent.end('x'.repeat(200_000));
      });
    };
    let large: string | undefined;
    await until(
      async () => {
        large = await refusal();
        return large !== undefined && !large.startsWith('503');
      },
      'a reply of the relay',
      START_MS,
    );
    expect(large).toBe('413 body_too_large');
    const long = await fetch(poll, { headers: { 'x-much': 'x'.repeat(9_000) } });
    // nginx limits headers itself.
    expect([400, 431]).toContain(long.status);
    expect((await long.json()).success).toBe(0);
    expect((await fetch(`${door.url}/metrics`)).status).toBe(404);
    const alone = await start({ relays: [] });
    onTestFinished(() => alone.stop());
    const away = await fetch(poll.replace(door.url, alone.url), { headers });
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await away.json()).error.code).toBe('engine_unavailable');
    for (const log of [door.log, alone.log])
      for (const secret of ['203.0.113.77', view_key, id]) expect(log).not.toContain(secret);
  });
});

it('the shipped Caddy serves both names over TLS, and redirects plain HTTP', async () => {
  const [http, https] = [await findFreePort(), await findFreePort()];
  const sites = ['relay', 'vote'].map(name => `https://${name}.localhost:${https}`) as [string, string];
  const relay = await startTestRelay({ trustProxy: [DOOR] });
  onTestFinished(() => relay.close());
  const { host } = new URL(relay.url);
  const secure = { sites, options: `http_port ${http}\nhttps_port ${https}` };
  const door = await startCaddy({ relays: [host], voting: [host], secure });
  onTestFinished(() => door.stop());
  // Caddy's own authority, as no public one can reach it.
  const root = join(door.folder, 'caddy/pki/authorities/local/root.crt');
  await until(() => existsSync(root), 'the authority', START_MS);
  const ca = readFileSync(root);
  for (const site of sites) {
    const { hostname } = new URL(site);
    const options = { host: DOOR, servername: hostname, headers: { host: `${hostname}:${https}` }, ca };
    const status = () =>
      new Promise(done => {
        get({ ...options, port: https, path: '/readyz' }, reply => done(reply.resume().statusCode)).on(
          'error',
          done,
        );
      });
    // Certificates are made after the start.
    await until(async () => (await status()) === 200, `a certificate for ${hostname}`, START_MS);
  }
  const { id } = await createPoll(relay.url);
  // ws passes `servername` to TLS, but its types lack it.
  const options = { ca, servername: 'relay.localhost', headers: { host: `relay.localhost:${https}` } };
  const socket = new WebSocket(`wss://${DOOR}:${https}/api/poll/${id}/live`, options);
  onTestFinished(() => socket.terminate());
  const first = await new Promise((done, fail) => {
    socket.on('message', data => done(JSON.parse(`${data}`).type)).on('error', fail);
  });
  expect(first).toBe('results');
  const status = await new Promise((done, fail) => {
    const headers = { host: 'relay.localhost' };
    request({ host: DOOR, port: http, headers }, reply => done(reply.resume().statusCode))
      .on('error', fail)
      .end();
  });
  expect(status).toBe(308);
});
