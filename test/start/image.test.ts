// @module-tag redis-server
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../document/documents.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startProgram } from './program.ts';

/** What stands in the Dockerfile, tried on processes of this machine. */

const rig = redisRig();
const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

/** Runs the image's health check. @returns its exit code */
async function health(env: Readonly<Record<string, string>>): Promise<number> {
  const [, command = '["false"]'] = /^HEALTHCHECK .*? CMD (.*)$/m.exec(await read('Dockerfile')) ?? [];
  const [program, ...args] = JSON.parse(command) as string[];
  expect(program).toBe('node');
  const running = promisify(execFile)(process.execPath, args, { cwd: ROOT, env: { ...env } });
  return running.then(
    () => 0,
    ({ code }) => code,
  );
}

describe('the image', () => {
  it('holds no secret of `.env`, and a change of it or of a source repeats no installation', async () => {
    for (const ignoring of ['.gitignore', '.dockerignore'])
      expect((await read(ignoring)).split('\n')).toEqual(expect.arrayContaining(['.env', '.env.*']));
    const stages = (await read('Dockerfile')).split(/^FROM /m);
    const build = stages.find(stage => stage.startsWith('base AS build\n')) ?? '';
    const steps = build.split('\n').filter(line => /^(COPY|RUN) /.test(line));
    expect(steps.slice(0, 2)).toEqual([
      'COPY package.json package-lock.json ./',
      'RUN npm ci --ignore-scripts',
    ]);
  });
});

describe("the image's health check", () => {
  it.each(['all', 'relay', 'voting'])('asks what ROLE=%s starts', async ROLE => {
    const { url } = await rig.start();
    const program = await startProgram({ ROLE, REDIS_URL: url });
    const env = {
      ROLE,
      REDIS_URL: url,
      PORT: new URL(program.url).port,
      VOTE_PORT: new URL(program.voteUrl).port,
    };
    expect(await health(env)).toBe(1);
    await program.running();
    expect(await health(env)).toBe(0);
    // The other servers of this machine are not asked.
    if (ROLE !== 'all')
      expect(await health({ ...env, [ROLE === 'relay' ? 'VOTE_PORT' : 'PORT']: '1' })).toBe(0);
    else expect(await health({ ...env, VOTE_PORT: '1' })).toBe(1);
  });
});
