import cluster from 'node:cluster';
import { pino } from 'pino';
import { mistypedSettings, readConfig } from './config.ts';
import { leaveGracefully } from './leave-gracefully.ts';
import { openFilesWarning } from './open-files.ts';
import { welcome } from './public-urls.ts';
import { startServers } from './start-servers.ts';
import { requireVpnList } from './voting-settings.ts';
import { READY, superviseWorkers } from './workers.ts';

/** Starts what the environment asks for, in this process or in workers of it, and sees it to its end. */
export async function run(): Promise<void> {
  const config = readConfig();
  const logger = pino({ level: config.LOG_LEVEL, redact: ['req.headers', 'key', '*.key'] });
  if (!cluster.isPrimary) {
    leaveGracefully(await startServers(config, logger), logger);
    process.send?.(READY);
    return;
  }

  requireVpnList(config);
  for (const warning of warnings()) logger.warn(warning);
  if (config.WORKERS > 1) {
    if (!(await superviseWorkers(config.WORKERS, logger))) return;
  } else leaveGracefully(await startServers(config, logger), logger);
  process.stdout.write(welcome(config));
}

/** What is no fault and yet hardly meant. */
function warnings(): string[] {
  const mistyped = mistypedSettings().map(
    ({ given, meant }) => `${given} is no setting of this program: did you mean ${meant}?`,
  );
  return [...mistyped, openFilesWarning()].filter(warning => warning !== undefined);
}
