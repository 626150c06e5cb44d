import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../document/documents.ts';

const run = promisify(execFile);
const PREPARE = fileURLToPath(new URL('../../src/build/prepare.mjs', import.meta.url));
const BEFORE = new Date('2026-01-01');
const AFTER = new Date('2026-01-02');

/** A checkout whose build only prints. @param built when */
async function checkout(built?: Date): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-prepare-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'src'));
  await mkdir(join(folder, 'dist', 'client-package'), { recursive: true });
  const write = async (file: string, text: string, changed: Date) => {
    await writeFile(join(folder, file), text);
    await utimes(join(folder, file), changed, changed);
  };
  const build = 'echo built';
  await write('package.json', JSON.stringify({ scripts: { build } }), BEFORE);
  await write('tsconfig.json', '', BEFORE);
  await write('src/main.ts', '', BEFORE);
  await utimes(join(folder, 'src'), BEFORE, BEFORE);
  if (built) await write('dist/client-package/package.json', '', built);
  return folder;
}

const prepare = async (folder: string) => (await run(process.execPath, [PREPARE], { cwd: folder })).stderr;

it('builds where nothing was built, or something older, and says so', async () => {
  for (const built of [undefined, new Date('2025-12-31')])
    expect(await prepare(await checkout(built))).toMatch(/^tallycast: building.*\nbuilt\n$/);
});

it('builds nothing that is up to date', async () => {
  expect(await prepare(await checkout(AFTER))).toBe('');
});

it('runs after npm ci and before npm pack, and npx runs no script, so that Ctrl-C breaks nothing', async () => {
  const folder = await checkout(AFTER);
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const noted = Object.keys(scripts)
    .filter(name => /^(?:pre|post)?(?:install|prepare|publish|pack)|^prepublish/.test(name))
    .map(name => [name, `node -e "fs.appendFileSync('ran', '${name} ')"`]);
  const bin = { tallycast: 'main.js' };
  await writeFile(join(folder, 'main.js'), '#!/usr/bin/env node\nconsole.log("answered")\n');
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'tallycast', version: '1.0.0', bin, scripts: Object.fromEntries(noted) }),
  );
  const env = { ...process.env, npm_config_cache: join(folder, 'cache') };
  const npm = (program: string, ...args: string[]) =>
    run(program, args, {
      cwd: folder,
      env: { ...env, npm_config_offline: 'true', npm_config_audit: 'false' },
    });
  const ran = () => readFile(join(folder, 'ran'), 'utf8');
  await npm('npm', 'install');
  expect(await ran()).toBe('postprepare ');
  expect((await npm('npx', 'tallycast')).stdout).toBe('answered\n');
  expect(await ran()).toBe('postprepare ');
  await npm('npm', 'pack');
  expect(await ran()).toBe('postprepare prepack ');
});
