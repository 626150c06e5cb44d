// @module-tag redis-server
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { redisRig } from '../support/redis-rig.ts';
import { attribute, solveTask, type Visitor, visibleText } from './visitor.ts';
import { createPollWithCode, startVotingSite, type VotingSite } from './voting-site.ts';

const MINUTES = 60;
const LIVE = 1_000;
const ADDRESSES = 1_000;
/** Of all addresses. */
const TRIES_A_MINUTE = 300;
const AT_ONCE = 25;
const PHONES = 10_000;
const NOON_MS = 1_800_014_400_000;
const rig = redisRig('file');

describe.each([
  ['the embedded engine', () => undefined],
  ['Redis', async () => (await rig.start()).url],
])('guesses of join codes for an hour, at two front ends on %s', (_, startStore) => {
  let nowMs = NOON_MS;
  let sites: [VotingSite, VotingSite];
  const polls: { readonly id: string; readonly code: string }[] = [];
  beforeAll(async () => {
    const redisUrl = await startStore();
    const front = async (shared?: Engine) => {
      const engine = redisUrl === undefined ? shared : await openEngine({ redisUrl });
      if (engine && engine !== shared) rig.closeAfter(() => engine.close());
      const site = await startVotingSite({ ...(engine && { engine }), clock: () => nowMs });
      rig.closeAfter(() => site.close());
      return site;
    };
    const first = await front();
    const { engine } = first;
    sites = [first, await front(engine)];
    for (let nth = 0; nth < LIVE; nth += AT_ONCE)
      polls.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => createPollWithCode(engine)))));
  });

  /** Sends guesses some at a time. @returns how many had each status */
  async function guess(tries: number, visitorFor: (nth: number) => Visitor): Promise<Map<number, number>> {
    const statuses = new Map<number, number>();
    for (let nth = 0; nth < tries; nth += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, at) => {
          const code = `${Math.floor(Math.random() * 1e6)}`.padStart(6, '0');
          const { statusCode } = await visitorFor(nth + at).get(`/join/${code}`);
          statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
        }),
      );
    return statuses;
  }

  it('are answered without a check at most 1,200 times for one address', async () => {
    // Each front end counts the wrong ones of an address for itself.
    const visitor = sites[0].visitor();
    let wrong = 0;
    for (let minute = 0; minute < MINUTES; minute += 1) {
      nowMs += 60_000;
      const statuses = await guess(2 * AT_ONCE, () => visitor);
      wrong += statuses.get(404) ?? 0;
      expect(statuses.get(200)).toBeGreaterThan(0);
    }
    expect(wrong).toBeLessThanOrEqual(1_200);
  });

  it('cost 1,000 addresses the human check beyond 200 wrong ones a minute in all', async () => {
    const visitors = Array.from({ length: ADDRESSES }, (_, nth) => sites[nth % 2]!.visitor());
    let sent = 0;
    for (let minute = 0; minute < MINUTES; minute += 1) {
      nowMs += 60_000;
      const statuses = await guess(TRIES_A_MINUTE, () => visitors[(sent++ * 7) % ADDRESSES]!);
      expect(statuses.get(404)).toBe(200);
      // Some codes are right by chance.
      const free = 200 + (statuses.get(302) ?? 0);
      expect(statuses.get(200)).toBe(TRIES_A_MINUTE - free);
    }
  });

  it('leave those with the right code one check away from their poll', async () => {
    await guess(TRIES_A_MINUTE, () => sites[1].visitor());
    const [mine, other] = polls as [(typeof polls)[0], (typeof polls)[0]];
    const person = sites[0].visitor();
    const page = await person.get(`/join/${mine.code}`);
    expect(page.statusCode).toBe(200);
    expect(visibleText(page.body)).toContain('about two seconds and needs JavaScript');
    expect((await person.post('/join', { code: mine.code, proof: '' })).statusCode).toBe(400);
    const proof = await solveTask(attribute(page.body, 'data-challenge')!);
    const stranger = await sites[1].visitor().post('/join', { code: mine.code, proof });
    expect(stranger.statusCode).toBe(400);
    // Sent again after its reply was lost.
    for (let times = 0; times < 2; times += 1) {
      const joined = await person.post('/join', { code: mine.code, proof });
      expect([joined.statusCode, joined.headers.location]).toEqual([303, `/${mine.id}`]);
    }
    // Five tries in all.
    const typed = async () => (await person.get(`/join/${other.code}`)).statusCode;
    expect([await typed(), await typed(), await typed(), await typed()]).toEqual([302, 302, 302, 200]);
    const renewed = await person.get('/join/challenge');
    const wrong = await person.post('/join', { code: '0000000', proof: await solveTask(renewed.body) });
    expect(wrong.statusCode).toBe(404);
    nowMs += 60_000;
    expect((await person.get(`/join/${mine.code}`)).headers.location).toBe(`/${mine.id}`);
  });

  it('do not keep a hall of 10,000 phones out, of which 500 mistype the code within the same minute', async () => {
    nowMs += 60_000;
    const { id, code } = polls[0]!;
    let checks = 0;
    const join = async (nth: number) => {
      const phone = sites[nth % 2]!.visitor({ address: '203.0.113.1' });
      const open = async (typed: string) => {
        const page = await phone.get(`/join/${typed}`);
        const task = attribute(page.body, 'data-challenge');
        if (!task) return page;
        checks += 1;
        return phone.post('/join', { code: typed, proof: await solveTask(task) });
      };
      if (nth % 20 === 0) expect((await open('0000000')).statusCode).toBe(404);
      return (await open(code)).headers.location;
    };
    const places: unknown[] = [];
    for (let nth = 0; nth < PHONES; nth += AT_ONCE)
      places.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => join(nth + at)))));
    expect(places.filter(place => place === `/${id}`)).toHaveLength(PHONES);
    expect(checks).toBeLessThanOrEqual(PHONES);
  }, 300_000);
});
