import type { Records } from '../records.ts';
import type { EmbeddedTables, StoredRecord } from './embedded-tables.ts';
import type { WriteTransaction } from './write-transaction.ts';

export class EmbeddedRecords implements Records {
  readonly #tables: EmbeddedTables;
  readonly #write: WriteTransaction;

  constructor(tables: EmbeddedTables, write: WriteTransaction) {
    this.#tables = tables;
    this.#write = write;
  }

  async find(name: string): Promise<string | undefined> {
    return this.#living(name);
  }

  async findMany(names: readonly string[]): Promise<(string | undefined)[]> {
    return names.map(name => this.#living(name));
  }

  putIfAbsent(name: string, text: string, ttlMs?: number): Promise<string> {
    return this.#write(() => {
      const kept = this.#living(name);
      if (kept !== undefined) return kept;
      this.#tables.records.putSync(name, record(text, ttlMs));
      return text;
    });
  }

  async put(name: string, text: string, ttlMs?: number): Promise<void> {
    await this.#write(() => this.#tables.records.putSync(name, record(text, ttlMs)));
  }

  replace(name: string, expected: string, text: string | undefined): Promise<boolean> {
    return this.#write(() => {
      if (this.#living(name) !== expected) return false;
      if (text === undefined) this.#tables.records.removeSync(name);
      else this.#tables.records.putSync(name, record(text, undefined));
      return true;
    });
  }

  spend(name: string, amount: number, budget: number, ttlMs: number): Promise<boolean> {
    return this.#write(() => {
      const spent = Number(this.#living(name) ?? 0) + amount;
      if (spent > budget) return false;
      this.#tables.records.putSync(name, record(`${spent}`, ttlMs));
      return true;
    });
  }

  async remove(name: string): Promise<void> {
    await this.#write(() => this.#tables.records.removeSync(name));
  }

  #living(name: string): string | undefined {
    const found = this.#tables.records.get(name);
    return found && (found.expiresAtMs === null || found.expiresAtMs > Date.now()) ? found.text : undefined;
  }
}

function record(text: string, ttlMs: number | undefined): StoredRecord {
  return { text, expiresAtMs: ttlMs === undefined ? null : Date.now() + ttlMs };
}
