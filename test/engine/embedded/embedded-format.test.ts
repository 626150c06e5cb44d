import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { STORE_FILE } from '../../../src/engine/engine.ts';
import { openEngine } from '../../../src/engine/open-engine.ts';
import { allBallots, ballotFor, expectSound, outcomeOf } from '../../contract/engine/engine-subject.ts';
import { makeDataDirectory } from './data-directory.ts';

const FIXTURE = new URL('../fixture/embedded-format-1.mdb.gz', import.meta.url);

it('reads and extends the data of a release before ballots had networks', async () => {
  const dataDir = await makeDataDirectory();
  writeFileSync(join(dataDir, STORE_FILE), gunzipSync(readFileSync(FIXTURE)));
  const engine = await openEngine({ dataDir });
  const { poll } = (await engine.polls.find('fixturePollA'))!;
  const made = { poll } as Parameters<typeof ballotFor>[0];
  expect(await outcomeOf(engine, ballotFor(made, { ballotId: 'ballot 1' }))).toBe('repeated');
  expect(await outcomeOf(engine, ballotFor(made, { voter: 'voter 2', name: 'n' }))).toBe('duplicate_voter');
  expect(await outcomeOf(engine, ballotFor(made, { name: 'n', network: 'tag' }))).toBe('accepted');
  expect((await allBallots(engine, poll.id)).map(({ network }) => network)).toEqual([
    ...[undefined, undefined, undefined],
    'tag',
  ]);
  await expectSound(engine, poll.id);
  await engine.close();
});
