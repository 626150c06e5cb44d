import type { Engine } from './engine.ts';
import type { EngineOptions } from './engine-options.ts';

export type { Ballot, BallotOutcome, BallotReceipt, Proof, StoredBallot } from '../poll/ballot.ts';
export type { NewPoll, Poll, PollId, Reading, Results } from '../poll/poll.ts';
export type { PollChange } from '../poll/poll-change.ts';
export type { Engine, EngineHealth } from './engine.ts';
export type { EngineOptions } from './engine-options.ts';

/**
 * Opens the engine for the options. Loads only that engine's code.
 *
 *     import { openEngine } from 'tallycast/engine';
 *     const engine = await openEngine({ redisUrl: 'redis://127.0.0.1:6379' });
 *     const { outcome } = await engine.castBallot({ pollId, answers: [answerId], voter, address, ballotId });
 *     await engine.close();
 *
 * The human check, the sign-in that `only_reg` asks for (`signedIn: true`) and the look-up of VPNs
 * (`behindVpn`) are the caller's.
 *
 * @throws Error in one line if Redis cannot be reached or is older than 7, or if another process
 *   uses the data directory
 */
export async function openEngine({ redisUrl, ...options }: EngineOptions = {}): Promise<Engine> {
  if (redisUrl === undefined) {
    const { openEmbeddedEngine } = await import('./embedded/embedded-engine.ts');
    return openEmbeddedEngine(options);
  }
  const { openRedisEngine } = await import('./redis/redis-engine.ts');
  return openRedisEngine({ ...options, redisUrl });
}
