import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  emptyUntilMs,
  fromStoredPoll,
  hasBallots,
  idOfRound,
  imageFiles,
  isPollId,
  type Poll,
  type PollId,
  type PollRound,
  parseVisibility,
  type StoredPoll,
} from '../../poll/poll.ts';
import {
  type Archive,
  type ArchivedDigests,
  type ArchivedEntry,
  type ArchivedPoll,
  type ArchivedRecord,
  MARK_MS,
} from '../engine.ts';
import { counterFields, definitionFields, IMAGE, LOG, namesAndValues, UPCOMING } from './poll-fields.ts';
import { engineUnavailable, NO_PRIMARY } from './redis-commands.ts';
import { addPublicPoll, CHAT_COUNTERS, parseChatVoters } from './redis-polls.ts';
import { GRACE_MS } from './redis-retention.ts';
import type { RedisStore } from './redis-store.ts';
import {
  BALLOT,
  formatBallot,
  formatVoter,
  MARKS,
  parseVoter,
  readInOrder,
  SEQUENCE,
  scanFields,
} from './stored-ballots.ts';

/** Fields or names in one command, which blocks Redis for well below a millisecond. */
const BATCH = 500;
/** Expiry of a copy, or of an import that died. Reading a large poll takes less. */
const ASIDE_MS = 3_600_000;
const CHECK_INTERVAL_MS = 500;
const MAX_CHECKS = 40;
const STATE = [
  'definition',
  'admin',
  'view',
  'version',
  'voters',
  'closed',
  'deadline',
  'settled',
  'visibility',
  'retention',
  'closes_in',
  'voided',
  'void_rules',
  LOG,
  'revealed',
  ...CHAT_COUNTERS,
  'withdrawn',
  'empty',
] as const;
const ID_OF_POLL = /\{([0-9A-Za-z]{12})\}:poll(?:-\d+)?$/;

type Fields = [name: string, value: string][];
/** Redis' own expiry of a poll, negative for never, and its comments, newest first. */
type Described = [expiresAtMs: number, ...comments: string[]];
const GONE = -2;

/** Redis has no long snapshots: a script copies the poll in one step, and the copy is read in many. */
export class RedisArchive implements Archive {
  readonly #store: RedisStore;

  constructor(store: RedisStore) {
    this.#store = store;
  }

  async *readRecords(isWanted: (name: string) => boolean): AsyncIterable<ArchivedRecord> {
    const { keys } = this.#store;
    const start = keys.record('').length;
    for await (const found of this.#scan(keys.patterns.records))
      for (const name of found.map(key => key.slice(start)).filter(isWanted)) {
        const key = keys.record(name);
        const [text, expiresAtMs] = await this.#store.send(client =>
          Promise.all([client.get(key), client.pexpiretime(key)]),
        );
        if (text !== null)
          yield { type: 'record', name, text, expiresAtMs: expiresAtMs > 0 ? expiresAtMs : null };
      }
  }

  async *listPolls(): AsyncIterable<PollId> {
    for await (const found of this.#scan(this.#store.keys.patterns.polls))
      yield* found.flatMap(key => ID_OF_POLL.exec(key)?.[1] ?? []);
  }

  async *readPoll(id: PollId): AsyncIterable<readonly (ArchivedPoll | ArchivedEntry)[]> {
    if (isPollId(id)) yield* this.#readCopy(id);
  }

  /** @param earlier a round; undefined for the present one, which is copied before the earlier ones are read */
  async *#readCopy(id: PollId, earlier?: number): AsyncIterable<readonly (ArchivedPoll | ArchivedEntry)[]> {
    const isPresent = earlier === undefined;
    const copy = this.#store.keys.aside(id, `copy:${randomUUID()}`);
    const copied = await this.#copy(isPresent ? id : idOfRound(id, earlier), copy);
    if (!copied) return;
    try {
      const round = isPresent && (await this.#store.send(client => client.hget(copy, 'round')));
      for (let at = 1; at < Number(round); at += 1) yield* this.#readCopy(id, at);
      yield* this.#read(isPresent ? 'poll' : 'round', copy, copied);
    } finally {
      await this.#store.send(client => client.unlink(copy)).catch(() => {});
    }
  }

  async *#read(
    type: ArchivedPoll['type'],
    key: string,
    [expiresAtMs, ...comments]: Described,
  ): AsyncIterable<readonly (ArchivedPoll | ArchivedEntry)[]> {
    if (expiresAtMs === GONE) return;
    const state = await this.#readState(type, key, expiresAtMs < 0 ? null : expiresAtMs - GRACE_MS);
    yield [state];
    yield* this.#entriesIn(key, state.poll.settings.isVerifiable);
    if (type === 'poll' && comments.length > 0)
      yield comments.reverse().map((text): ArchivedEntry => ({ type: 'comment', ...JSON.parse(text) }));
    for (const file of imageFiles(state.poll)) {
      const data = await this.#store.send(client => client.hget(key, IMAGE + file));
      if (data !== null) yield [{ type: 'image', file, data }];
    }
  }

  async addPoll(archived: ArchivedPoll, entries: AsyncIterable<readonly ArchivedEntry[]>): Promise<boolean> {
    const { id, round = 1 } = archived.poll;
    const isEarlier = archived.type === 'round';
    if (!isPollId(id)) throw new RangeError('Not a poll id');
    const names = this.#store.keys.ofPoll(id);
    if ((await this.#store.send(client => client.exists(names.poll))) > 0) return false;
    const key = isEarlier ? this.#store.keys.ofPoll(idOfRound(id, round)).poll : names.poll;
    // An earlier try has left it.
    if (isEarlier) await this.#store.write(client => client.unlink(key));
    const built = this.#store.keys.aside(id, `import:${randomUUID()}`);
    await this.#store.write(client => client.unlink(built));
    const comments: string[] = [];
    let sequence = 0;
    let writing = Promise.resolve();
    for await (const batch of entries) {
      const fields: Fields = [];
      for (const entry of batch)
        if (entry.type === 'ballot') {
          sequence = entry.sequence ?? sequence + 1;
          fields.push([BALLOT + entry.ballotId, formatBallot({ ...entry, sequence })]);
          if (entry.sequence !== undefined) fields.push([SEQUENCE + sequence, entry.ballotId]);
        } else if (entry.type === 'comment') {
          const { type: _, ...comment } = entry;
          comments.push(JSON.stringify(comment));
        } else if (entry.type === 'image') fields.push([IMAGE + entry.file, entry.data]);
        else
          for (const [index, digest] of entry.digests.entries())
            fields.push([MARKS[entry.type] + digest, formatVoter(entry.ballots?.[index])]);
      await writing;
      // Redis writes this batch while the next one is read.
      writing = this.#putFields(built, fields);
      writing.catch(() => {});
    }
    await writing;
    await this.#putFields(built, [...stateFields(archived), ['sequence', `${sequence}`]]);
    const expiresAtMs = archived.expiresAtMs === null ? 0 : archived.expiresAtMs + GRACE_MS;
    await this.#putComments(names.comments, comments, expiresAtMs);
    const added = await this.#store.write(client => client.addPoll(key, built, expiresAtMs));
    if (added === 1 && !isEarlier) await this.#list(archived);
    return added === 1;
  }

  async findMissing({ id, round = 1 }: PollRound, ballotIds: readonly string[]): Promise<string[]> {
    if (ballotIds.length === 0) return [];
    const fields = ballotIds.map(ballotId => BALLOT + ballotId);
    const held = await this.#store.readRound(idOfRound(id, round), fields);
    return ballotIds.filter((_, index) => held[index] === null);
  }

  async copyTo(): Promise<boolean> {
    return false;
  }

  /** Ballots in order, then used-up keys. */
  async *#entriesIn(copy: string, isVerifiable: boolean): AsyncIterable<ArchivedEntry[]> {
    for await (const ballots of readInOrder(this.#store, copy))
      yield ballots.map(({ sequence, ...ballot }) => ({
        type: 'ballot',
        ...ballot,
        ...(isVerifiable && { sequence }),
      }));
    for (const type of ['voters', 'addresses', 'proofs'] as const)
      for await (const fields of scanFields(this.#store, copy, MARKS[type]))
        yield [{ type, ...marksIn(fields) }];
  }

  async #putFields(built: string, fields: Fields): Promise<void> {
    const starts = Array.from({ length: Math.ceil(fields.length / BATCH) }, (_, index) => index * BATCH);
    await this.#store.write(client =>
      Promise.all([
        ...starts.map(start => client.hset(built, ...fields.slice(start, start + BATCH).flat())),
        client.pexpire(built, ASIDE_MS),
      ]),
    );
  }

  /** Before the poll exists: until then no other comment can be added. */
  async #putComments(key: string, comments: readonly string[], expiresAtMs: number): Promise<void> {
    if (comments.length === 0) return;
    await this.#store.write(async client => {
      await client.unlink(key);
      await client.lpush(key, ...comments);
      await client.pexpireat(key, expiresAtMs > 0 ? expiresAtMs : Date.now() + ASIDE_MS);
    });
  }

  /** The lists outside of the polls may lag behind. */
  async #list(archived: ArchivedPoll): Promise<void> {
    const { poll, voters: totalVoters, deadlineMs, expiresAtMs } = archived;
    const { id, createdAtMs, settings } = poll;
    const { keys } = this.#store;
    const emptyMs = hasBallots({ ...archived, totalVoters }) ? null : emptyUntilMs(poll, deadlineMs);
    const dueAtMs = Math.min(expiresAtMs ?? Number.POSITIVE_INFINITY, emptyMs ?? Number.POSITIVE_INFINITY);
    await this.#store.write(async client => {
      if (expiresAtMs === null) await client.persist(keys.ofPoll(id).comments);
      if (Number.isFinite(dueAtMs)) await client.zadd(keys.retention, dueAtMs, id);
      if (!settings.isPrivate) await addPublicPoll(client, keys, id, createdAtMs);
      await client.markEvent(keys.events.due, id, MARK_MS);
    });
  }

  /** Copying a large poll may outlast the command's timeout, so the copy is then waited for. */
  async #copy(id: PollId, copy: string): Promise<Described | null> {
    const { poll, comments } = this.#store.keys.ofPoll(id);
    try {
      return await this.#store.send(client => client.copyPoll(poll, comments, copy, ASIDE_MS));
    } catch (error) {
      const exists = () => this.#store.send(client => client.exists(copy)).catch(() => 0);
      for (let checks = 1; (await exists()) === 0; checks += 1) {
        if (checks === MAX_CHECKS) throw error;
        await pause(CHECK_INTERVAL_MS);
      }
      return this.#describe(id);
    }
  }

  #describe(id: PollId): Promise<Described> {
    const { poll, comments } = this.#store.keys.ofPoll(id);
    return this.#store.send(async client => [
      await client.pexpiretime(poll),
      ...(await client.lrange(comments, 0, -1)),
    ]);
  }

  async #readState(
    type: ArchivedPoll['type'],
    copy: string,
    expiresAtMs: number | null,
  ): Promise<ArchivedPoll> {
    const found = await this.#store.send(client => client.hmget(copy, ...STATE));
    const field = (name: (typeof STATE)[number]) => found[STATE.indexOf(name)] ?? '';
    const closed = field('closed');
    const { emptyRetentionMs, ...poll }: Poll = fromStoredPoll(JSON.parse(field('definition')) as StoredPoll);
    const counters = Object.keys(counterFields(poll));
    const votes = await this.#store.send(client => client.hmget(copy, ...counters));
    const orNull = (text: string) => (text ? Number(text) : null);
    return {
      type,
      // A later round of a poll with votes has none.
      poll: field('empty') && emptyRetentionMs !== undefined ? { ...poll, emptyRetentionMs } : poll,
      keys: { adminKeyHash: field('admin'), viewKeyHash: field('view') },
      version: Number(field('version')),
      votes: votes.map(Number),
      voters: Number(field('voters')),
      chatVoters: parseChatVoters(CHAT_COUNTERS.map(field)),
      voidedVotes: Number(field('voided')) || undefined,
      withdrawn: Number(field('withdrawn')) || undefined,
      voidRules: field('void_rules') || undefined,
      log: field(LOG) || undefined,
      closed: closed === UPCOMING ? UPCOMING : orNull(closed),
      deadlineMs: orNull(field('deadline')),
      settledDeadlineMs: orNull(field('settled')),
      closesInMs: Number(field('closes_in')) || undefined,
      resultsVisibility: parseVisibility(field('visibility')),
      revealedFrom: Number(field('revealed')) || undefined,
      retentionMs: orNull(field('retention')),
      expiresAtMs,
    };
  }

  async *#scan(pattern: string): AsyncIterable<string[]> {
    for (const { client, owns } of this.#store.connections.shards) {
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

/** All fields except ballots, used-up keys and images. */
function stateFields({ poll, keys, ...state }: ArchivedPoll): Fields {
  const chats = Object.entries(state.chatVoters ?? {});
  return namesAndValues({
    ...definitionFields(poll),
    admin: keys.adminKeyHash,
    view: keys.viewKeyHash,
    hinted: 0,
    created: poll.createdAtMs,
    empty: poll.emptyRetentionMs,
    deadline: state.deadlineMs,
    closes_in: state.closesInMs,
    settled: state.settledDeadlineMs,
    visibility: state.resultsVisibility,
    retention: state.retentionMs,
    closed: state.closed,
    version: state.version,
    voters: state.voters,
    ...Object.fromEntries(chats.map(([platform, count]) => [`chat:${platform}`, count])),
    voided: state.voidedVotes || undefined,
    withdrawn: state.withdrawn || undefined,
    revealed: state.revealedFrom,
    void_rules: state.voidRules || undefined,
    [LOG]: poll.settings.isVerifiable ? (state.log ?? null) : undefined,
    ...counterFields(poll, state.votes),
  });
}

/** @param fields of which those of voters may name a ballot */
function marksIn(fields: Fields): Pick<ArchivedDigests, 'digests' | 'ballots'> {
  const ballots = fields.map(([, marker]) => parseVoter(marker));
  return { digests: fields.map(([digest]) => digest), ...(ballots.some(Boolean) && { ballots }) };
}
