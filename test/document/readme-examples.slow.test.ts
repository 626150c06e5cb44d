// @module-tag redis-server
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../support/free-port.ts';
import { png } from '../support/images.ts';
import { redisRig } from '../support/redis-rig.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { type Block, blocksOf, documents, ROOT, readDocument } from './documents.ts';
import { ShellSession } from './shell-session.ts';

/** Every example in every document is executed: here, or by the test that its document is given to. */

const run = promisify(execFile);
const rig = redisRig('file');

/** Documents whose examples another test executes. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'src/api/RECIPES.md': 'test/api/recipes.test.ts',
  'src/chat/STREAMERS.md': 'test/chat/all-chats.test.ts',
  'src/protocol/PROTOCOL.md': 'test/protocol/message-claims.ts',
  'src/client-package/README.md': 'test/client-package/client-package.slow.test.ts',
  'src/live/README.md': 'test/live/direct-writer.test.ts',
};
/**
 * Commands that take minutes or never end (readme.test.ts checks their names), or whose program is
 * not installed here.
 */
const NAMED_ONLY = ['In five minutes', 'Run them', 'Write a fixture', 'Try a crowd', 'One machine'];

const OPERATOR_KEY = 'operator-key-of-the-tests';

let relay: TestRelay;
let redis: RedisServer;

beforeAll(async () => {
  [relay, redis] = await Promise.all([startTestRelay({ operatorKeys: [OPERATOR_KEY] }), rig.start()]);
  rig.closeAfter(() => relay.close());
});

const here = documents.filter(file => !(file in ELSEWHERE)).flatMap(blocksOf);

/** A fresh poll, a fresh folder and free ports for the lines of a block. */
async function sessionFor(): Promise<ShellSession> {
  const { id, admin_key, view_key } = await relay.create();
  const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-readme-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  await writeFile(join(dataDir, 'waterloo.png'), png(30, 30));
  const [answer] = (await relay.read(id)).poll_answers;
  const [port, votePort, metricsPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  return new ShellSession(
    { TALLYCAST_URL: relay.url, DATA_DIR: dataDir, PORT: `${port}`, VOTE_PORT: `${votePort}` },
    [
      ['http://127.0.0.1:8080', relay.url],
      ['redis://127.0.0.1:6379', redis.url],
      ['/backups', dataDir],
      ['waterloo.png', join(dataDir, 'waterloo.png')],
      ['seen.txt', join(dataDir, 'seen.txt')],
      ['friday-night', `friday-${port}`],
      ['METRICS_PORT=9464', `METRICS_PORT=${metricsPort}`],
    ],
    {
      '<repository>': ROOT,
      '<poll id>': id,
      '<answer id>': answer!.id,
      'admin_…': admin_key,
      'view_…': view_key,
      'operator_…': OPERATOR_KEY,
    },
  );
}

async function runModule({ text }: Block): Promise<string> {
  const { id, view_key } = await relay.create();
  const source = text
    .replaceAll('<poll id>', id)
    .replaceAll('127.0.0.1:8080', new URL(relay.url).host)
    .replaceAll('view_…', view_key)
    // The same files, without a package to be installed first.
    .replaceAll("'tallycast-client'", "'tallycast/client'");
  // What a page or a program does with the results: they are printed, and that is all that is waited for.
  const preamble = `
    import { WebSocket as Plain } from 'ws';
    globalThis.WebSocket ??= Plain;
    const print = console.log;
    console.log = (...words) => { if (typeof words[0] === 'number') { print(...words); process.exit(); } };
    globalThis.draw = results => console.log(results.total_votes, results.poll_answers);
    setTimeout(() => process.exit(1), 20_000);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', `${preamble}\n${source}`], {
    cwd: ROOT,
  });
  return stdout;
}

describe('the examples of every document', () => {
  const shell = here.filter(({ language, heading }) => language === '' && !NAMED_ONLY.includes(heading));
  const modules = here.filter(({ language }) => language === 'js');

  it('are all accounted for', () => {
    // The rule for Redis is run by redis-rights.redis.test.ts.
    // First steps are run by first-steps.slow.test.ts, as `/docs` shows them.
    const known = ['', 'js', 'mermaid', 'redis', 'bash', 'mjs', 'python'];
    expect(here.filter(({ language }) => !known.includes(language))).toEqual([]);
    expect(shell.length).toBeGreaterThan(8);
    expect(modules.length).toBeGreaterThan(0);
    for (const test of Object.values(ELSEWHERE)) expect(existsSync(join(ROOT, test)), test).toBe(true);
  });

  it.each(shell)('$file, $heading: $text', async ({ text }) => {
    const session = await sessionFor();
    const printed = await session.run(text);
    expect(printed.filter(words => words.trim() === '')).toEqual([]);
  });

  it.each(modules)('$file, $heading: a module', async block => {
    expect(await runModule(block)).toMatch(/^0 \[/);
  });
});

describe('the addresses that documents name', () => {
  const ADDRESS =
    /(?:`|http:\/\/127\.0\.0\.1:8080)(\/(?:overlay|api|widget|client|livez|readyz|health)[^\s`"'<>)]*(?:<(?:poll )?id>[^\s`"'<>)]*)?)/g;

  it('are there', async () => {
    const { id } = await relay.create();
    const named = documents.flatMap(file =>
      [...readDocument(file).matchAll(ADDRESS)].map(([, path = '']) => path.replace(/<(poll )?id>/, id)),
    );
    const paths = [...new Set(named)].filter(path => !/live|show|\*|~|view_key|admin_key|answer/.test(path));
    expect(paths.length).toBeGreaterThan(8);
    const asked = paths.map(async path => [path, (await fetch(relay.url + path)).status]);
    const missing = (await Promise.all(asked)).filter(
      ([, status]) => ![200, 401, 405].includes(Number(status)),
    );
    expect(missing).toEqual([]);
  });
});
