import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { PollId, PollStatus } from '../poll/poll.ts';
import {
  commitmentOf,
  GrowingTree,
  HASH_BYTES,
  type Hash,
  hashLeaf,
  nonceOf,
  type ReadSubtree,
  TILE_LEVELS,
  TILE_WIDTH,
} from './merkle.ts';
import { type Checkpoint, openCheckpoint, renameVerifierKey } from './note.ts';

/** Verifies the log of a poll from what its server publishes. Believes no statement of the server. */

export interface LogToVerify {
  readonly pollId: PollId;
  /** Reads a path below the API address of the poll, as `/log/checkpoint`. MUST reject unless the status is 200. */
  readonly read: (path: string) => Promise<Response>;
  /** Undefined while the caller may not see them. */
  readonly results: PublishedResults | undefined;
  readonly seen: readonly SeenCheckpoint[];
  /** A verifier key of any log of the server, from another source; undefined to use the one that the server publishes. */
  readonly pinnedKey?: string | undefined;
  /** A ballot id. */
  readonly receipt?: string | undefined;
  readonly onProgress?: (verified: number, size: number) => void;
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
  readonly voided_votes?: number;
  /** Whether a ballot may have several answers. */
  readonly ma: boolean;
}

export interface Verdict {
  /** Sentences; empty if nothing is wrong. */
  readonly faults: readonly string[];
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
  /** The ballot of the receipt; undefined if there is none, which is a fault, or before the end. */
  readonly ballot: FoundBallot | undefined;
}

export interface FoundBallot {
  readonly sequence: number;
  /** Ids. */
  readonly answers: readonly string[];
  readonly isVoided: boolean;
}

const logDescription = z.object({
  log: z.object({
    key: z.string(),
    origin: z.string(),
    ended: z.boolean(),
    breaks: z.array(z.object({ checkpoint: z.string(), found_at: z.string() })),
  }),
});

const WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** A size at which the tree must have a root. */
interface Stop {
  readonly name: string;
  readonly size: number;
  readonly root: Hash;
}

/** @throws Error as `read`, or if `/log` has another shape */
export async function verifyLog(log: LogToVerify): Promise<Verdict> {
  const isClosed = log.results?.status === 'closed';
  const description = await readDescription(log, isClosed);
  const note = await (await log.read('/log/checkpoint')).text();
  const faults: string[] = [];
  if (isClosed && !description.ended)
    faults.push('The poll is closed, but the server does not complete the log.');
  for (const { found_at: time } of description.breaks)
    faults.push(
      `The log broke at ${time}: the server's data no longer were what it had signed. Ballots cast shortly before may be missing.`,
    );
  const { pinnedKey, seen, results } = log;
  const open = (name: string, signed: string): Stop | undefined => {
    try {
      const origin = signed.split('\n', 1)[0]!;
      if (epochPath(log.pollId, origin) === undefined || baseOf(origin) !== baseOf(description.origin))
        throw new Error(`It is of another log: ${origin}`);
      return { name, ...openCheckpoint(signed, renameVerifierKey(pinnedKey ?? description.key, origin)) };
    } catch (error) {
      faults.push(`Cannot trust ${name}. ${(error as Error).message}`);
      return undefined;
    }
  };
  const checkpoint = open("the log's checkpoint", note) as (Stop & Checkpoint) | undefined;
  const earlier = [
    ...seen.map(each => open(each.name, each.note)),
    ...description.breaks.map(each =>
      open(`the checkpoint signed before the break of ${each.found_at}`, each.checkpoint),
    ),
  ].filter(stop => stop !== undefined);
  const trustedKey = pinnedKey ?? description.key;
  const key = checkpoint ? renameVerifierKey(trustedKey, checkpoint.origin) : trustedKey;
  const verdict = { key, checkpoint, note, faults };
  if (!checkpoint) return { ...verdict, isComplete: false, contained: [], voided: 0, ballot: undefined };

  const stops = new Stops(checkpoint, earlier, faults);
  const isComplete = isClosed && description.ended;
  if (!isComplete || !results) {
    await stops.growBy(tileReader(log, checkpoint));
    return { ...verdict, isComplete: false, contained: stops.contained, voided: 0, ballot: undefined };
  }
  const entries = new Entries(log, results, faults);
  await entries.verify(checkpoint.size, stops);
  const { voided, ballot } = entries;
  return { ...verdict, isComplete, contained: stops.contained, voided, ballot };
}

/** A log gets the last ballots on request, which takes a moment if there are many. */
async function readDescription(
  { read }: LogToVerify,
  isClosed: boolean,
): Promise<z.infer<typeof logDescription>['log']> {
  for (let waitedMs = 0; ; waitedMs += WAIT_MS) {
    const { log } = logDescription.parse(await (await read('/log')).json());
    if (log.ended || !isClosed || waitedMs >= MAX_WAIT_MS) return log;
    await pause(WAIT_MS);
  }
}

const EPOCH = /\/[2-9]$|\/[1-9]\d+$/;

/** The origin without its epoch. */
function baseOf(origin: string): string {
  return origin.replace(EPOCH, '');
}

/** Returns the path of the log, or of its later epoch, below the API address of the poll; undefined if it is no log of the poll. */
function epochPath(pollId: PollId, origin: string): string | undefined {
  const base = baseOf(origin);
  return base.endsWith(`/api/poll/${pollId}/log`) ? `/log${origin.slice(base.length)}` : undefined;
}

/** The tree as it grows, compared with each checkpoint at its size. */
class Stops {
  readonly contained: { name: string; size: number }[] = [];
  readonly #tree = new GrowingTree();
  readonly #stops: Stop[];
  readonly #faults: string[];
  readonly #last: Stop;
  #next = 0;
  /** Up to this size the tree has been as signed. */
  #intactUpTo = 0;

  constructor(last: Stop, earlier: readonly Stop[], faults: string[]) {
    const missing = earlier.filter(({ size }) => size > last.size);
    for (const { name, size } of missing)
      faults.push(
        `The log has ${counted(last.size)}, but ${name} has ${counted(size)}: at least ${counted(size - last.size)} disappeared.`,
      );
    const within = earlier.filter(({ size }) => size <= last.size);
    this.#stops = [...within.sort((one, other) => one.size - other.size), last];
    this.#faults = faults;
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
      const { name, size } = stop;
      const isAsSigned = Buffer.compare(stop.root, this.#tree.root()) === 0;
      if (isAsSigned && stop !== this.#last) this.contained.push({ name, size });
      if (isAsSigned) this.#intactUpTo = size;
      else
        this.#faults.push(
          `The ballots are not those of ${name} (${counted(size)}): at least one of ballots ${grouped(this.#intactUpTo + 1)} to ${grouped(size)} was changed, added, removed or moved.`,
        );
    }
  }
}

function tileReader({ pollId, read }: LogToVerify, { origin, size }: Checkpoint): ReadSubtree {
  const tiles = new Map<string, Promise<Uint8Array>>();
  const readTile = (path: string): Promise<Uint8Array> => {
    const known =
      tiles.get(path) ?? read(path).then(async reply => new Uint8Array(await reply.arrayBuffer()));
    tiles.set(path, known);
    return known;
  };
  return async (level, index) => {
    const tileLevel = Math.floor(level / TILE_LEVELS);
    const hashes = 2 ** (level % TILE_LEVELS);
    const tileIndex = Math.floor((index * hashes) / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH ** tileLevel) - tileIndex * TILE_WIDTH);
    const partial = width < TILE_WIDTH ? `.p/${width}` : '';
    const path = `${epochPath(pollId, origin)}/tile/${tileLevel}/${indexPath(tileIndex)}${partial}`;
    const tile = await readTile(path);
    const tree = new GrowingTree();
    const first = (index * hashes) % TILE_WIDTH;
    for (let at = first; at < first + hashes; at += 1)
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
  readonly voided?: true;
  readonly lost?: true;
}

const NONCE = /^[A-Za-z0-9+/]{43}=$/;
const LOST = new Uint8Array(HASH_BYTES);
/** Faults of single entries that are named; of others only the number. */
const MAX_NAMED = 5;
/** Characters of a line that is none. */
const MAX_SHOWN = 100;

/** The published ballots: hashed, checked and counted. */
class Entries {
  voided = 0;
  ballot: FoundBallot | undefined;
  readonly #log: LogToVerify;
  readonly #results: PublishedResults;
  readonly #faults: string[];
  readonly #receiptNonce: string | undefined;
  /** By answer. */
  readonly #votes: Map<string, number>;
  #voters = 0;
  #voidedVotes = 0;
  #invalid = 0;

  constructor(log: LogToVerify, results: PublishedResults, faults: string[]) {
    this.#log = log;
    this.#results = results;
    this.#faults = faults;
    this.#votes = new Map(results.poll_answers.map(({ id }) => [id, 0]));
    this.#receiptNonce = log.receipt && Buffer.from(nonceOf(log.receipt)).toString('base64');
  }

  async verify(size: number, stops: Stops): Promise<void> {
    const { pollId, receipt, onProgress } = this.#log;
    for await (const lines of this.#readLines(size)) {
      for (const line of lines) {
        const entry = parseEntry(line);
        if (entry?.sequence !== stops.size + 1) {
          this.#faults.push(
            `Where ballot ${grouped(stops.size + 1)} is expected, there is ${line.slice(0, MAX_SHOWN)}`,
          );
          return;
        }
        const isValid = this.#isValid(entry);
        if (isValid) this.#count(entry);
        const hashed = isValid
          ? commitmentOf(Buffer.from(entry.nonce, 'base64'), pollId, entry.sequence, entry.answers)
          : LOST;
        stops.append(hashLeaf(hashed));
      }
      onProgress?.(stops.size, size);
    }
    if (stops.size < size)
      this.#faults.push(`The published ballots end at ${grouped(stops.size)} of ${grouped(size)}.`);
    if (this.#invalid > MAX_NAMED)
      this.#faults.push(`${grouped(this.#invalid - MAX_NAMED)} more published ballots are not valid.`);
    if (receipt !== undefined && !this.ballot) this.#faults.push('No published ballot has this receipt.');
    this.#compareCounts();
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

  /** Adds a fault unless the ballot is valid. */
  #isValid(entry: PublishedEntry): boolean {
    const fault = this.#faultOf(entry);
    if (fault === undefined) return true;
    this.#invalid += 1;
    if (this.#invalid <= MAX_NAMED) this.#faults.push(`Ballot ${grouped(entry.sequence)} ${fault}.`);
    return false;
  }

  #faultOf(entry: PublishedEntry): string | undefined {
    if (entry.lost === true) return 'is missing: the server has lost or removed it';
    const { answers, nonce } = entry;
    if (!NONCE.test(nonce) || !Array.isArray(answers)) return 'has no nonce or no answers';
    if (answers.length === 0) return 'has no answer';
    if (answers.length > 1 && !this.#results.ma) return 'has several answers, which this poll does not allow';
    if (new Set(answers).size < answers.length) return 'has an answer twice';
    return answers.every(id => this.#votes.has(id)) ? undefined : 'has an answer that the poll does not have';
  }

  #count({ sequence, nonce, answers, voided }: PublishedEntry): void {
    const isVoided = voided === true;
    if (nonce === this.#receiptNonce) this.ballot = { sequence, answers, isVoided };
    if (isVoided) {
      this.voided += 1;
      this.#voidedVotes += answers.length;
      return;
    }
    this.#voters += 1;
    for (const id of answers) this.#votes.set(id, this.#votes.get(id)! + 1);
  }

  #compareCounts(): void {
    const { poll_answers, total_voters, voided_votes = 0 } = this.#results;
    const compare = (what: string, published: number, found: number): void => {
      if (published !== found)
        this.#faults.push(
          `The result has ${grouped(published)} ${what}, but the ballots have ${grouped(found)}.`,
        );
    };
    for (const { id, answer, votes } of poll_answers)
      compare(`votes for "${answer}"`, votes, this.#votes.get(id)!);
    compare('voters', total_voters, this.#voters);
    compare('voided votes', voided_votes, this.#voidedVotes);
  }
}

function parseEntry(line: string): PublishedEntry | undefined {
  try {
    return JSON.parse(line) ?? undefined;
  } catch {
    return undefined;
  }
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

function counted(ballots: number): string {
  return `${grouped(ballots)} ${ballots === 1 ? 'ballot' : 'ballots'}`;
}
