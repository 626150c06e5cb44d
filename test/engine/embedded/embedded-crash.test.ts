import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import { newPoll } from '../../contract/engine/engine-subject.ts';
import { logOf, spawnKept } from '../../support/child-process.ts';
import { Ledger } from '../../support/ledger.ts';
import { builtFile } from '../../support/relay-process.ts';
import { until } from '../../support/until.ts';
import { makeDataDirectory, removeDataDirectory } from './data-directory.ts';

const WORKERS = 50;
const KILLS = 3;
const BALLOTS_BEFORE_A_KILL = 400;
const PROGRAM = fileURLToPath(new URL('./casting-process.mjs', import.meta.url));
const CHANGING = fileURLToPath(new URL('./changing-process.mjs', import.meta.url));

describe('a process that is killed', () => {
  let dataDir: string;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    dataDir = await makeDataDirectory();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await removeDataDirectory(dataDir);
  });

  const open = () => openEmbeddedEngine({ dataDir, retentionDays: 0 });
  /** @returns what the process said until it was killed */
  const castAndKill = async (pollId: string, answerId: string): Promise<string> => {
    const args = [PROGRAM, builtFile('engine/open-engine.js'), dataDir, pollId, answerId, `${WORKERS}`];
    const child = spawnKept(process.execPath, args);
    children.push(child);
    let said = '';
    child.stdout?.on('data', chunk => {
      said += chunk;
    });
    const ended = once(child, 'close');
    await until(() => said.split('\n').length > BALLOTS_BEFORE_A_KILL, 'ballots');
    child.kill('SIGKILL');
    await ended;
    // The last line may have been cut in the middle.
    return said.slice(0, said.lastIndexOf('\n'));
  };

  it('has lost no ballot that it acknowledged, and counted none twice', async () => {
    const { poll, ...rest } = newPoll({ sharedAddress: true }, Date.now());
    const engine = await open();
    await engine.polls.create({ poll, ...rest });
    await engine.close();
    const answerId = poll.answers[0]?.id ?? '';
    const acknowledged = new Set<string>();
    for (let kill = 0; kill < KILLS; kill += 1)
      for (const line of (await castAndKill(poll.id, answerId)).split('\n')) {
        expect(line).toMatch(/^(accepted|repeated) ballot-\d+$/);
        acknowledged.add(line.split(' ')[1] as string);
      }
    expect(acknowledged.size).toBeGreaterThanOrEqual(BALLOTS_BEFORE_A_KILL);

    const after = await open();
    const ledger = new Ledger(poll.id);
    // Those that were acknowledged, and as many more as may have been under way at each kill.
    for (let number = 1; number <= acknowledged.size + KILLS * WORKERS; number += 1) {
      const outcome = await ledger.cast(after, ledger.draw(answerId, number, { voter: `ballot-${number}` }));
      if (acknowledged.has(`ballot-${number}`)) expect([number, outcome]).toEqual([number, 'repeated']);
    }
    await ledger.expectExact(after);
    await after.close();
  });

  it('shows exactly the last step of a reveal that it acknowledged', async () => {
    const made = newPoll({ answers: 5, resultsVisibility: 'hidden' }, Date.now());
    const engine = await open();
    await engine.polls.create(made);
    await engine.close();
    const steps = [{ closed: true, revealedFrom: 5 }, { revealedFrom: 3 }, { revealedFrom: 2 }];
    for (const change of steps) {
      const args = [
        CHANGING,
        builtFile('engine/open-engine.js'),
        dataDir,
        made.poll.id,
        JSON.stringify(change),
      ];
      const child = spawnKept(process.execPath, args);
      children.push(child);
      const ended = once(child, 'close');
      const [said] = await once(child.stdout!, 'data');
      child.kill('SIGKILL');
      await ended;
      expect(`${said}`).toBe('true\n');
      const after = await open();
      expect((await after.polls.find(made.poll.id))?.results).toMatchObject({
        status: 'closed',
        resultsVisibility: 'hidden',
        revealedFrom: change.revealedFrom,
      });
      await after.close();
    }
  });

  it('exits with one clear line if another process has the directory', async () => {
    const engine = await open();
    const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', VOTE_PORT: '0', REDIS_URL: '' };
    const child = spawnKept(process.execPath, [builtFile('start/main.js')], { env });
    children.push(child);
    const [code] = await once(child, 'close');
    expect([code, logOf(child)]).toEqual([1, `another process is using ${dataDir}\n`]);
    await engine.close();
  });
});
