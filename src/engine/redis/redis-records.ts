import type { Records } from '../records.ts';
import type { CommandsInFlight } from './commands-in-flight.ts';
import type { RedisKeys } from './redis-keys.ts';

export class RedisRecords implements Records {
  readonly #commands: CommandsInFlight;
  readonly #keys: RedisKeys;
  readonly #isClustered: boolean;

  /** @param isClustered whether Redis runs in cluster mode, where one command may not touch two slots */
  constructor(commands: CommandsInFlight, keys: RedisKeys, isClustered: boolean) {
    this.#commands = commands;
    this.#keys = keys;
    this.#isClustered = isClustered;
  }

  async find(name: string): Promise<string | undefined> {
    const text = await this.#commands.send(client => client.get(this.#keys.record(name)));
    return text ?? undefined;
  }

  async findMany(names: readonly string[]): Promise<(string | undefined)[]> {
    if (names.length === 0) return [];
    const keys = names.map(name => this.#keys.record(name));
    const texts = await this.#commands.send(client =>
      this.#isClustered ? Promise.all(keys.map(key => client.get(key))) : client.mget(...keys),
    );
    return texts.map(text => text ?? undefined);
  }

  async putIfAbsent(name: string, text: string, ttlMs?: number): Promise<string> {
    const key = this.#keys.record(name);
    // SET NX GET: one command both takes the name and tells who had it.
    const earlier = await this.#commands.write(client =>
      ttlMs === undefined
        ? client.set(key, text, 'NX', 'GET')
        : client.set(key, text, 'PX', wholeMs(ttlMs), 'NX', 'GET'),
    );
    return earlier ?? text;
  }

  async put(name: string, text: string, ttlMs?: number): Promise<void> {
    const key = this.#keys.record(name);
    await this.#commands.write(client =>
      ttlMs === undefined ? client.set(key, text) : client.set(key, text, 'PX', wholeMs(ttlMs)),
    );
  }

  async replace(name: string, expected: string, text: string | undefined): Promise<boolean> {
    const values = text === undefined ? [expected] : [expected, text];
    return (
      (await this.#commands.write(client => client.replaceRecord(this.#keys.record(name), ...values))) === 1
    );
  }

  async spend(name: string, amount: number, budget: number, ttlMs: number): Promise<boolean> {
    const key = this.#keys.record(name);
    return (
      (await this.#commands.write(client => client.spendRecord(key, amount, budget, wholeMs(ttlMs)))) === 1
    );
  }

  async remove(name: string): Promise<void> {
    await this.#commands.write(client => client.unlink(this.#keys.record(name)));
  }
}

/** Redis refuses fractions and anything below 1. */
function wholeMs(ttlMs: number): number {
  return Math.max(1, Math.ceil(ttlMs));
}
