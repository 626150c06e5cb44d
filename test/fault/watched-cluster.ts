import calculateSlot from 'cluster-key-slot';
import { expect } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { type ClusterNode, type ClusterOptions, startRedisCluster } from '../support/redis-cluster.ts';
import type { RedisRig } from '../support/redis-rig.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import type { TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { answering, Crowd } from './crowd.ts';
import { measured, type Random } from './plan.ts';
import { Screens } from './screens.ts';

const POLLS = 100;
export const EXACT_MS = 10_000;

/** A cluster of three primaries and three replicas with two relays, and two engines on which crowds cast. */
export async function startClusterHouse(rig: RedisRig, options: ClusterOptions = {}) {
  const cluster = await startRedisCluster({ primaries: 3, replicas: 3, ...options });
  rig.closeAfter(() => cluster.stop());
  const relays = [await rig.relayOn(cluster.url), await rig.relayOn(cluster.url)] as const;
  const engines = await Promise.all(
    [0, 1].map(() => openEngine({ redisUrl: cluster.url, durability: 'replicated' })),
  );
  rig.closeAfter(() => Promise.all(engines.map(engine => engine.close())));
  const ownerOf = (id: string) => cluster.ownerOf(slotOf(id));
  return { cluster, relays, engines, ownerOf };
}

export type ClusterHouse = Awaited<ReturnType<typeof startClusterHouse>>;

/** 100 polls on a cluster, each watched at two relays and cast in by a crowd of its own. */
export class WatchedCluster {
  readonly ids: readonly string[];
  readonly crowds: readonly Crowd[];
  readonly screens: Screens;
  readonly #house: ClusterHouse;

  private constructor(
    house: ClusterHouse,
    ids: readonly string[],
    screens: Screens,
    crowds: readonly Crowd[],
  ) {
    this.#house = house;
    this.ids = ids;
    this.screens = screens;
    this.crowds = crowds;
  }

  static async open(house: ClusterHouse, random: Random): Promise<WatchedCluster> {
    const { relays, engines } = house;
    await answering(...engines, ...relays.map(({ engine }) => engine));
    const polls = await Promise.all(Array.from({ length: POLLS }, () => relays[0].create()));
    const ids = polls.map(({ id }) => id);
    const screens = await Screens.open(relays, ids);
    const crowds = await Promise.all(
      ids.map(pollId => Crowd.start({ engines, pollId, random, voters: 1, pauseMs: 50 })),
    );
    const watched = new WatchedCluster(house, ids, screens, crowds);
    await watched.more(3);
    return watched;
  }

  /** Until so many more are acknowledged in each of these polls. */
  async more(ballots: number, ids = this.ids): Promise<void> {
    await Promise.all(ids.map(id => (this.crowds[this.ids.indexOf(id)] as Crowd).more(ballots)));
  }

  /** What each screen of a poll got last. */
  shownOf(id: string) {
    return this.screens.clients
      .filter((_, index) => index % POLLS === this.ids.indexOf(id))
      .map(({ last }) => last);
  }

  async close(): Promise<void> {
    await Promise.all(this.crowds.map(crowd => crowd.stop()));
    this.screens.close();
  }

  /** Stops the crowd, and checks counts, screens and subscriptions at the current owners. */
  async expectWhole(what: string, readsMs?: number): Promise<void> {
    const { ids, crowds, screens } = this;
    const relay: TestRelay = this.#house.relays[0];
    await Promise.all(crowds.map(crowd => crowd.end()));
    const since = new Stopwatch();
    const shown = await Promise.all(crowds.map(crowd => crowd.ledger.compare(relay.engine)));
    const totals = new Map(ids.map((id, index) => [id, shown[index]?.stored]));
    const wrong = () =>
      screens.clients.filter(
        ({ last }) => last?.type !== 'results' || last.total_votes !== totals.get(last.id),
      );
    await until(() => wrong().length === 0, 'all screens', 60_000).catch(() =>
      expect(wrong().map(({ last }) => last)).toEqual([]),
    );
    const convergedMs = since.ms;
    const deaf = await this.#deafAfter(since);
    const acknowledged = crowds.reduce((sum, crowd) => sum + crowd.acknowledged, 0);
    const gapMs = Math.max(...crowds.map(({ longestGapMs }) => longestGapMs));
    const back = readsMs === undefined ? '' : `, reads of all back after ${(readsMs / 1_000).toFixed(1)} s`;
    measured(
      'T8',
      `${what}: ${acknowledged} acknowledged, ${shown.flatMap(({ lost }) => lost).length} lost, longest gap of a poll ${(gapMs / 1_000).toFixed(1)} s${back}, screens exact after ${(convergedMs / 1_000).toFixed(1)} s, hints heard at the owners after ${(deaf / 1_000).toFixed(1)} s`,
    );
    for (const { lost, strange } of shown) expect({ lost, strange }).toEqual({ lost: [], strange: [] });
    screens.expectFollowed();
    // A dead owner may have shown what no replica held, and no client was told that it counts.
    if (readsMs === undefined) expect(screens.resets).toBe(0);
    expect(crowds.flatMap(({ unexpected }) => unexpected)).toEqual([]);
    expect(convergedMs).toBeLessThan(EXACT_MS);
    expect(deaf).toBeLessThan(EXACT_MS);
  }

  /** @returns milliseconds until each relay is subscribed to each poll at the node that owns it */
  async #deafAfter(since: Stopwatch): Promise<number> {
    const { relays, ownerOf } = this.#house;
    const listeners = async (id: string) => {
      const { client } = await ownerOf(id);
      return ((await client.call('PUBSUB', 'SHARDNUMSUB', `tallycast:{${id}}:hints`)) as [string, number])[1];
    };
    const unheard = async () => {
      const counts = await Promise.all(this.ids.map(listeners));
      return this.ids.filter((_, index) => counts[index] !== relays.length);
    };
    await until(async () => (await unheard()).length === 0, 'all hints', 15_000).catch(async () =>
      expect(await unheard()).toEqual([]),
    );
    return since.ms;
  }
}

export function slotOf(id: string): number {
  return calculateSlot(`{${id}}`);
}

export function runs({ server }: ClusterNode): boolean {
  return server.process.exitCode === null && server.process.signalCode === null;
}
