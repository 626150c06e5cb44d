import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedEngine, openEmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import {
  ballotFor,
  clockPasses,
  eventually,
  expectSound,
  expectUnavailable,
  openPoll,
  outcomeOf,
  readResults,
} from '../../contract/engine/engine-subject.ts';
import { startProgram } from '../../start/program.ts';
import { kill, logOf, spawnKept } from '../../support/child-process.ts';
import { EventClient } from '../../support/event-client.ts';
import { findFreePort } from '../../support/free-port.ts';
import { builtFile } from '../../support/relay-process.ts';
import { makeSmallDisk, type SmallDisk } from '../../support/small-disk.ts';
import { createPoll } from '../../support/test-relay.ts';
import { until } from '../../support/until.ts';
import { voidBallots } from '../../support/void-ballots.ts';
import { makeDataDirectory, removeDataDirectory } from './data-directory.ts';

const COUNTED = /^(accepted|repeated)$/;
/** For a program to start on a busy machine. */
const PATIENCE_MS = 60_000;
const LOCK_HOLDER = fileURLToPath(new URL('./lock-holding-process.mjs', import.meta.url));

let disk: SmallDisk;
const closing: (() => unknown)[] = [];
beforeEach(async () => {
  disk = await makeSmallDisk();
});
afterEach(async () => {
  disk.free();
  for (const close of closing.splice(0).reverse()) await close();
  await disk.close();
});

async function open(dataDir = join(disk.dir, 'data')): Promise<EmbeddedEngine> {
  const engine = await openEmbeddedEngine({ dataDir, retentionDays: 0 });
  closing.push(() => engine.close());
  return engine;
}

describe('on a full disk the embedded engine', () => {
  it('rejects ballots, answers reads, and counts retries once there is room', async () => {
    const engine = await open();
    const poll = await openPoll({ engine, other: engine });
    expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted');
    disk.fill();
    const ballots = Array.from({ length: 200 }, () => ballotFor(poll));
    await Promise.all(ballots.map(ballot => expectUnavailable(engine.polls.cast(ballot))));
    await expectUnavailable(engine.records.put('limits:name', 'text'));
    expect(await engine.checkHealth()).toMatchObject({ reads: 'all', writes: 'none' });
    expect(await readResults(engine, poll.poll.id)).toMatchObject({ totalVoters: 1, version: 2 });
    disk.free();
    // By itself: an unready server gets no ballots.
    await eventually(async () => expect(await engine.checkHealth()).toEqual({ reads: 'all', writes: 'all' }));
    await eventually(async () => expect(await outcomeOf(engine, ballots[0]!)).toMatch(COUNTED));
    const outcomes = await Promise.all(ballots.map(ballot => outcomeOf(engine, ballot)));
    for (const outcome of outcomes) expect(outcome).toMatch(COUNTED);
    expect(await readResults(engine, poll.poll.id)).toMatchObject({ totalVoters: 201, version: 202 });
    await expectSound(engine, poll.poll.id);
  });

  it('closes, hides, voids and deletes all the same, and accepts nothing else until there is room', async context => {
    if (!disk.isWhole) context.skip('no tmpfs may be mounted here');
    const engine = await open();
    const subject = { engine, other: engine };
    const [poll, voided, deleted] = [
      await openPoll(subject),
      await openPoll(subject),
      await openPoll(subject),
    ];
    for (let n = 0; n < 2_000; n += 1) void engine.polls.cast(ballotFor(voided, { network: 'one' }));
    await engine.polls.cast(ballotFor(poll));
    disk.fill();
    const { id } = poll.poll;
    const ballots = Array.from({ length: 100 }, () => ballotFor(poll));
    const cast = () => Promise.all(ballots.map(ballot => expectUnavailable(engine.polls.cast(ballot))));
    // Pages that earlier writes gave up are used first.
    const accepts = () => outcomeOf(engine, ballotFor(poll)).then(Boolean, () => false);
    while ((await Promise.all(Array.from({ length: 100 }, accepts))).includes(true));
    await cast();
    const { totalVoters } = await readResults(engine, id);
    expect(await engine.polls.change(id, { closed: true })).toBe(true);
    await cast();
    await Promise.all([cast(), engine.polls.change(id, { resultsVisibility: 'hidden' })]);
    await voidBallots(engine.polls, voided.poll.id, { network: 'one', toMs: Date.now() });
    expect(await engine.polls.remove(deleted.poll.id)).toBe(true);
    expect(await readResults(engine, id)).toMatchObject({
      status: 'closed',
      resultsVisibility: 'hidden',
      totalVoters,
    });
    expect(await readResults(engine, voided.poll.id)).toMatchObject({ totalVoters: 0, voidedVotes: 2_000 });
    await expectUnavailable(engine.records.put('start', 'text'));
    expect(await engine.checkHealth()).toMatchObject({ reads: 'all', writes: 'none' });
    disk.free();
    await eventually(async () => expect(await engine.checkHealth()).toEqual({ reads: 'all', writes: 'all' }));
    await eventually(async () => expect(await outcomeOf(engine, ballots[0]!)).toBe('poll_closed'));
    // The room is kept again.
    disk.fill();
    for (let times = 0; times < 3; times += 1)
      await expectUnavailable(engine.records.put('start', 'x'.repeat(100_000)));
    expect(await engine.polls.change(voided.poll.id, { closed: true })).toBe(true);
    await expectSound(engine, voided.poll.id);
  });

  it('stops and starts with every acknowledged ballot', async () => {
    const before = await open();
    const poll = await openPoll({ engine: before, other: before });
    await before.polls.cast(ballotFor(poll));
    disk.fill();
    await expectUnavailable(before.polls.cast(ballotFor(poll)));
    await before.close();
    const engine = await open();
    expect(await readResults(engine, poll.poll.id)).toMatchObject({ totalVoters: 1 });
    await expectUnavailable(engine.polls.cast(ballotFor(poll)));
    disk.free();
    await eventually(async () => expect(await outcomeOf(engine, ballotFor(poll))).toBe('accepted'));
  });

  it('closes a poll at its deadline, as one change', async () => {
    const engine = await open();
    const poll = await openPoll({ engine, other: engine }, { deadlineInMs: 500 });
    const { id } = poll.poll;
    disk.fill();
    await clockPasses(engine, poll.deadlineMs!);
    const settled = { status: 'closed', version: 2 };
    expect(await readResults(engine, id)).toMatchObject(settled);
    expect(await readResults(engine, id)).toMatchObject(settled);
    expect(await engine.polls.findRevisions([id])).toMatchObject([settled]);
    disk.free();
    await eventually(() => engine.records.put('limits:room', 'again'));
    expect(await readResults(engine, id)).toMatchObject(settled);
    await engine.polls.change(id, { resultsVisibility: 'hidden' });
    expect(await readResults(engine, id)).toMatchObject({ ...settled, version: 3 });
  });
});

describe('the program on a full disk', () => {
  async function start(level = 'fatal') {
    const [port, votePort] = [await findFreePort(), await findFreePort()];
    const [program, ...args] = [...disk.wrapper, process.execPath, builtFile('start/main.js')];
    const settings = {
      DATA_DIR: join(disk.dir, 'data'),
      PORT: `${port}`,
      VOTE_PORT: `${votePort}`,
      REDIS_URL: '',
    };
    const child = spawnKept(program!, args, {
      env: {
        ...process.env,
        ...settings,
        LOG_LEVEL: level,
        CREATE_PER_MINUTE: '1000000',
        CREATE_BYTES_PER_DAY: '1000000000',
      },
    });
    disk.include(child.pid!);
    closing.push(() => kill(child));
    return { url: `http://127.0.0.1:${port}`, child };
  }
  const create = (url: string) =>
    fetch(`${url}/api/poll`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ poll: { title: 'Full?', answers: ['yes', 'no'] } }),
    });
  const isUp = (url: string) =>
    create(url).then(
      ({ status }) => status === 201,
      () => false,
    );

  it('answers 503, keeps its streams, recovers by itself and starts again', {
    timeout: 120_000,
  }, async () => {
    const { url, child } = await start();
    await until(() => isUp(url), 'the program to listen', PATIENCE_MS);
    const { id } = (await (await create(url)).json()) as { id: string };
    const stream = await EventClient.open(`${url}/api/poll/${id}/live?heartbeat=1`);
    await stream.event(({ type }) => type === 'results');
    disk.fill();
    await until(async () => (await create(url)).status === 503, 'a refusal', PATIENCE_MS);
    expect((await fetch(`${url}/api/poll/${id}`)).status).toBe(200);
    const heard = stream.events.length;
    await until(() => stream.events.length > heard, 'a heartbeat', PATIENCE_MS);
    await kill(child, 'SIGTERM');
    expect(child.exitCode).toBe(0);

    const again = await start();
    await until(
      () =>
        fetch(`${again.url}/api/poll/${id}`).then(
          ({ ok }) => ok,
          () => false,
        ),
      'a start',
      PATIENCE_MS,
    );
    // The first process may have left a page of room behind.
    disk.fill();
    await until(async () => (await create(again.url)).status === 503, 'a refusal again', PATIENCE_MS);
    disk.free();
    await until(() => isUp(again.url), 'room', PATIENCE_MS);
  });

  it('closes and hides by the keys of a poll and by the button of a show, and creates nothing', async context => {
    if (!disk.isWhole) context.skip('no tmpfs may be mounted here');
    const { url } = await start();
    await until(() => isUp(url), 'the program to listen', PATIENCE_MS);
    const send = async (method: string, path: string, key: string, body: object = {}) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': key };
      const reply = await fetch(`${url}/api${path}`, { method, headers, body: JSON.stringify(body) });
      return { status: reply.status, json: await reply.json() };
    };
    const poll = { title: 'Full?', answers: ['yes', 'no'] };
    const { id, admin_key } = await (await create(url)).json();
    const { show_key } = (await send('POST', '/show', '', { show: { name: 'friday' } })).json;
    const shown = (await send('POST', '/show/friday/poll', show_key, { poll })).json.id;
    await send('POST', '/show/friday/next', show_key);
    await send('POST', '/show/friday/open', show_key);
    disk.fill();
    await until(async () => (await create(url)).status === 503, 'a refusal', PATIENCE_MS);
    const done = [
      await send('PATCH', `/poll/${id}`, admin_key, { poll: { status: 'closed' } }),
      await send('PATCH', `/poll/${id}`, admin_key, { poll: { results_visibility: 'hidden' } }),
      await send('POST', '/show/friday/close', show_key),
      await send('DELETE', `/poll/${id}`, admin_key),
    ];
    expect(done.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await (await fetch(`${url}/api/poll/${shown}`)).json()).toMatchObject({ status: 'closed' });
    expect((await create(url)).status).toBe(503);
    disk.free();
    await until(() => isUp(url), 'room', PATIENCE_MS);
  });

  it('answers that nothing can be written, and logs the cause as JSON only', async () => {
    const { url, child } = await start('warn');
    const log: string[] = [];
    createInterface(child.stdout!).on('line', line => log.push(line));
    await until(() => isUp(url), 'the program to listen', PATIENCE_MS);
    disk.fill();
    let reply = '';
    await until(
      async () => {
        const refused = await create(url);
        reply = await refused.text();
        return refused.status === 503;
      },
      'a refusal',
      PATIENCE_MS,
    );
    expect(JSON.parse(reply).error.message).toBe('This could not be saved right now. Try again shortly.');
    await until(() => logOf(child).includes('engine unavailable'), 'a line', PATIENCE_MS);
    await until(() => logOf(child).includes('package warning'), 'the line of LMDB', PATIENCE_MS);
    expect(logOf(child)).not.toMatch(/^ +at /m);
    const lines = log.map(line => JSON.parse(line));
    const line = lines.find(({ msg }) => msg === 'request rejected, engine unavailable');
    expect(line).toMatchObject({
      code: 'engine_unavailable',
      // LMDB reports a page that was written in part as EIO.
      cause: expect.stringMatching(/^(ENOSPC|EFBIG|EIO): Nothing can be written to the disk of \/\S+: \w/),
    });
  });

  it('exits with code 1 and one line without room for its files', async () => {
    disk.fill();
    const { child } = await start();
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(logOf(child)).toMatch(/^DATA_DIR \S+ cannot be used \(no room is left on its disk\)\n$/);
  });
});

describe('on a disk that hangs the embedded engine', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await makeDataDirectory();
    closing.push(() => removeDataDirectory(dataDir));
  });

  async function hold() {
    const file = join(dataDir, 'tallycast.mdb');
    const holder = spawn(process.execPath, [LOCK_HOLDER, file], { stdio: ['pipe', 'pipe', 'inherit'] });
    closing.push(() => holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    return holder;
  }

  it('answers in time, still reads, and counts retries once', async () => {
    const engine = await open(dataDir);
    const poll = await openPoll({ engine, other: engine });
    const holder = await hold();
    const ballots = Array.from({ length: 50 }, () => ballotFor(poll));
    await Promise.all(ballots.map(ballot => expectUnavailable(engine.polls.cast(ballot))));
    expect(await readResults(engine, poll.poll.id)).toMatchObject({ totalVoters: 0 });
    holder.stdin.write('\n');
    await once(holder, 'close');
    for (const ballot of ballots)
      await eventually(async () => expect(await outcomeOf(engine, ballot)).toBe('accepted'));
    await expectSound(engine, poll.poll.id);
  });

  it('does not close before the disk answers', async () => {
    const engine = await open(dataDir);
    const poll = await openPoll({ engine, other: engine });
    const holder = await hold();
    await expectUnavailable(engine.polls.cast(ballotFor(poll)));
    await expectUnavailable(engine.close());
    expect(await readResults(engine, poll.poll.id)).toMatchObject({ totalVoters: 0 });
    holder.stdin.write('\n');
    await eventually(() => engine.close());
  });

  it('does not hold up the stop of its program', async () => {
    const program = await startProgram({ DATA_DIR: dataDir });
    await program.running();
    await createPoll(program.url);
    await hold();
    const body = JSON.stringify({ poll: { title: 'Hangs?', answers: ['yes', 'no'] } });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${program.url}/api/poll`, { method: 'POST', headers, body })).status).toBe(503);
    program.child.kill('SIGTERM');
    expect(await program.ended()).toBeNull();
    expect(program.log).toContain('shutdown failed');
    expect(program.log).not.toContain('shutdown timed out');
  });

  it('bounds the writes that wait', async () => {
    const engine = await open(dataDir);
    const poll = await openPoll({ engine, other: engine });
    const casts = Array.from({ length: 10_100 }, () => engine.polls.cast(ballotFor(poll)));
    const results = await Promise.allSettled(casts);
    // Those before them may be too many for a busy machine as well.
    for (const { status } of results.slice(10_000)) expect(status).toBe('rejected');
    const { totalVoters } = await readResults(engine, poll.poll.id);
    expect(totalVoters).toBeLessThanOrEqual(10_000);
    expect(totalVoters).toBeGreaterThanOrEqual(results.filter(({ status }) => status === 'fulfilled').length);
  });
});

describe('in a process that stands still the embedded engine', () => {
  it('counts the ballots that wait, and rejects none', async () => {
    const engine = await open();
    const poll = await openPoll({ engine, other: engine });
    const ballots = Array.from({ length: 50 }, () => ballotFor(poll));
    const outcomes = Promise.all(ballots.map(ballot => outcomeOf(engine, ballot)));
    await new Promise(setImmediate);
    // As when a virtual machine is moved or saved.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    expect(new Set(await outcomes)).toEqual(new Set(['accepted']));
    await expectSound(engine, poll.poll.id);
  });
});
