import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { builtFile } from '../support/relay-process.ts';

const CLI = builtFile('tallycast.js');
const OWN = ['help', 'complete', 'completion'];

/** Every command, below its groups. */
function commandsOf(command: Command, path: readonly string[] = []): [string, Command][] {
  const below = command.commands.filter(each => !OWN.includes(each.name()));
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
  it('is there for what the terminal promises', () => {
    const names = commands.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'serve',
        'check',
        'watch',
        'bench',
        'poll create',
        'show create',
        'show point',
      ]),
    );
  });

  it.each(commands)(
    '%s: says what it does, takes --json, and has an example that names it',
    (name, command) => {
      expect(command.description().length).toBeGreaterThan(10);
      const group = command.parent?.parent ? (command.parent as Command) : command;
      const help = helpOf(command);
      expect(help).toContain('--json');
      // Of what belongs together one help has the examples of all.
      expect(`${help}${helpOf(group)}`).toMatch(new RegExp(`\\$ .*tallycast ${name}\\b`));
    },
  );

  it('says what the exit codes mean', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, '--help']);
    expect(stdout).toContain('Exit codes: 0 done, 1 it failed, 2 wrong use');
  });

  it.each([[['pol']], [['poll', 'creat']], [['watch']], [['serve', '--port', '9000']], [['check', 'it']]])(
    'is offered, and the exit code is 2, at %j',
    args => {
      const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
      expect(status).toBe(2);
      expect(stderr).toMatch(/^error: /);
    },
  );
});

describe('completion', () => {
  const complete = (...words: string[]) =>
    spawnSync(process.execPath, [CLI, 'complete', '--', ...words], { encoding: 'utf8' }).stdout;

  it('offers commands, and options with what they mean', () => {
    expect(complete('poll', 're')).toContain('reveal\tshow the results to everybody');
    expect(complete('poll', 'create', '--clo')).toContain('--closes-in\t');
  });

  it.each([['bash'], ['zsh'], ['fish']])('is a script that %s can read', shell => {
    const { stdout } = spawnSync(process.execPath, [CLI, 'completion', shell], { encoding: 'utf8' });
    expect(stdout).toContain('tallycast');
    const checked = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' });
    // Not every machine has every shell; bash is everywhere.
    if (shell === 'bash' || !checked.error) expect([checked.status, checked.stderr]).toEqual([0, '']);
  });

  it('completes in bash itself', () => {
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
