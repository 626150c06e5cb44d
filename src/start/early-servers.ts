import type { AddressInfo } from 'node:net';
import { limitConnections } from '../http/connection-limit.ts';
import { EarlyServer } from '../http/early-server.ts';
import { LISTEN_BACKLOG } from '../http/http-limits.ts';
import { upgradeOptions } from '../live/upgrade-request.ts';
import type { Config } from './config.ts';
import { listenFault } from './listen-fault.ts';
import { connectionsOfEach } from './open-files.ts';

/** By the setting of their port. */
export type EarlyServers = Partial<Record<'PORT' | 'VOTE_PORT', EarlyServer>>;

/**
 * Listens before anything else of the program is loaded. Not in workers: another one serves meanwhile. Not on `localhost`, which is
 * two addresses.
 *
 * @returns the settings with the ports in use, where they were 0
 * @throws Error in one line that names the setting where nobody can listen there
 */
export async function openEarly(config: Config): Promise<{ config: Config; early: EarlyServers }> {
  const { HOST: host, ROLE, WORKERS } = config;
  if (WORKERS > 1 || host === 'localhost') return { config, early: {} };
  const servers: EarlyServers = {
    ...(ROLE !== 'voting' && { PORT: forUpgrades() }),
    ...(ROLE !== 'relay' && { VOTE_PORT: new EarlyServer() }),
  };
  const all = Object.entries(servers) as [keyof EarlyServers, EarlyServer][];
  const ports: Partial<Record<keyof EarlyServers, number>> = {};
  for (const [setting, server] of all) {
    limitConnections(server, connectionsOfEach(all.length), config.TRUST_PROXY);
    try {
      await server.open({ host, port: config[setting], backlog: LISTEN_BACKLOG });
    } catch (cause) {
      throw listenFault(setting, config, cause as Error);
    }
    ports[setting] = (server.address() as AddressInfo).port;
  }
  return { config: { ...config, ...ports }, early: servers };
}

function forUpgrades(): EarlyServer {
  // Node takes a request for an upgrade only where somebody listens for it.
  return new EarlyServer(upgradeOptions()).on('upgrade', () => {});
}
