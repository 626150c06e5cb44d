// @module-tag go
// @module-tag redis-server
import { execFile, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_CHANGES } from '../../src/poll/ballot.ts';
import { runToEnd } from '../cli/terminal-command.ts';
import { programPath } from '../support/programs.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { ScriptedLog } from './scripted-log.ts';

/** For a run with a million: `BALLOTS=1000000 npx vitest run --project python test/audit`. */
const BALLOTS = Number(process.env['BALLOTS'] ?? 4_000);
/** Time for the votes, so that some checkpoints are signed meanwhile. */
const VOTING_MS = Math.max(18_000, BALLOTS / 10);
const ROUND_MS = 50;
/** `CHANGES=100000` for many. */
const CHANGES = Number(process.env['CHANGES'] ?? 10_000);
/** Ballots under way at once. */
const GROUP = 500;

const run = promisify(execFile);
const rig = redisRig('file');
let folder: string;
let verifier: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallycast-audit-'));
  verifier = join(folder, 'audit');
  const cwd = join(import.meta.dirname, 'go');
  await run(programPath('go'), ['build', '-mod=readonly', '-o', verifier, '.'], { cwd, timeout: 300_000 });
});

afterAll(() => rm(folder, { recursive: true }));

const ENGINES: Record<string, () => Promise<TestRelay>> = {
  async embedded() {
    const relay = await startTestRelay();
    rig.closeAfter(() => relay.close());
    return relay;
  },
  redis: async () => rig.relayOn((await rig.start()).url),
};

it.each(Object.entries(ENGINES))(
  "Go's library follows a log on the %s engine while votes come, and verifies the result",
  async (_, open) => {
    const relay = await open();
    const made = await relay.create({ verifiable: true, ma: true, answers: ['A', 'B', 'C'] });
    const address = `${relay.url}/api/poll/${made.id}`;
    const seen = join(folder, made.id);
    const go = spawn(verifier, [address], { stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = Promise.all([text(go.stdout), text(go.stderr), once(go, 'exit')]);

    await castAll(relay, made.id, BALLOTS / 2);
    expect((await runToEnd(relay.url, ['verify', made.id, '--save', seen])).code).toBe(0);
    const receipt = randomUUID();
    await castOne(relay, made.id, receipt, [1]);
    await relay.cast(made.id, 0, 5, 'twitch');
    await relay.cast(made.id, 2, 1, 'youtube');
    await castAll(relay, made.id, BALLOTS / 2 - 7);
    await change(address, made.admin_key, { poll: { status: 'closed' } });

    const [stdout, stderr, [code]] = await printed;
    expect([stderr, code]).toEqual(['', 0]);
    const checkpoints = stdout.split('\n').filter(line => line.startsWith('checkpoint of'));
    expect(checkpoints.length).toBeGreaterThanOrEqual(4);
    expect(stdout).toContain(`verified ${BALLOTS} ballots, ${BALLOTS} count\n`);

    const beganMs = performance.now();
    const ours = await runToEnd(relay.url, ['verify', made.id, '--checkpoint', seen, '--receipt', receipt]);
    expect([ours.stderr, ours.code]).toEqual(['', 0]);
    expect(ours.stdout).toContain(`verified: ${BALLOTS.toLocaleString('en')} ballots, 0 of them voided`);
    expect(ours.stdout).toContain(`The log contains the checkpoint in ${seen}`);
    expect(ours.stdout).toMatch(/The ballot of the receipt is number [\d,]+: B. It counts\./);
    const tookS = ((performance.now() - beganMs) / 1_000).toFixed(1);
    if (BALLOTS > 100_000) console.log(`${stdout}tallycast verify: ${tookS} s`);

    if (BALLOTS > 100_000) return;
    // Voided ballots stay in the log. Both verifiers see that they don't count.
    const removed = {
      void: { from: new Date(0).toISOString(), to: new Date(Date.now() + 9e6).toISOString() },
    };
    await change(`${address}/void`, made.admin_key, removed, 'POST');
    const none = await run(verifier, [address]);
    expect(none.stdout).toContain(`verified ${BALLOTS} ballots, 0 count\n`);
    const voided = await runToEnd(relay.url, ['verify', made.id]);
    expect(voided.stdout).toContain(`${BALLOTS.toLocaleString('en')} of them voided`);
  },
);

it.each<[string, (log: ScriptedLog) => void]>([
  ['another ballot', log => log.ballots.splice(7, 1, { ...log.ballots[7]!, ballotId: 'another' })],
  ['a removed ballot', log => log.ballots.splice(7, 1)],
  ['a voided ballot', log => log.ballots.splice(7, 1, { ...log.ballots[7]!, voided: true })],
])('the verifier in Go rejects %s behind the checkpoint or the result', async (_, forge) => {
  const log = new ScriptedLog().add(300);
  const published = { checkpoint: log.checkpoint(), results: log.results };
  Object.defineProperty(log, 'results', { value: published.results });
  log.lie = (path, body) => (path === '/log/checkpoint' ? published.checkpoint : body);
  const { url, close } = await log.serve();
  const verify = () => run(verifier, [`${url}/api/poll/${log.pollId}`]);
  expect((await verify()).stdout).toContain('verified 300 ballots, 300 count');
  forge(log);
  await expect(verify()).rejects.toThrow();
  await close();
});

it('the verifier in Go and `tallycast verify` count the last change of each ballot', async () => {
  const relay = await startTestRelay();
  const made = await relay.create({
    answers: ['A', 'B', 'C'],
    verifiable: true,
    change_vote: true,
    mip: true,
  });
  const receipts = Array.from({ length: 60 }, () => randomUUID());
  for (const receipt of receipts) await castOne(relay, made.id, receipt, [0]);
  const { engine } = relay;
  const [, two, three] = answerIds.get(made.id)!;
  const changeOf = async (receipt: string, answers: string[]) => {
    const ballotId = randomUUID();
    const ballot = { pollId: made.id, answers, voter: receipt, address: receipt, ballotId, change: {} };
    expect((await engine.castBallot(ballot)).outcome).toBe('accepted');
    return ballotId;
  };
  for (const receipt of receipts.slice(0, 40)) await changeOf(receipt, [two!]);
  for (const receipt of receipts.slice(0, 10)) await changeOf(receipt, []);
  const last = await changeOf(receipts[0]!, [three!]);
  await change(`${relay.url}/api/poll/${made.id}`, made.admin_key, { poll: { status: 'closed' } });
  expect((await relay.read(made.id)).poll_answers.map(({ votes }) => votes)).toEqual([20, 30, 1]);
  const verified = await run(verifier, [`${relay.url}/api/poll/${made.id}`]);
  expect(verified.stdout).toContain('verified 111 ballots, 51 count');
  const ours = await runToEnd(relay.url, ['verify', made.id, '--receipt', receipts[0]!]);
  expect([ours.stderr, ours.code]).toEqual(['', 0]);
  expect(ours.stdout).toContain('verified: 60 ballots with 51 changes, 0 of them voided');
  expect(ours.stdout).toContain('is number 1: A. It was changed: number 111 replaces it.');
  const newest = await runToEnd(relay.url, ['verify', made.id, '--receipt', last]);
  expect(newest.stdout).toContain('is number 111: C. It counts.');
  await relay.close();
});

it.each(Object.entries(ENGINES))(
  "Go's library and `tallycast verify` agree on many changes of ballots on the %s engine",
  async (_, open) => {
    const relay = await open();
    const draft = { answers: ['A', 'B', 'C'], verifiable: true, change_vote: true, mip: true };
    const made = await relay.create(draft);
    const voters = Array.from({ length: Math.ceil(CHANGES / MAX_CHANGES) }, () => randomUUID());
    for (const some of inGroups(voters))
      await Promise.all(some.map(voter => castOne(relay, made.id, voter, [randomInt(3)])));
    const known = answerIds.get(made.id)!;
    // By voter, the last choice; a place that no answer has is a withdrawal.
    const last = new Map<string, number>();
    for (let round = 0; round < MAX_CHANGES; round += 1)
      for (const some of inGroups(voters))
        await Promise.all(
          some.map(async voter => {
            const chosen = randomInt(known.length + 1);
            last.set(voter, chosen);
            const answers = known.slice(chosen, chosen + 1);
            const ballotId = randomUUID();
            const ballot = { pollId: made.id, answers, voter, address: voter, ballotId, change: {} };
            expect((await relay.engine.castBallot(ballot)).outcome).toBe('accepted');
          }),
        );
    const address = `${relay.url}/api/poll/${made.id}`;
    await change(address, made.admin_key, { poll: { status: 'closed' } });
    const votes = known.map((_, at) => [...last.values()].filter(chosen => chosen === at).length);
    const counted = votes.reduce((sum, count) => sum + count, 0);
    const results = await relay.read(made.id);
    expect([results.poll_answers.map(answer => answer.votes), results.total_voters]).toEqual([
      votes,
      counted,
    ]);
    // The first checkpoint of so many takes longer than a reply waits.
    await until(async () => (await fetch(`${address}/log`)).ok, 'a checkpoint');
    const changes = voters.length * MAX_CHANGES;
    const { stdout } = await run(verifier, [address]);
    expect(stdout).toContain(`verified ${voters.length + changes} ballots, ${counted} count\n`);
    const ours = await runToEnd(relay.url, ['verify', made.id]);
    expect([ours.stderr, ours.code]).toEqual(['', 0]);
    const grouped = (count: number) => count.toLocaleString('en');
    expect(ours.stdout).toContain(`${grouped(voters.length)} ballots with ${grouped(changes)} changes, 0 of`);
  },
);

function* inGroups(voters: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < voters.length; at += GROUP) yield voters.slice(at, at + GROUP);
}

/** @param chosen positions of answers; by default one or two at random */
async function castOne(
  relay: TestRelay,
  pollId: string,
  ballotId: string = randomUUID(),
  chosen: readonly number[] = CHOICES[randomInt(CHOICES.length)]!,
): Promise<void> {
  const known = answerIds.get(pollId) ?? (await relay.read(pollId)).poll_answers.map(({ id }) => id);
  answerIds.set(pollId, known);
  const answers = chosen.map(at => known[at]!);
  const ballot = { pollId, answers, voter: ballotId, address: ballotId, ballotId };
  expect((await relay.engine.castBallot(ballot)).outcome).toBe('accepted');
}

const CHOICES = [[0], [1], [2], [2, 0]];
const answerIds = new Map<string, string[]>();

/** Evenly over half of the time for the votes. */
async function castAll(relay: TestRelay, pollId: string, count: number): Promise<void> {
  const beganMs = performance.now();
  for (let cast = 0; cast < count; ) {
    const due = Math.min(count, Math.ceil(((performance.now() - beganMs) / (VOTING_MS / 2)) * count));
    for (; cast < due; cast += 500)
      await Promise.all(Array.from({ length: Math.min(500, due - cast) }, () => castOne(relay, pollId)));
    cast = due;
    await pause(ROUND_MS);
  }
}

async function change(url: string, key: string, body: object, method = 'PATCH'): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const { status } = await fetch(url, { method, headers, body: JSON.stringify(body) });
  expect(status).toBe(200);
}
