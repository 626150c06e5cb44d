import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  emptyUntilMs,
  fromStoredPoll,
  isPollId,
  type PollId,
  type ResultsVisibility,
  type StoredPoll,
  toStoredPoll,
} from '../../poll/poll.ts';
import type { Archive, ArchivedEntry, ArchivedPoll, ArchivedRecord } from '../archive.ts';
import type { Comment } from '../comments.ts';
import { BALLOT, formatBallot, inOrder, MARKS, scanFields } from './ballots.ts';
import type { CommandsInFlight } from './commands-in-flight.ts';
import { engineUnavailable, NO_PRIMARY } from './redis-commands.ts';
import type { RedisConnections } from './redis-connections.ts';
import type { RedisKeys } from './redis-keys.ts';
import { RedisPublicPolls } from './redis-polls.ts';
import { UPCOMING } from './redis-replies.ts';
import { GRACE_MS } from './redis-retention.ts';

/** Fields or names that Redis is asked for or given at once: it does nothing else meanwhile, for well below a millisecond. */
const BATCH = 500;
/** A copy, or what a dead import has left, goes by itself after so long. A great poll is read in less. */
const ASIDE_MS = 3_600_000;
const LOOK_MS = 500;
const MAX_LOOKS = 40;
const STATE = [
  ...['definition', 'admin', 'view', 'version', 'voters', 'closed', 'deadline', 'settled'],
  ...['visibility', 'retention', 'closes_in'],
];
const ID_OF_POLL = /\{([0-9A-Za-z]{12})\}:poll-\d+$/;

type Fields = [name: string, value: string][];

/** Redis has no snapshot that can be read for long, so a poll is copied within Redis in one step, and the copy is read in many. */
export class RedisArchive implements Archive {
  protected readonly commands: CommandsInFlight;
  readonly #connections: RedisConnections;
  readonly #keys: RedisKeys;

  constructor(connections: RedisConnections, commands: CommandsInFlight, keys: RedisKeys) {
    this.#connections = connections;
    this.commands = commands;
    this.#keys = keys;
  }

  async *readRecords(isWanted: (name: string) => boolean): AsyncIterable<ArchivedRecord> {
    const start = this.#keys.record('').length;
    for await (const found of this.#scan(this.#keys.patterns.records)) {
      const names = found.map(key => key.slice(start)).filter(isWanted);
      for (const name of names) {
        const key = this.#keys.record(name);
        const [text, goesAtMs] = await this.commands.send(client =>
          Promise.all([client.get(key), client.pexpiretime(key)]),
        );
        if (text !== null) yield { type: 'record', name, text, expiresAtMs: goesAtMs > 0 ? goesAtMs : null };
      }
    }
  }

  async *listPolls(): AsyncIterable<PollId> {
    for await (const found of this.#scan(this.#keys.patterns.polls))
      yield* found.flatMap(key => ID_OF_POLL.exec(key)?.[1] ?? []);
  }

  async *readPoll(id: PollId): AsyncIterable<readonly (ArchivedPoll | ArchivedEntry)[]> {
    if (!isPollId(id)) return;
    const copy = this.#keys.aside(id, `copy:${randomUUID()}`);
    const copied = await this.#copy(id, copy);
    if (!copied) return;
    try {
      const [goesAtMs, ...texts] = copied;
      yield [await this.#pollIn(copy, goesAtMs < 0 ? null : goesAtMs - GRACE_MS)];
      yield* this.entriesIn(copy);
      // Oldest first, as all else.
      if (texts.length > 0) yield texts.reverse().map(toComment);
    } finally {
      await this.commands.send(client => client.unlink(copy)).catch(() => {});
    }
  }

  /** Builds the poll under another name, and renames it when it is whole. */
  async addPoll(archived: ArchivedPoll, entries: AsyncIterable<readonly ArchivedEntry[]>): Promise<boolean> {
    const { id } = archived.poll;
    if (!isPollId(id)) throw new RangeError('Not a poll id');
    const names = this.#keys.ofPoll(id);
    if ((await this.commands.send(client => client.exists(names.poll))) > 0) return false;
    const built = this.#keys.aside(id, `import:${randomUUID()}`);
    const comments: string[] = [];
    let sequence = 0;
    for await (const batch of entries) {
      const fields: Fields = [];
      for (const entry of batch)
        if (entry.type === 'ballot') {
          sequence += 1;
          fields.push([BALLOT + entry.ballotId, formatBallot({ ...entry, sequence })]);
        } else if (entry.type === 'comment') {
          const { type: _, ...comment } = entry;
          comments.push(JSON.stringify(comment));
        } else for (const digest of entry.digests) fields.push([MARK_OF[entry.type] + digest, '']);
      await this.#put(built, fields);
    }
    await this.#put(built, [...stateFields(archived), ['sequence', `${sequence}`]]);
    const goesAtMs = archived.expiresAtMs === null ? 0 : archived.expiresAtMs + GRACE_MS;
    await this.#putComments(names.comments, comments, goesAtMs);
    const added = await this.commands.write(client => client.addPoll(names.poll, built, goesAtMs));
    if (added === 1) await this.#list(archived);
    return added === 1;
  }

  async findMissing(id: PollId, ballotIds: readonly string[]): Promise<string[]> {
    if (ballotIds.length === 0 || !isPollId(id)) return [...ballotIds];
    const held = await this.commands.send(client =>
      client.hmget(this.#keys.ofPoll(id).poll, ...ballotIds.map(ballotId => BALLOT + ballotId)),
    );
    return ballotIds.filter((_, index) => held[index] === null);
  }

  /** Redis' own files are for Redis to copy. */
  async copyTo(): Promise<boolean> {
    return false;
  }

  /** Ballots in order, and then what has been used up. */
  protected async *entriesIn(copy: string): AsyncIterable<ArchivedEntry[]> {
    const sequence = await this.commands.send(client => client.hget(copy, 'sequence'));
    for await (const ballots of inOrder(Number(sequence), () => this.#fieldsOf(copy, BALLOT)))
      yield ballots.map(({ sequence: _, ...ballot }) => ({ type: 'ballot', ...ballot }));
    for (const [mark, type] of Object.entries(MARKS))
      for await (const fields of this.#fieldsOf(copy, mark))
        yield [{ type, digests: fields.map(([digest]) => digest) }];
  }

  #fieldsOf(key: string, prefix: string): AsyncIterable<Fields> {
    return scanFields(
      (cursor, match, count) =>
        this.commands.send(client => client.hscan(key, cursor, 'MATCH', match, 'COUNT', count)),
      prefix,
    );
  }

  async #put(built: string, fields: Fields): Promise<void> {
    for (let start = 0; start < fields.length; start += BATCH)
      await this.commands.write(async client => {
        await client.hset(built, ...fields.slice(start, start + BATCH).flat());
        await client.pexpire(built, ASIDE_MS);
      });
  }

  /** Before the poll is there, because until then no other comment can be added. */
  async #putComments(key: string, comments: readonly string[], goesAtMs: number): Promise<void> {
    if (comments.length === 0) return;
    await this.commands.write(async client => {
      await client.unlink(key);
      await client.lpush(key, ...comments);
      await client.pexpireat(key, goesAtMs > 0 ? goesAtMs : Date.now() + ASIDE_MS);
    });
  }

  /** The lists beside the polls may lag behind them: see RedisPublicPolls and RedisRetention. */
  async #list({ poll, voters, deadlineMs, expiresAtMs }: ArchivedPoll): Promise<void> {
    const { id, createdAtMs, settings } = poll;
    const emptyMs = voters === 0 ? emptyUntilMs(poll, deadlineMs) : null;
    const dueAtMs = Math.min(expiresAtMs ?? Number.POSITIVE_INFINITY, emptyMs ?? Number.POSITIVE_INFINITY);
    await this.commands.write(async client => {
      if (expiresAtMs === null) await client.persist(this.#keys.ofPoll(id).comments);
      if (Number.isFinite(dueAtMs)) await client.zadd(this.#keys.retention, dueAtMs, id);
      if (!settings.isPrivate) await new RedisPublicPolls(client, this.#keys).add(id, createdAtMs);
    });
  }

  /** A great poll takes Redis longer than a command may take: what has no reply in time is looked for. */
  async #copy(id: PollId, copy: string): Promise<[goesAtMs: number, ...comments: string[]] | null> {
    const { poll, comments } = this.#keys.ofPoll(id);
    try {
      return await this.commands.send(client => client.copyPoll(poll, comments, copy, ASIDE_MS));
    } catch (error) {
      const isThere = () => this.commands.send(client => client.exists(copy)).catch(() => 0);
      for (let tries = 1; (await isThere()) === 0; tries += 1) {
        if (tries === MAX_LOOKS) throw error;
        await pause(LOOK_MS);
      }
      return this.commands.send(async client => [
        await client.pexpiretime(poll),
        ...(await client.lrange(comments, 0, -1)),
      ]);
    }
  }

  async #pollIn(copy: string, expiresAtMs: number | null): Promise<ArchivedPoll> {
    const state = await this.commands.send(client => client.hmget(copy, ...STATE));
    const [definition, admin, view, version, voters, closed, deadline, settled, visibility, ...rest] = state;
    const [retention, closesIn] = rest;
    const poll = fromStoredPoll(JSON.parse(definition ?? '') as StoredPoll);
    const counters = poll.answers.map(({ id }) => `votes:${id}`);
    const votes = await this.commands.send(client => client.hmget(copy, ...counters));
    const orNull = (text: string | null | undefined) => (text ? Number(text) : null);
    return {
      ...{ type: 'poll', poll, keys: { adminKeyHash: admin ?? '', viewKeyHash: view ?? '' } },
      ...{ version: Number(version), votes: votes.map(Number), voters: Number(voters) },
      closed: closed === UPCOMING ? UPCOMING : orNull(closed),
      deadlineMs: orNull(deadline),
      settledDeadlineMs: orNull(settled),
      ...(closesIn && { closesInMs: Number(closesIn) }),
      resultsVisibility: visibility as ResultsVisibility,
      retentionMs: orNull(retention),
      expiresAtMs,
    };
  }

  /** Each key once, some at a time, from every server that there is. */
  async *#scan(pattern: string): AsyncIterable<string[]> {
    for (const { client, owns } of this.#connections.shards) {
      if (!client) throw engineUnavailable(NO_PRIMARY);
      const seen = new Set<string>();
      let cursor = '0';
      do {
        const [next, keys] = await client.scan(cursor, 'MATCH', pattern, 'COUNT', BATCH);
        const fresh = keys.filter(key => owns(key) && !seen.has(key));
        for (const key of fresh) seen.add(key);
        yield fresh;
        cursor = next;
      } while (cursor !== '0');
    }
  }
}

const MARK_OF = { voters: 'v:', addresses: 'a:', proofs: 'p:' } as const;

/** What there is to a poll beside its ballots, and what they have used up: as create-poll-1.lua describes it. */
function stateFields(archived: ArchivedPoll): Fields {
  const { poll, keys, version, votes, voters, closed, deadlineMs, settledDeadlineMs } = archived;
  const { resultsVisibility, retentionMs, closesInMs } = archived;
  const stored = toStoredPoll(poll);
  const { priv, ma, mip, enter_name } = stored.settings;
  const fields: Record<string, string | number | boolean | null | undefined> = {
    ...{
      definition: JSON.stringify(stored),
      admin: keys.adminKeyHash,
      view: keys.viewKeyHash,
      public: !priv,
    },
    ...{
      deadline: deadlineMs,
      closes_in: closesInMs,
      created: poll.createdAtMs,
      empty: poll.emptyRetentionMs,
    },
    ...{ visibility: resultsVisibility, ma, mip, enter_name, retention: retentionMs, version, closed },
    ...{ settled: settledDeadlineMs, voters, hinted: 0 },
  };
  const textOf = (value: (typeof fields)[string]) =>
    `${typeof value === 'boolean' ? Number(value) : (value ?? '')}`;
  return [
    ...Object.entries(fields).map(([name, value]): Fields[number] => [name, textOf(value)]),
    ...poll.answers.map(({ id }, index): Fields[number] => [`votes:${id}`, `${votes[index]}`]),
  ];
}

function toComment(text: string): ArchivedEntry {
  return { type: 'comment', ...(JSON.parse(text) as Comment) };
}
