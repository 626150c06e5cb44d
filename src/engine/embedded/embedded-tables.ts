import { appendFileSync, chmodSync, closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import type { BallotRecord } from '../../poll/ballot.ts';
import { idOfRound, type PollId, pollOfRound, type StoredPoll } from '../../poll/poll.ts';
import { type Comment, STORE_FILE, type StoredState, type VoterBallot } from '../engine.ts';
import { RESERVE_FILE } from './room-reserve.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Raised with every change that older versions would read wrongly. Files without a number have the first format. */
const FORMAT = 1;

/** A byte that UTF-8 never has. U+FFFF would not do: emoji sort above it. */
const ABOVE_ALL_STRINGS = Uint8Array.of(0xff);

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The part of a poll that changes, in one entry so that one put is one consistent moment. */
export interface Tally extends Mutable<Omit<StoredState, 'votes'>> {
  votes: number[];
  /** Not opened yet; absent in old polls. */
  upcoming?: boolean;
  closedByHand: boolean;
  /** UNIX time in milliseconds; absent in old polls. */
  closedAtMs?: number | null | undefined;
  /** Edition of the definition that these votes belong to; absent before the first correction. */
  edition?: string | undefined;
  viewKeyHash: string;
  /** Hash of a key that replaced the one in the definition. */
  adminKeyHash?: string | undefined;
  /** Milliseconds to keep the poll after its end, 0 for ever; absent in old polls. */
  retentionMs?: number | undefined;
  /** As in the definition, if the poll expires sooner without a ballot. */
  createdAtMs?: number | undefined;
  emptyRetentionMs?: number;
  /** Sequence of the last ballot of a verifiable poll; absent before the first, and in other polls. */
  sequence?: number;
  /** Imported: voters, addresses and proofs are stored as digests. */
  hasDigests?: boolean;
  /** As in the definition. */
  round?: number | undefined;
}

export interface StoredDefinition {
  readonly poll: StoredPoll;
  readonly adminKeyHash: string;
}

/** Which ballot a voter of a poll with changes has cast. */
export interface VoterEntry extends Omit<VoterBallot, 'ballotId'> {
  /** Part of the ballot's key. */
  readonly version: number;
}

export interface StoredRecord {
  readonly text: string;
  readonly expiresAtMs: number | null;
}

/** Keys that begin with a poll's id, or with a text by `placeOf`, are removed with the poll. */
export interface EmbeddedTables {
  readonly directory: string;
  readonly root: RootDatabase;
  readonly polls: Database<StoredDefinition, PollId>;
  readonly tallies: Database<Tally, PollId>;
  readonly publicPolls: Database<true, [createdAtMs: number, id: PollId]>;
  /** Also changes, which `replaces` marks. The sequence is only in those of verifiable polls. */
  readonly ballots: Database<BallotRecord, [id: PollId, version: number]>;
  readonly ballotVersions: Database<number, [id: PollId, ballotId: string]>;
  /** True in polls that allow no change, until a correction allows one. */
  readonly voters: Database<true | VoterEntry, [id: PollId, voter: string]>;
  readonly addresses: Database<true, [id: PollId, address: string]>;
  /** With the expiry of each proof. */
  readonly proofs: Database<number, [id: PollId, proofId: string]>;
  /** Logs of verifiable polls: the state under an empty name, and parts by their names. */
  readonly logs: Database<string, [id: PollId, name: string]>;
  /** Base64, by the file that answers name. */
  readonly images: Database<string, [id: PollId, file: string]>;
  readonly comments: Database<Comment, [id: PollId, order: number, commentId: string]>;
  readonly records: Database<StoredRecord, string>;
  /** Removed polls that still have entries. */
  readonly removals: Database<true, PollId>;
  readonly events: Database<{ readonly text: string; readonly atMs: number }, number>;
  /** The state that the last event of a poll or a show told. */
  readonly eventStates: Database<string, string>;
  /** When to look for events: `<subject>` for marks, `<subject>@` for changes by themselves. */
  readonly due: Database<true, [atMs: number, name: string]>;
  readonly dueTimes: Database<number, string>;
  readonly listedPolls: Database<true, string>;
  /** Deleted polls and shows, by the time and by the subject. */
  readonly deletions: Database<true, [atMs: number, subject: string]>;
  readonly deletionTimes: Database<number, string>;
}

export interface EmbeddedStore extends EmbeddedTables {
  readonly write: WriteTransaction;
}

/**
 * @param directory must exist, and be locked by this process or the one beside it
 * @throws Error (`NodeJS.ErrnoException`)
 */
export function openTables(directory: string, beside?: 'read' | 'write' | 'copy'): EmbeddedTables {
  const path = storeIn(directory);
  requireSound(path, beside === 'copy');
  closeToOthers(directory);
  reserveReaders(`${path}-lock`);
  // lmdb's types lack `permissionsMode`.
  const options: RootDatabaseOptionsWithPath & { permissionsMode: number } = {
    path,
    maxDbs: 32,
    noSubdir: true,
    permissionsMode: PRIVATE_FILE,
    // With it, a failed commit rejects a promise that no caller can reach.
    eventTurnBatching: false,
  };
  const root = open(options);
  const table = <V, K extends string | number | (string | number)[]>(name: string): Database<V, K> =>
    root.openDB<V, K>({ name });
  const about = table<number, 'format'>('about');
  const format = about.get('format');
  if (format !== undefined && format !== FORMAT) {
    void root.close();
    throw new Error(
      `its files have format ${format}, and this version knows ${FORMAT}: start the version that wrote them, or export there and import here`,
    );
  }
  if (format === undefined) about.putSync('format', FORMAT);
  return {
    directory,
    root,
    polls: table('polls'),
    tallies: table('tallies'),
    publicPolls: table('public-polls'),
    ballots: table('ballots'),
    ballotVersions: table('ballot-versions'),
    voters: table('voters'),
    addresses: table('addresses'),
    proofs: table('proofs'),
    logs: table('logs'),
    images: table('images'),
    comments: table('comments'),
    records: table('records'),
    removals: table('removals'),
    events: table('events'),
    eventStates: table('event-states'),
    due: table('due'),
    dueTimes: table('due-times'),
    listedPolls: table('listed-polls'),
    deletions: table('deletions'),
    deletionTimes: table('deletion-times'),
  };
}

/**
 * The first part of the keys of a round's ballots, marks and images. Those of an earlier round stay
 * where they are, so the next round costs the same however many there are.
 *
 * @param id of the poll or of one of its rounds
 */
export function placeOf(id: PollId, { round }: Pick<Tally, 'round'>): PollId {
  const poll = pollOfRound(id)?.id ?? id;
  return round === undefined ? poll : idOfRound(poll, round);
}

/** The range of a poll's keys, which sort element by element. */
export function keysOfPoll(id: PollId): { start: never; end: never } {
  return { start: [id] as never, end: [id, ABOVE_ALL_STRINGS] as never };
}

export function storeIn(directory: string): string {
  return join(directory, STORE_FILE);
}

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const OF_OTHERS = 0o077;
const STICKY = 0o1000;

/** Makes the folder private, because it contains the secret that recognizes voters. Skips folders of other users. */
function closeToOthers(directory: string): void {
  for (const [path, mode] of placesIn(directory))
    try {
      const { uid, mode: found } = statSync(path);
      if (uid === process.getuid?.() && found & OF_OTHERS && !(found & STICKY)) chmodSync(path, mode);
    } catch {}
}

/** Whether other users may enter the folder or read its files. Always false on Windows, which has other rules. */
export function isOpenToOthers(directory: string): boolean {
  if (process.platform === 'win32') return false;
  return placesIn(directory).some(
    ([path]) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OF_OTHERS) !== 0,
  );
}

function placesIn(directory: string): [path: string, mode: number][] {
  const store = storeIn(directory);
  return [
    [directory, PRIVATE_FOLDER],
    [store, PRIVATE_FILE],
    [`${store}-lock`, PRIVATE_FILE],
    [join(directory, RESERVE_FILE), PRIVATE_FILE],
  ];
}

/** Positions in bytes within the two pages at the beginning of every file of lmdb 3. */
const MAGIC_AT = 24;
const PAGE_SIZE_AT = 48;
const LAST_PAGE_AT = 144;
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;

/** LMDB kills the process if its file is another file, or truncated. @throws Error. A missing or empty file is fine */
function requireSound(path: string, isCopy: boolean): void {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    if (size === 0 && !isCopy) return;
    const first = findMeta(file, 0);
    if (first?.readUInt32LE(MAGIC_AT) !== MAGIC) throw new Error('its file is not of this program');
    if (!isCopy) return;
    const pageBytes = first.readUInt32LE(PAGE_SIZE_AT);
    const second = findMeta(file, pageBytes);
    const last = Math.max(lastPageIn(first), second ? lastPageIn(second) : 0);
    if (!second || size < (last + 1) * pageBytes) throw new Error('its file is truncated');
  } finally {
    closeSync(file);
  }
}

function findMeta(file: number, at: number): Buffer | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  return readSync(file, bytes, 0, META_BYTES, at) === META_BYTES ? bytes : undefined;
}

function lastPageIn(meta: Buffer): number {
  return Number(meta.readBigUInt64LE(LAST_PAGE_AT));
}

const READERS_BYTES = 12_288;

/**
 * LMDB writes its table of readers through a memory map, and the kernel kills a process that writes
 * to a page without room on the disk. Appending the missing bytes reserves the room or throws.
 * Existing bytes hold locks, perhaps of another process.
 */
function reserveReaders(path: string): void {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes < READERS_BYTES)
    appendFileSync(path, Buffer.alloc(READERS_BYTES - bytes), { mode: PRIVATE_FILE });
}
