import cluster from 'node:cluster';
import closeWithGrace from 'close-with-grace';
import { type Config, readConfig } from './start/config.ts';
import { startServers } from './start/start-servers.ts';
import { welcome } from './start/welcome.ts';
import { superviseWorkers } from './start/workers.ts';

/** The program: settings in, servers out, and a clean end on SIGTERM or SIGINT. */

const FAREWELL_MS = 10_000;

try {
  const config = readConfig();
  if (config.WORKERS > 1 && cluster.isPrimary) await superviseWorkers(config.WORKERS);
  else await serve(config);
  if (cluster.isPrimary) process.stdout.write(welcome(config));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function serve(config: Config): Promise<void> {
  const servers = await startServers(config);
  closeWithGrace({ delay: FAREWELL_MS, logger: servers.logger }, async ({ err }) => {
    if (err) servers.logger.fatal({ err }, 'ending after an error that nobody caught');
    await servers.close();
  });
}
