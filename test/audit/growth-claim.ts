import { expect } from 'vitest';
import { nodeCrypto } from '../../src/audit/node-crypto.ts';
import { verifyLog } from '../../src/audit/verify-log.ts';
import { ScriptedLog } from './scripted-log.ts';

/** Checks that an open log of this size is found to have grown from each of its earlier checkpoints. */
export async function expectGrowth(size: number, earlier: readonly number[]): Promise<void> {
  const log = new ScriptedLog().add(size);
  log.ended = false;
  const seen = earlier.map(each => ({ name: `at ${each}`, note: log.checkpoint(each) }));
  log.asked.length = 0;
  const { pollId, read, results } = log;
  const verdict = await verifyLog({ pollId, crypto: nodeCrypto, read, results, seen });
  expect(verdict).toMatchObject({ faults: [], isComplete: false, checkpoint: { size } });
  expect(verdict.contained).toHaveLength(seen.length);
  expect(log.asked.length).toBeLessThan(20);
  expect(log.asked.join(' ')).not.toContain('entries');
}
