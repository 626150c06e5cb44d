import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, type TestContext } from 'vitest';

/** The built relay on a Node or a koffi that behaves differently, each in a process of its own. */

const SUBSCRIBERS = 3;

/** Runs before everything else, as the code of such a Node or such a package would. */
const means = `
  const { dlopen } = process;
  /** Puts another function in place of the send() that is loaded. */
  const changeSend = change => {
    process.dlopen = (module, file, ...rest) => {
      dlopen.call(process, module, file, ...rest);
      if (!file.endsWith('koffi.node')) return;
      const { load } = module.exports;
      module.exports.load = (...given) => {
        const library = load(...given);
        return { func: declaration => change(library.func(declaration)) };
      };
    };
  };
`;

const CHANGES = {
  'sockets have no descriptor': `
    const { TCP } = process.binding('tcp_wrap');
    Object.defineProperty(TCP.prototype, 'fd', { get: () => -1 });`,
  'send() swallows what it is handed': `
    changeSend(() => (descriptor, bytes, length) => length);`,
  'send() sends something else': `
    changeSend(send => (descriptor, bytes, ...rest) => send(descriptor, Buffer.alloc(bytes.length), ...rest));`,
  'send() throws, but not before a hundred writes': `
    let writes = 0;
    changeSend(send => (...given) => {
      if (++writes > 100) throw new TypeError('what is this?');
      return send(...given);
    });`,
};

const CROWD = fileURLToPath(new URL('../support/crowd.process.mjs', import.meta.url));

async function startCrowd(
  change: string,
  context: TestContext,
): Promise<{ shown: number[]; lines: string[] }> {
  const child = spawn(process.execPath, ['--require', change, CROWD, `${SUBSCRIBERS}`]);
  context.onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let errors = '';
  child.stdout.on('data', chunk => {
    out += chunk;
  });
  child.stderr.on('data', chunk => {
    errors += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the relay ended with ${code}: ${errors}`);
  return JSON.parse(out);
}

it.concurrent.for(Object.entries(CHANGES))(
  'goes on through public streams, and logs it once, where %s',
  async ([, change], context) => {
    const folder = await mkdtemp(join(tmpdir(), 'tallycast-'));
    context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'change.cjs'), `${means}${change}`);
    const { shown, lines } = await startCrowd(join(folder, 'change.cjs'), context);
    expect(shown).toEqual(Array(SUBSCRIBERS).fill(100));
    expect(lines).toEqual([expect.stringMatching(/direct writes disabled/)]);
  },
);
