// @module-tag redis-server
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type EngineOptions, openEngine } from '../../src/engine/open-engine.ts';
import type { BallotOutcome } from '../../src/poll/ballot.ts';
import { seededRandom } from '../../src/poll/rehearsal.ts';
import { apply, changedHistory, ModelOfChanges, type Step } from '../contract/engine/changed-history.ts';
import { newPoll, type PollWishes } from '../contract/engine/engine-subject.ts';
import { kill, spawnKept } from '../support/child-process.ts';
import { redisRig } from '../support/redis-rig.ts';
import { builtFile } from '../support/relay-process.ts';
import { SEED } from '../support/seed.ts';
import { makeDataDirectory, removeDataDirectory } from './embedded/data-directory.ts';

/** Of both engines together. */
const STEPS = Number(process.env['STEPS'] ?? 100_000);
/** Of one poll: some of its twelve voters reach their last change. */
const LENGTH = 250;
/** Polls side by side. */
const POLLS = 10;
/** Steps of all these polls before a kill, about. */
const BEFORE_A_KILL = 600;
/** Steps of each poll after a kill, with a reading after each. */
const READ_STEPS = 12;
const PROGRAM = fileURLToPath(new URL('./history-process.mjs', import.meta.url));
const KINDS: PollWishes[] = [
  { allowChange: true, sharedAddress: true },
  { allowChange: true, allowMultiple: true, isVerifiable: true },
  { allowMultiple: true, isVerifiable: true, sharedAddress: true },
  { allowMultiple: true },
  { allowChange: true, isVerifiable: true },
];

interface Store {
  readonly options: EngineOptions;
  /** A folder for files of this test. */
  readonly dir: string;
  /** After the death of the process with the engine. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const rig = redisRig('file');

async function redisStore(): Promise<Store> {
  const server = await rig.start(['--appendonly', 'yes', '--appendfsync', 'always']);
  return {
    options: { redisUrl: server.url },
    dir: server.dir,
    restart: () => server.restart(),
    close: async () => {},
  };
}

async function embeddedStore(): Promise<Store> {
  const dataDir = await makeDataDirectory();
  return {
    options: { dataDir },
    dir: dataDir,
    restart: async () => {},
    close: () => removeDataDirectory(dataDir),
  };
}

class History {
  readonly made;
  readonly model: ModelOfChanges;
  readonly #steps: Step[];
  #done = 0;

  constructor(wishes: PollWishes, random: () => number) {
    this.made = newPoll({ ...wishes, isPrivate: true }, Date.now());
    this.model = new ModelOfChanges(this.made);
    const answers = this.made.poll.answers.map(({ id }) => id);
    this.#steps = changedHistory(answers, { ...wishes, steps: LENGTH, random });
  }

  get rest(): readonly Step[] {
    return this.#steps.slice(this.#done);
  }

  /** @param isRetry the step may have been applied before, by a call that got no reply */
  take(outcome: BallotOutcome | undefined, isRetry: boolean): void {
    const step = this.#steps[this.#done]!;
    const expected = this.model.apply(step);
    const told = isRetry && expected === 'accepted' && outcome === 'repeated' ? expected : outcome;
    expect([this.#done, step, told]).toEqual([this.#done, step, expected]);
    this.#done += 1;
  }
}

/** Applies steps in a process that is killed, or ends with the histories. */
async function applyUntilKilled(store: Store, histories: readonly History[], before: number): Promise<void> {
  const file = join(store.dir, 'histories.json');
  await writeFile(file, JSON.stringify(Object.fromEntries(histories.map(h => [h.made.poll.id, h.rest]))));
  const args = [PROGRAM, dirname(dirname(builtFile('engine/open-engine.js')))];
  const child = spawnKept(process.execPath, [...args, JSON.stringify(store.options), file]);
  const ended = once(child, 'close');
  let said = '';
  let lines = 0;
  child.stdout!.on('data', (chunk: Buffer) => {
    said += chunk;
    lines += chunk.filter(byte => byte === 10).length;
    if (lines >= before) void kill(child);
  });
  await ended;
  // The last line may have been cut in the middle.
  const told = said.slice(0, said.lastIndexOf('\n') + 1).trim();
  const byId = new Map(histories.map(history => [history.made.poll.id, history]));
  for (const line of told === '' ? [] : told.split('\n')) {
    if (line === 'end') return;
    const [id, outcome, mark] = line.split(' ') as [string, BallotOutcome | 'done', string | undefined];
    byId.get(id)!.take(outcome === 'done' ? undefined : outcome, mark === '?');
  }
  expect(lines, said).toBeGreaterThanOrEqual(before);
}

describe.each([
  ['redis', redisStore],
  ['embedded', embeddedStore],
] as const)(`histories of changed ballots on the %s engine (SEED=${SEED})`, (name, openStore) => {
  it('end like a plain object, whenever the process is killed, with every ballot that it acknowledged', async () => {
    const store = await openStore();
    const random = seededRandom(name === 'redis' ? SEED : SEED + 1);
    // Not from `random`: where a kill hits depends on the machine, and histories shall not.
    const killAfter = () => randomInt(1, 2 * BEFORE_A_KILL);
    let kills = 0;
    for (let begun = 0; begun < STEPS / 2; begun += POLLS * LENGTH) {
      const histories = Array.from(
        { length: POLLS },
        (_, index) => new History(KINDS[index % KINDS.length]!, random),
      );
      let engine = await openEngine(store.options);
      for (const { made } of histories) expect(await engine.polls.create(made)).toBe(true);
      await engine.close();
      while (histories.some(({ rest }) => rest.length > 0)) {
        await applyUntilKilled(store, histories, killAfter());
        kills += 1;
        await store.restart();
        engine = await openEngine(store.options);
        await Promise.all(
          histories.map(async history => {
            const { id } = history.made.poll;
            for (const [index, step] of history.rest.slice(0, READ_STEPS).entries()) {
              // The first one may have been under way when the process died.
              history.take(await apply(engine, id, step), index === 0);
              await history.model.expectEqual(engine);
            }
            await history.model.expectEqual(engine);
          }),
        );
        await engine.close();
      }
      engine = await openEngine(store.options);
      for (const { made } of histories) await engine.polls.remove(made.poll.id);
      await engine.close();
    }
    expect(kills).toBeGreaterThan(STEPS / 2 / (POLLS * LENGTH));
    await store.close();
  }, 1_200_000);
});
