import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Contender } from './contender/contender.ts';
import { CONTENDERS } from './contender/contenders.ts';
import { distFile } from './contender/locations.ts';
import { type Options, parseOptions, usage } from './options.ts';
import { describeMachine } from './report/machine.ts';
import type { BenchReport, Report } from './report/report.ts';
import { summarize } from './report/summarize.ts';
import { table } from './report/table.ts';
import type { Bench, Sample } from './suite/bench.ts';
import { BENCHES } from './suite/benches.ts';
import { endAll } from './system/children.ts';
import { inTime } from './system/clock.ts';

/** No run of a bench takes nearly as long; one that does hangs. */
const RUN_PATIENCE_MS = 600_000;

const options = parseOptions(process.argv.slice(2));
if (options.help) process.stdout.write(usage(BENCHES.map(({ name }) => name)));
else await measure(options);
process.exit();

async function measure({
  only,
  contender: names,
  runs,
  quick,
  json,
  out,
  dist,
  profile,
}: Options): Promise<void> {
  if (process.platform !== 'linux') throw new Error('The benches read /proc: they need Linux.');
  if (dist) process.env['BENCH_DIST'] = resolve(dist);
  if (profile) process.env['BENCH_PROFILE'] = resolve(profile);
  if (!existsSync(distFile('start/main.js'))) throw new Error('There is no build to measure: npm run build');
  const wanted = BENCHES.filter(({ name }) => only === undefined || only.includes(name));
  if (wanted.length === 0) throw new Error(`--only knows ${BENCHES.map(({ name }) => name).join(', ')}`);

  const absent = new Map<string, string>();
  const contenders = CONTENDERS.filter(contender => {
    if (names && !names.some(begin => contender.name.toLowerCase().startsWith(begin.toLowerCase())))
      return false;
    const obstacle = contender.findObstacle();
    if (obstacle !== undefined) absent.set(contender.name, obstacle);
    return obstacle === undefined;
  });
  const benches: BenchReport[] = [];
  for (const bench of wanted) {
    const notes = new Set<string>();
    if (bench.name === 'fan-out' || bench.name === 'crowd')
      for (const [name, obstacle] of absent) notes.add(`${name} is left out: ${obstacle}`);
    benches.push(summarize(bench, await repeat(bench, { contenders, runs, quick, notes }), [...notes]));
  }
  const report: Report = {
    machine: describeMachine(),
    takenAt: new Date().toISOString(),
    runs,
    quick,
    benches,
  };
  const text = `${JSON.stringify(report, null, 2)}\n`;
  if (out) writeFileSync(out, text);
  process.stdout.write(json ? text : table(report));
}

interface Order {
  readonly contenders: readonly Contender[];
  readonly runs: number;
  readonly quick: boolean;
  readonly notes: Set<string>;
}

/** Each run starts with another contender: whatever the machine does in the meantime, no row gets it every time. */
async function repeat(bench: Bench, { contenders, runs, quick, notes }: Order): Promise<Sample[][]> {
  const samples: Sample[][] = [];
  for (let run = 0; run < runs; run += 1) {
    const turn = run % Math.max(1, contenders.length);
    const context = {
      quick,
      contenders: [...contenders.slice(turn), ...contenders.slice(0, turn)],
      note: (text: string) => void notes.add(text),
      progress: (text: string) => process.stderr.write(`${bench.name} ${run + 1}/${runs}: ${text}\n`),
    };
    try {
      samples.push(await inTime(bench.run(context), RUN_PATIENCE_MS, `run ${run + 1}`));
    } catch (error) {
      notes.add(`run ${run + 1} failed: ${reason(error)}`);
      process.exitCode = 1;
      endAll();
    }
  }
  return samples;
}

/** What `fetch` says is in its cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? `${error.message} (${reason(error.cause)})` : error.message;
}
