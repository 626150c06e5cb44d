import type { Frame } from '../../src/live/frame.ts';
import { Hub } from '../../src/live/hub.ts';
import type { Seat, Subscriber } from '../../src/live/subscription.ts';
import type { Results } from '../../src/poll/poll.ts';
import type { CloseEvent } from '../../src/protocol/close-event.ts';
import { POLL_ID } from '../support/one-poll.ts';
import { type Network, SimulatedEngine, type Traffic } from './simulated-engine.ts';
import { SimulatedTime } from './simulated-time.ts';

export interface CrowdPlan {
  readonly seed: number;
  readonly relays: number;
  readonly screensEach: number;
  readonly hz: number;
  readonly ballotsPerSecond: number;
  readonly seconds: number;
  readonly network: Network;
  /** Screens that now and then take nothing for a while, 0 to 1. */
  readonly slow: number;
}

export interface CrowdReport {
  /** The most reads of any relay in any second, and of all relays together. */
  readonly mostReads: number;
  readonly mostReadsOfAll: number;
  /** Sent to all relays together. */
  readonly mostHints: number;
  readonly frames: number;
  readonly screens: number;
  /** Milliseconds from the last ballot until every screen showed exactly what is stored: of those that are not slow, and of all. */
  readonly exactAfterMs: number;
  readonly allExactAfterMs: number;
}

const JOINING_MS = 1_000;
/** The contract's bound where every hint is lost. */
const PATIENCE_MS = 5_000;
const SLOW_MS = [50, 1_500] as const;

/** What has come of a simulated connection: the newest frame, and how many. */
class Screen implements Subscriber {
  newest: Frame | undefined;
  frames = 0;
  seat: Seat | undefined;
  readonly #time: SimulatedTime | undefined;
  #isBlocked = false;

  /** @param time of one that is slow */
  constructor(time?: SimulatedTime) {
    this.#time = time;
  }

  get isSlow(): boolean {
    return this.#time !== undefined;
  }

  deliver(seat: Seat, frame: Frame): boolean {
    if (this.#isBlocked) return false;
    this.newest = frame;
    this.frames += 1;
    if (this.#time) this.#block(seat, this.#time);
    return true;
  }

  end(_: Seat, event: CloseEvent): void {
    throw new Error(`a screen was cut off: ${event.code}`);
  }

  /** The frame is taken; for the next ones there is no room for a while. */
  #block(seat: Seat, time: SimulatedTime): void {
    this.#isBlocked = true;
    time.after(time.between(...SLOW_MS), () => {
      this.#isBlocked = false;
      seat.catchUp();
    });
  }
}

/** Real hubs, each with screens of its own, on one simulated engine: opens them, casts for a while, and waits until all are exact. */
export async function simulateCrowd(plan: CrowdPlan): Promise<CrowdReport> {
  const time = new SimulatedTime(plan.seed);
  try {
    return await run(plan, time);
  } finally {
    time.end();
  }
}

async function run(plan: CrowdPlan, time: SimulatedTime): Promise<CrowdReport> {
  const engine = new SimulatedEngine(time, plan.network);
  const relays = Array.from({ length: plan.relays }, () => openRelay(plan, time, engine));
  await time.pass(JOINING_MS);
  const beganAtMs = time.nowMs;
  for (let ms = 0; ms < plan.seconds * 1_000; ms += 1) {
    const [before, after] = [ms, ms + 1].map(until => Math.floor((until * plan.ballotsPerSecond) / 1_000));
    if (after! > before!) engine.cast(after! - before!);
    await time.pass(1);
  }
  const lastBallotMs = time.nowMs;
  const screens = relays.flatMap(relay => relay.screens);
  const isExact = exactness(engine.reading.results);
  const whenExact = async (awaited: readonly Screen[]) => {
    while (!awaited.every(isExact)) {
      if (time.nowMs > lastBallotMs + PATIENCE_MS) return Number.POSITIVE_INFINITY;
      await time.pass(5);
    }
    return time.nowMs - lastBallotMs;
  };
  const exactAfterMs = await whenExact(screens.filter(({ isSlow }) => !isSlow));
  const allExactAfterMs = await whenExact(screens);
  for (const { hub } of relays) hub.close();
  const since = (times: readonly number[]) => times.filter(atMs => atMs >= beganAtMs);
  const reads = relays.map(({ traffic }) => since(traffic.readsAtMs));
  return {
    mostReads: reads.reduce((most, times) => Math.max(most, mostInASecond(times)), 0),
    mostReadsOfAll: mostInASecond(reads.flat()),
    mostHints: mostInASecond(engine.publishedAtMs) * plan.relays,
    frames: screens.reduce((sum, { frames }) => sum + frames, 0),
    screens: screens.length,
    exactAfterMs,
    allExactAfterMs,
  };
}

function openRelay({ screensEach, hz, slow }: CrowdPlan, time: SimulatedTime, engine: SimulatedEngine) {
  const traffic: Traffic = { readsAtMs: [], hints: 0, looks: 0 };
  const hub = new Hub({ engine: engine.connect(traffic), isOperatorKey: () => false });
  const screens = Array.from({ length: screensEach }, (_, index) => {
    const screen = new Screen(time.random() < slow ? time : undefined);
    const interest = { key: undefined, hz, since: undefined, compact: index % 2 === 0 };
    screen.seat = hub.subscribe(POLL_ID, interest, screen);
    return screen;
  });
  return { hub, traffic, screens };
}

/** Frames are shared: each is parsed once, however many hold it. */
function exactness({ version, votes }: Results): (screen: Screen) => boolean {
  const judged = new Map<Frame, boolean>();
  return ({ newest }) => {
    if (!newest) return false;
    let isExact = judged.get(newest);
    if (isExact === undefined) {
      const message = JSON.parse(newest.json) as {
        version?: number;
        votes?: number[];
        poll_answers?: { votes: number }[];
      };
      const shown = message.votes ?? message.poll_answers?.map(answer => answer.votes);
      isExact = message.version === version && String(shown) === String(votes);
      judged.set(newest, isExact);
    }
    return isExact;
  };
}

/** @returns the most of these moments that lie within any 1,000 ms */
function mostInASecond(timesMs: readonly number[]): number {
  const sorted = [...timesMs].sort((a, b) => a - b);
  let most = 0;
  let from = 0;
  for (let to = 0; to < sorted.length; to += 1) {
    while (sorted[to]! - sorted[from]! >= 1_000) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}
