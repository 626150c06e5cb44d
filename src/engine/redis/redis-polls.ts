import {
  type Ballot,
  type BallotReceipt,
  type FoundBallot,
  foundBallot,
  type LoggedBallots,
  loggedBallot,
  type StoredBallot,
  storedBallot,
} from '../../poll/ballot.ts';
import { CHAT_PLATFORMS, type ChatVoters } from '../../poll/chat-platform.ts';
import {
  closedAtMs,
  DAY_MS,
  fromStoredPoll,
  idOfRound,
  imageFiles,
  isPollId,
  type NewPoll,
  type NextRound,
  type Poll,
  type PollId,
  type PollStatus,
  parseVisibility,
  pollOfRound,
  type Reading,
  type Results,
  type SeenState,
  type StoredPoll,
} from '../../poll/poll.ts';
import { type Correction, imagesLost, markOfState, type PollChange } from '../../poll/poll-change.ts';
import { NOT_WRITTEN } from '../../poll/poll-error.ts';
import { digestOf } from '../check-ballot.ts';
import { definitionCache } from '../definition-cache.ts';
import {
  DELETIONS_KEPT_MS,
  type LogPart,
  MARK_MS,
  type Polls,
  type Revision,
  type StoredLog,
} from '../engine.ts';
import { Outstanding } from '../outstanding.ts';
import { type CastBallot, fastBallots, shardedBallots } from './cast-ballots.ts';
import {
  counterFields,
  definitionFields,
  IMAGE,
  imageFields,
  LOG,
  namesAndValues,
  openingFields,
  UPCOMING,
} from './poll-fields.ts';
import { type CommandClient, engineUnavailable, NO_PRIMARY } from './redis-commands.ts';
import { type RedisRetention, redisRetention } from './redis-retention.ts';
import { type RedisKeys, type RedisStore, timeToMs } from './redis-store.ts';
import { BALLOT, parseBallot, readInOrder, readUnordered, SEQUENCE } from './stored-ballots.ts';

interface Definition {
  readonly poll: Poll;
  /** Names of the answers' counters, as read-poll takes them. */
  readonly counters: string;
}

const DEFAULT_RETENTION_MS = 365 * DAY_MS;
/** All counts are in Redis; this process caches only definitions, and each read checks their edition. */
export class RedisPolls implements Polls {
  readonly #store: RedisStore;
  readonly #retention: RedisRetention;
  readonly #retentionMs: number | undefined;
  readonly #cast: CastBallot;
  readonly #definitions = definitionCache<Definition>();
  /** Unanswered ballots, and steps after answered ones. */
  readonly #casting = new Outstanding();

  /** @param isReplicated whether a ballot counts only once a replica holds it */
  constructor(store: RedisStore, isReplicated: boolean, retentionDays: number | undefined) {
    this.#store = store;
    this.#retentionMs = retentionDays === undefined ? undefined : retentionDays * DAY_MS;
    this.#retention = redisRetention(store, this.#retentionMs);
    const argsOf = (id: PollId) => [store.keys.ofPoll(id).poll, ...store.hintArgs(id), flag(isReplicated)];
    this.#cast = isReplicated
      ? shardedBallots(store, argsOf)
      : fastBallots(store.connections.commands, argsOf);
  }

  async create(made: NewPoll): Promise<boolean> {
    const { poll, keys, images } = made;
    if (!isPollId(poll.id)) throw new RangeError('Not a poll id');
    const fields = namesAndValues({
      ...openingFields(made),
      version: 1,
      admin: keys.adminKeyHash,
      view: keys.viewKeyHash,
      retention: this.#retentionMs ?? DEFAULT_RETENTION_MS,
      created: poll.createdAtMs,
      empty: poll.emptyRetentionMs,
      ...imageFields(images),
    });
    await this.#mark(poll.id);
    const created = await this.#store.write(client =>
      client.createPoll(this.#key(poll.id), ...fields.flat()),
    );
    // Even if the poll exists: an earlier try may have died before these steps.
    await this.#retention.keep(poll.id);
    if (!poll.settings.isPrivate)
      await this.#store.write(client => addPublicPoll(client, this.#store.keys, poll.id, poll.createdAtMs));
    return created === 1;
  }

  async find(id: PollId): Promise<Reading | undefined> {
    for (;;) {
      const definition = this.#definitions.get(id) ?? (await this.#findDefinition(id));
      if (!definition) return undefined;
      const { counters, poll } = definition;
      const args = [this.#key(id), ...this.#store.hintArgs(id), counters, poll.edition ?? ''];
      const text = await this.#store.send(client => client.readPoll(...args));
      if (text) return parseReading(definition, text);
      // Removed or corrected since the definition was read.
      this.#definitions.delete(id);
    }
  }

  async findRevisions(ids: readonly PollId[]): Promise<(Revision | undefined)[]> {
    if (ids.length === 0) return [];
    return this.#store.send(async client => {
      const time = this.#store.connections.clock.time();
      const definitions = ids.map(id => this.#definitions.get(id));
      const states = ids.map((id, index) => {
        const counters = definitions[index]?.counters.split(' ') ?? [];
        return client.hmget(this.#key(id), ...STATE_FIELDS, ...counters);
      });
      const [now, ...replies] = await Promise.all([time, ...states]);
      const readAtMs = timeToMs(now);
      return replies.map((reply, index) => parseRevision(reply, readAtMs, definitions[index]?.poll.edition));
    });
  }

  listPublic(limit: number): Promise<PollId[]> {
    return this.#store.send(async client => {
      const { publicPolls } = this.#store.keys;
      const listed = limit > 0 ? await client.zrevrange(publicPolls, 0, -1) : [];
      const found: PollId[] = [];
      for (let start = 0; start < listed.length && found.length < limit; start += limit) {
        const ids = listed.slice(start, start + limit);
        // The poll decides: the list may contain expired polls, and must never reveal a private one.
        const flags = await Promise.all(ids.map(id => client.hget(this.#key(id), 'public')));
        found.push(...ids.filter((_, index) => flags[index] === '1'));
      }
      return found.slice(0, limit);
    });
  }

  async cast(ballot: Ballot): Promise<BallotReceipt> {
    if (!isPollId(ballot.pollId)) return { outcome: 'poll_not_found', version: 0 };
    // A demoted primary loses what it accepts.
    if (!this.#store.connections.isPrimary) throw engineUnavailable(NO_PRIMARY, NOT_WRITTEN);
    this.#casting.begin();
    try {
      const receipt = await this.#cast(ballot);
      if (receipt.outcome === 'accepted' && this.#retention.isDue(ballot.pollId)) this.#keep(ballot.pollId);
      return receipt;
    } finally {
      this.#casting.end();
    }
  }

  tidy(): Promise<void> {
    return this.#retention.sweep();
  }

  /** Resolves once every ballot is answered and its retention is moved. */
  async close(): Promise<void> {
    this.#retention.close();
    await this.#casting.settled();
  }

  async *readBallots(id: PollId, order?: 'unordered'): AsyncIterable<readonly StoredBallot[]> {
    const read = order === 'unordered' ? readUnordered : readInOrder;
    for await (const batch of read(this.#store, this.#key(id)))
      yield batch.flatMap(({ version: _, ...ballot }) => storedBallot(ballot) ?? []);
  }

  async findVoidRules(id: PollId): Promise<string | undefined> {
    const [version, rules] = await this.#store.send(client =>
      client.hmget(this.#key(id), 'version', 'void_rules'),
    );
    return version ? (rules ?? '') : undefined;
  }

  async replaceVoidRules(id: PollId, expected: string, rules: string): Promise<boolean> {
    await this.#mark(pollOfRound(id)?.id ?? id);
    return this.#void(id, [expected, rules, flag(true)]);
  }

  setVoided(id: PollId, ballotIds: readonly string[], voided: boolean, rules: string): Promise<boolean> {
    return this.#void(id, [rules, rules, flag(voided), ...ballotIds]);
  }

  async findImage(id: PollId, file: string): Promise<string | undefined> {
    return (await this.#store.send(client => client.hget(this.#key(id), IMAGE + file))) ?? undefined;
  }

  async findBallot(id: PollId, ballotId: string): Promise<FoundBallot | undefined> {
    const [verifiable, text] = await this.#store.readRound(id, ['verifiable', BALLOT + ballotId]);
    if (!verifiable || !text) return undefined;
    const ballot = parseBallot(ballotId, text);
    if (!ballot.replaces) return foundBallot(ballot, ballot);
    const [firstId] = await this.#store.readRound(id, [`${SEQUENCE}${ballot.replaces}`]);
    const [first] = await this.#store.readRound(id, [BALLOT + (firstId ?? '')]);
    return foundBallot(ballot, first ? parseBallot(firstId ?? '', first) : ballot);
  }

  async readSequence(id: PollId, first: number, count: number): Promise<LoggedBallots> {
    const places = Array.from({ length: count }, (_, index) => `${SEQUENCE}${first + index}`);
    const ids = await this.#store.readRound(id, places);
    const ballots = ids.map(ballotId => BALLOT + (ballotId ?? ''));
    const texts = await this.#store.readRound(id, ballots);
    return texts.map((text, index) => {
      const ballot = text === null ? undefined : loggedBallot(parseBallot(ids[index]!, text));
      return ballot?.sequence === first + index ? ballot : undefined;
    });
  }

  async findLog(id: PollId): Promise<StoredLog | undefined> {
    const [verifiable, sequence, state] = await this.#store.readRound(id, ['verifiable', 'sequence', LOG]);
    return verifiable ? { ballots: Number(sequence), state: state ?? '' } : undefined;
  }

  async hasVoted(id: PollId, voter: string): Promise<boolean> {
    return (await this.#store.send(client => client.hexists(this.#key(id), VOTER + digestOf(voter)))) === 1;
  }

  async findLogParts(id: PollId, names: readonly string[]): Promise<(string | undefined)[]> {
    if (names.length === 0) return [];
    const parts = names.map(name => LOG + name);
    const texts = await this.#store.readRound(id, parts);
    return texts.map(text => text ?? undefined);
  }

  async replaceLog(id: PollId, expected: string, state: string, part?: LogPart): Promise<boolean> {
    const fields = [LOG, state, ...(part ? [LOG + part.name, part.text] : [])];
    const { id: poll, round = '' } = pollOfRound(id) ?? { id };
    const key = this.#key(poll);
    return (await this.#store.write(client => client.replaceLog(key, expected, round, ...fields))) === 1;
  }

  async change(id: PollId, change: PollChange): Promise<boolean> {
    if (!isPollId(id)) return false;
    const { closed, deadlineMs, closesInMs, resultsVisibility, revealedFrom } = change;
    const args = [
      ...this.#store.hintArgs(id),
      change.upcoming ? 'upcoming' : closed === undefined ? '' : flag(closed),
      deadlineMs === undefined ? '' : (deadlineMs ?? 'none'),
      resultsVisibility ?? '',
      change.viewKeyHash ?? '',
      this.#retentionMs ?? '',
      closesInMs ?? '',
      change.adminKeyHash ?? '',
      change.expected ? markOfState(change.expected) : '',
      revealedFrom === undefined ? '' : (revealedFrom ?? 'none'),
      ...(change.correction ? correctionArgs(change.correction) : []),
    ];
    const { before, after } = change.correction ?? {};
    // Before the change, because the list may contain private polls, and must have the public ones.
    if (after && before?.settings.isPrivate && !after.settings.isPrivate)
      await this.#store.write(client => addPublicPoll(client, this.#store.keys, id, after.createdAtMs));
    return this.#change(id, client =>
      change.correction?.image
        ? client.changePollWithImage(this.#key(id), ...args)
        : client.changePoll(this.#key(id), ...args),
    );
  }

  async again(id: PollId, next: NextRound): Promise<boolean> {
    if (!isPollId(id)) return false;
    const round = next.before.round ?? 1;
    const images = imageFiles(next.poll).map(file => IMAGE + file);
    const poll = { ...next.poll, round: round + 1, roundFrom: 0 };
    const args = [
      ...this.#store.hintArgs(id),
      round,
      markOfState(next.before),
      images.length,
      ...images,
      ...namesAndValues(openingFields({ ...next, poll })).flat(),
    ];
    return this.#change(id, client =>
      client.beginRound(this.#key(id), this.#key(idOfRound(id, round)), ...args),
    );
  }

  async takeBackRound(id: PollId, { round = 1, status }: SeenState): Promise<boolean> {
    if (!isPollId(id)) return false;
    const keys = [this.#key(id), this.#key(idOfRound(id, round))] as const;
    return this.#change(id, client => client.dropRound(...keys, ...this.#store.hintArgs(id), round, status));
  }

  async remove(id: PollId): Promise<boolean> {
    if (!isPollId(id)) return false;
    const { keys } = this.#store;
    const { poll, comments } = keys.ofPoll(id);
    const args = [poll, comments, ...this.#store.hintArgs(id), keys.channel(`comments:${id}`)];
    await this.#mark(id);
    await this.#store.write(client => client.markDeleted(keys.deleted(id), DELETIONS_KEPT_MS));
    const removed = await this.#store.write(client => client.removePoll(...args));
    this.#definitions.delete(id);
    await this.#store.write(client =>
      Promise.all([client.zrem(keys.publicPolls, id), client.zrem(keys.retention, id)]),
    );
    return removed === 1;
  }

  async now(): Promise<number> {
    return timeToMs(await this.#store.send(() => this.#store.connections.clock.time()));
  }

  /** Takes a step that is an event, and moves the expiry of the poll with it. */
  async #change(id: PollId, step: (client: CommandClient) => Promise<0 | 1>): Promise<boolean> {
    await this.#mark(id);
    const isTaken = (await this.#store.write(step)) === 1;
    if (isTaken) await this.#retention.keep(id);
    return isTaken;
  }

  /** If the node with the log of events is lost, changes of other polls still work: `withEvents` tells them later. */
  async #mark(id: PollId): Promise<void> {
    await this.#store
      .write(client => client.markEvent(this.#store.keys.events.due, id, MARK_MS))
      .catch(() => {});
  }

  /** Not awaited by the voter, who already has an answer. */
  #keep(id: PollId): void {
    this.#casting.begin();
    this.#retention
      .keep(id)
      .catch(cause => this.#store.onError(new Error('the expiry of a poll cannot be moved', { cause })))
      .finally(() => this.#casting.end());
  }

  async #findDefinition(id: PollId): Promise<Definition | undefined> {
    const text = await this.#store.send(client => client.hget(this.#key(id), 'definition'));
    if (!text) return undefined;
    const poll = fromStoredPoll(JSON.parse(text) as StoredPoll);
    const definition = { poll, counters: Object.keys(counterFields(poll)).join(' ') };
    this.#definitions.set(id, definition);
    return definition;
  }

  async #void(id: PollId, args: readonly string[]): Promise<boolean> {
    const hintArgs = this.#store.hintArgs(id);
    const done = await this.#store.write(client => client.voidBallots(this.#key(id), ...hintArgs, ...args));
    return done === 1;
  }

  #key(id: PollId): string {
    return this.#store.keys.ofPoll(id).poll;
  }
}

/** The prefix of the fields of voters. */
const VOTER = 'v:';

function correctionArgs(correction: Correction): (string | number)[] {
  const { before, after, isUnvoted, image } = correction;
  const old = counterFields(before);
  const fresh = counterFields(after);
  const removed = [
    ...Object.keys(old).filter(counter => !(counter in fresh)),
    ...imagesLost(correction).map(file => IMAGE + file),
  ];
  const added = Object.entries(fresh).filter(([counter]) => !(counter in old));
  const fields = {
    ...definitionFields(after),
    ...Object.fromEntries(added),
    ...imageFields(image && [image]),
  };
  return [
    before.edition ?? '',
    flag(isUnvoted),
    removed.length,
    ...removed,
    ...namesAndValues(fields).flat(),
  ];
}

function flag(value: boolean): '1' | '0' {
  return value ? '1' : '0';
}

const MAX_PUBLIC_POLLS = 1_000;

/**
 * Adds to the list of public polls. It is outside of the polls' own keys and may lag behind, as no
 * script may use two hash tags.
 */
export async function addPublicPoll(
  client: CommandClient,
  { publicPolls }: RedisKeys,
  id: PollId,
  createdAtMs: number,
): Promise<void> {
  await Promise.all([
    client.zadd(publicPolls, createdAtMs, id),
    client.zremrangebyrank(publicPolls, 0, -MAX_PUBLIC_POLLS - 1),
  ]);
}

/** Names of the counters of votes from chat. */
export const CHAT_COUNTERS = CHAT_PLATFORMS.map(platform => `chat:${platform}` as const);

/** The lines of a reply of read-poll-1.lua, which the counters of answers follow. */
const READ_LINES = [
  'now',
  'version',
  'deadline',
  'settled',
  'closed',
  'voters',
  'visibility',
  'view',
  'hinted',
  'closes_in',
  'admin',
  'voided',
  'edition',
  'revealed',
  ...CHAT_COUNTERS,
  'withdrawn',
] as const;
/** Lines that no revision has. */
const READ_ALONE: readonly string[] = ['now', 'view', 'hinted', 'admin'];
const STATE_FIELDS = READ_LINES.filter(name => !READ_ALONE.includes(name));
const STATE_AT = positionsOf(STATE_FIELDS);
const LINE_AT = positionsOf(READ_LINES);

type Texts = readonly (string | null)[];

function positionsOf<Name extends string>(names: readonly Name[]): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name, index) => [name, index])) as Record<Name, number>;
}

function parseReading({ poll }: Definition, text: string): Reading {
  const lines = text.split('\n');
  const readAtMs = Number(lines[LINE_AT.now]);
  const state = parseState(lines, LINE_AT, readAtMs);
  const votes: number[] = [];
  for (let index = READ_LINES.length; index < lines.length; index += 1) votes.push(Number(lines[index]));
  return {
    poll,
    keys: { adminKeyHash: lines[LINE_AT.admin]!, viewKeyHash: lines[LINE_AT.view]! },
    hintedAtMs: Number(lines[LINE_AT.hinted]),
    closedAtMs: closedAtMs(Number(lines[LINE_AT.closed]) || null, state.deadlineMs, readAtMs),
    results: { version: Number(lines[LINE_AT.version]), votes, ...state },
  };
}

/**
 * @param fields `STATE_FIELDS`, then the counters if they are known
 * @param countedEdition the edition that these counters belong to
 */
function parseRevision(fields: Texts, readAtMs: number, countedEdition?: string): Revision | undefined {
  const version = fields[STATE_AT.version];
  if (!version) return undefined;
  const state = parseState(fields, STATE_AT, readAtMs);
  const { deadlineMs, edition } = state;
  const isUnsettled =
    deadlineMs !== null && readAtMs >= deadlineMs && fields[STATE_AT.settled] !== fields[STATE_AT.deadline];
  const counts = fields.slice(STATE_FIELDS.length);
  return {
    // A passed deadline has a version of its own, stored or not.
    version: Number(version) + (isUnsettled ? 1 : 0),
    ...(counts.length > 0 && edition === countedEdition && { votes: counts.map(Number) }),
    ...state,
  };
}

/** @param at the position of each field in the texts */
function parseState(texts: Texts, at: typeof STATE_AT, readAtMs: number): Omit<Results, 'version' | 'votes'> {
  const deadlineMs = millisecondsOrNull(texts[at.deadline]);
  const firstChat = at[CHAT_COUNTERS[0]!];
  return {
    totalVoters: Number(texts[at.voters]),
    chatVoters: parseChatVoters(texts.slice(firstChat, firstChat + CHAT_COUNTERS.length)),
    voidedVotes: Number(texts[at.voided]) || undefined,
    withdrawn: Number(texts[at.withdrawn]) || undefined,
    status: statusOf(texts[at.closed], deadlineMs, readAtMs),
    deadlineMs,
    closesInMs: millisecondsOrNull(texts[at.closes_in]) ?? undefined,
    resultsVisibility: parseVisibility(texts[at.visibility]),
    revealedFrom: Number(texts[at.revealed]) || undefined,
    edition: texts[at.edition] || undefined,
    readAtMs,
  };
}

/** @param texts in the order of `CHAT_COUNTERS`; more may follow */
export function parseChatVoters(texts: Texts): ChatVoters | undefined {
  const counts = CHAT_PLATFORMS.map((platform, index) => [platform, Number(texts[index])] as const);
  const counted = counts.filter(([, count]) => count > 0);
  return counted.length > 0 ? Object.fromEntries(counted) : undefined;
}

function statusOf(closed: string | null | undefined, deadlineMs: number | null, nowMs: number): PollStatus {
  if (deadlineMs !== null && nowMs >= deadlineMs) return 'closed';
  if (closed === UPCOMING) return 'upcoming';
  return closed ? 'closed' : 'open';
}

function millisecondsOrNull(text: string | null | undefined): number | null {
  return text ? Number(text) : null;
}
