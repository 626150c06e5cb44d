import cluster from 'node:cluster';
import { pino } from 'pino';
import { mistypedSettings, readConfig } from './config.ts';
import { leaveGracefully } from './leave-gracefully.ts';
import { openFilesWarning } from './open-files.ts';
import { startServers } from './start-servers.ts';
import { requireVpnList } from './voting-settings.ts';
import { welcome } from './welcome.ts';
import { superviseWorkers } from './workers.ts';

/** Starts what the environment asks for, in this process or in workers of it, and sees it to its end. */
export async function run(): Promise<void> {
  const config = readConfig();
  const logger = pino({ level: config.LOG_LEVEL, redact: ['req.headers', 'key', '*.key'] });
  if (!cluster.isPrimary) return leaveGracefully(await startServers(config, logger), logger);

  requireVpnList(config);
  for (const { given, meant } of mistypedSettings())
    logger.warn(`${given} is no setting of this program: did you mean ${meant}?`);
  const warning = openFilesWarning();
  if (warning) logger.warn(warning);
  if (config.WORKERS > 1) {
    if (!(await superviseWorkers(config.WORKERS, logger))) return;
  } else leaveGracefully(await startServers(config, logger), logger);
  process.stdout.write(welcome(config));
}
