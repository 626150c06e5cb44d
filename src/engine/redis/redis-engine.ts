import type { Ballot, BallotReceipt, StoredBallot } from '../../poll/ballot.ts';
import { isPollId, type NewPoll } from '../../poll/create-poll.ts';
import type { PollId, Reading } from '../../poll/poll.ts';
import type { PollChange } from '../../poll/poll-change.ts';
import { PollError } from '../../poll/poll-error.ts';
import type { Engine, Revision } from '../engine.ts';
import { LruMap } from '../lru-map.ts';
import { FastBallots } from './fast-ballots.ts';
import type { CommandName, CommandReplies, Commands } from './redis-commands.ts';
import { RedisCommentStore } from './redis-comment-store.ts';
import { RedisConnections } from './redis-connections.ts';
import { engineUnavailable } from './redis-failure.ts';
import { type RedisKeys, redisKeys } from './redis-keys.ts';
import { RedisPublicPolls } from './redis-public-polls.ts';
import { RedisRecordStore } from './redis-record-store.ts';
import {
  type Definition,
  parseBallot,
  parseDefinition,
  parseReading,
  parseRevision,
  timeToMs,
} from './redis-replies.ts';
import { RedisRetention } from './redis-retention.ts';
import { ReplicatedBallots } from './replicated-ballots.ts';
import { writeTogether } from './write-together.ts';

export interface RedisEngineOptions {
  /** `redis://` or `rediss://` */
  readonly redisUrl: string;
  readonly prefix: string;
  /** `replicated` acknowledges a ballot only once a replica holds it, too. */
  readonly durability: 'fast' | 'replicated';
  /** 0 keeps polls for ever. */
  readonly retentionDays: number;
  readonly onError?: ((error: Error) => void) | undefined;
}

type Argument = string | number;

const DAY_MS = 86_400_000;
/** Some 20 MB of definitions at the very worst of sizes that people use. */
const MAX_DEFINITIONS = 10_000;
/** Beyond this many unanswered commands Redis is not keeping up, and waiting longer helps nobody. */
const MAX_IN_FLIGHT = 10_000;
const BALLOTS_PER_READ = 500;

/** @throws Error in one line where Redis cannot be reached within five seconds or is older than 7 */
export async function openRedisEngine(options: RedisEngineOptions): Promise<RedisEngine> {
  const keys = redisKeys(options.prefix);
  const connections = new RedisConnections({
    redisUrl: options.redisUrl,
    channelOf: keys.channel,
    withBallots: options.durability === 'replicated',
    onError: options.onError ?? (() => {}),
  });
  await connections.open();
  return new RedisEngine(connections, keys, options);
}

/** Redis holds every count; what this process keeps is what never changes. */
export class RedisEngine implements Engine {
  readonly records: RedisRecordStore;
  readonly comments: RedisCommentStore;
  readonly #connections: RedisConnections;
  readonly #keys: RedisKeys;
  readonly #retention: RedisRetention;
  readonly #publicPolls: RedisPublicPolls;
  readonly #ballots: FastBallots | ReplicatedBallots;
  readonly #definitions = new LruMap<PollId, Definition>(MAX_DEFINITIONS);
  readonly #onError: (error: Error) => void;
  #inFlight = 0;

  constructor(
    connections: RedisConnections,
    keys: RedisKeys,
    { retentionDays, onError }: RedisEngineOptions,
  ) {
    const { commands, ballots, publish } = connections;
    this.#connections = connections;
    this.#keys = keys;
    this.#retention = new RedisRetention(commands, keys, retentionDays * DAY_MS);
    this.#onError = onError ?? (() => {});
    this.#publicPolls = new RedisPublicPolls(commands, keys);
    const argsOf = (id: PollId) => [keys.ofPoll(id).poll, ...this.#told(id), flag(!!ballots)];
    this.#ballots = ballots ? new ReplicatedBallots(ballots, argsOf) : new FastBallots(commands, argsOf);
    this.records = new RedisRecordStore(commands, keys);
    this.comments = new RedisCommentStore(commands, keys, publish);
  }

  async createPoll({ poll, keys, deadlineMs, resultsVisibility }: NewPoll): Promise<boolean> {
    if (!isPollId(poll.id)) throw new RangeError('Not a poll id');
    const { ma, mip, enter_name, priv } = poll.settings;
    const created = await this.#run(
      'createPoll',
      ...[this.#keys.ofPoll(poll.id).poll, JSON.stringify(poll), keys.adminKeyHash, keys.viewKeyHash],
      ...[flag(!priv), deadlineMs ?? '', resultsVisibility, flag(ma), flag(mip), flag(enter_name)],
      ...poll.answers.map(answer => answer.id),
    );
    // Where the poll is there already, too: the try that created it may have died before these steps.
    await this.#ask(() => this.#retention.keep(poll.id));
    if (!priv) await this.#ask(() => this.#publicPolls.add(poll.id, poll.createdAtMs));
    return created === 1;
  }

  async findPoll(id: PollId): Promise<Reading | undefined> {
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
    const { commands } = this.#connections;
    return this.#ask(async () => {
      const time = commands.time();
      const states = ids.map(id =>
        isPollId(id) ? commands.hmget(this.#keys.ofPoll(id).poll, 'epoch', 'version', 'deadline') : [],
      );
      const [now, ...replies] = await Promise.all([time, ...states]);
      const readAtMs = timeToMs(now);
      return replies.map(reply => parseRevision(reply, readAtMs));
    });
  }

  listPublicPolls(limit: number): Promise<PollId[]> {
    return this.#ask(() => this.#publicPolls.list(limit));
  }

  async castBallot(ballot: Ballot): Promise<BallotReceipt> {
    if (!isPollId(ballot.pollId)) return { outcome: 'poll_not_found', version: 0 };
    const receipt = await this.#ballots.cast(ballot);
    if (receipt.outcome === 'accepted' && this.#retention.isDue(ballot.pollId))
      this.#ask(() => this.#retention.keep(ballot.pollId)).catch(this.#onError);
    return receipt;
  }

  async *readBallots(id: PollId): AsyncIterable<StoredBallot> {
    if (!isPollId(id)) return;
    const { poll } = this.#keys.ofPoll(id);
    let ordinal = 1;
    while (true) {
      const texts = await this.#run('readBallots', poll, ordinal, BALLOTS_PER_READ);
      const ballots = texts.flatMap(text => text.split('\n').map(parseBallot));
      if (ballots.length === 0) return;
      yield* ballots;
      ordinal += ballots.length;
    }
  }

  async changePoll(id: PollId, change: PollChange): Promise<boolean> {
    if (!isPollId(id)) return false;
    const { closed, deadlineMs, resultsVisibility, viewKeyHash } = change;
    const changed = await this.#run(
      'changePoll',
      ...[this.#keys.ofPoll(id).poll, ...this.#told(id)],
      closed === undefined ? '' : flag(closed),
      deadlineMs === undefined ? '' : (deadlineMs ?? 'none'),
      ...[resultsVisibility ?? '', viewKeyHash ?? ''],
    );
    if (changed === 0) return false;
    await this.#ask(() => this.#retention.keep(id));
    return true;
  }

  async removePoll(id: PollId): Promise<boolean> {
    if (!isPollId(id)) return false;
    const { poll, comments } = this.#keys.ofPoll(id);
    const channel = this.#keys.channel(`comments:${id}`);
    const removed = await this.#run('removePoll', poll, comments, ...this.#told(id), channel);
    this.#definitions.delete(id);
    await this.#ask(() => this.#publicPolls.remove(id));
    return removed === 1;
  }

  async renewEpoch(id: PollId, { epoch, version }: Pick<Revision, 'epoch' | 'version'>): Promise<void> {
    if (!isPollId(id)) return;
    await this.#run('renewEpoch', this.#keys.ofPoll(id).poll, ...this.#told(id), epoch, version);
  }

  async now(): Promise<number> {
    return timeToMs(await this.#ask(() => this.#connections.commands.time()));
  }

  watch(topic: string): Promise<void> {
    return this.#connections.hints.watch(topic);
  }

  unwatch(topic: string): Promise<void> {
    return this.#connections.hints.unwatch(topic);
  }

  async hint(topic: string): Promise<void> {
    const { commands, publish } = this.#connections;
    await this.#ask(() => commands.call(publish, this.#keys.channel(topic), ''));
  }

  onHint(listener: (topic: string) => void): void {
    this.#connections.hints.onHint(listener);
  }

  onAvailability(listener: (available: boolean) => void): void {
    this.#connections.onAvailability(listener);
  }

  async close(): Promise<void> {
    // The ballots of this turn leave at its end.
    await new Promise(setImmediate);
    await this.#connections.close();
  }

  async #findDefinition(id: PollId): Promise<Definition | undefined> {
    const { commands } = this.#connections;
    const { poll } = this.#keys.ofPoll(id);
    const definition = parseDefinition(await this.#ask(() => commands.hmget(poll, 'definition', 'admin')));
    if (definition) this.#definitions.set(id, definition);
    return definition;
  }

  /** How scripts tell watchers of a poll. */
  #told(id: PollId): [publish: string, channel: string] {
    return [this.#connections.publish, this.#keys.channel(id)];
  }

  #run<Name extends CommandName>(name: Name, ...args: Argument[]): Promise<CommandReplies[Name]> {
    const commands: Commands = this.#connections.commands;
    return this.#ask(() => commands[name](...args));
  }

  async #ask<Reply>(command: () => Promise<Reply>): Promise<Reply> {
    if (this.#inFlight >= MAX_IN_FLIGHT) throw new PollError('engine_unavailable');
    this.#inFlight += 1;
    try {
      writeTogether(this.#connections.commands);
      return await command();
    } catch (cause) {
      throw engineUnavailable(cause);
    } finally {
      this.#inFlight -= 1;
    }
  }
}

function flag(value: boolean): '1' | '0' {
  return value ? '1' : '0';
}
