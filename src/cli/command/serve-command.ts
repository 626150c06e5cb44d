import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { examples } from '../examples.ts';

/** Bounds V8's young garbage, as `npm start` does: Node 24 and 26 would keep 64 MB of it for a crowd. Too late once V8 runs. */
const FLAG = '--max-semi-space-size=8';

/** Of newer Node, and not on Windows. It becomes the other program: same process, same signals. */
const { execve } = process as { execve?: (file: string, args: readonly string[]) => never };

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('start the relay and the voting front end, as the settings in the environment say')
    .showHelpAfterError('Settings are environment variables: PORT=9000 tallycast serve')
    .addHelpText('after', HELP)
    .action(async () => {
      const isTuned = [...process.execArgv, process.env['NODE_OPTIONS']].join().includes('semi-space-size');
      if (execve && !isTuned)
        execve(process.execPath, [
          process.execPath,
          FLAG,
          ...process.execArgv,
          fileURLToPath(new URL('../../main.js', import.meta.url)),
        ]);
      await import('../../main.ts');
    });
}

const HELP = `
Without REDIS_URL everything is kept in DATA_DIR (./data), for one process at a time.
${examples(
  'tallycast serve',
  'PORT=9000 VOTE_PORT=9001 DATA_DIR=/var/lib/tallycast tallycast serve',
  'REDIS_URL=redis://127.0.0.1:6379 ROLE=relay WORKERS=2 tallycast serve',
)}`;
