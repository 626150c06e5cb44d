import type { Ballot, BallotReceipt, StoredBallot } from '../../poll/ballot.ts';
import type { NewPoll, PollId, Reading } from '../../poll/poll.ts';
import { isPollId, toStoredPoll } from '../../poll/poll.ts';
import type { PollChange } from '../../poll/poll-change.ts';
import { NOT_WRITTEN } from '../../poll/poll-error.ts';
import { DefinitionCache } from '../definition-cache.ts';
import type { Polls, Revision } from '../polls.ts';
import { BALLOT, FastBallots, inOrder, ShardedBallots, scanFields } from './ballots.ts';
import type { CommandsInFlight } from './commands-in-flight.ts';
import {
  type CommandClient,
  type CommandName,
  type CommandReplies,
  type Commands,
  engineUnavailable,
  NO_PRIMARY,
} from './redis-commands.ts';
import type { RedisConnections } from './redis-connections.ts';
import type { RedisKeys } from './redis-keys.ts';
import {
  type Definition,
  parseDefinition,
  parseReading,
  parseRevision,
  REVISION_FIELDS,
  timeToMs,
  UPCOMING,
} from './redis-replies.ts';
import { RedisRetention } from './redis-retention.ts';

export interface RedisPollsOptions {
  readonly connections: RedisConnections;
  readonly commands: CommandsInFlight;
  readonly keys: RedisKeys;
  /** Acknowledges a ballot only once a replica holds it, too. */
  readonly isReplicated: boolean;
  /** 0 keeps polls for ever. Left out, new polls are kept for a year, and a change leaves a poll's own. */
  readonly retentionDays: number | undefined;
  /** Told of what fails behind the back of a caller. */
  readonly onError: (error: Error) => void;
}

type Argument = string | number;

const DAY_MS = 86_400_000;
const DEFAULT_RETENTION_MS = 365 * DAY_MS;

/** Redis holds every count; what this process keeps is what never changes. */
export class RedisPolls implements Polls {
  readonly #connections: RedisConnections;
  readonly #commands: CommandsInFlight;
  readonly #keys: RedisKeys;
  readonly #publish: 'PUBLISH' | 'SPUBLISH';
  readonly #retention: RedisRetention;
  readonly #retentionMs: number | undefined;
  readonly #publicPolls: RedisPublicPolls;
  readonly #ballots: FastBallots | ShardedBallots;
  readonly #definitions = new DefinitionCache<Definition>();
  readonly #onError: (error: Error) => void;
  /** Ballots that are not answered yet, and what follows those that are. */
  #casting = 0;

  constructor({ connections, commands, keys, isReplicated, retentionDays, onError }: RedisPollsOptions) {
    const { commands: client, publish } = connections;
    this.#connections = connections;
    this.#commands = commands;
    this.#keys = keys;
    this.#publish = publish;
    this.#retentionMs = retentionDays === undefined ? undefined : retentionDays * DAY_MS;
    this.#retention = new RedisRetention({
      client,
      commands,
      keys,
      told: topic => this.#told(topic),
      otherwiseMs: this.#retentionMs,
      onError,
    });
    this.#onError = onError;
    this.#publicPolls = new RedisPublicPolls(client, keys);
    const argsOf = (id: PollId) => [keys.ofPoll(id).poll, ...this.#told(id), flag(isReplicated)];
    this.#ballots = isReplicated
      ? new ShardedBallots(connections, argsOf, onError)
      : new FastBallots(client, argsOf);
  }

  async create(made: NewPoll): Promise<boolean> {
    const { poll, keys, deadlineMs, closesInMs, resultsVisibility, upcoming } = made;
    if (!isPollId(poll.id)) throw new RangeError('Not a poll id');
    const stored = toStoredPoll(poll);
    const { priv, ma, mip, enter_name } = stored.settings;
    const created = await this.#run(
      'createPoll',
      ...[this.#keys.ofPoll(poll.id).poll, JSON.stringify(stored), keys.adminKeyHash, keys.viewKeyHash],
      ...[flag(!priv), deadlineMs ?? '', resultsVisibility, flag(ma), flag(mip), flag(enter_name)],
      ...[this.#retentionMs ?? DEFAULT_RETENTION_MS, upcoming ? UPCOMING : '', closesInMs ?? ''],
      ...[poll.createdAtMs, poll.emptyRetentionMs ?? ''],
      ...poll.answers.map(answer => answer.id),
    );
    // Where the poll is there already, too: the try that created it may have died before these steps.
    await this.#commands.write(() => this.#retention.keep(poll.id));
    if (!priv) await this.#commands.write(() => this.#publicPolls.add(poll.id, poll.createdAtMs));
    return created === 1;
  }

  async find(id: PollId): Promise<Reading | undefined> {
    if (!isPollId(id)) return undefined;
    const definition = this.#definitions.get(id) ?? (await this.#findDefinition(id));
    if (!definition) return undefined;
    const { poll } = this.#keys.ofPoll(id);
    const text = await this.#run('readPoll', poll, ...this.#told(id), definition.counters);
    if (text) return parseReading(definition, text);
    this.#definitions.delete(id);
    return undefined;
  }

  async findRevisions(ids: readonly PollId[]): Promise<(Revision | undefined)[]> {
    if (ids.length === 0) return [];
    return this.#commands.send(async client => {
      const time = this.#connections.clock.time();
      const states = ids.map(id => {
        if (!isPollId(id)) return [];
        const counters = this.#definitions.get(id)?.counters.split(' ') ?? [];
        return client.hmget(this.#keys.ofPoll(id).poll, ...REVISION_FIELDS, ...counters);
      });
      const [now, ...replies] = await Promise.all([time, ...states]);
      const readAtMs = timeToMs(now);
      return replies.map(reply => parseRevision(reply, readAtMs));
    });
  }

  listPublic(limit: number): Promise<PollId[]> {
    return this.#commands.send(() => this.#publicPolls.list(limit));
  }

  async cast(ballot: Ballot): Promise<BallotReceipt> {
    if (!isPollId(ballot.pollId)) return { outcome: 'poll_not_found', version: 0 };
    // What an old primary takes is lost when it learns that it is one.
    if (!this.#connections.isPrimary) throw engineUnavailable(NO_PRIMARY, NOT_WRITTEN);
    this.#casting += 1;
    try {
      const receipt = await this.#ballots.cast(ballot);
      if (receipt.outcome === 'accepted' && this.#retention.isDue(ballot.pollId)) this.#keep(ballot.pollId);
      return receipt;
    } finally {
      this.#casting -= 1;
    }
  }

  /** Removes polls whose day has come. */
  tidy(): Promise<void> {
    return this.#retention.sweep();
  }

  /** Lets what is under way finish: every ballot is answered, and what follows one is done. */
  async close(): Promise<void> {
    this.#retention.close();
    while (this.#casting > 0) await new Promise(resolve => setTimeout(resolve, 1));
  }

  async *readBallots(id: PollId): AsyncIterable<StoredBallot> {
    if (!isPollId(id)) return;
    const { poll } = this.#keys.ofPoll(id);
    const sequence = await this.#commands.send(client => client.hget(poll, 'sequence'));
    const fields = () =>
      scanFields(
        (cursor, match, count) =>
          this.#commands.send(client => client.hscan(poll, cursor, 'MATCH', match, 'COUNT', count)),
        BALLOT,
      );
    for await (const batch of inOrder(Number(sequence), fields))
      for (const { ballotId, answers, name, castAtMs, network } of batch)
        yield { ballotId, answers, name, castAtMs, ...(network && { network }) };
  }

  async change(id: PollId, change: PollChange): Promise<boolean> {
    if (!isPollId(id)) return false;
    const { closed, deadlineMs, closesInMs, resultsVisibility, viewKeyHash, adminKeyHash } = change;
    const changed = await this.#run(
      'changePoll',
      ...[this.#keys.ofPoll(id).poll, ...this.#told(id)],
      closed === undefined ? '' : flag(closed),
      deadlineMs === undefined ? '' : (deadlineMs ?? 'none'),
      ...[resultsVisibility ?? '', viewKeyHash ?? '', this.#retentionMs ?? '', closesInMs ?? ''],
      adminKeyHash ?? '',
    );
    if (changed === 0) return false;
    await this.#commands.write(() => this.#retention.keep(id));
    return true;
  }

  async remove(id: PollId): Promise<boolean> {
    if (!isPollId(id)) return false;
    const { poll, comments } = this.#keys.ofPoll(id);
    const channel = this.#keys.channel(`comments:${id}`);
    const removed = await this.#run('removePoll', poll, comments, ...this.#told(id), channel);
    this.#definitions.delete(id);
    await this.#commands.write(() => Promise.all([this.#publicPolls.remove(id), this.#retention.forget(id)]));
    return removed === 1;
  }

  async now(): Promise<number> {
    return timeToMs(await this.#commands.send(() => this.#connections.clock.time()));
  }

  /** Behind the back of the voter, who is answered already. */
  #keep(id: PollId): void {
    this.#casting += 1;
    this.#commands
      .write(() => this.#retention.keep(id))
      .catch(cause => this.#onError(new Error('the end of a retention cannot be moved', { cause })))
      .finally(() => {
        this.#casting -= 1;
      });
  }

  async #findDefinition(id: PollId): Promise<Definition | undefined> {
    const { poll } = this.#keys.ofPoll(id);
    const definition = parseDefinition(await this.#commands.send(client => client.hget(poll, 'definition')));
    if (definition) this.#definitions.set(id, definition);
    return definition;
  }

  /** How scripts tell watchers of a topic. */
  #told(topic: string): [publish: string, channel: string] {
    return [this.#publish, this.#keys.channel(topic)];
  }

  #run<Name extends CommandName>(name: Name, ...args: Argument[]): Promise<CommandReplies[Name]> {
    const command = (client: Commands) => client[name](...args);
    return name === 'readPoll' ? this.#commands.send(command) : this.#commands.write(command);
  }
}

function flag(value: boolean): '1' | '0' {
  return value ? '1' : '0';
}

/** The oldest fall off: a list of polls is for people to look at, not an archive. */
const MAX_PUBLIC_POLLS = 1_000;

/** One sorted set apart from the polls' own keys, because no script may touch two hash tags. So it may lag behind. */
export class RedisPublicPolls {
  readonly #client: CommandClient;
  readonly #keys: RedisKeys;

  constructor(client: CommandClient, keys: RedisKeys) {
    this.#client = client;
    this.#keys = keys;
  }

  /** @param createdAtMs UNIX time in milliseconds */
  async add(id: PollId, createdAtMs: number): Promise<void> {
    await Promise.all([
      this.#client.zadd(this.#keys.publicPolls, createdAtMs, id),
      this.#client.zremrangebyrank(this.#keys.publicPolls, 0, -MAX_PUBLIC_POLLS - 1),
    ]);
  }

  async remove(id: PollId): Promise<void> {
    await this.#client.zrem(this.#keys.publicPolls, id);
  }

  /** Newest first. */
  async list(limit: number): Promise<PollId[]> {
    const listed = limit > 0 ? await this.#client.zrevrange(this.#keys.publicPolls, 0, -1) : [];
    const found: PollId[] = [];
    for (let start = 0; start < listed.length && found.length < limit; start += limit) {
      const ids = listed.slice(start, start + limit);
      // Asked of the poll itself: the list may name what has expired, and must never betray a private poll.
      const flags = await Promise.all(ids.map(id => this.#client.hget(this.#keys.ofPoll(id).poll, 'public')));
      found.push(...ids.filter((_, index) => flags[index] === '1'));
    }
    return found.slice(0, limit);
  }
}
