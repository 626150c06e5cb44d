import type { Redis } from 'ioredis';
import type { RecordStore } from '../record-store.ts';
import { engineUnavailable } from './redis-failure.ts';
import type { RedisKeys } from './redis-keys.ts';

export class RedisRecordStore implements RecordStore {
  readonly #client: Redis;
  readonly #keys: RedisKeys;

  constructor(client: Redis, keys: RedisKeys) {
    this.#client = client;
    this.#keys = keys;
  }

  async find(name: string): Promise<string | undefined> {
    const text = await this.#client.get(this.#keys.record(name)).catch(rejectUnavailable);
    return text ?? undefined;
  }

  async keep(name: string, text: string, ttlMs?: number): Promise<string> {
    const key = this.#keys.record(name);
    // SET NX GET: one command both takes the name and tells who had it.
    const earlier =
      ttlMs === undefined
        ? this.#client.set(key, text, 'NX', 'GET')
        : this.#client.set(key, text, 'PX', wholeMs(ttlMs), 'NX', 'GET');
    return (await earlier.catch(rejectUnavailable)) ?? text;
  }

  async put(name: string, text: string, ttlMs?: number): Promise<void> {
    const key = this.#keys.record(name);
    const stored =
      ttlMs === undefined ? this.#client.set(key, text) : this.#client.set(key, text, 'PX', wholeMs(ttlMs));
    await stored.catch(rejectUnavailable);
  }

  async remove(name: string): Promise<void> {
    await this.#client.unlink(this.#keys.record(name)).catch(rejectUnavailable);
  }
}

/** Redis refuses fractions and anything below 1. */
function wholeMs(ttlMs: number): number {
  return Math.max(1, Math.ceil(ttlMs));
}

function rejectUnavailable(cause: unknown): never {
  throw engineUnavailable(cause);
}
