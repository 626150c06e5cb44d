import type { Crowd, Durations } from './crowd.ts';

/** What a bench has found, for programs; durations in milliseconds. */
export interface BenchReport {
  readonly url: string;
  readonly subscribers: number;
  readonly connected: number;
  readonly gathered_ms: number;
  readonly seconds: number;
  readonly handshake: Quantiles;
  readonly first_message: Quantiles;
  readonly frames: number;
  readonly frames_per_second: number;
  readonly bytes: number;
  readonly bytes_per_second: number;
  readonly spread: Quantiles;
  readonly age: Quantiles;
  readonly round_trip: Quantiles;
  readonly out_of_order: number;
  /** Connections that were refused or lost, by the words for it. */
  readonly lost: Readonly<Record<string, number>>;
  /** Part of one core that this program itself took while it listened. */
  readonly client_cpu: number;
}

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Above it the figures are this machine's as much as the relay's. */
const BUSY = 0.8;
const count = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export function quantilesOf(durations: Durations): Quantiles {
  const ms = (microseconds: number) => Math.round(microseconds / 10) / 100;
  if (durations.count === 0) return { p50: 0, p99: 0, max: 0 };
  return { p50: ms(durations.percentile(50)), p99: ms(durations.percentile(99)), max: ms(durations.max) };
}

export function reportOf(
  crowd: Crowd,
  run: Pick<BenchReport, 'url' | 'subscribers' | 'gathered_ms' | 'seconds' | 'client_cpu'>,
): BenchReport {
  return {
    ...run,
    connected: crowd.connected,
    handshake: quantilesOf(crowd.handshakes),
    first_message: quantilesOf(crowd.firsts),
    frames: crowd.frames,
    frames_per_second: Math.round(crowd.frames / run.seconds),
    bytes: crowd.bytes,
    bytes_per_second: Math.round(crowd.bytes / run.seconds),
    spread: quantilesOf(crowd.spread),
    age: quantilesOf(crowd.ages),
    round_trip: quantilesOf(crowd.roundTrips),
    out_of_order: crowd.disordered,
    lost: Object.fromEntries(crowd.ends),
  };
}

export function linesOf(report: BenchReport): string[] {
  const { connected, subscribers, frames, bytes } = report;
  const each = frames / Math.max(1, connected) / report.seconds;
  const lost = Object.entries(report.lost).map(([words, times]) => `${count.format(times)} × ${words}`);
  const losses = lost.length > 0 ? [`LOST        ${lost.join('; ')}`] : [];
  if (connected === 0) return losses;
  return [
    `connected   ${count.format(connected)} of ${count.format(subscribers)} in ${(report.gathered_ms / 1_000).toFixed(1)} s; handshake ${spell(report.handshake)}`,
    `first       ${spell(report.first_message)}, from the address to the results`,
    `frames      ${count.format(frames)}: ${count.format(report.frames_per_second)} a second, ${each.toFixed(1)} each`,
    `bytes       ${count.format(bytes)}: ${count.format(report.bytes_per_second)} a second, ${count.format(bytes / Math.max(1, frames))} a frame`,
    `spread      ${spell(report.spread)}, behind the first subscriber that had the same version`,
    `age         ${spell(report.age)}, by the messages' timestamps: whole seconds, so up to 1,000 ms too much`,
    `round trip  ${spell(report.round_trip)}, of a ping`,
    ...(report.out_of_order > 0
      ? [`DISORDERED  ${count.format(report.out_of_order)} versions went back`]
      : []),
    ...losses,
    ...(report.client_cpu > BUSY
      ? [
          `busy        this program took ${Math.round(report.client_cpu * 100)} % of a core: these are its figures as much as the relay's`,
        ]
      : []),
  ];
}

function spell({ p50, p99, max }: Quantiles): string {
  return `${p50} ms p50, ${p99} ms p99, ${max} ms at most`;
}
