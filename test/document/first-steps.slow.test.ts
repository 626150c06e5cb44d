// @module-tag python3
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { startProgram } from '../start/program.ts';
import { programPath } from '../support/programs.ts';

const run = promisify(execFile);
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  bash: ['bash', 'steps.sh'],
  mjs: [process.execPath, 'steps.mjs'],
  python: [programPath('python3'), 'steps.py'],
};

/** The first programs of `/docs`, as a reader copies them from the served page. */
async function firstPrograms(url: string): Promise<[language: string, text: string][]> {
  const page = await (await fetch(`${url}/docs`)).text();
  const blocks = [...page.matchAll(/<pre data-language="(\w+)"><code>([^<]*)<\/code><\/pre>/g)];
  return blocks
    .slice(0, 3)
    .map(([, language = '', text = '']) => [
      language,
      text.replace(/&\w+;/g, entity => ENTITIES[entity] ?? entity),
    ]);
}

it('the first programs of /docs run as shown: create, show, listen, close', { timeout: 90_000 }, async () => {
  const relay = await startProgram();
  await relay.running();
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-steps-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const programs = await firstPrograms(relay.url);
  expect(programs.map(([language]) => language)).toEqual(Object.keys(PROGRAMS));

  const runs = programs.map(async ([language, text]) => {
    const [program = '', file = ''] = PROGRAMS[language] ?? [];
    await writeFile(join(folder, file), text);
    return run(program, [file], { cwd: folder, timeout: 60_000 });
  });
  for (const { stdout, stderr } of await Promise.all(runs)) {
    expect(stderr).toBe('');
    const [shown = '', ...results] = stdout.trim().split(/\n(?=\{|0 )/);
    const [id] = /\w{12}$/.exec(shown) ?? [];
    expect(shown).toBe(`Vote at ${relay.voteUrl}/${id} and watch ${relay.url}/overlay/${id}`);
    // Before and after the close.
    expect(results).toHaveLength(2);
    for (const text of results) expect(text).toMatch(/Waterloo[\s\S]*Volare/);
    const closed = await (await fetch(`${relay.url}/api/poll/${id}`)).json();
    expect(closed).toMatchObject({ status: 'closed', total_votes: 0 });
  }
});
