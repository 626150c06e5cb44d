import { Connection } from '../../src/live/connection.ts';
import type { Frame } from '../../src/live/frame.ts';
import { Hub } from '../../src/live/hub.ts';
import type { Subscription } from '../../src/live/subscription.ts';
import { traffic } from '../../src/metrics/catalogue.ts';
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

/** A simulated connection: its newest frame, and how many came. */
class Screen extends Connection {
  newest: Frame | undefined;
  frames = 0;
  readonly #time: SimulatedTime | undefined;

  /** @param time of a slow reader */
  constructor(time?: SimulatedTime) {
    super(traffic.websocket, 0);
    this.#time = time;
  }

  get isSlow(): boolean {
    return this.#time !== undefined;
  }

  override onSubscriptionEnd(_: Subscription, event: CloseEvent): void {
    throw new Error(`a subscription ended: ${event.code}`);
  }

  protected override write(frame: Frame): boolean {
    this.newest = frame;
    this.frames += 1;
    return this.#time === undefined;
  }

  /** A slow reader has taken the frame, and reads the next one after a while. */
  protected override onceDrained(callback: () => void): void {
    this.#time?.after(this.#time.between(...SLOW_MS), callback);
  }

  override terminate(): void {}
  protected override ping(): void {}
  protected override sendClose(): void {}
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
  const counted: Traffic = { readsAtMs: [], hints: 0, looks: 0 };
  const hub = new Hub({ engine: engine.connect(counted), isOperatorKey: () => false });
  const screens = Array.from({ length: screensEach }, (_, index) => {
    const screen = new Screen(time.random() < slow ? time : undefined);
    hub.subscribe(POLL_ID, { key: undefined, hz, compact: index % 2 === 0 }, screen);
    return screen;
  });
  return { hub, traffic: counted, screens };
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
