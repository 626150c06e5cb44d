import type { RootDatabase } from 'lmdb';
import { PollError } from '../../poll/poll-error.ts';

/**
 * Runs an action inside one write transaction; resolves once it is on disk.
 *
 * @param committed runs as soon as others can read what was written; the promise waits until it is on disk, too
 * @throws PollError `engine_unavailable`
 */
export type WriteTransaction = <T>(action: () => T, committed?: (value: T) => void) => Promise<T>;

/** Transactions that are asked for while one commits are committed together: durability costs one flush for many. */
export function writeTransactions(root: RootDatabase): WriteTransaction {
  return async (action, committed) => {
    try {
      const value = await root.transaction(action);
      committed?.(value);
      await root.flushed;
      return value;
    } catch (cause) {
      throw new PollError('engine_unavailable', { cause });
    }
  };
}
