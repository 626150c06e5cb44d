import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PlatformClock } from '../../src/chat/platform-clock.ts';
import { deferred } from '../../src/engine/deferred.ts';

/** The time of day by `performance.now()`. */
const here = (localMs: number) => performance.timeOrigin + localMs;

/** A reply as a platform that is so far ahead of this process gives. */
const reply = (atMs: number, headers: Record<string, string> = {}) => ({
  headers: new Headers({ date: new Date(atMs).toUTCString(), ...headers }),
});

it('a site is asked for its time, which the first reply bounds', async () => {
  const aheadMs = 300_000;
  const site = createServer((_, answer) => {
    answer.sendDate = false;
    answer.setHeader('date', new Date(here(performance.now()) + aheadMs).toUTCString());
    answer.end();
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const clock = new PlatformClock();
  onTestFinished(() => {
    clock.stop();
    site.close();
  });
  expect(clock.at(0)).toBeUndefined();
  clock.start(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  await clock.asked;
  const wrongMs = Math.abs(clock.at(5_000)! - here(5_000) - aheadMs);
  expect(wrongMs).toBeLessThanOrEqual(clock.errorMs);
});

it.each([300_000, 0, -3_000, -300_000])(
  'a clock that is %i ms ahead is known to 20 ms from a few replies',
  async aheadMs => {
    const TOOK_MS = 10;
    let nowMs = 1_800_000_000_123;
    let asked = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    vi.stubGlobal('fetch', async () => {
      asked += 1;
      nowMs += TOOK_MS / 2;
      const answer = reply(nowMs + aheadMs);
      nowMs += TOOK_MS / 2;
      return answer;
    });
    const known = deferred();
    const clock = new PlatformClock(async ms => {
      nowMs += ms;
      // The next time that it asks.
      if (ms > 1_000) await new Promise<void>(() => known.resolve());
    });
    clock.start('http://platform.test/');
    await known.promise;
    clock.stop();
    expect(clock.errorMs).toBeLessThanOrEqual(20 + TOOK_MS);
    expect(Math.abs(clock.at(5_000)! - 5_000 - aheadMs)).toBeLessThanOrEqual(clock.errorMs);
    expect(asked).toBeLessThanOrEqual(8);
  },
);

it('replies bound the difference together, and begin anew after one of the clocks was set', () => {
  const clock = new PlatformClock();
  for (const [asked, said] of [
    [0, 0],
    [400, 1_000],
    [200, 0],
  ] as const) {
    const nowMs = performance.now();
    // As if the request had been sent then.
    clock.learn(reply(10_000_000 + said), nowMs - asked);
    expect(clock.errorMs).toBeLessThan(1_000);
  }
  clock.learn(reply(20_000_000), performance.now());
  expect(Math.abs(clock.at(performance.now())! - 20_000_500)).toBeLessThan(100);
});

it('a reply of a cache or without a date says nothing, and no reply ends the wait for the first', async () => {
  const clock = new PlatformClock();
  clock.learn(reply(0, { age: '7' }), performance.now());
  clock.learn({ headers: new Headers() }, performance.now());
  expect([clock.at(0), clock.isAsked]).toEqual([undefined, true]);
  const other = new PlatformClock();
  onTestFinished(() => other.stop());
  other.start('http://127.0.0.1:1/');
  await other.asked;
  expect(other.at(0)).toBeUndefined();
});
