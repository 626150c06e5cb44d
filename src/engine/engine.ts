import type {
  Ballot,
  BallotReceipt,
  BallotRecord,
  FoundBallot,
  LoggedBallots,
  StoredBallot,
} from '../poll/ballot.ts';
import type {
  EncodedImage,
  NewPoll,
  NextRound,
  Poll,
  PollId,
  PollKeys,
  PollRound,
  Reading,
  Results,
  SeenState,
} from '../poll/poll.ts';
import type { PollChange } from '../poll/poll-change.ts';
import type { RecordName } from './record-names.ts';

/**
 * Where polls and counts are stored: six ports. The engine is the truth; hints are only hints.
 *
 * Every call that needs the store MUST reject with `PollError('engine_unavailable')` within about
 * two seconds if the store does not answer, and MUST NOT queue the request for later.
 */
export interface Engine {
  readonly polls: Polls;
  readonly hints: Hints;
  readonly records: Records;
  readonly comments: Comments;
  readonly archive: Archive;
  readonly events: EventLog;

  /**
   * `polls.cast` for users of the package. MUST reject with the `TypeError` or `RangeError` of
   * `checkBallot` before anything is counted.
   */
  castBallot(ballot: Ballot): Promise<BallotReceipt>;

  /**
   * Reports what works now, without storing anything. MUST reject if nothing can be read, MUST NOT
   * report a fault that is over, and MUST be cheap: it is called every few seconds.
   */
  checkHealth(): Promise<EngineHealth>;

  /** Describes the engine and its durability to an operator. MUST NOT contain a password. */
  describe(): Promise<EngineDescription>;

  /**
   * MUST finish requests in progress, and MUST release every connection, file and timer.
   *
   * @throws PollError `engine_unavailable` if its disk does not answer: an exit of the process may then never end
   */
  close(): Promise<void>;
}

export interface EngineDescription {
  readonly text: string;
  readonly advice: readonly string[];
}

export interface EngineHealth {
  /** `some`: only some polls can be read, for example if a cluster has lost a shard. */
  readonly reads: 'all' | 'some';
  /** Which of the polls that can be read can be written. */
  readonly writes: 'all' | 'some' | 'none';
  /** For an operator, in constant words that are public. */
  readonly fault?: string | undefined;
}

/**
 * Polls with their counts and ballots. A poll without a ballot MUST be removed after
 * `emptyUntilMs`; its first ballot makes it a poll like any other. "Hint" means
 * `hints.publish(<poll id>)`.
 */
export interface Polls {
  /** Stores a poll with its images. MUST resolve to false and change nothing if a poll has that id. */
  create(poll: NewPoll): Promise<boolean>;

  /**
   * Reads one consistent moment that begins after the call. MUST contain every ballot that any
   * process acknowledged before the call. MUST store a passed deadline exactly once, as a change
   * that raises the version and hints.
   */
  find(id: PollId): Promise<Reading | undefined>;

  /** The present revision of each poll for the sweep, in order; undefined for unknown polls. MUST be cheap. */
  findRevisions(ids: readonly PollId[]): Promise<(Revision | undefined)[]>;

  /** Public polls, newest first. MUST NOT list private (`priv`) polls. */
  listPublic(limit: number): Promise<PollId[]>;

  /**
   * Checks, counts, remembers the voter, raises the version and hints, in one atomic step. MUST NOT
   * hint if another ballot of the poll has hinted within `HINT_WINDOW_MS`. Resolves once the ballot
   * is as durable as configured. MUST be safe to call again with the same ballot id after any
   * error. MUST NOT leave a trace of a rejected ballot. Checks in this order: poll_not_found,
   * repeated, round_over, poll_closed, poll_not_open, sign_in_required, vpn_rejected,
   * invalid_answers (also by `choicesOf`), name_required, duplicate_voter, duplicate_address,
   * proof_used.
   *
   * A ballot with `change` replaces the answers of the voter's ballot in the same way, and none
   * withdraw it. Id, time, network and name stay those of the first ballot, so a voided ballot
   * stays void. MUST recognize a retry of any of a voter's ballots, and MUST NOT count a withdrawn
   * one as a voter. Checks up to invalid_answers, then change_not_allowed, too_many_changes,
   * proof_used. A ballot from chat may be withdrawn in any poll, and then cast again. Polls that
   * allow no change MUST NOT store which ballot a voter has cast, before one is changed.
   */
  cast(ballot: Ballot): Promise<BallotReceipt>;

  /** Whether a ballot of this voter was accepted, also if it is voided now. @param voter as in its ballot */
  hasVoted(id: PollId, voter: string): Promise<boolean>;

  /**
   * All ballots of a poll, voided and withdrawn ones included, some hundreds at a time, in the
   * order of acceptance as far as the engine knows it. MUST let other requests run in between. With
   * `unordered` in any order, some twice, where that is cheaper.
   */
  readBallots(id: PollId, order?: 'unordered'): AsyncIterable<readonly StoredBallot[]>;

  /**
   * The rules by which ballots of a poll are voided, as stored by `replaceVoidRules`; empty for
   * none, undefined without a poll.
   */
  findVoidRules(id: PollId): Promise<string | undefined>;

  /**
   * Compare and set, as `Records.replace`; moves no ballot. Resolves to false if the stored rules
   * are not the expected ones, or there is no such poll.
   */
  replaceVoidRules(id: PollId, expected: string, rules: string): Promise<boolean>;

  /**
   * Takes ballots, some hundreds at most, out of the counts or back into them, in one atomic step
   * that raises the version and hints. Skips those that are there already or unknown. MUST keep
   * voters, addresses and proofs used. MUST be safe to call again after any error. Resolves to
   * false and changes nothing if the stored rules are not `rules`.
   */
  setVoided(id: PollId, ballotIds: readonly string[], voided: boolean, rules: string): Promise<boolean>;

  /**
   * Applies a change in one atomic step that raises the version and hints. Resolves to false and
   * changes nothing if there is no such poll, it is not as `expected`, or not as its correction
   * expects: it has another edition, or a ballot was accepted, which may be voided. The same for a
   * step of a reveal unless the poll is closed and `hidden`. What is revealed MUST follow
   * `revealedAfter`. `upcoming` MUST close the poll instead if a ballot was ever accepted. A
   * correction MUST keep the counts. Reads from then on MUST return its definition with the counts
   * of its answers. MUST store its image and free `imagesLost` in the same step.
   */
  change(id: PollId, change: PollChange): Promise<boolean>;

  /**
   * Begins the next round of a poll in one atomic step that raises the version and hints.
   * Ballots and their counts start over, and `poll.roundFrom` becomes the new version. The round
   * before is closed, and all reads find it by `idOfRound`; it MUST be removed with the poll.
   * Resolves to false and changes nothing unless the poll has the round and state of `before`.
   */
  again(id: PollId, next: NextRound): Promise<boolean>;

  /**
   * Takes the beginning of the present round back in one atomic step that raises the version and
   * hints: the round before is the present one again, with the status of `before`, and keeps the
   * keys and retention of now. Resolves to false and changes nothing unless the present round is the
   * one after `before` and has never accepted a ballot.
   */
  takeBackRound(id: PollId, before: SeenState): Promise<boolean>;

  /** An image of the poll's answers, in base64. @param file as answers name it */
  findImage(id: PollId, file: string): Promise<string | undefined>;

  /**
   * A ballot of a verifiable poll, or a change of one. This and the next four also take the
   * `idOfRound` of any round: the present one keeps it when it ends, so that nothing of the next
   * round is read or stored in its place.
   *
   * @param ballotId 128 characters at most
   */
  findBallot(id: PollId, ballotId: string): Promise<FoundBallot | undefined>;

  /**
   * Ballots and changes of a verifiable poll by their sequence; only a first ballot is marked as
   * voided. Undefined for those that are missing. Contains every ballot up to `StoredLog.ballots`
   * of a read before.
   *
   * @param count 512 at most
   */
  readSequence(id: PollId, first: number, count: number): Promise<LoggedBallots>;

  /** The log of a verifiable poll at one moment. Undefined for other polls. */
  findLog(id: PollId): Promise<StoredLog | undefined>;

  /** Parts of the log by their names, in order; undefined for those that are missing. */
  findLogParts(id: PollId, names: readonly string[]): Promise<(string | undefined)[]>;

  /**
   * Compare and set: stores the state and a part in one step, which neither raises the version nor
   * hints. Resolves to false and changes nothing if the stored state is not the expected one, or
   * there is no such verifiable poll.
   */
  replaceLog(id: PollId, expected: string, state: string, part?: LogPart): Promise<boolean>;

  /**
   * Removes a poll with every ballot, voter, comment and image, and hints. Resolves to false if
   * there is no such poll. MUST store the deletion first, as an expiry does: see
   * `EventLog.markDeleted`.
   */
  remove(id: PollId): Promise<boolean>;

  /** The engine's clock: UNIX time in milliseconds. */
  now(): Promise<number>;
}

/** What is stored of the log of a verifiable poll. The texts belong to `audit/`. */
export interface StoredLog {
  /** Ballots and changes ever accepted, voided ones included: the sequence of the last one. */
  readonly ballots: number;
  /** Empty before the first `replaceLog`. */
  readonly state: string;
}

/** Ten kilobytes of the log, beside its state. */
export interface LogPart {
  /** Consists of `0-9` and `-`. */
  readonly name: string;
  readonly text: string;
}

/**
 * Results; `votes` is undefined if it would cost a read. An equal version alone proves nothing:
 * after data loss it may return with other counts.
 */
export type Revision = Omit<Results, 'votes'> & Partial<Pick<Results, 'votes'>>;

/** Equal for revisions that differ only in the time of reading. */
export function revisionMark(revision: Revision | undefined): string | undefined {
  return revision && JSON.stringify({ ...revision, readAtMs: 0 });
}

/**
 * Milliseconds after a ballot's hint in which other ballots of the poll publish none: at most 40
 * hints a second and poll. Readers therefore read once more after this time, both after a hint and
 * after they start to follow.
 */
export const HINT_WINDOW_MS = 25;

/**
 * "This topic has changed, read it again." A topic is a poll's id, or a name with a colon such as `comments:<poll id>`.
 * Hints have no content and may arrive late, twice or never: `FollowedTopics` has the reads and sweeps that this takes.
 */
export interface Hints {
  /**
   * Calls the listener at each hint about this topic from any process, and about no other. MUST
   * count followers: the subscription ends with the last of them. If subscribing fails, MUST retry
   * until it succeeds or nothing follows, and then MUST call the listener, because hints may be
   * lost. MUST NOT call it before this returns or after `unfollow`. Listeners MUST NOT throw.
   */
  follow(topic: string, listener: () => void): Following;

  /** Calls every follower of a topic, in every process. MUST NOT wait for them. */
  publish(topic: string): Promise<void>;

  /**
   * Rejects if the last two probes of this process's subscriptions were not delivered. MUST be
   * free: readiness checks call it.
   */
  checkDelivery(): Promise<void>;

  /**
   * Calls back with false when the engine is lost, and with true when it is back and every topic is
   * subscribed again. Hints may be lost in between.
   */
  onAvailability(listener: (available: boolean) => void): void;
}

export interface Following {
  /**
   * Resolves once the subscription holds, so that a read from then on misses nothing, or once the
   * first try has failed, so that no reader waits for a lost engine. MUST NOT reject.
   */
  readonly ready: Promise<void>;

  unfollow(): void;
}

/** Small named texts beside the polls: kept replies, secrets of the servers, the polls of a show. */
export interface Records {
  /** MUST NOT find an expired text. */
  find(name: string): Promise<string | undefined>;

  /** Finds many, in order. MUST cost one request to the engine, so pass some hundreds at most. */
  findMany(names: readonly string[]): Promise<(string | undefined)[]>;

  /**
   * Stores a text unless the name is taken; resolves to the stored text. MUST be atomic: of many
   * callers, all get the text of the first.
   *
   * @param ttlMs milliseconds until it expires; default never
   */
  putIfAbsent(name: RecordName, text: string, ttlMs?: number): Promise<string>;

  /** Stores a text in any case. MUST NOT keep an earlier text's expiry. */
  put(name: RecordName, text: string, ttlMs?: number): Promise<void>;

  /**
   * Compare and set: resolves to false if the stored text is not the expected one. MUST be atomic:
   * of two writers who read the same text, one succeeds. MUST NOT keep an earlier text's expiry.
   *
   * @param text undefined removes
   */
  replace(name: string, expected: string, text: string | undefined): Promise<boolean>;

  /**
   * Adds to the amount spent under a name. If that exceeds the budget, MUST resolve to false and
   * change nothing. MUST be atomic.
   *
   * @param ttlMs milliseconds after which the whole amount expires
   */
  spend(name: RecordName, amount: number, budget: number, ttlMs: number): Promise<boolean>;

  /** MUST also resolve if there is nothing to remove. */
  remove(name: string): Promise<void>;
}

export interface Comment {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** UNIX time in milliseconds. */
  readonly writtenAtMs: number;
}

/** Comments of a poll, removed with it. "Hint" means `hints.publish('comments:<poll id>')`. */
export interface Comments {
  /**
   * MUST keep the newest `limit` comments and hint. MUST store a comment once if it is added again
   * with the same members, as a retry does. Resolves to false if there is no such poll.
   */
  add(pollId: PollId, comment: Comment, limit: number): Promise<boolean>;

  /** Newest first. @param limit at most this many; default all */
  list(pollId: PollId, limit?: number): Promise<Comment[]>;

  /** For each poll a text that changes with its list, in order, for the sweep. MUST be cheap. */
  findRevisions(pollIds: readonly PollId[]): Promise<string[]>;

  /** MUST hint. Resolves to false if there is no such comment. */
  remove(pollId: PollId, commentId: string): Promise<boolean>;
}

/**
 * What programs are told: the events of the last day, in order, and for each subject the state that
 * its last event told. A subject is a poll's id, or `show:<name>`. `polls.create`, `change`,
 * `replaceVoidRules`, `remove` and an expiry MUST mark the poll first, so that a process that dies
 * leaves nothing untold or unfinished.
 */
export interface EventLog {
  findState(subject: string): Promise<string | undefined>;

  /** Makes `findDue` return the subject after `MARK_MS`, when a change that begins now has ended in any case. */
  mark(subject: string): Promise<void>;

  /**
   * Stores that a subject is about to be deleted. Subjects that are missing without it were lost,
   * and may come back with a backup. MUST keep at least the newest `MAX_DELETIONS` for
   * `DELETIONS_KEPT_MS`, and MUST also work without memory left.
   */
  markDeleted(subject: string): Promise<void>;

  /**
   * Whether a deletion of the subject is stored. Ask only for what is missing: a deletion may have
   * failed after its mark.
   */
  wasDeleted(subject: string): Promise<boolean>;

  /**
   * Adds events, stores the state and moves the subject in the list of polls, in one atomic step,
   * and hints `events`. Ends marks that are due. Resolves to false and changes nothing if the
   * stored state is not `known`. MUST also work without memory left.
   */
  tell(told: ToldState): Promise<boolean>;

  /** Subjects with a mark or a `dueAtMs` that has passed, by the engine's clock, in any order. */
  findDue(limit: number): Promise<string[]>;

  /** Events after a position, oldest first. MUST keep those of a day, at most the newest `MAX_EVENTS`. */
  read(after: number, limit: number): Promise<LoggedEvent[]>;

  /** Position of the newest event, 0 without one. */
  findNewest(): Promise<number>;

  /** What `tell` listed, in descending order. @param before exclusive; default from the first */
  list(limit: number, before?: string): Promise<string[]>;
}

export interface ToldState {
  readonly subject: string;
  readonly known: string | undefined;
  /** Undefined forgets the subject. */
  readonly state: string | undefined;
  /** UNIX time in milliseconds at which the state changes by itself; null for never. */
  readonly dueAtMs: number | null;
  /** Entry in the list of polls, which `state` keeps and undefined removes. */
  readonly listed?: string | undefined;
  /** JSON texts. */
  readonly events: readonly string[];
}

export interface LoggedEvent {
  /** Grows by one with each event. */
  readonly position: number;
  readonly text: string;
  /** UNIX time in milliseconds. */
  readonly atMs: number;
}

export const MARK_MS = 15_000;
export const MAX_EVENTS = 100_000;
export const EVENTS_KEPT_MS = 25 * 3_600_000;
/** About two megabytes. Subscribers ask within seconds, so a flood of deletions misleads none. */
export const MAX_DELETIONS = 20_000;
export const DELETIONS_KEPT_MS = 25 * 3_600_000;
/** Topic of the hints about new events. */
export const EVENTS = 'events';

/**
 * Everything in an engine, in a form that every engine reads and writes: for backups, and to move
 * to another engine. Voters, addresses and proofs are digests, which recognize a voter and do not
 * identify one.
 */
export interface Archive {
  /** Every record whose name is wanted. MUST NOT read the texts of others, of which there may be very many. */
  readRecords(isWanted: (name: string) => boolean): AsyncIterable<ArchivedRecord>;

  /** Ids of all polls. Those that are created or removed meanwhile may be missing. */
  listPolls(): AsyncIterable<PollId>;

  /**
   * A poll at one moment, while ballots arrive: the poll, then its entries, some hundreds at a
   * time. Before it its earlier rounds in the same way, oldest first. MUST NOT block other
   * requests. Yields nothing if there is no such poll.
   */
  readPoll(id: PollId): AsyncIterable<readonly (ArchivedPoll | ArchivedEntry)[]>;

  /**
   * Adds a poll with its counts and entries, or an earlier round, whose poll comes after it. MUST
   * NOT show any of it before the poll is complete, and MUST succeed after an earlier try that died
   * half way. Resolves to false and changes nothing if a poll has that id.
   */
  addPoll(poll: ArchivedPoll, entries: AsyncIterable<readonly ArchivedEntry[]>): Promise<boolean>;

  /** The ids, of some hundreds, whose ballots a round of a poll does not hold. */
  findMissing(round: PollRound, ballotIds: readonly string[]): Promise<string[]>;

  /** Writes the engine's own copy of one moment to a new file. Resolves to false if the engine makes no such copies. */
  copyTo(file: string): Promise<boolean>;
}

export interface ArchivedRecord {
  readonly type: 'record';
  readonly name: string;
  readonly text: string;
  /** UNIX time in milliseconds, null for never; the same in all types below. */
  readonly expiresAtMs: number | null;
}

type SharedState = 'deadlineMs' | 'closesInMs' | 'resultsVisibility' | 'revealedFrom';
type SharedCounts = 'version' | 'votes' | 'chatVoters' | 'voidedVotes' | 'withdrawn';

/** Counts and state of a round, as engines and archives store them. */
export interface StoredState extends Pick<Results, SharedState | SharedCounts> {
  readonly voters: number;
  /** As in `findVoidRules`; absent for none. */
  readonly voidRules?: string | undefined;
  readonly settledDeadlineMs: number | null;
  readonly expiresAtMs: number | null;
}

export interface ArchivedPoll extends StoredState {
  /** `round`: an earlier one, with the expiry of its poll. Its comments are with the poll. */
  readonly type: 'poll' | 'round';
  readonly poll: Poll;
  readonly keys: PollKeys;
  /** When its creator closed it; `upcoming` until it is opened. */
  readonly closed: number | 'upcoming' | null;
  /** State of the log of a verifiable poll; absent without one. */
  readonly log?: string | undefined;
  /**
   * Milliseconds to keep the poll after its end, 0 for ever; null for polls from before polls had a
   * retention of their own.
   */
  readonly retentionMs: number | null;
}

export type ArchivedEntry = ArchivedBallot | ArchivedComment | ArchivedDigests | ArchivedImage;

/** With a sequence in verifiable polls only. */
export interface ArchivedBallot extends BallotRecord {
  readonly type: 'ballot';
  /** The poll's version after it. */
  readonly version: number;
}

/** The present ballot of a voter in a poll that allows changes. */
export interface VoterBallot {
  /** Id of the first ballot. */
  readonly ballotId: string;
  readonly changes: number;
  /** UNIX time in milliseconds of the last change; 0 without one. */
  readonly changedAtMs: number;
}

export interface ArchivedComment extends Comment {
  readonly type: 'comment';
}

export interface ArchivedImage extends EncodedImage {
  readonly type: 'image';
}

export interface ArchivedDigests {
  readonly type: 'voters' | 'addresses' | 'proofs';
  /** By `digestOf`, in an order that reveals nothing. */
  readonly digests: readonly string[];
  /** Voters only, for each digest: null in polls that allow no change, where it is absent if all are. */
  readonly ballots?: readonly (VoterBallot | null)[] | undefined;
}

/** Name of the embedded engine's file in its folder, and of its copy by `copyTo`. */
export const STORE_FILE = 'tallycast.mdb';
