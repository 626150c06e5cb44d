import { randomBytes } from 'node:crypto';
import type { Records } from './engine.ts';

type ProcessKind = 'audience' | 'chat:state';

/** Between two updates of the list, which drop processes whose records have expired. */
const ENROL_MS = 60_000;

/** A record for each process of a kind, which expires with it, and the list of their ids. */
export class ProcessRecords {
  readonly id = randomBytes(9).toString('base64url');
  readonly #records: Records;
  readonly #kind: ProcessKind;
  #enrolledMs = Number.NEGATIVE_INFINITY;

  constructor(records: Records, kind: ProcessKind) {
    this.#records = records;
    this.#kind = kind;
  }

  /** Writes the record of this process. */
  async put(text: string, ttlMs: number): Promise<void> {
    await this.#records.put(recordOf(this.#kind, this.id), text, ttlMs);
    const nowMs = performance.now();
    if (nowMs - this.#enrolledMs < ENROL_MS) return;
    await this.#enrol();
    this.#enrolledMs = nowMs;
  }

  remove(): Promise<void> {
    return this.#records.remove(recordOf(this.#kind, this.id));
  }

  /** Repeats if another process has changed the list meanwhile. */
  async #enrol(): Promise<void> {
    for (;;) {
      const list = await this.#records.putIfAbsent(this.#kind, JSON.stringify([this.id]));
      const others = (await present(this.#records, this.#kind, list)).map(([id]) => id);
      const ids = [...others.filter(id => id !== this.id), this.id];
      if (await this.#records.replace(this.#kind, list, JSON.stringify(ids))) return;
    }
  }
}

/** What a process writes that has nothing to report: it may expire. */
const NOTHING = '{}';
/** An unchanged record is written again, so that it does not expire. */
const RENEW_MS = 5_000;
const TTL_MS = 15_000;

/** Writes what `read` returns whenever it has changed, at most once in a time. @returns ends it */
export function reportEvery(ms: number, record: ProcessRecords, read: () => object): () => void {
  let written = NOTHING;
  let writtenMs = Number.NEGATIVE_INFINITY;
  let isWriting = false;
  const report = async () => {
    const text = JSON.stringify(read());
    const nowMs = performance.now();
    const isDue = text !== NOTHING && nowMs - writtenMs >= RENEW_MS;
    if (isWriting || (text === written && !isDue)) return;
    isWriting = true;
    await record.put(text, TTL_MS).then(
      () => {
        written = text;
        writtenMs = nowMs;
      },
      () => {
        written = '';
      },
    );
    isWriting = false;
  };
  const timer = setInterval(() => void report(), ms).unref();
  return () => clearInterval(timer);
}

/** Reads the records of all processes of a kind, by their ids. */
export async function readProcessRecords(records: Records, kind: ProcessKind): Promise<Map<string, string>> {
  const list = await records.find(kind);
  return new Map(list === undefined ? [] : await present(records, kind, list));
}

async function present(records: Records, kind: ProcessKind, list: string): Promise<[string, string][]> {
  const ids: string[] = JSON.parse(list);
  const texts = await records.findMany(ids.map(id => recordOf(kind, id)));
  return ids.flatMap((id, index): [string, string][] => {
    const text = texts[index];
    return text === undefined ? [] : [[id, text]];
  });
}

function recordOf(kind: ProcessKind, id: string): `${ProcessKind}:${string}` {
  return `${kind}:${id}`;
}
