// @module-tag caddy
// @module-tag nginx
// @module-tag redis-server
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { watchPoll } from '../../src/client/watch-poll.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { startCaddy } from '../support/caddy.ts';
import { hasEnded, kill, logOf, said, spawnKept } from '../support/child-process.ts';
import { findFreePort } from '../support/free-port.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { Ledger } from '../support/ledger.ts';
import { redisRig } from '../support/redis-rig.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { builtFile } from '../support/relay-process.ts';
import { waitedMs } from '../support/stopwatch.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { measured, size } from './plan.ts';

const WATCHERS = size(500, 2_000);
/** What one process can draw. */
const HZ = size(10, 5);
const CONTROLS = 20;
const CAST_EVERY_MS = 20;
const READ_EVERY_MS = 50;
const LOOK_EVERY_MS = 20;
/** What a screen may stand still while the relay behind it is replaced. */
const STALE_MS = 1_000;
const PATIENCE_MS = 60_000;

const rig = redisRig('file');
let server: RedisServer;
let redisUrl: string;
let engine: Engine;
let door: FrontDoor;
let proxyUrl: string;
const ports: number[] = [];
const relays: Awaited<ReturnType<typeof startRelay>>[] = [];

/** A relay as the compose file runs it, on a port that it has again after a restart. */
async function startRelay(index: number) {
  const settings = {
    ROLE: 'relay',
    HOST: '127.0.0.1',
    PORT: `${ports[index]}`,
    REDIS_URL: redisUrl,
    TRUST_PROXY: '127.0.0.1',
    MAX_CONNECTIONS_PER_ADDRESS: '10000',
  };
  const child = spawnKept(process.execPath, [builtFile('start/main.js')], {
    env: { ...process.env, ...settings },
  });
  await said(child, 'server listening', PATIENCE_MS);
  return child;
}

beforeAll(async () => {
  server = await rig.start();
  redisUrl = server.url;
  engine = await openEngine({ redisUrl });
  rig.closeAfter(() => engine.close());
  // The third is not behind the proxy and stays: what its watchers see, the machine can do at present.
  for (let n = 0; n < 3; n += 1) {
    ports.push(await findFreePort());
    relays.push(await startRelay(n));
  }
  door = await startCaddy({ relays: ports.slice(0, 2).map(port => `127.0.0.1:${port}`) });
  proxyUrl = door.url;
}, PATIENCE_MS);
afterAll(async () => {
  await door?.stop();
  await Promise.all(relays.map(relay => kill(relay)));
});

/**
 * Time as the machine gave it to all of those that bring a screen its news: of each moment only
 * what passed while none of them waited for a processor. What else a busy machine does is no fault
 * of a restart.
 */
class GivenTime {
  ms = 0;
  readonly #pids: () => readonly (number | string)[];
  readonly #waited = new Map<number | string, number>();
  readonly #timer: NodeJS.Timeout;
  #lookedAtMs = performance.now();

  constructor(pids: () => readonly (number | string)[]) {
    this.#pids = pids;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    const waits = this.#pids().map(pid => {
      const waited = waitedMs(pid) ?? 0;
      const before = this.#waited.get(pid) ?? waited;
      this.#waited.set(pid, waited);
      return waited - before;
    });
    this.ms += Math.max(0, nowMs - this.#lookedAtMs - Math.max(0, ...waits));
    this.#lookedAtMs = nowMs;
  }
}

/** A screen: the shipped client, and the longest time for which it showed nothing new. */
class Screen {
  total = 0;
  worstMs = 0;
  worstWallMs = 0;
  isLive = false;
  readonly #time: GivenTime;
  #seenAtMs = 0;
  #seenAtWallMs = 0;
  readonly #watch: { close(): void };

  constructor(url: string, id: string, time: GivenTime) {
    this.#time = time;
    this.#watch = watchPoll(`${url}/api/poll/${id}`, {
      WebSocket,
      hz: HZ,
      onResults: ({ total_votes }) => {
        this.#look();
        this.total = total_votes;
      },
      onState: ({ state }) => {
        this.isLive = state === 'live';
      },
    });
  }

  /** From here on it counts. */
  begin(): void {
    this.worstMs = this.worstWallMs = 0;
    this.#seenAtMs = this.#time.ms;
    this.#seenAtWallMs = performance.now();
  }

  close(): void {
    this.#watch.close();
  }

  #look(): void {
    const nowMs = this.#time.ms;
    this.worstMs = Math.max(this.worstMs, nowMs - this.#seenAtMs);
    this.#seenAtMs = nowMs;
    const wallMs = performance.now();
    this.worstWallMs = Math.max(this.worstWallMs, wallMs - this.#seenAtWallMs);
    this.#seenAtWallMs = wallMs;
  }
}

/** The longest of all screens. On a busy machine every process waits, restarted or not. */
function standstill(screens: readonly Screen[], controls: readonly Screen[]) {
  const wallMs = Math.max(...screens.map(screen => screen.worstWallMs));
  const givenMs = Math.max(...screens.map(screen => screen.worstMs));
  const machineMs = Math.max(...controls.map(control => control.worstMs));
  const text = `${seconds(wallMs)} by the clock, ${seconds(givenMs)} less the waiting for a processor, ${seconds(machineMs)} at a relay that stayed`;
  return { ownMs: givenMs - machineMs, text };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

/** Repeats it until it is stopped or the test ends. */
function keep(everyMs: number, act: (count: number) => Promise<unknown>): () => Promise<void> {
  let isOn = true;
  onTestFinished(() => {
    isOn = false;
  });
  const ended = (async () => {
    for (let count = 0; isOn; count += 1) {
      await act(count);
      await new Promise(done => setTimeout(done, everyMs));
    }
  })();
  ended.catch(() => {});
  return () => {
    isOn = false;
    return ended;
  };
}

describe('a rolling restart of both relays behind the shipped proxy', () => {
  it('T22: stops no screen for more than a second, causes no 502 and loses no ballot', {
    timeout: 3 * PATIENCE_MS,
  }, async () => {
    const { id } = await createPoll(proxyUrl);
    const answer = (await engine.polls.find(id))?.poll.answers[0]?.id as string;
    const redis = server.process.pid as number;
    const time = new GivenTime(() => [
      'thread-self',
      redis,
      ...relays.slice(0, 2).map(({ pid }) => pid as number),
      ...door.pids(),
    ]);
    const screens = Array.from({ length: WATCHERS }, () => new Screen(proxyUrl, id, time));
    const direct = `http://127.0.0.1:${ports[2]}`;
    const controls = Array.from({ length: CONTROLS }, () => new Screen(direct, id, time));
    const all = [...screens, ...controls];
    await until(() => all.every(({ isLive }) => isLive), 'all screens to be live', PATIENCE_MS);

    const ledger = new Ledger(id);
    const stopCasting = keep(CAST_EVERY_MS, n => ledger.cast(engine, ledger.draw(answer, n)));
    const statuses = new Set<number>();
    const stopReading = keep(READ_EVERY_MS, async () => {
      statuses.add((await fetch(`${proxyUrl}/api/poll/${id}`)).status);
    });
    await until(() => all.every(({ total }) => total > 0), 'the first ballots on all screens', PATIENCE_MS);
    for (const screen of all) screen.begin();

    for (const index of [0, 1]) {
      const leaving = relays[index] as (typeof relays)[number];
      await kill(leaving, 'SIGTERM');
      expect([hasEnded(leaving), leaving.exitCode, logOf(leaving)]).toEqual([true, 0, expect.anything()]);
      relays[index] = await startRelay(index);
      const seen = ledger.accepted;
      await until(() => screens.every(({ total }) => total >= seen), 'all screens to be back', PATIENCE_MS);
    }
    const restarts = standstill(screens, controls);
    await stopCasting();
    await stopReading();
    await ledger.settle(engine);
    await ledger.expectExact(engine);
    await until(() => all.every(({ total }) => total === ledger.accepted), 'exact screens', PATIENCE_MS);

    for (const screen of all) screen.close();
    time.stop();
    measured(
      'T22',
      `${WATCHERS} screens, both relays restarted: longest standstill ${restarts.text}; ${ledger.accepted} ballots, 0 lost`,
    );
    expect(restarts.ownMs).toBeLessThan(STALE_MS);
    expect([...statuses]).toEqual([200]);
    await until(async () => (await door.answered()).length > WATCHERS, 'the log of all connections');
    const failed = (await door.answered()).filter(line => /^5/.test(line));
    expect(failed).toEqual([]);
  });
});
