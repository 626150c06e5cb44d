import { describe, expect, it } from 'vitest';
import { WaitingPages } from '../../src/audience/vote/poll-state.ts';
import type { PollStatus } from '../../src/poll/poll.ts';

const TICK_MS = 50;
const MOST_PER_SECOND = 2_500;

interface Crowd {
  readonly pages: number;
  /** The cookie of a page, or the address; default one of its own. */
  readonly nameOf?: (nth: number) => string;
  /** What it does with the interval that it is given. */
  readonly waitFor?: (againMs: number) => number;
  readonly status?: PollStatus;
  /** The interval that it was given before. */
  readonly saysMs?: number;
}

class Observed {
  /** The shortest and the longest interval that one of these pages was given since the last `forget`. */
  shortestMs = 0;
  longestMs = 0;
  requests = 0;
  /** When each page asked first since then. */
  readonly askedAtMs = new Map<number, number>();

  forget(): void {
    [this.shortestMs, this.longestMs, this.requests] = [Number.POSITIVE_INFINITY, 0, 0];
    this.askedAtMs.clear();
  }
}

interface Page {
  readonly crowd: Crowd;
  readonly seen: Observed;
  readonly nth: number;
  /** Made once: a name of its own for each request would be most of the work. */
  readonly name: string;
  saidMs: number;
}

/** As the script of a page does. */
const obey = (againMs: number) => againMs * (0.75 + Math.random() / 2);
/** Sooner than the server counts. */
const ignore = () => 500;

/** Pages and the server, with a clock of their own. */
class Hall {
  nowMs = 1_000_000;
  readonly #server = new WaitingPages();
  readonly #due = new Map<number, Page[]>();
  readonly #gone = new Set<Crowd>();

  /** Opens the pages within their first interval. */
  open(crowd: Crowd): Observed {
    const seen = new Observed();
    const { waitFor = obey, saysMs = 3_000 } = crowd;
    for (let nth = 0; nth < crowd.pages; nth += 1)
      this.#plan(Math.random() * waitFor(saysMs), {
        crowd,
        seen,
        nth,
        name: `${nth} of ${crowd.pages}`,
        saidMs: saysMs,
      });
    return seen;
  }

  leave(crowd: Crowd): void {
    this.#gone.add(crowd);
  }

  pass(ms: number): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; this.nowMs += TICK_MS) {
      const due = this.#due.get(this.nowMs) ?? [];
      this.#due.delete(this.nowMs);
      for (const page of due) if (!this.#gone.has(page.crowd)) this.#ask(page);
    }
  }

  #ask(page: Page): void {
    const { crowd, seen, nth, name, saidMs } = page;
    const { nameOf, waitFor = obey, status = 'upcoming' } = crowd;
    const againMs = this.#server.add(nameOf?.(nth) ?? name, { status, nowMs: this.nowMs, saidMs });
    seen.shortestMs = Math.min(seen.shortestMs, againMs);
    seen.longestMs = Math.max(seen.longestMs, againMs);
    seen.requests += 1;
    if (!seen.askedAtMs.has(nth)) seen.askedAtMs.set(nth, this.nowMs);
    page.saidMs = againMs;
    this.#plan(waitFor(againMs), page);
  }

  #plan(waitMs: number, page: Page): void {
    const atMs = this.nowMs + TICK_MS * Math.max(1, Math.round(waitMs / TICK_MS));
    const due = this.#due.get(atMs) ?? [];
    this.#due.set(atMs, due);
    due.push(page);
  }
}

/** Lets pages come and settle, which takes some of their intervals. */
function settled(crowd: Crowd, settlingMs = 90_000): { hall: Hall; seen: Observed } {
  const hall = new Hall();
  const seen = hall.open(crowd);
  hall.pass(settlingMs);
  seen.forget();
  return { hall, seen };
}

describe('open pages', () => {
  it.each([
    [100, 3_000, 4_000],
    [8_000, 3_500, 5_000],
    [10_000, 4_000, 5_000],
    [50_000, 20_000, 26_000],
    [100_000, 32_000, 40_000],
  ])(
    'that obey, %i of them, keep one interval of %i ms, and ask within %i ms of an opening at p99',
    (pages, intervalMs, withinMs) => {
      const { hall, seen } = settled({ pages });
      const openedAtMs = hall.nowMs;
      hall.pass(60_000);
      for (const givenMs of [seen.shortestMs, seen.longestMs])
        expect(Math.abs(givenMs - intervalMs)).toBeLessThanOrEqual(0.05 * intervalMs);
      expect(seen.requests / 60).toBeLessThan(1.4 * MOST_PER_SECOND);
      const delays = [...seen.askedAtMs.values()].map(atMs => atMs - openedAtMs).sort((a, b) => a - b);
      expect(delays[Math.floor(0.99 * pages)]).toBeLessThanOrEqual(withinMs);
    },
  );

  it('keep the interval of their poll where that is longer, and count by it', () => {
    const { hall, seen } = settled({ pages: 30_000, status: 'closed' });
    const waiting = hall.open({ pages: 3_000 });
    hall.pass(30_000);
    waiting.forget();
    hall.pass(30_000);
    expect([seen.longestMs, waiting.longestMs]).toEqual([30_000, 3_000]);
  });

  it.each<[string, Omit<Crowd, 'waitFor'>]>([
    ['of one address without a cookie', { pages: 350, nameOf: () => '192.0.2.1' }],
    ['of one address with one cookie', { pages: 350, nameOf: () => 'cookie' }],
    ['of one address with 1,500 cookies', { pages: 1_500 }],
    ['of 5,000 addresses without a cookie', { pages: 5_000, nameOf: nth => `10.0.${nth >> 8}.${nth & 255}` }],
    ['that say that they were given 32 s', { pages: 1_500, saysMs: 32_000 }],
  ])('beside a flood of requests %s keep their interval, then and later', (_, flood) => {
    const { hall, seen } = settled({ pages: 10_000 }, 30_000);
    hall.pass(10_000);
    const before = [seen.shortestMs, seen.longestMs];
    seen.forget();
    const flooding = { ...flood, waitFor: ignore };
    const flooded = hall.open(flooding);
    hall.pass(30_000);
    hall.leave(flooding);
    hall.pass(30_000);
    expect(flooded.requests).toBeGreaterThan(10_000);
    expect([seen.shortestMs, seen.longestMs]).toEqual(before);
  });

  it('beside a flood with a new cookie for each request keep their interval', () => {
    let cookies = 0;
    const { hall, seen } = settled({ pages: 10_000 }, 30_000);
    hall.open({ pages: 25, nameOf: () => `cookie ${cookies++}`, waitFor: () => 50 });
    hall.pass(30_000);
    expect(cookies).toBeGreaterThan(10_000);
    expect([seen.shortestMs, seen.longestMs]).toEqual([4_000, 4_000]);
  });

  it('are given what they were given before within one interval after a crowd has left', () => {
    const { hall, seen } = settled({ pages: 5_000 });
    const crowd = { pages: 45_000 };
    const others = hall.open(crowd);
    hall.pass(60_000);
    expect(others.longestMs).toBeGreaterThan(15_000);
    hall.leave(crowd);
    hall.pass(1.5 * others.longestMs);
    seen.forget();
    hall.pass(10_000);
    expect(seen.longestMs).toBe(3_000);
  });

  it.each([
    [10_000, 4_000],
    [50_000, 20_000],
  ])('of a process that was restarted, %i of them, send it no more requests than before', (pages, saysMs) => {
    const hall = new Hall();
    const seen = hall.open({ pages, saysMs });
    for (let second = 0; second < 60; second += 5) {
      seen.forget();
      hall.pass(5_000);
      expect(seen.requests / 5).toBeLessThan(1.5 * MOST_PER_SECOND);
      expect(seen.longestMs).toBeLessThanOrEqual(32_000);
    }
  });
});
