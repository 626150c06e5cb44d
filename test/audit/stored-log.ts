import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Database } from 'lmdb';
import { LOG_KEY } from '../../src/audit/poll-logs.ts';
import { keysOfPoll, openTables, storeIn } from '../../src/engine/embedded/embedded-tables.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { PollId } from '../../src/poll/poll.ts';
import { startRedisServer } from '../support/redis-server.ts';

/** What an engine stores of a verifiable poll, as a person with access to the storage sees and changes it. */
export interface StoredLogData {
  /** By sequence, maybe with gaps. */
  readonly ballots: readonly StoredEntry[];
  /** The highest sequence. */
  readonly last: number;
  /** The state under an empty name, and parts. */
  readonly log: Readonly<Record<string, string>>;
  /** The private key. */
  readonly key: string;
  readonly votes: Readonly<Record<string, number>>;
}

export interface StoredEntry {
  readonly sequence: number;
  readonly ballotId: string;
  /** As they were accepted. */
  readonly answers: readonly string[];
  /** Of a change: the id of the voter's first ballot. */
  readonly replaces?: string | undefined;
}

/** An entry as engines see it. */
interface LinkedEntry extends Omit<StoredEntry, 'replaces'> {
  /** The sequence of the ballot that it changes. */
  readonly replaces: number | undefined;
  readonly lastChange: StoredEntry | undefined;
}

export function linkEntries(entries: readonly StoredEntry[]): LinkedEntry[] {
  const sequences = new Map(entries.map(({ ballotId, sequence }) => [ballotId, sequence]));
  const changes = new Map(entries.map(entry => [entry.replaces, entry]));
  return entries.map(entry => ({
    ...entry,
    // Without that ballot it is one of its own.
    replaces: entry.replaces === undefined ? undefined : sequences.get(entry.replaces),
    lastChange: changes.get(entry.ballotId),
  }));
}

function idsBySequence(
  entries: readonly (Omit<StoredEntry, 'replaces'> & { readonly replaces?: number | undefined })[],
): StoredEntry[] {
  const ids = new Map(entries.map(({ sequence, ballotId }) => [sequence, ballotId]));
  return entries.map(({ replaces, ...entry }) => ({ ...entry, replaces: ids.get(replaces ?? 0) }));
}

/** Changes stored data past the engine. */
export interface LogStorage {
  /** While the poll is prepared. */
  readonly engine: Engine;
  /** Reads the data of a closed poll, and ends the preparation. */
  read(id: PollId): Promise<StoredLogData>;
  /** An engine on the read data after a change. MUST be closed before the next one is opened. */
  open(data: StoredLogData): Promise<{ readonly engine: Engine; close(): Promise<void> }>;
  close(): Promise<void>;
}

export async function redisStorage(): Promise<LogStorage> {
  const server = await startRedisServer();
  const engine = await openEngine({ redisUrl: server.url });
  const client = new Redis(server.url);
  let hash = '';
  let record = '';
  let state: Record<string, string> = {};
  return {
    engine,
    async read(id) {
      hash = (await client.keys(`*{${id}}:poll-*`))[0]!;
      record = (await client.keys(`*${LOG_KEY}*`))[0]!;
      const fields = Object.entries(await client.hgetall(hash));
      const withPrefix = (prefix: string): [string, string][] =>
        fields.flatMap(([name, value]) =>
          name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
        );
      const ballots = withPrefix('b:').map(([ballotId, text]) => {
        const [sequence, , , mark = '', stored = ''] = text.split(' ');
        const [, logged = stored] = /^>\d+>(.*)$/.exec(mark) ?? [];
        const replaces = mark.startsWith('<') ? Number(mark.slice(1)) : undefined;
        return { sequence: Number(sequence), ballotId, answers: logged.split(',').filter(Boolean), replaces };
      });
      state = Object.fromEntries(fields.filter(([name]) => !/^(b|l|log|votes):/.test(name)));
      const votes = withPrefix('votes:').map(([answer, count]) => [answer, Number(count)] as const);
      return {
        ballots: idsBySequence(ballots.sort((one, other) => one.sequence - other.sequence)),
        last: Number(state['sequence']),
        log: Object.fromEntries(withPrefix('log:')),
        key: (await client.get(record))!,
        votes: Object.fromEntries(votes),
      };
    },
    async open({ ballots, last, log, key, votes }) {
      const voters = Object.values(votes).reduce((sum, count) => sum + count, 0);
      const fields: Record<string, string | number> = { ...state, sequence: last, voters };
      for (const { sequence, ballotId, answers, replaces, lastChange } of linkEntries(ballots)) {
        const change = lastChange && `>${lastChange.sequence}>${answers}`;
        const mark = replaces === undefined ? (change ?? '') : `<${replaces}`;
        const now = replaces === undefined ? (lastChange?.answers ?? answers) : answers;
        fields[`b:${ballotId}`] = `${sequence} ${sequence + 1} 1800000000000 ${mark} ${now} `;
        fields[`l:${sequence}`] = ballotId;
      }
      for (const [name, text] of Object.entries(log)) fields[`log:${name}`] = text;
      for (const [answer, count] of Object.entries(votes)) fields[`votes:${answer}`] = count;
      await client.multi().del(hash).hset(hash, fields).set(record, key).exec();
      return { engine, close: async () => {} };
    },
    async close() {
      client.disconnect();
      await engine.close();
      await server.stop();
    },
  };
}

export async function embeddedStorage(): Promise<LogStorage> {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-stored-'));
  const engine = await openEngine({ dataDir: folder });
  let id: PollId = '';
  let answers: string[] = [];
  return {
    engine,
    async read(pollId) {
      id = pollId;
      await engine.close();
      const tables = openTables(folder);
      const tally = tables.tallies.get(id)!;
      answers = tables.polls.get(id)!.poll.answers.map(answer => answer.id);
      const ballots = [...tables.ballots.getRange(keysOfPoll(id))].map(({ value }) => ({
        sequence: value.sequence!,
        ballotId: value.ballotId,
        answers: value.logged?.answers ?? value.answers,
        replaces: value.replaces,
      }));
      const texts = [...tables.logs.getRange(keysOfPoll(id))].map(({ key, value }) => [key[1], value]);
      const key = tables.records.get(LOG_KEY)!.text;
      const votes = answers.map((answer, at) => [answer, tally.votes[at]!]);
      await tables.root.close();
      return {
        ballots: idsBySequence(ballots),
        last: tally.sequence!,
        key,
        log: Object.fromEntries(texts),
        votes: Object.fromEntries(votes),
      };
    },
    async open(data) {
      const copy = await mkdtemp(join(tmpdir(), 'tallycast-stored-'));
      await copyFile(storeIn(folder), storeIn(copy));
      await writeTables(copy, id, answers, data);
      const opened = await openEngine({ dataDir: copy });
      return {
        engine: opened,
        async close() {
          await opened.close();
          await rm(copy, { recursive: true });
        },
      };
    },
    close: () => rm(folder, { recursive: true }),
  };
}

async function writeTables(
  folder: string,
  id: PollId,
  answers: readonly string[],
  { ballots, last, log, key, votes }: StoredLogData,
): Promise<void> {
  const tables = openTables(folder);
  tables.root.transactionSync(() => {
    for (const each of [tables.ballots, tables.ballotVersions, tables.logs]) {
      const table = each as Database<unknown, never>;
      for (const name of [...table.getKeys(keysOfPoll(id))]) table.removeSync(name);
    }
    for (const { sequence, ballotId, answers, replaces, lastChange } of linkEntries(ballots)) {
      const isChanged = replaces === undefined && lastChange !== undefined;
      const entry = {
        ballotId,
        answers: isChanged ? lastChange.answers : answers,
        name: null,
        castAtMs: 1_800_000_000_000,
        sequence,
        ...(replaces !== undefined && { replaces }),
        ...(isChanged && { logged: { answers, last: lastChange.sequence } }),
      };
      tables.ballots.putSync([id, sequence + 1], entry);
      tables.ballotVersions.putSync([id, ballotId], sequence + 1);
    }
    for (const [name, text] of Object.entries(log)) tables.logs.putSync([id, name], text);
    const counts = answers.map(answer => votes[answer]!);
    const voters = counts.reduce((sum, count) => sum + count, 0);
    tables.tallies.putSync(id, { ...tables.tallies.get(id)!, votes: counts, voters, sequence: last });
    tables.records.putSync(LOG_KEY, { ...tables.records.get(LOG_KEY)!, text: key });
  });
  await tables.root.close();
}
