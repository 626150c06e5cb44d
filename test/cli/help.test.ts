import { spawnSync } from 'node:child_process';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { builtFile } from '../support/relay-process.ts';
import { runToEnd } from './terminal-command.ts';

const NO_RELAY = 'http://127.0.0.1:1';
const CLI = builtFile('cli/tallycast.js');
const BUILT_IN = ['help', 'complete', 'completion'];

/** Returns all commands with their full names. */
function commandsOf(command: Command, path: readonly string[] = []): [string, Command][] {
  const below = command.commands.filter(each => !BUILT_IN.includes(each.name()));
  return below.flatMap(each => {
    const named = [...path, each.name()];
    return [[named.join(' '), each] as [string, Command], ...commandsOf(each, named)];
  });
}

const commands = commandsOf(buildProgram());

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: words => (text += words) });
  command.outputHelp();
  return text;
}

describe('help', () => {
  it('lists the documented commands', () => {
    const names = commands.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['serve', 'check', 'watch', 'poll create', 'show create', 'show point']),
    );
  });

  it.each(commands)('%s: has a description, --json and an example', (name, command) => {
    expect(command.description().length).toBeGreaterThan(10);
    const group = command.parent?.parent ? (command.parent as Command) : command;
    const help = helpOf(command);
    expect(help).toContain('--json');
    // The help of a group has the examples of its commands.
    expect(`${help}${helpOf(group)}`).toMatch(new RegExp(`\\$ .*tallycast ${name}\\b`));
  });

  it('explains the exit codes', () => {
    const { stdout } = spawnSync(process.execPath, [CLI, '--help'], { encoding: 'utf8' });
    expect(stdout).toContain('Exit codes: 0 success, 1 failure, 2 wrong usage');
  });

  it.each([[['pol']], [['poll', 'creat']], [['watch']], [['serve', '--port', '9000']], [['check', 'it']]])(
    'is offered with exit code 2 for %j',
    async args => {
      const { code, stderr } = await runToEnd(NO_RELAY, args);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: /);
    },
  );
});

describe('completion', () => {
  const complete = async (...words: string[]) =>
    (await runToEnd(NO_RELAY, ['complete', '--', ...words])).stdout;

  it('completes commands and options with their descriptions', async () => {
    expect(await complete('poll', 're')).toContain('reveal\tshow the results on all screens');
    expect(await complete('poll', 'create', '--clo')).toContain('--closes-in\t');
  });

  it.each([['bash'], ['zsh'], ['fish']])('is a valid script for %s', async shell => {
    const { stdout } = await runToEnd(NO_RELAY, ['completion', shell]);
    expect(stdout).toContain('tallycast');
    const checked = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' });
    // Only bash is on every machine.
    if (shell === 'bash' || !checked.error) expect([checked.status, checked.stderr]).toEqual([0, '']);
  });

  it('works in bash', () => {
    const script = `
      tallycast() { "${process.execPath}" "${CLI}" "$@"; }
      eval "$(tallycast completion bash)"
      compopt() { :; }
      COMP_WORDS=(tallycast poll rev) COMP_CWORD=2 COMP_LINE='tallycast poll rev' COMP_POINT=18
      $(complete -p tallycast | sed 's/.*-F \\([^ ]*\\).*/\\1/') && echo "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['reveal\n', '']);
  });
});
