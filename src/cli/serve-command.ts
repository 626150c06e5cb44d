import type { Command } from 'commander';
import { examples } from './terminal.ts';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('start the relay and the voting front end, as the settings in the environment say')
    .showHelpAfterError('Settings are environment variables: PORT=9000 tallycast serve')
    .addHelpText('after', HELP)
    .action(async () => {
      await import('../main.ts');
    });
}

const HELP = `
Without REDIS_URL everything is kept in DATA_DIR (./data), for one process at a time.
${examples(
  'tallycast serve',
  'PORT=9000 VOTE_PORT=9001 DATA_DIR=/var/lib/tallycast tallycast serve',
  'REDIS_URL=redis://127.0.0.1:6379 ROLE=relay WORKERS=2 tallycast serve',
)}`;
