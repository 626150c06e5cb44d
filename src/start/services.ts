import type { FastifyBaseLogger } from 'fastify';
import { PollLogs } from '../audit/poll-logs.ts';
import { AudienceReport } from '../engine/audience.ts';
import type { Engine } from '../engine/engine.ts';
import { type AnnouncedEngine, withEvents } from '../events/with-events.ts';
import { FairTurns } from '../http/fair-turns.ts';
import { MinuteCounts } from '../http/rate-limit.ts';
import type { PageDependencies } from '../pages/services/page-dependencies.ts';
import { withJoinCodes } from '../show/join-codes.ts';
import { KeyRing } from '../show/key-ring.ts';
import { ShowBoard } from '../show/show-board.ts';
import { withNextLetters } from '../show/shows.ts';
import type { Settings } from './config.ts';

/** What the relay and the voting front end of a process share. */
export interface Services
  extends Pick<PageDependencies, 'operators' | 'shows' | 'turns' | 'counts' | 'clock'> {
  readonly engine: AnnouncedEngine;
  readonly audience: AudienceReport;
  readonly logs: PollLogs;
  /** Call it once the servers are closed. Leaves the engine open. */
  close(): void;
}

/** Configured operator keys have all scopes, in addition to those in the engine. */
export interface ServicesOptions extends Pick<Settings, 'operatorKeys' | 'relayUrl'> {
  readonly engine: Engine;
  readonly logger: FastifyBaseLogger;
  readonly clock?: (() => number) | undefined;
}

/** Resolves once the operator keys of the engine have been read, or could not be read. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { logger, operatorKeys, relayUrl, clock = Date.now } = options;
  const engine = withEvents(withNextLetters(withJoinCodes(options.engine)));
  const operators = new KeyRing({ engine, configured: operatorKeys, clock });
  const shows = new ShowBoard(engine);
  const audience = new AudienceReport(engine.records);
  await operators.ready;
  return {
    engine,
    operators,
    shows,
    audience,
    logs: new PollLogs({ engine, relayUrl, log: logger }),
    turns: new FairTurns(),
    counts: new MinuteCounts(clock),
    clock,
    close() {
      operators.close();
      shows.close();
      audience.close();
    },
  };
}
