import type { Command } from 'commander';
import { checkOpenFiles, type Finding } from '../start/open-files.ts';
import { examples, withProgress } from './terminal.ts';

export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('say whether the server would start here: settings, limits, engine and ports')
    .addHelpText('after', HELP)
    .action(async (_, self: Command) => {
      const findings = await withProgress(() => 'checking', look());
      const failed = findings.filter(({ status }) => status === 'failed');
      const isJson = self.optsWithGlobals()['json'];
      if (isJson) console.log(JSON.stringify({ success: failed.length === 0 ? 1 : 0, checks: findings }));
      else
        for (const { status, check, message } of findings)
          console.log(`${WORDS[status]}  ${check.padEnd(8)}  ${message}`);
      process.exitCode = Math.max(0, ...failed.map(({ exitCode = 1 }) => exitCode));
    });
}

/** With too few files to open, not even the modules of the other checks could be read. */
async function look(): Promise<Finding[]> {
  const limits = checkOpenFiles();
  if (limits.status === 'failed') return [limits];
  const { preflight } = await import('../start/preflight.ts');
  return [limits, ...(await preflight())];
}

const WORDS = { ok: 'ok    ', warning: 'warn  ', failed: 'FAILED' } as const;

const HELP = `
One line for each thing that was looked at. Exit code 0 where it would start (warnings are said), 1 where something is in the
way, 2 where a setting is faulty. It says that the ports are taken, and an embedded engine in use, while the server runs.
${examples('tallycast check', 'REDIS_URL=redis://127.0.0.1:6379 tallycast check --json')}`;
