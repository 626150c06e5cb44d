// @module-tag caddy
// @module-tag nginx
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCaddy } from '../support/caddy.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { heldClock } from '../support/held-clock.ts';
import { startNginx } from '../support/nginx.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

/** The front door of the compose file, and a proxy for https in front of it, each with an address of its own. */
const DOOR = '127.0.0.1';
const HTTPS_PROXY = '127.0.0.3';
const STRANGER = '127.0.0.2';
const LIMIT = 2;

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
});
