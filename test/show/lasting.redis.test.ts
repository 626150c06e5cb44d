// @module-tag redis-server
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openArchive, writeLines } from '../../src/archive/archive-file.ts';
import { importArchive } from '../../src/archive/import-archive.ts';
import { writeText } from '../../src/archive/new-file.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { newSeed, pollFromSeed } from '../../src/poll/create-poll.ts';
import { hashKey, presentKey } from '../../src/poll/poll-key.ts';
import { checkDraft } from '../../src/poll/poll-schema.ts';
import { pressOf } from '../../src/show/rewrite-show.ts';
import { keysOf } from '../../src/show/show.ts';
import { addPoll, changeShow, createShow, findShow, openShow, stepShow } from '../../src/show/shows.ts';
import { redisRig } from '../support/redis-rig.ts';

const NAME = 'friday-night';
const KEY = 'show_of-friday-night';
const access = { key: presentKey(KEY, 'header'), isOperatorKey: () => false };
const press = pressOf('the first press of all', 'next');
const BODY = { poll: { title: 'Which song next?', answers: ['Waterloo', 'Volare'] } };

/** Two polls of its own in the rundown, the first of them on air. */
async function prepare(engine: Engine): Promise<void> {
  await createShow(engine, { name: NAME, title: 'Friday' }, hashKey(KEY));
  const { owner } = await openShow(engine, NAME, access);
  for (let added = 0; added < 2; added += 1) {
    const nowMs = await engine.polls.now();
    const { data } = checkDraft(BODY, nowMs);
    await addPoll(
      engine,
      pollFromSeed(data!.poll, newSeed(data!.poll, nowMs), { show: owner }).created,
      access,
    );
  }
  await stepShow(engine, NAME, 'next', { ...access, press });
}

/** The show as it was, and it goes on from there. */
async function expectToGoOn(engine: Engine, before: Awaited<ReturnType<typeof findShow>>): Promise<void> {
  expect(await findShow(engine, NAME)).toEqual(before);
  const [first, second] = before!.rundown;
  expect(before).toMatchObject({ onAir: first, own: [first, second], place: first, last: first });
  const reading = await engine.polls.find(first!);
  expect((await keysOf(engine, reading!)).showKeys?.keyHash).toBe(hashKey(KEY));
  const repeated = await stepShow(engine, NAME, 'next', { ...access, press });
  expect(repeated.show.onAir).toBe(first);
  expect((await stepShow(engine, NAME, 'next', access)).show.onAir).toBe(second);
  await changeShow(engine, NAME, { onAir: null }, access);
}

describe('a show with a rundown', () => {
  const { start, closeAfter } = redisRig();
  const folder = async () => {
    const path = await mkdtemp(join(tmpdir(), 'tallycast-show-'));
    closeAfter(() => rm(path, { recursive: true, force: true }));
    return path;
  };

  it.each(['embedded', 'redis'])('outlasts a restart: %s', async kind => {
    const where = kind === 'embedded' ? { dataDir: await folder() } : { redisUrl: (await start()).url };
    const first = await openEngine(where);
    await prepare(first);
    const before = await findShow(first, NAME);
    await first.close();
    const second = await openEngine(where);
    await expectToGoOn(second, before);
    await second.close();
  });

  it('goes from one engine to the other and back by an archive', async () => {
    const path = await folder();
    const places = [
      { dataDir: join(path, 'a') },
      { redisUrl: (await start()).url },
      { dataDir: join(path, 'b') },
    ];
    const engines: Engine[] = [];
    for (const place of places) {
      const engine = await openEngine(place);
      engines.push(engine);
      closeAfter(() => engine.close());
    }
    await prepare(engines[0]!);
    const before = await findShow(engines[0]!, NAME);
    for (const [index, engine] of engines.slice(1).entries()) {
      const file = join(path, `${index}.jsonl`);
      const counts = { records: 0, polls: 0, ballots: 0 };
      await writeText(writeLines(engines[index]!.archive, counts, 1), file, false);
      const { items } = await openArchive(file);
      expect(await importArchive(engine, { items, nowMs: Date.now() })).toMatchObject({ polls: 2 });
    }
    await expectToGoOn(engines[2]!, before);
  });
});
