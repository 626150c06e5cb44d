import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { VERSION } from '../document/product.ts';
import { addArchiveCommands } from './archive-commands.ts';
import { addBenchCommand } from './bench-command.ts';
import { addCheckCommand } from './check-command.ts';
import { addKeyCommands } from './key-commands.ts';
import { addPollCommands } from './poll-commands.ts';
import { addServeCommand } from './serve-command.ts';
import { addShowCommands } from './show-commands.ts';
import { addWatchCommand } from './watch-command.ts';
import { examples } from './terminal.ts';

/**
 * Every command, without running any: one file for each group in `command/`. A command loads what it works with only when it
 * is asked to, so that help and completion come at once.
 */
export function buildProgram(): Command {
  const program = new Command('tallycast')
    .description(
      'Self-hosted, real-time poll results: the server, and all that one does with it at a terminal.',
    )
    .version(VERSION, '--version')
    .option('--json', 'print JSON for programs')
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', HELP);
  addServeCommand(program);
  addCheckCommand(program);
  addPollCommands(program);
  addShowCommands(program);
  addWatchCommand(program);
  addBenchCommand(program);
  addKeyCommands(program);
  addArchiveCommands(program);
  tab(program, { completionCommandName: COMPLETION });
  program.hook('preAction', (_, command) => {
    if (command.name() === COMPLETION && command.args[0] === 'bash') console.log(BASH_WORDS);
  });
  return program;
}

const COMPLETION = 'completion';
/** The script for bash leans on bash-completion, which is not on every machine. */
const BASH_WORDS = `
declare -F _get_comp_words_by_ref > /dev/null || _get_comp_words_by_ref() {
  cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} cword=$COMP_CWORD
  words=("\${COMP_WORDS[@]}")
}`;

const HELP = `
Completion:  source <(tallycast completion bash)   (zsh, fish and powershell as well)

Without a command it serves. Settings of the server are environment variables; src/start/README.md lists them.

Exit codes: 0 done, 1 it failed, 2 wrong use (the command line or a setting: trying again will not help).
${examples(
  'tallycast',
  'tallycast poll create "Which song next?" Waterloo Volare',
  'TALLYCAST_KEY=admin_… tallycast poll close <poll id>',
  'tallycast watch <poll id>',
)}`;
