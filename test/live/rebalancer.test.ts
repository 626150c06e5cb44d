import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Records } from '../../src/engine/engine.ts';
import { Rebalancer, surplusOf } from '../../src/live/rebalancer.ts';
import { randomOf } from '../fault/plan.ts';

/** How long a client takes to reconnect. */
const AWAY_MS = 300;
const random = randomOf('rebalancer');

/** Records with a time to live, by the simulated clock. */
class MemoryRecords {
  readonly #texts = new Map<string, { readonly text: string; readonly untilMs: number }>();
  isLost = false;
  reads = 0;

  async find(name: string) {
    if (this.isLost) throw new Error('lost');
    this.reads += 1;
    return this.#read(name);
  }

  async findMany(names: readonly string[]) {
    return names.map(name => this.#read(name));
  }

  async put(name: string, text: string, ttlMs = Number.POSITIVE_INFINITY) {
    if (this.isLost) throw new Error('lost');
    this.#texts.set(name, { text, untilMs: Date.now() + ttlMs });
  }

  async putIfAbsent(name: string, text: string) {
    if (this.#read(name) === undefined) await this.put(name, text);
    return this.#read(name) as string;
  }

  async replace(name: string, expected: string, text: string) {
    if (this.#read(name) !== expected) return false;
    await this.put(name, text);
    return true;
  }

  async remove(name: string) {
    this.#texts.delete(name);
  }

  #read(name: string) {
    const found = this.#texts.get(name);
    return found && found.untilMs > Date.now() ? found.text : undefined;
  }
}

/** A relay of simulated connections. */
class Relay {
  size: number;
  goodbyes = 0;
  lowest = Number.POSITIVE_INFINITY;
  readonly #site: Site;
  readonly #rebalancer: Rebalancer;

  constructor(site: Site, size: number) {
    this.#site = site;
    this.size = size;
    this.#rebalancer = new Rebalancer(site.records as unknown as Records, this);
  }

  async move(count: number, spreadMs: number): Promise<number> {
    for (let moved = 0; moved < count; moved += 1) {
      await new Promise(done => setTimeout(done, spreadMs / count));
      this.size -= 1;
      this.goodbyes += 1;
      this.lowest = Math.min(this.lowest, this.size);
      setTimeout(() => {
        this.#site.relayFor(this).size += 1;
      }, AWAY_MS);
    }
    return count;
  }

  close(): void {
    this.#rebalancer.close();
  }
}

type Policy = 'least connections' | 'random' | 'by address';

/** Relays behind a load balancer. */
class Site {
  readonly records = new MemoryRecords();
  readonly relays: Relay[];
  readonly #policy: Policy;

  constructor(policy: Policy, ...sizes: number[]) {
    this.#policy = policy;
    this.relays = sizes.map(size => new Relay(this, size));
  }

  get sizes(): number[] {
    return this.relays.map(({ size }) => size);
  }

  get goodbyes(): number {
    return this.relays.reduce((sum, { goodbyes }) => sum + goodbyes, 0);
  }

  relayFor(before: Relay): Relay {
    if (this.#policy === 'by address' && this.relays.includes(before)) return before;
    if (this.#policy === 'random') return this.relays[Math.floor(random() * this.relays.length)] as Relay;
    return this.relays.reduce((least, relay) => (relay.size < least.size ? relay : least));
  }

  /** Replaces a relay by an empty one, and sends its connections to the other ones. */
  restart(index: number): void {
    const [before] = this.relays.splice(index, 1) as [Relay];
    before.close();
    for (let moved = 0; moved < before.size; moved += 1) this.relayFor(before).size += 1;
    this.relays.splice(index, 0, new Relay(this, 0));
  }

  close(): void {
    for (const relay of this.relays) relay.close();
  }
}

describe('relays even out', () => {
  let site: Site;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
  });
  afterEach(() => {
    site.close();
    vi.useRealTimers();
  });

  const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);
  const start = async (policy: Policy, ...sizes: number[]) => {
    site = new Site(policy, ...sizes);
    await pass(10);
    return site;
  };

  it('after a restart of one of two, within a minute, without overshooting, and then rest', async () => {
    await start('least connections', 1_000, 1_000);
    site.restart(1);
    expect(site.sizes).toEqual([2_000, 0]);
    await pass(50);
    const goodbyes = site.goodbyes;
    for (const size of site.sizes) expect(size).toBeGreaterThan(900);
    expect(site.relays[0]?.lowest).toBeGreaterThan(900);
    expect(goodbyes).toBeLessThan(1_100);
    await pass(3_600);
    expect(site.goodbyes).toBe(goodbyes);
  });

  it('after each restart of a rolling update', async () => {
    await start('least connections', 500, 500);
    for (const index of [0, 1]) {
      site.restart(index);
      await pass(60);
      for (const size of site.sizes) expect(size).toBeGreaterThan(400);
    }
  });

  it('with one of ten, to which all others give a little', async () => {
    await start('least connections', ...Array.from({ length: 9 }, () => 1_111), 0);
    await pass(50);
    for (const size of site.sizes) expect(Math.abs(size - 1_000)).toBeLessThan(150);
    expect(Math.max(...site.relays.map(({ goodbyes }) => goodbyes))).toBeLessThan(200);
  });

  it('at most 250 a second', async () => {
    await start('least connections', 20_000, 0);
    let before = site.goodbyes;
    for (let second = 0; second < 60; second += 1) {
      await pass(1);
      expect(site.goodbyes - before).toBeLessThanOrEqual(250);
      before = site.goodbyes;
    }
    expect(site.goodbyes).toBeGreaterThan(5_000);
  });

  it('also behind a load balancer that picks at random', async () => {
    await start('random', 2_000, 0);
    await pass(60);
    for (const size of site.sizes) expect(size).toBeGreaterThan(800);
    expect(site.goodbyes).toBeLessThanOrEqual(2_000);
  });

  it('gives up where the load balancer sends clients back', async () => {
    await start('by address', 2_000, 0);
    await pass(3_600);
    expect(site.goodbyes).toBeLessThanOrEqual(2_000);
    expect(site.sizes).toEqual([2_000, 0]);
    const goodbyes = site.goodbyes;
    await pass(3_600);
    expect(site.goodbyes).toBe(goodbyes);
  });

  it('leaves small crowds alone, those that are nearly even, and a relay without others', async () => {
    for (const sizes of [[99, 0], [1_090, 910], [5_000]]) {
      await start('least connections', ...sizes);
      await pass(60);
      expect(site.goodbyes).toBe(0);
      site.close();
    }
  });

  it('stops when the other relay drains, does not report, or the engine is lost', async () => {
    const endings: (() => void)[] = [
      () => site.relays[1]?.close(),
      () => {
        site.records.isLost = true;
      },
    ];
    for (const end of endings) {
      await start('by address', 2_000, 0);
      expect(site.goodbyes).toBeGreaterThan(0);
      end();
      await pass(3);
      const goodbyes = site.goodbyes;
      expect(goodbyes).toBeLessThan(1_500);
      await pass(60);
      expect(site.goodbyes).toBe(goodbyes);
      site.close();
    }
  });

  it('stops when it drains itself', async () => {
    await start('least connections', 2_000, 0);
    site.relays[0]?.close();
    await pass(2);
    const goodbyes = site.goodbyes;
    expect(goodbyes).toBeLessThan(1_000);
    await pass(60);
    expect(site.goodbyes).toBe(goodbyes);
  });

  it('reads the counts about ten times a second at most, however many relays there are', async () => {
    await start('least connections', ...Array.from({ length: 100 }, () => 1_000));
    await pass(60);
    const before = site.records.reads;
    await pass(60);
    expect((site.records.reads - before) / 60).toBeLessThan(12);
    expect(site.goodbyes).toBe(0);
  });

  it('count a surplus only where another relay has room', () => {
    expect(surplusOf(2_000, [0])).toBe(1_000);
    expect(surplusOf(2_000, [])).toBe(0);
    expect(surplusOf(900, [1_100])).toBe(0);
    expect(surplusOf(1_050, [950])).toBe(0);
    expect(surplusOf(1_200, [1_200, 600])).toBe(200);
  });
});
