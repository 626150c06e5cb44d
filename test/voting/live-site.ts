import { createServer } from 'node:net';
import type { VotingOptions } from '../../src/voting/voting-options.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

/** Relay and voting front end as one process runs them, both listening on ports of their own. */
export interface LiveSite extends VotingSite {
  readonly relay: TestRelay;
  /** Like `http://127.0.0.1:12345`. */
  readonly url: string;
}

export async function startLiveSite(options: Partial<VotingOptions> = {}): Promise<LiveSite> {
  const relay = await startTestRelay();
  // The front end must know its own address before it listens.
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const site = await startVotingSite({
    engine: relay.engine,
    publicUrl: relay.url,
    votePublicUrl: url,
    ...options,
  });
  await site.server.listen({ host: '127.0.0.1', port });
  return {
    ...site,
    relay,
    url,
    async close() {
      await site.close();
      await relay.close();
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>(done => probe.listen(0, '127.0.0.1', done));
  const address = probe.address();
  await new Promise(done => probe.close(done));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
