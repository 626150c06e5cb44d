import closeWithGrace from 'close-with-grace';
import { readConfig } from './config.ts';
import { startServers } from './start-servers.ts';

/** The program: settings in, servers out, and a clean end on SIGTERM or SIGINT. */

const FAREWELL_MS = 10_000;

try {
  const servers = await startServers(readConfig());
  process.stdout.write(servers.welcome);
  closeWithGrace({ delay: FAREWELL_MS, logger: servers.logger }, async ({ err }) => {
    if (err) servers.logger.fatal({ err }, 'ending after an error that nobody caught');
    await servers.close();
  });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
