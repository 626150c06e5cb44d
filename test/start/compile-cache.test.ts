import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { said } from '../support/child-process.ts';
import { builtFile } from '../support/relay-process.ts';
import { startProgram } from './program.ts';

/** In place of those that only newer Nodes have: say what would be kept where, and when. */
const CACHE = `import module from 'node:module';
module.enableCompileCache = folder => console.log('compiled code is in ' + folder);
module.flushCompileCache = () => console.log('compiled code is written');`;

it('keeps what V8 makes of it beside the program, and writes it while it runs', async () => {
  const program = await startProgram({}, { preload: CACHE });
  await program.running();
  await said(program.child, 'compiled code is written', 30_000);
  expect(program.log.match(/compiled code is .*/g)).toEqual([
    `compiled code is in ${join(dirname(builtFile('main.js')), 'compiled')}`,
    'compiled code is written',
  ]);
});
