// @module-tag redis-server
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { allBallots, expectSound, openPoll, readResults } from '../../contract/engine/engine-subject.ts';
import { redisEngineRig } from './redis-subject.ts';

const ROOM = new URL('../../../src/engine/redis/', import.meta.url);

const { start, openAt } = redisEngineRig();

it('casts ballots with the Python example of the README, and counts a retry once', async () => {
  const server = await start();
  const engine = await openAt(server.url);
  const poll = await openPoll({ engine, other: engine });
  const { id } = poll.poll;
  const example = /```python\n([\s\S]*?)```/.exec(readFileSync(new URL('README.md', ROOM), 'utf8'))?.[1];
  const script = fileURLToPath(new URL('commands/cast-ballots-1.lua', ROOM));
  const answer = poll.poll.answers[1]!.id;
  const args = ['-c', example!, `${server.port}`, script, id, answer];
  const { stdout } = await promisify(execFile)('python3', args);
  expect(stdout.trim().split('\n')).toEqual(['2', 'repeated 2', 'duplicate_voter']);
  expect(await readResults(engine, id)).toMatchObject({ votes: [0, 1, 0], totalVoters: 1 });
  expect(await allBallots(engine, id)).toMatchObject([{ answers: [answer] }]);
  await expectSound(engine, id);
});
