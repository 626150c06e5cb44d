import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isPollId } from '../../poll/create-poll.ts';
import type { Poll, PollId, ResultsVisibility } from '../../poll/poll.ts';
import { PollError } from '../../poll/poll-error.ts';
import type { Archive, ArchivedBallot, ArchivedEntry, ArchivedPoll, ArchivedRecord } from '../archive.ts';
import type { Comment } from '../comments.ts';
import type { CommandsInFlight } from './commands-in-flight.ts';
import { unpackBlock } from './packed-ballots.ts';
import { ballotField, digestsIn, versionIn } from './poll-layout.ts';
import type { RedisConnections } from './redis-connections.ts';
import { engineUnavailable, NO_PRIMARY } from './redis-failure.ts';
import type { RedisKeys } from './redis-keys.ts';
import { PollWriter } from './redis-poll-writer.ts';
import { UPCOMING } from './redis-replies.ts';
import { GRACE_MS } from './redis-retention.ts';

/** Fields, names or ballots that Redis is asked for at once: it does nothing else meanwhile, for well below a millisecond. */
const BATCH = 500;
/** Each holds some 16 ballots. */
const BLOCKS = 32;
/** A great poll is read in less. */
const COPY_MS = 3_600_000;
const LOOK_MS = 500;
const MAX_LOOKS = 40;
const STATE = [
  ...['definition', 'admin', 'view', 'version', 'voters', 'closed', 'deadline', 'settled'],
  ...['visibility', 'retention', 'closes_in', 'blocks'],
];
const ID_OF_POLL = /\{([0-9A-Za-z]{12})\}:poll-2$/;

/** Redis has no snapshot that can be read for long, so a poll is copied within Redis in one step, and the copy is read in many. */
export class RedisArchive implements Archive {
  readonly #connections: RedisConnections;
  readonly #commands: CommandsInFlight;
  readonly #keys: RedisKeys;

  constructor(connections: RedisConnections, commands: CommandsInFlight, keys: RedisKeys) {
    this.#connections = connections;
    this.#commands = commands;
    this.#keys = keys;
  }

  async *readRecords(isWanted: (name: string) => boolean): AsyncIterable<ArchivedRecord> {
    const start = this.#keys.record('').length;
    for await (const found of this.#scan(this.#keys.patterns.records)) {
      const names = found.map(key => key.slice(start)).filter(isWanted);
      for (const name of names) {
        const key = this.#keys.record(name);
        const [text, goesAtMs] = await this.#commands.send(client =>
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
      const state = await this.#commands.send(client => client.hmget(copy, ...STATE));
      yield [await this.#pollIn(copy, state, goesAtMs < 0 ? null : goesAtMs - GRACE_MS)];
      yield* this.#ballotsIn(copy, Number(state.at(-1)) + 1);
      yield* this.#digestsIn(copy);
      // Oldest first, as all else.
      if (texts.length > 0) yield texts.reverse().map(toComment);
    } finally {
      await this.#commands.send(client => client.unlink(copy)).catch(() => {});
    }
  }

  addPoll(poll: ArchivedPoll, entries: AsyncIterable<readonly ArchivedEntry[]>): Promise<boolean> {
    return new PollWriter(this.#commands, this.#keys).add(poll, entries);
  }

  async findMissing(id: PollId, ballotIds: readonly string[]): Promise<string[]> {
    if (ballotIds.length === 0 || !isPollId(id)) return [...ballotIds];
    const fields = ballotIds.map(ballotField);
    const held = await this.#commands.send(client =>
      client.hmgetBuffer(this.#keys.ofPoll(id).poll, ...fields),
    );
    return ballotIds.filter((_, index) => held[index] === null);
  }

  /** Redis' own files are for Redis to copy. */
  async copyTo(): Promise<boolean> {
    return false;
  }

  /** A great poll takes Redis longer than a command may take: what has no reply in time is looked for. */
  async #copy(id: PollId, copy: string): Promise<[goesAtMs: number, ...comments: string[]] | null> {
    const { poll, comments } = this.#keys.ofPoll(id);
    try {
      return await this.#commands.send(client => client.copyPoll(poll, comments, copy, COPY_MS));
    } catch (error) {
      const isThere = () => this.#commands.send(client => client.exists(copy)).catch(() => 0);
      for (let tries = 1; (await isThere()) === 0; tries += 1) {
        if (tries === MAX_LOOKS) throw error;
        await pause(LOOK_MS);
      }
      return this.#commands.send(async client => [
        await client.pexpiretime(poll),
        ...(await client.lrange(comments, 0, -1)),
      ]);
    }
  }

  async #pollIn(
    copy: string,
    state: readonly (string | null)[],
    expiresAtMs: number | null,
  ): Promise<ArchivedPoll> {
    const [definition, admin, view, version, voters, closed, deadline, settled, visibility, ...rest] = state;
    const [retention, closesIn] = rest;
    const poll: Poll = JSON.parse(definition ?? '');
    const counters = poll.answers.map(({ id }) => `votes:${id}`);
    const votes = await this.#commands.send(client => client.hmget(copy, ...counters));
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

  async *#ballotsIn(copy: string, blocks: number): AsyncIterable<ArchivedBallot[]> {
    for (let first = 1; first <= blocks; first += BLOCKS) {
      const numbers = Array.from(
        { length: Math.min(BLOCKS, blocks - first + 1) },
        (_, index) => first + index,
      );
      const found = await this.#commands.send(client =>
        client.hmgetBuffer(copy, ...numbers.map(number => `n:${number}`)),
      );
      const ballots = found.flatMap(block => [...unpackBlock(block ?? Buffer.alloc(0))]);
      if (ballots.length === 0) continue;
      const versions = await this.#commands.send(client =>
        client.hmgetBuffer(copy, ...ballots.map(({ ballotId }) => ballotField(ballotId))),
      );
      yield ballots.map((ballot, index) => {
        const version = versions[index];
        if (!version)
          throw new PollError('internal_error', { message: `A ballot of ${copy} has no version` });
        return { type: 'ballot', version: versionIn(version), ...ballot };
      });
    }
  }

  async *#digestsIn(copy: string): AsyncIterable<ArchivedEntry[]> {
    let cursor = '0';
    do {
      const [next, fields] = await this.#commands.send(client =>
        client.hscanBuffer(copy, cursor, 'COUNT', BATCH),
      );
      const entries: Record<'voters' | 'addresses' | 'proofs', string[]> = {
        voters: [],
        addresses: [],
        proofs: [],
      };
      for (let at = 0; at < fields.length; at += 2) {
        const used = digestsIn(fields[at]!, fields[at + 1]!);
        if (used) entries[used.type].push(...used.digests);
      }
      for (const type of ['voters', 'addresses', 'proofs'] as const)
        if (entries[type].length > 0) yield [{ type, digests: entries[type] }];
      cursor = next.toString();
    } while (cursor !== '0');
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

function toComment(text: string): ArchivedEntry {
  return { type: 'comment', ...(JSON.parse(text) as Comment) };
}
