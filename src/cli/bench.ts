import type { PollTarget } from './poll-target.ts';
import { type BenchReport, reportOf } from './bench-report.ts';
import { Crowd } from './crowd.ts';

export interface BenchSettings {
  readonly target: PollTarget;
  readonly key: string | undefined;
  readonly subscribers: number;
  /** How many are connected in a second. */
  readonly rate: number;
  /** Seconds. */
  readonly duration: number;
  readonly hz?: number | undefined;
  readonly whole?: true | undefined;
  /** Ends it early, with what was found until then. */
  readonly signal: AbortSignal;
}

export interface RunningBench {
  /** What it is doing at this moment. */
  readonly describe: () => string;
  readonly done: Promise<BenchReport>;
}

export function bench(settings: BenchSettings): RunningBench {
  const { subscribers } = settings;
  const crowd = new Crowd({ ...settings, ...addressOf(settings) });
  return {
    describe: () => `${crowd.connected} of ${subscribers} connected, ${crowd.frames} frames`,
    done: measure(crowd, settings),
  };
}

async function measure(
  crowd: Crowd,
  { target, subscribers, duration, signal }: BenchSettings,
): Promise<BenchReport> {
  const beganMs = performance.now();
  await crowd.gather();
  const gatheredMs = performance.now();
  const cpu = process.cpuUsage();
  if (crowd.connected > 0) await crowd.listen(duration * 1_000, signal);
  const seconds = Math.max(0.001, (performance.now() - gatheredMs) / 1_000);
  const { user, system } = process.cpuUsage(cpu);
  crowd.leave();
  return reportOf(crowd, {
    url: target.url,
    subscribers,
    gathered_ms: Math.round(gatheredMs - beganMs),
    seconds: Math.round(seconds * 1_000) / 1_000,
    client_cpu: Math.round((user + system) / seconds / 10_000) / 100,
  });
}

/** A key goes in a message and not into the URL, where logs would keep it. */
function addressOf({ target, key, hz, whole }: BenchSettings): { url: string; hello: string | undefined } {
  const query = new URLSearchParams({
    ...(whole ? {} : { compact: '1' }),
    ...(hz === undefined ? {} : { hz: `${hz}` }),
  });
  const base = target.url.replace(/^http/, 'ws');
  if (key === undefined) return { url: `${base}/live?${query}`, hello: undefined };
  const relay = base.slice(0, base.indexOf('/api/poll/'));
  const hello = JSON.stringify({ type: 'subscribe', id: target.id, key });
  return { url: `${relay}/api/live?${query}`, hello };
}
