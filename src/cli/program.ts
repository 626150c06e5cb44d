import tab from '@bomb.sh/tab/commander';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { VERSION } from '../http/product.ts';
import { addArchiveCommands } from './archive-commands.ts';
import { addKeyCommands } from './key-commands.ts';
import { addPollCommands } from './poll-commands.ts';
import { addShowCommands } from './show-commands.ts';
import { CommandFailure, examples, safeJson, withProgress } from './terminal.ts';
import { addVerifyCommand } from './verify-command.ts';
import { addWatchCommand } from './watch-command.ts';

/** Starts the server. The only command that does not end by itself. */
export const SERVE = 'serve';
const FAILED = 1;
const WRONG_USE = 2;

/** Runs a command to its end and prints its failure in one line. @returns the exit code */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const program = buildProgram();
  const failed = (message: string, exitCode: number, reply?: CommandFailure['reply']): number => {
    if (program.opts()['json'])
      console.log(safeJson({ success: 0, error: { code: 'failed', message, ...reply } }));
    console.error(`tallycast: ${message}`);
    return exitCode;
  };
  try {
    await program.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommandFailure) return failed(error.message, FAILED, error.reply);
    if (error instanceof InvalidArgumentError) return failed(error.message, WRONG_USE);
    // Commander has already printed its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE;
    // An invalid setting, in a command that reads the server's.
    const { message, exitCode } = error as Error & { readonly exitCode?: number };
    if (exitCode === undefined) throw error;
    return failed(message, exitCode);
  }
}

/** Returns all commands. Each loads its code when it runs, so that help and completion are fast. */
export function buildProgram(): Command {
  const program = new Command('tallycast')
    .description('Self-hosted, real-time poll results: the server and its command-line tools.')
    .version(VERSION, '--version')
    .option('--json', 'print JSON for programs')
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', HELP);
  addServeCommand(program);
  addCheckCommand(program);
  addHealthCommand(program);
  addPollCommands(program);
  addShowCommands(program);
  addWatchCommand(program);
  addVerifyCommand(program);
  addKeyCommands(program);
  addArchiveCommands(program);
  tab(program, { completionCommandName: COMPLETION });
  program.hook('preAction', (_, command) => {
    if (command.name() === COMPLETION && command.args[0] === 'bash') console.log(BASH_WORDS);
  });
  return program;
}

const COMPLETION = 'completion';
/** The bash script requires bash-completion, which some machines lack. */
const BASH_WORDS = `
declare -F _get_comp_words_by_ref > /dev/null || _get_comp_words_by_ref() {
  cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} cword=$COMP_CWORD
  words=("\${COMP_WORDS[@]}")
}`;

const HELP = `
Completion:  source <(tallycast completion bash)   (also zsh, fish and powershell)

Without a command, tallycast runs serve. The server is configured by environment variables; see src/start/README.md.

Exit codes: 0 success, 1 failure, 2 wrong usage (the command line or a setting; trying again will not help).
${examples(
  'tallycast',
  'tallycast poll create "Which song next?" Waterloo Volare --private',
  'TALLYCAST_KEY=admin_… tallycast poll close <poll id>',
  'tallycast watch <poll id>',
)}`;

function addServeCommand(program: Command): void {
  program
    .command(SERVE)
    .description('start the relay and the voting front end, configured by environment variables')
    .option('--lan', 'open the servers to the network, with its address in links')
    .showHelpAfterError('Settings are environment variables: PORT=9000 tallycast serve')
    .addHelpText('after', SERVE_HELP)
    .action(async () => {
      await import('../start/main.ts');
      // A signal ends the process.
      await new Promise(() => {});
    });
}

const SERVE_HELP = `
Without REDIS_URL the data is stored in DATA_DIR (./data), which one process can use at a time.
${examples(
  'tallycast serve --lan',
  'PORT=9000 VOTE_PORT=9001 DATA_DIR=/var/lib/tallycast tallycast serve',
  'REDIS_URL=redis://127.0.0.1:6379 ROLE=relay WORKERS=2 tallycast serve',
)}`;

function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('check whether the server can start here: settings, limits, engine and ports')
    .addHelpText('after', CHECK_HELP)
    .action(async (_, self: Command) => {
      const { checkOpenFiles, preflight } = await import('../start/preflight.ts');
      const limits = checkOpenFiles();
      // Too few open files would fail the other checks, too.
      const others = limits.status === 'failed' ? [] : await withProgress(() => 'checking', preflight());
      const findings = [limits, ...others];
      const failed = findings.filter(({ status }) => status === 'failed');
      if (self.optsWithGlobals()['json'])
        console.log(JSON.stringify({ success: failed.length === 0 ? 1 : 0, checks: findings }));
      else
        for (const { status, check, message } of findings)
          console.log(`${STATUS_WORDS[status]}  ${check.padEnd(8)}  ${message}`);
      process.exitCode = Math.max(0, ...failed.map(({ exitCode = 1 }) => exitCode));
    });
}

const STATUS_WORDS = { ok: 'ok    ', warning: 'warn  ', failed: 'FAILED' } as const;

const CHECK_HELP = `
Prints one line for each check. Exit code 0: the server would start (maybe with warnings). 1: something prevents it. 2: a setting is
invalid. While the server runs, its ports and an embedded engine are reported as in use.
${examples('tallycast check', 'REDIS_URL=redis://127.0.0.1:6379 tallycast check --json')}`;

const HEALTH_MS = 2_500;

function addHealthCommand(program: Command): void {
  program
    .command('health')
    .description('ask the servers that run here with these settings whether they are alive')
    .addHelpText('after', HEALTH_HELP)
    .action(async (_, self: Command) => {
      const { localUrl, portsOf, readConfig } = await import('../start/config.ts');
      const config = readConfig();
      const servers = await Promise.all(
        portsOf(config).map(async setting => {
          const url = `${localUrl(config, setting)}/livez`;
          const reply = await fetch(url, { signal: AbortSignal.timeout(HEALTH_MS) }).catch(() => undefined);
          return { url, alive: reply?.ok ?? false };
        }),
      );
      const areAlive = servers.every(({ alive }) => alive);
      if (self.optsWithGlobals()['json']) console.log(JSON.stringify({ success: areAlive ? 1 : 0, servers }));
      else for (const { url, alive } of servers) console.log(`${alive ? 'ok    ' : 'FAILED'}  ${url}`);
      process.exitCode = areAlive ? 0 : FAILED;
    });
}

const HEALTH_HELP = `
For probes of containers: exit code 0 if each server of the ROLE answers within 2.5 s, otherwise 1.
${examples('tallycast health', 'ROLE=relay PORT=9000 tallycast health')}`;
