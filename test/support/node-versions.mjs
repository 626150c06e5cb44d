import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * The build on the newest release of every Node that is supported, as npm has them today: the program starts and ends,
 * fifty WebSockets see a hundred ballots, and the conformance suite passes. Prints a line for each.
 *
 *     npm run build && .ci/node-matrix
 */

const MAJORS = [20, 22, 24, 26];
const SUBSCRIBERS = 50;
const START_PATIENCE_MS = 30_000;
const CROWD_PATIENCE_MS = 60_000;
const SUITE_PATIENCE_MS = 180_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const SHOWN_OUTPUT = 6_000;

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const run = promisify(execFile);
const platform = process.platform === 'win32' ? 'win' : process.platform;

/** The newest release of a major, as a package that holds nothing but the program. */
async function install(major) {
  const folder = join(root, 'node_modules', '.cache', 'node-versions', `${major}`);
  const name = `node-${platform}-${process.arch}`;
  mkdirSync(folder, { recursive: true });
  const npm = platform === 'win' ? 'npm.cmd' : 'npm';
  const flags = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  await run(npm, ['install', ...flags, `${name}@${major}`], { shell: platform === 'win' });
  const node = join(folder, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node');
  const { stdout } = await run(node, ['--version']);
  return { node, version: stdout.trim() };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** The program as people start it, until both servers are ready, and its end by SIGTERM. */
async function startAndEnd(node) {
  const dataDir = mkdtempSync(join(tmpdir(), 'tallycast-'));
  const ports = [await freePort(), await freePort()];
  const env = {
    ...process.env,
    PORT: `${ports[0]}`,
    VOTE_PORT: `${ports[1]}`,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
  };
  const child = spawn(node, [join(root, 'dist', 'main.js')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output += chunk;
    });
  try {
    const deadline = Date.now() + START_PATIENCE_MS;
    for (const port of ports) {
      while (!(await isReady(port))) {
        if (child.exitCode !== null) throw new Error(`it ended at its start: ${output}`);
        if (Date.now() > deadline)
          throw new Error(`it is not ready after ${START_PATIENCE_MS} ms: ${output}`);
        await new Promise(done => setTimeout(done, 50));
      }
    }
    child.kill('SIGTERM');
    const [code] = await exited;
    if (code !== 0) throw new Error(`SIGTERM ended it with ${code}: ${output}`);
  } finally {
    child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function isReady(port) {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`)).ok;
  } catch {
    return false;
  }
}

async function gatherCrowd(node) {
  const script = join(root, 'test', 'support', 'crowd.process.mjs');
  const { stdout } = await run(node, [script, `${SUBSCRIBERS}`], { timeout: CROWD_PATIENCE_MS });
  const { closes, lines } = JSON.parse(stdout);
  if (closes > 0 || lines.length > 0)
    throw new Error(`of ${SUBSCRIBERS} WebSockets ${closes} were closed: ${lines.join('; ')}`);
}

async function runSuite(node) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { stdout } = await run(
    node,
    [vitest, 'run', '--project', 'node', 'test/protocol/conformance.test.ts'],
    {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1' },
      timeout: SUITE_PATIENCE_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
    },
  );
  const passed = /Tests +(\d+) passed/.exec(stdout)?.[1];
  if (passed === undefined) throw Object.assign(new Error('no test passed'), { stdout });
  return passed;
}

async function check(major) {
  const startedMs = Date.now();
  const { node, version } = await install(major);
  await startAndEnd(node);
  await gatherCrowd(node);
  const tests = await runSuite(node);
  const seconds = Math.round((Date.now() - startedMs) / 1_000);
  return `${version}: starts, ${SUBSCRIBERS} WebSockets, ${tests} conformance tests passed (${seconds} s)`;
}

function tail(output = '') {
  return output.slice(-SHOWN_OUTPUT);
}

for (const major of MAJORS) {
  try {
    console.log(await check(major));
  } catch (error) {
    console.error(`Node ${major}: FAILED. ${error.message}\n${tail(error.stdout)}\n${tail(error.stderr)}`);
    process.exitCode = 1;
  }
}
