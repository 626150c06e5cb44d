import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/**
 * Runs the scenarios: `npm run test:fault -- [--long] [--repeat <times>] [--only T6]...`, with
 * SEED=<number> to replay.
 */

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    repeat: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
  },
});
const repeats = Number(values.repeat);
const firstSeed = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));
if (!Number.isInteger(repeats) || repeats < 1 || !Number.isInteger(firstSeed)) {
  process.stderr.write('--repeat and SEED are whole numbers, and --repeat is at least 1\n');
  process.exit(2);
}
for (const name of values.only)
  if (!/^T\d+$/.test(name)) {
    process.stderr.write(`--only takes the name of a scenario, like T6, and not ${name}\n`);
    process.exit(2);
  }

const require = createRequire(import.meta.url);
const vitest = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs');
const args = [vitest, 'run', '--project', 'fault'];
// The figures of the table are those of one scenario at a time.
if (values.long) args.push('--maxWorkers', '1');
// A title begins with the name of its scenario, after the titles of what it stands in.
if (values.only.length > 0) args.push('--testNamePattern', `\\b(${values.only.join('|')})\\b`);

const folder = mkdtempSync(join(tmpdir(), 'tallycast-fault-'));
const report = join(folder, 'measured.txt');
const failed = [];
for (let seed = firstSeed; seed < firstSeed + repeats; seed += 1) {
  process.stdout.write(`\nSEED=${seed}${values.long ? ' --long' : ''}\n`);
  writeFileSync(report, '');
  const env = { ...process.env, SEED: `${seed}`, FAULT_LONG: values.long ? '1' : '', FAULT_REPORT: report };
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  process.stdout.write(`\nMeasured with SEED=${seed}:\n${readFileSync(report, 'utf8')}`);
  if (status !== 0) failed.push(seed);
}
rmSync(folder, { recursive: true, force: true });
if (failed.length > 0) process.stderr.write(`\nFailed with SEED=${failed.join(', SEED=')}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
