// @module-tag redis-server
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { EngineOptions } from '../../src/engine/open-engine.ts';
import { JOIN_HELD_MS } from '../../src/poll/join-code.ts';
import { makeDataDirectory, removeDataDirectory } from '../engine/embedded/data-directory.ts';
import { kill, logOf, spawnKept } from '../support/child-process.ts';
import { redisRig } from '../support/redis-rig.ts';
import { builtFile } from '../support/relay-process.ts';

/** Draws on each engine; for a million, `DRAWS=1000000` with a longer `--testTimeout`. */
const DRAWS = Number(process.env['DRAWS'] ?? 20_000);
/** So many draws and releases each time. */
const A_TIME = 2_000;
const BETWEEN_MS = 3 * 24 * 3_600_000;
const FINDS = 500;
/** Fewer than 20,000 codes are drawn in between, so that none gets a seventh digit. */
const SWEPT_EVERY = 2;
const KILLED_EVERY = 2;
const PROGRAM = fileURLToPath(new URL('./join-code-process.mjs', import.meta.url));
const rig = redisRig();

interface Work {
  readonly nowMs: number;
  readonly draws: string[];
  readonly releases: string[];
  readonly finds: [name: string, code: string][];
  readonly sweeps: boolean;
}

/** What must hold of all codes. */
class Model {
  /** Codes by the names of their shows. */
  readonly live = new Map<string, string>();
  readonly #owners = new Map<string, string>();
  readonly #releasedAtMs = new Map<string, number>();
  /** Codes that had an owner before. */
  reused = 0;
  readonly faults: string[] = [];

  draw(name: string, code: string, nowMs: number): void {
    const [other, before] = [this.#owners.get(code), this.#releasedAtMs.get(code)];
    if (before !== undefined) this.reused += 1;
    if (!/^\d{6}$/.test(code)) this.faults.push(`${name} has the code ${code}`);
    if (other !== undefined) this.faults.push(`${name} has the code ${code} of ${other}`);
    if (before !== undefined && nowMs - before <= JOIN_HELD_MS)
      this.faults.push(`${code} was given out ${nowMs - before} ms after its release`);
    this.live.set(name, code);
    this.#owners.set(code, name);
  }

  release(name: string, nowMs: number): void {
    const code = this.live.get(name)!;
    this.live.delete(name);
    this.#owners.delete(code);
    this.#releasedAtMs.set(code, nowMs);
  }
}

/** Does it in a process, which is killed after so many lines. @returns what is left */
async function run(
  options: EngineOptions,
  file: string,
  given: Work,
  model: Model,
  killAfter: number,
): Promise<Work> {
  await writeFile(file, JSON.stringify(given));
  const dist = dirname(dirname(builtFile('engine/open-engine.js')));
  const child = spawnKept(process.execPath, [PROGRAM, dist, JSON.stringify(options), file]);
  const ended = once(child, 'close');
  let said = '';
  let lines = 0;
  child.stdout!.on('data', (chunk: Buffer) => {
    said += chunk;
    lines += chunk.filter(byte => byte === 10).length;
    if (lines >= killAfter) void kill(child);
  });
  await ended;
  const done = new Set<string>();
  // The last line may have been cut in the middle.
  for (const line of said.slice(0, said.lastIndexOf('\n') + 1).split('\n')) {
    const [act, name = '', what = ''] = line.split(' ');
    if (act === 'drawn') model.draw(name, what, given.nowMs);
    if (act === 'released') model.release(name, given.nowMs);
    if (act === 'found' && what !== name) model.faults.push(`the code of ${name} finds ${what}`);
    done.add(name);
  }
  expect(model.faults).toEqual([]);
  const isLeft = (name: string) => !done.has(name);
  const draws = given.draws.filter(isLeft);
  const releases = given.releases.filter(isLeft);
  if (killAfter === Number.POSITIVE_INFINITY)
    expect([said.endsWith('end\n'), draws, releases], logOf(child)).toEqual([true, [], []]);
  return { ...given, draws, releases, finds: [] };
}

describe.each([
  ['two processes on Redis', 2, async () => ({ redisUrl: (await rig.start()).url })],
  [
    'processes of the embedded engine, one after the other',
    1,
    async () => {
      const dataDir = await makeDataDirectory();
      rig.closeAfter(() => removeDataDirectory(dataDir));
      return { dataDir };
    },
  ],
] as const)('join codes, drawn and released by %s', (_, processes, openStore) => {
  it(`are never two alike, lost, or given out within a week, whatever is killed (DRAWS=${DRAWS})`, async () => {
    const options: EngineOptions = await openStore();
    const folder = await makeDataDirectory();
    rig.closeAfter(() => removeDataDirectory(folder));
    const model = new Model();
    let nowMs = Date.now();
    let named = 0;
    const nextName = () => {
      named += 1;
      return `show-${named}`;
    };
    for (let time = 0; time < DRAWS / A_TIME; time += 1) {
      nowMs += BETWEEN_MS;
      const known = [...model.live];
      const releases = known.slice(-A_TIME).map(([name]) => name);
      const finds = known.slice(0, -A_TIME).slice(-FINDS);
      const shares = Array.from({ length: processes }, (_, index): Work => {
        const isMine = (_: unknown, nth: number) => nth % processes === index;
        const draws = Array.from({ length: A_TIME / processes }, nextName);
        const sweeps = index === 0 && time % SWEPT_EVERY === 0;
        return { nowMs, draws, releases: releases.filter(isMine), finds, sweeps };
      });
      await Promise.all(
        shares.map(async (whole, index) => {
          const file = join(folder, `work-${index}.json`);
          const isKilled = time % KILLED_EVERY === 0;
          const killAfter = isKilled ? randomInt(1, A_TIME / processes) : Number.POSITIVE_INFINITY;
          const left = await run(options, file, whole, model, killAfter);
          if (isKilled) await run(options, file, left, model, Number.POSITIVE_INFINITY);
        }),
      );
    }
    // Codes come back, or the week would prove nothing.
    expect(model.reused).toBeGreaterThan(0);
    const rest = { nowMs, draws: [], releases: [], finds: [...model.live], sweeps: false };
    await run(options, join(folder, 'rest.json'), rest, model, Number.POSITIVE_INFINITY);
  }, 1_200_000);
});
