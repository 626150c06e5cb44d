import { CHAT_NAMES, CHAT_PLATFORMS, type ChatPlatform } from '../poll/chat-platform.ts';
import type { PollId, PollStatus } from '../poll/poll.ts';
import { areEqual, fromBase64, toBase64 } from './bytes.ts';
import { counted, grouped } from './counted.ts';
import {
  GrowingTree,
  HASH_BYTES,
  type Hash,
  LOST_ENTRY,
  type LoggedChoice,
  LogHashes,
  type ReadSubtree,
  rootOfPath,
  TILE_LEVELS,
  TILE_WIDTH,
} from './merkle.ts';
import { type Checkpoint, type LogCrypto, openCheckpoint, renameVerifierKey } from './note.ts';

/**
 * Verifies the log of a poll from what its server publishes, at a terminal and on the check page.
 * Believes no statement of the server.
 */

export interface LogToVerify {
  readonly pollId: PollId;
  readonly crypto: LogCrypto;
  /** Reads a path below the API address of the poll, as `/log/checkpoint`. MUST reject unless the status is 200. */
  readonly read: (path: string) => Promise<Response>;
  /** Undefined while the caller may not see them. */
  readonly results: PublishedResults | undefined;
  readonly seen: readonly SeenCheckpoint[];
  /**
   * A verifier key of any log of the server, from another source; undefined to use the one that the
   * server publishes.
   */
  readonly pinnedKey?: string | undefined;
  /** A ballot id. */
  readonly receipt?: string | undefined;
  /** Called after some ballots. The next ones are hashed after what it returns, so that a page can draw meanwhile. */
  readonly onProgress?: (verified: number, size: number) => Promise<void> | void;
}

export interface SeenCheckpoint {
  /** For sentences, as `the checkpoint in seen.txt`. */
  readonly name: string;
  /** As it was signed. */
  readonly note: string;
}

/** The members of `GET /api/poll/<id>` that are compared with the entries. */
export interface PublishedResults {
  readonly status: PollStatus;
  readonly poll_answers: readonly { readonly id: string; readonly answer: string; readonly votes: number }[];
  readonly total_voters: number;
  readonly by_source?: Readonly<Record<string, number>>;
  readonly voided_votes?: number;
  /** Whether a ballot may have several answers. */
  readonly ma: boolean;
}

/**
 * What does not fit: the ballots or the proof and the log (`log`), the log and a checkpoint seen
 * earlier (`memory`), or the ballots and the results (`counts`). A `loss` is one that the server
 * admits. The log of a closed poll may be `unfinished`.
 */
export type FaultKind = 'log' | 'memory' | 'counts' | 'loss' | 'unfinished';

export interface Fault {
  readonly kind: FaultKind;
  /** A sentence. */
  readonly text: string;
}

export interface Verdict {
  /** Empty if nothing is wrong. */
  readonly faults: readonly Fault[];
  /** Whether ballots and counts were verified. False before the end, and while the results are hidden. */
  readonly isComplete: boolean;
  /** Verifier key by which the log was verified. */
  readonly key: string;
  /** Undefined if it is not validly signed, which is a fault. */
  readonly checkpoint: Checkpoint | undefined;
  readonly note: string;
  /** Checkpoints seen earlier that the log contains, by size. */
  readonly contained: readonly { readonly name: string; readonly size: number }[];
  /** Ballots that do not count. */
  readonly voided: number;
  /** Entries that change an earlier ballot. */
  readonly changes: number;
  /** The ballot of the receipt; undefined before the end, and if it is missing, which is a fault. */
  readonly ballot: FoundBallot | undefined;
}

export interface FoundBallot {
  readonly sequence: number;
  /** Ids. */
  readonly answers: readonly string[];
  readonly isVoided: boolean;
  /** Sequence of the voter's last entry, if it is a later one. */
  readonly changedBy?: number | undefined;
}

/** The members of `GET /api/poll/<id>/log` that are used. */
interface LogDescription {
  readonly key: string;
  readonly origin: string;
  /** No ballot can follow, and the log has all of them. */
  readonly ended: boolean;
  readonly breaks: readonly { readonly checkpoint: string; readonly found_at: string }[];
}

const WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** A size at which the tree must have a root. */
interface Stop extends Checkpoint {
  readonly name: string;
  /** The kind of the fault if the tree has another root. */
  readonly kind: FaultKind;
}

/** @throws Error as `read`, or SyntaxError if `/log` has another shape */
export async function verifyLog(log: LogToVerify): Promise<Verdict> {
  const { pollId, crypto, pinnedKey, seen, results } = log;
  const isClosed = results?.status === 'closed';
  const description = await readDescription(log, isClosed);
  const note = await (await log.read('/log/checkpoint')).text();
  const faults: Fault[] = [];
  const report: Report = (kind, text) => faults.push({ kind, text });
  if (isClosed && !description.ended)
    report('unfinished', 'The poll is closed, but the server does not complete the log.');
  for (const { found_at: time } of description.breaks)
    report(
      'loss',
      `The log broke at ${time}: the server's data no longer were what it had signed. Ballots cast shortly before may be missing.`,
    );
  const trustedKey = pinnedKey ?? description.key;
  const open = (kind: FaultKind, name: string, signed: string): Stop | undefined => {
    try {
      return { name, kind, ...openOfLog(crypto, pollId, signed, trustedKey, description.origin) };
    } catch (error) {
      report(kind, `Cannot trust ${name}. ${(error as Error).message}`);
      return undefined;
    }
  };
  const checkpoint = open('log', "the log's checkpoint", note);
  const broken = description.breaks
    .map(each => open('loss', `the checkpoint signed before the break of ${each.found_at}`, each.checkpoint))
    .filter(stop => stop !== undefined);
  const isAdmitted = ({ origin, size }: Stop) =>
    broken.some(last => last.origin === origin && last.size >= size);
  const remembered = seen
    .map(each => open('memory', each.name, each.note))
    .filter(stop => stop !== undefined)
    .map((stop): Stop => ({ ...stop, kind: isAdmitted(stop) ? 'loss' : 'memory' }));
  const key = checkpoint ? renameVerifierKey(crypto, trustedKey, checkpoint.origin) : trustedKey;
  const counts = { voided: 0, changes: 0, ballot: undefined };
  const verdict = { key, checkpoint, note, faults, isComplete: false, contained: [], ...counts };
  if (!checkpoint) return verdict;
  const hashes = new LogHashes(crypto.sha256);
  const stops = new Stops(hashes, checkpoint, [...remembered, ...broken], report);
  const isComplete = isClosed && description.ended;
  if (!isComplete || !results) {
    await stops.growBy(tileReader(hashes, log, checkpoint));
    return { ...verdict, contained: stops.contained };
  }
  const entries = new Entries(hashes, log, results, report);
  await entries.verify(checkpoint.size, stops);
  const { voided, changes, ballot } = entries;
  return { ...verdict, isComplete, contained: stops.contained, voided, changes, ballot };
}

type Report = (kind: FaultKind, text: string) => void;

/** What a server replies about the ballot of a receipt. */
export interface BallotProof extends Omit<LoggedChoice, 'source'> {
  /** The audit path in base64, from the leaf up. */
  readonly path: readonly string[];
  /** As it was signed. */
  readonly checkpoint: string;
  readonly key: string;
}

export interface BallotVerdict {
  readonly faults: readonly Fault[];
  /** What was hashed to what, for people who verify it by other means. Without the receipt. */
  readonly values: object;
}

/**
 * Verifies that the log contains the ballot of a receipt as the server shows it.
 *
 * @param seen a note of an earlier checkpoint
 */
export function verifyBallot(
  crypto: LogCrypto,
  pollId: PollId,
  receipt: string,
  proof: BallotProof,
  seen: string | undefined,
): BallotVerdict {
  const hashes = new LogHashes(crypto.sha256);
  const { sequence, answers, replaces, path, checkpoint: note, key } = proof;
  const nonce = hashes.nonce(receipt);
  const entry = hashes.entry(nonce, pollId, { sequence, answers, replaces });
  const leaf = hashes.leaf(entry);
  const [nonce64, entry64, leaf64] = [nonce, entry, leaf].map(toBase64);
  const values = {
    nonce: nonce64,
    entry: entry64,
    leaf: leaf64,
    sequence,
    answers,
    ...(replaces !== undefined && { replaces }),
    path,
    checkpoint: note,
    key,
  };
  let kind: FaultKind = 'log';
  try {
    const origin = note.split('\n', 1)[0]!;
    const checkpoint = openOfLog(crypto, pollId, note, key, origin);
    const root = rootOfPath(hashes, leaf, sequence - 1, checkpoint.size, path.map(fromBase64));
    if (!root || !areEqual(root, checkpoint.root)) throw new Error('The path leads to another root.');
    kind = 'memory';
    const before = seen === undefined ? undefined : openOfLog(crypto, pollId, seen, key, origin);
    // Only the whole log shows what became of an earlier epoch.
    const isComparable = before?.origin === checkpoint.origin;
    const isRewritten = before?.size === checkpoint.size && !areEqual(before.root, checkpoint.root);
    if (isComparable && (before.size > checkpoint.size || isRewritten))
      throw new Error('The log is not the one of the checkpoint seen earlier.');
    return { faults: [], values };
  } catch (error) {
    return { faults: [{ kind, text: (error as Error).message }], values };
  }
}

/**
 * Opens a checkpoint of any epoch of a poll's log.
 *
 * @param key verifier key of any log of the server
 * @param logOrigin of any epoch of the log
 */
function openOfLog(
  crypto: LogCrypto,
  pollId: PollId,
  note: string,
  key: string,
  logOrigin: string,
): Checkpoint {
  const origin = note.split('\n', 1)[0]!;
  if (epochPath(pollId, origin) === undefined || baseOf(origin) !== baseOf(logOrigin))
    throw new Error(`It is of another log: ${origin}`);
  return openCheckpoint(crypto, note, renameVerifierKey(crypto, key, origin));
}

/** A log gets the last ballots on request, which takes a moment if there are many. */
async function readDescription({ read }: LogToVerify, isClosed: boolean): Promise<LogDescription> {
  for (let waitedMs = 0; ; waitedMs += WAIT_MS) {
    const log = parseDescription(await (await read('/log')).json());
    if (log.ended || !isClosed || waitedMs >= MAX_WAIT_MS) return log;
    await new Promise(done => setTimeout(done, WAIT_MS));
  }
}

/** @throws SyntaxError */
function parseDescription(reply: unknown): LogDescription {
  const { log } = Object(reply) as { readonly log?: Partial<LogDescription> };
  const isLog =
    typeof log?.key === 'string' &&
    typeof log.origin === 'string' &&
    typeof log.ended === 'boolean' &&
    Array.isArray(log.breaks) &&
    log.breaks.every(each => typeof each?.checkpoint === 'string' && typeof each.found_at === 'string');
  if (!isLog) throw new SyntaxError('/log does not describe a log');
  return log as LogDescription;
}

const EPOCH = /\/[2-9]$|\/[1-9]\d+$/;

/** The origin without its epoch. */
function baseOf(origin: string): string {
  return origin.replace(EPOCH, '');
}

/**
 * Returns the path of the log, or of its later epoch, below the API address of the poll; undefined
 * if it is no log of the poll.
 */
function epochPath(pollId: PollId, origin: string): string | undefined {
  const base = baseOf(origin);
  return base.endsWith(`/api/poll/${pollId}/log`) ? `/log${origin.slice(base.length)}` : undefined;
}

/** The tree as it grows, compared with each checkpoint at its size. */
class Stops {
  readonly contained: { name: string; size: number }[] = [];
  readonly #tree: GrowingTree;
  readonly #stops: Stop[];
  readonly #report: Report;
  readonly #last: Stop;
  #next = 0;
  /** Up to this size the tree has been as signed. */
  #intactUpTo = 0;

  constructor(hashes: LogHashes, last: Stop, earlier: readonly Stop[], report: Report) {
    this.#tree = new GrowingTree(hashes);
    const missing = earlier.filter(({ size }) => size > last.size);
    for (const { kind, name, size } of missing)
      report(
        kind,
        `The log has ${counted(last.size)}, but ${name} has ${counted(size)}: at least ${counted(size - last.size)} disappeared.`,
      );
    const within = earlier.filter(({ size }) => size <= last.size);
    this.#stops = [...within.sort((one, other) => one.size - other.size), last];
    this.#report = report;
    this.#last = last;
    this.#compare();
  }

  get size(): number {
    return this.#tree.size;
  }

  append(leaf: Hash): void {
    this.#tree.append(leaf);
    this.#compare();
  }

  async growBy(readSubtree: ReadSubtree): Promise<void> {
    for (const { size } of this.#stops) {
      await this.#tree.growTo(size, readSubtree);
      this.#compare();
    }
  }

  #compare(): void {
    for (; this.#stops[this.#next]?.size === this.#tree.size; this.#next += 1) {
      const stop = this.#stops[this.#next]!;
      const { kind, name, size } = stop;
      const isAsSigned = areEqual(stop.root, this.#tree.root());
      if (isAsSigned && stop !== this.#last) this.contained.push({ name, size });
      if (isAsSigned) this.#intactUpTo = size;
      else
        this.#report(
          kind,
          `The ballots are not those of ${name} (${counted(size)}): at least one of ballots ${grouped(this.#intactUpTo + 1)} to ${grouped(size)} was changed, added, removed or moved.`,
        );
    }
  }
}

function tileReader(
  hashes: LogHashes,
  { pollId, read }: LogToVerify,
  { origin, size }: Checkpoint,
): ReadSubtree {
  const tiles = new Map<string, Promise<Uint8Array>>();
  const readTile = (path: string): Promise<Uint8Array> => {
    const known =
      tiles.get(path) ?? read(path).then(async reply => new Uint8Array(await reply.arrayBuffer()));
    tiles.set(path, known);
    return known;
  };
  return async (level, index) => {
    const tileLevel = Math.floor(level / TILE_LEVELS);
    const count = 2 ** (level % TILE_LEVELS);
    const tileIndex = Math.floor((index * count) / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH ** tileLevel) - tileIndex * TILE_WIDTH);
    const partial = width < TILE_WIDTH ? `.p/${width}` : '';
    const path = `${epochPath(pollId, origin)}/tile/${tileLevel}/${indexPath(tileIndex)}${partial}`;
    const tile = await readTile(path);
    const tree = new GrowingTree(hashes);
    const first = (index * count) % TILE_WIDTH;
    for (let at = first; at < first + count; at += 1)
      tree.append(tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
    return tree.root();
  };
}

/** 1234067 becomes `x001/x234/067`. */
function indexPath(index: number): string {
  const last = `${index % 1_000}`.padStart(3, '0');
  const rest = Math.floor(index / 1_000);
  return rest === 0 ? last : `${indexPath(rest).replace(/(\d{3})$/, 'x$1')}/${last}`;
}

interface PublishedEntry {
  readonly sequence: number;
  /** Base64. */
  readonly nonce: string;
  readonly answers: readonly string[];
  /** The platform of a ballot from chat. */
  readonly source?: ChatPlatform;
  readonly voided?: true;
  readonly replaces?: number;
  readonly lost?: true;
}

const NONCE = /^[A-Za-z0-9+/]{43}=$/;
/** Faults of single entries that are named; of others only the number. */
const MAX_NAMED = 5;
/** Characters of a line that is no entry. */
const MAX_SHOWN = 100;
/** Ballots between two reports of progress: some ten milliseconds. */
const BATCH = 1_000;

/** A change has the source of the first ballot. */
interface Choice {
  readonly answers: readonly string[];
  readonly source: ChatPlatform | undefined;
}

/** Stands for an entry that is no first ballot. */
const NO_BALLOT = -1;

/** The published ballots: hashed, checked and counted. */
class Entries {
  voided = 0;
  changes = 0;
  ballot: FoundBallot | undefined;
  readonly #hashes: LogHashes;
  readonly #log: LogToVerify;
  readonly #results: PublishedResults;
  readonly #report: Report;
  readonly #receiptNonce: string | undefined;
  /** By answer. */
  readonly #votes: Map<string, number>;
  #voters = 0;
  #voidedVotes = 0;
  readonly #chatVoters: Partial<Record<ChatPlatform, number>> = {};
  #invalid = 0;
  /** The voter's first ballot of the receipt's entry. */
  #receiptFirst = 0;
  /** The place in `#choices` of what counts of each entry. Small, for a million ballots. */
  readonly #present: number[] = [];
  /** Sequence numbers of first ballots. */
  readonly #voided = new Set<number>();
  readonly #choices: Choice[] = [];
  readonly #placeOf = new Map<string, number>();

  constructor(hashes: LogHashes, log: LogToVerify, results: PublishedResults, report: Report) {
    this.#hashes = hashes;
    this.#log = log;
    this.#results = results;
    this.#report = report;
    this.#votes = new Map(results.poll_answers.map(({ id }) => [id, 0]));
    this.#receiptNonce = log.receipt && toBase64(hashes.nonce(log.receipt));
  }

  async verify(size: number, stops: Stops): Promise<void> {
    const { receipt, onProgress } = this.#log;
    for await (const lines of this.#readLines(size)) {
      for (const line of lines) {
        const entry = parseEntry(line);
        if (entry?.sequence !== stops.size + 1) {
          this.#report(
            'log',
            `Where ballot ${grouped(stops.size + 1)} is expected, there is ${line.slice(0, MAX_SHOWN)}`,
          );
          return;
        }
        const isValid = this.#isValid(entry);
        this.#present.push(NO_BALLOT);
        if (isValid) this.#count(entry);
        stops.append(this.#hashes.leaf(this.#hashedEntry(entry)));
        if (stops.size % BATCH === 0) await onProgress?.(stops.size, size);
      }
      await onProgress?.(stops.size, size);
    }
    if (stops.size < size)
      this.#report('log', `The published ballots end at ${grouped(stops.size)} of ${grouped(size)}.`);
    if (this.#invalid > MAX_NAMED)
      this.#report('loss', `${grouped(this.#invalid - MAX_NAMED)} more published ballots are not valid.`);
    if (receipt !== undefined && !this.ballot) this.#report('log', 'No published ballot has this receipt.');
    this.#compareCounts();
  }

  /** Other entries than those of ballots are hashed as lost ones, which fits only if the log has such an entry. */
  #hashedEntry(entry: PublishedEntry): Hash {
    if (entry.lost === true || !isBallot(entry)) return LOST_ENTRY;
    return this.#hashes.entry(fromBase64(entry.nonce), this.#log.pollId, entry);
  }

  /** Pages of lines. The next page is on its way while one is hashed. */
  async *#readLines(size: number): AsyncGenerator<readonly string[]> {
    const readFrom = async (from: number): Promise<readonly string[]> => {
      const text = await (await this.#log.read(`/log/entries?from=${from}`)).text();
      const lines = text.split('\n', size - from + 2);
      if (lines.at(-1) === '') lines.pop();
      return lines.slice(0, size - from + 1);
    };
    let from = 1;
    let page = size === 0 ? [] : await readFrom(from);
    while (page.length > 0) {
      from += page.length;
      const next = from > size ? [] : readFrom(from);
      // Handled where it is awaited.
      Promise.resolve(next).catch(() => undefined);
      yield page;
      page = await next;
    }
  }

  /** Reports a fault unless the ballot is valid. */
  #isValid(entry: PublishedEntry): boolean {
    const [kind, fault] = this.#faultOf(entry) ?? [];
    if (kind === undefined) return true;
    this.#invalid += 1;
    if (this.#invalid <= MAX_NAMED) this.#report(kind, `Ballot ${grouped(entry.sequence)} ${fault}.`);
    return false;
  }

  #faultOf(entry: PublishedEntry): readonly [kind: FaultKind, fault: string] | undefined {
    if (entry.lost === true) return ['loss', 'is missing: the server has lost or removed it'];
    if (!isBallot(entry)) return ['log', 'has no nonce or no answers'];
    const { answers, replaces } = entry;
    if (replaces !== undefined && (this.#present[replaces - 1] ?? NO_BALLOT) === NO_BALLOT)
      return ['counts', 'replaces no earlier ballot'];
    if (answers.length === 0 && replaces === undefined) return ['counts', 'has no answer'];
    if (answers.length > 1 && !this.#results.ma)
      return ['counts', 'has several answers, which this poll does not allow'];
    if (new Set(answers).size < answers.length) return ['counts', 'has an answer twice'];
    if (answers.some(id => !this.#votes.has(id)))
      return ['counts', 'has an answer that the poll does not have'];
    return undefined;
  }

  #count({ sequence, nonce, answers, voided, replaces, source: given }: PublishedEntry): void {
    const first = replaces ?? sequence;
    if (replaces === undefined && voided === true) this.#voided.add(sequence);
    // A change is voided as its first ballot is.
    const isVoided = this.#voided.has(first);
    const before = replaces === undefined ? undefined : this.#choices[this.#present[first - 1]!];
    if (before) {
      this.changes += 1;
      this.#add(before, isVoided, -1);
    }
    const choice = { answers, source: before ? before.source : given };
    this.#add(choice, isVoided, 1);
    this.#present[first - 1] = this.#placeIn(choice);
    if (nonce === this.#receiptNonce) {
      this.ballot = { sequence, answers, isVoided };
      this.#receiptFirst = first;
    } else if (this.ballot && first === this.#receiptFirst)
      this.ballot = { ...this.ballot, changedBy: sequence };
  }

  #placeIn(choice: Choice): number {
    const text = [...choice.answers, choice.source].join();
    const known = this.#placeOf.get(text);
    if (known !== undefined) return known;
    this.#placeOf.set(text, this.#choices.length);
    return this.#choices.push(choice) - 1;
  }

  #add({ answers, source }: Choice, isVoided: boolean, step: 1 | -1): void {
    // A withdrawn ballot counts nowhere.
    if (answers.length === 0) return;
    if (isVoided) {
      this.voided += step;
      this.#voidedVotes += step * answers.length;
      return;
    }
    this.#voters += step;
    if (source) this.#chatVoters[source] = (this.#chatVoters[source] ?? 0) + step;
    for (const id of answers) this.#votes.set(id, this.#votes.get(id)! + step);
  }

  #compareCounts(): void {
    const { poll_answers, total_voters, by_source = {}, voided_votes = 0 } = this.#results;
    const compare = (what: string, published: number, found: number): void => {
      if (published !== found)
        this.#report(
          'counts',
          `The result has ${grouped(published)} ${what}, but the ballots have ${grouped(found)}.`,
        );
    };
    for (const { id, answer, votes } of poll_answers)
      compare(`votes for "${answer}"`, votes, this.#votes.get(id)!);
    compare('voters', total_voters, this.#voters);
    for (const platform of CHAT_PLATFORMS)
      compare(
        `voters from ${CHAT_NAMES[platform]}`,
        by_source[platform] ?? 0,
        this.#chatVoters[platform] ?? 0,
      );
    compare('voided votes', voided_votes, this.#voidedVotes);
  }
}

function isBallot({ nonce, answers, source }: PublishedEntry): boolean {
  return (
    NONCE.test(nonce) && Array.isArray(answers) && (source === undefined || CHAT_PLATFORMS.includes(source))
  );
}

function parseEntry(line: string): PublishedEntry | undefined {
  try {
    return JSON.parse(line) ?? undefined;
  } catch {
    return undefined;
  }
}
