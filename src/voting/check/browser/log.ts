import type { AnswerId, PollId } from '../../../poll/poll.ts';
import type { LoggedVote } from '../verdict.ts';

/** Recomputes the log of a verifiable poll with WebCrypto. The format is described in `src/audit`. */

export type Bytes = Uint8Array<ArrayBuffer>;

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
}

/**
 * What does not fit: the published votes and the log, the log and what this browser saw before, or the counts and the results. A loss
 * is one that the server admits.
 */
export type Fault = 'log' | 'memory' | 'counts' | 'loss';

export class LogFault extends Error {
  readonly fault: Fault;
  readonly values: object;

  /** @param values for people who check them by other means */
  constructor(fault: Fault, message: string, values: object = {}) {
    super(message);
    this.name = 'LogFault';
    this.fault = fault;
    this.values = values;
  }
}

const HASH_BYTES = 32;
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
const ED25519 = Uint8Array.of(1);
const KEY_ID_BYTES = 4;

/** The entry of a ballot that the server lost. */
const LOST_ENTRY = new Uint8Array(HASH_BYTES);

/** WebCrypto is only there on secure pages: https, or this very machine. */
export function canHash(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

async function sha256(...parts: readonly Uint8Array[]): Promise<Bytes> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

const utf8 = (text: string) => new TextEncoder().encode(text);

/** @throws LogFault for text that is not base64 */
function fromBase64(text: string): Bytes {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0));
  } catch {
    throw new LogFault('log', 'Not base64');
  }
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** The receipt is the ballot's id. */
export function nonceOf(receipt: string): Promise<Bytes> {
  return sha256(utf8(`tallycast nonce\n${receipt}`));
}

export function entryOf(
  nonce: Bytes,
  pollId: PollId,
  sequence: number,
  answers: readonly AnswerId[],
): Promise<Bytes> {
  return sha256(nonce, utf8(`${pollId}\n${sequence}\n${answers.join(',')}`));
}

export function leafOf(entry: Bytes): Promise<Bytes> {
  return sha256(LEAF, entry);
}

function nodeOf(left: Uint8Array, right: Uint8Array): Promise<Bytes> {
  return sha256(NODE, left, right);
}

/** Returns the root of a tree of at least one leaf. A node without a sibling moves up a level, as RFC 6962 splits trees. */
export async function rootOf(leaves: readonly Bytes[]): Promise<Bytes> {
  let level = leaves;
  while (level.length > 1)
    level = await Promise.all(
      Array.from({ length: Math.ceil(level.length / 2) }, (_, index) => {
        const [left, right] = [level[2 * index]!, level[2 * index + 1]];
        return right ? nodeOf(left, right) : left;
      }),
    );
  return level[0] ?? sha256();
}

/**
 * Returns the root to which a leaf's audit path leads: RFC 9162, section 2.1.3.2.
 *
 * @param index of the leaf, from 0
 * @throws LogFault for a path of another length than that of the tree
 */
export async function rootOfPath(
  leaf: Bytes,
  index: number,
  size: number,
  path: readonly Bytes[],
): Promise<Bytes> {
  if (!(Number.isSafeInteger(index) && index >= 0 && index < size))
    throw new LogFault('log', 'The vote is not within the log');
  let [first, last, root] = [index, size - 1, leaf];
  // Plain division: shifts of bits end at 2^31.
  const half = (number: number) => Math.floor(number / 2);
  for (const sibling of path) {
    if (last === 0) throw new LogFault('log', 'The path is too long');
    if (first % 2 === 1 || first === last) {
      root = await nodeOf(sibling, root);
      while (first % 2 === 0 && first > 0) [first, last] = [half(first), half(last)];
    } else {
      root = await nodeOf(root, sibling);
    }
    [first, last] = [half(first), half(last)];
  }
  if (last !== 0) throw new LogFault('log', 'The path is too short');
  return root;
}

/** Returns the checkpoint of a signed note. @throws LogFault for a note without one */
export function readCheckpoint(note: string): Checkpoint {
  const [origin = '', size = '', root = ''] = note.split('\n');
  const checkpoint = { origin, size: Number(size), root: fromBase64(root) };
  if (origin === '' || !/^(0|[1-9]\d{0,14})$/.test(size) || checkpoint.root.length !== HASH_BYTES)
    throw new LogFault('log', 'Not a checkpoint');
  return checkpoint;
}

/**
 * Returns whether the browser could check the signature of a note: not all have Ed25519.
 *
 * @param key `<origin>+<key id>+<key>`
 * @throws LogFault for a wrong signature
 */
export async function checkSignature(note: string, key: string): Promise<boolean> {
  const [, name = '', id, key64 = ''] = /^(.*?)\+([0-9a-f]{8})\+(.+)$/.exec(key) ?? [];
  const keyBytes = fromBase64(key64);
  const keyId = (await sha256(utf8(`${name}\n`), keyBytes)).subarray(0, KEY_ID_BYTES);
  const hex = [...keyId].map(byte => byte.toString(16).padStart(2, '0')).join('');
  const isKey = hex === id && keyBytes[0] === ED25519[0] && readCheckpoint(note).origin === name;
  if (!isKey) throw new LogFault('log', 'The key is not that of the log');
  const end = note.lastIndexOf('\n\n') + 1;
  const signature = note
    .slice(end + 1)
    .split('\n')
    .filter(line => line.startsWith(`— ${name} `))
    .map(line => fromBase64(line.slice(`— ${name} `.length)))
    .find(bytes => areEqual(bytes.subarray(0, KEY_ID_BYTES), keyId));
  const publicKey = await crypto.subtle
    .importKey('raw', keyBytes.subarray(1), { name: 'Ed25519' }, false, ['verify'])
    .catch(() => undefined);
  if (!publicKey) return false;
  const isSigned =
    signature !== undefined &&
    (await crypto.subtle.verify(
      { name: 'Ed25519' },
      publicKey,
      signature.subarray(KEY_ID_BYTES),
      utf8(note.slice(0, end)),
    ));
  if (!isSigned) throw new LogFault('log', 'The signature of the checkpoint is wrong');
  return true;
}

/** The newest checkpoint that this browser saw of a poll, with the key of its log. */
export interface SeenCheckpoint {
  readonly note: string;
  readonly key: string;
}

/** @throws LogFault if the log cannot have grown from the one seen before */
function compareWith(seen: SeenCheckpoint | undefined, checkpoint: Checkpoint, key: string): void {
  if (!seen) return;
  const before = readCheckpoint(seen.note);
  if (before.origin !== checkpoint.origin) return;
  const isRewritten = before.size === checkpoint.size && !areEqual(before.root, checkpoint.root);
  if (before.size > checkpoint.size || isRewritten || seen.key !== key)
    throw new LogFault('memory', 'The log is not the one that this browser saw', { seen });
}

export interface CheckedVote {
  readonly isSigned: boolean;
  /** For people who check them by other means. */
  readonly values: object;
}

/**
 * Checks that the vote of a receipt is in the log.
 *
 * @param vote with a path
 * @throws LogFault if it is not
 */
export async function checkVote(
  pollId: PollId,
  receipt: string,
  { sequence, answers, path = [], checkpoint: note = '', key = '' }: LoggedVote,
  seen: SeenCheckpoint | undefined,
): Promise<CheckedVote> {
  const nonce = await nonceOf(receipt);
  const entry = await entryOf(nonce, pollId, sequence, answers);
  const leaf = await leafOf(entry);
  const [hashes, checked] = [
    { nonce, entry, leaf },
    { sequence, answers, path, checkpoint: note, key },
  ];
  const texts = Object.entries(hashes).map(([name, bytes]) => [name, toBase64(bytes)]);
  const values = { ...Object.fromEntries(texts), ...checked };
  const check = async () => {
    const checkpoint = readCheckpoint(note);
    const isSigned = await checkSignature(note, key);
    const root = await rootOfPath(leaf, sequence - 1, checkpoint.size, path.map(fromBase64));
    if (!areEqual(root, checkpoint.root)) throw new LogFault('log', 'The path leads to another root');
    compareWith(seen, checkpoint, key);
    return { isSigned, values };
  };
  return withValues(check(), values);
}

/** Adds values to the fault of a check. */
async function withValues<Checked>(check: Promise<Checked>, values: object): Promise<Checked> {
  try {
    return await check;
  } catch (error) {
    if (!(error instanceof LogFault)) throw error;
    throw new LogFault(error.fault, error.message, { fault: error.message, ...values, ...error.values });
  }
}

/** A line of `GET /api/poll/<id>/log/entries`. */
interface PublishedVote {
  readonly sequence: number;
  /** These two are absent for a ballot that the server lost. */
  readonly nonce?: string;
  readonly answers?: readonly AnswerId[];
  readonly voided?: true;
  readonly lost?: true;
}

/** `GET /api/poll/<id>/log`. */
interface PublishedLog {
  readonly origin: string;
  readonly key: string;
  /** No vote can follow, and the log has all of them. */
  readonly ended: boolean;
  readonly breaks: readonly { readonly checkpoint: string; readonly found_at: string }[];
}

/** `GET /api/poll/<id>`. */
interface PublishedResults {
  readonly poll_answers: readonly { readonly id: AnswerId; readonly votes: number }[];
  readonly total_voters: number;
  readonly voided_votes?: number;
}

export interface CheckedResult {
  /** Entries in the log. */
  readonly size: number;
  /** Votes that the creator removed. */
  readonly voided: number;
  readonly isSigned: boolean;
  readonly seen: SeenCheckpoint;
}

interface ResultCheck {
  /** `<relay>/api/poll/<id>` */
  readonly pollUrl: string;
  readonly pollId: PollId;
  readonly allowsMultiple: boolean;
  readonly seen: SeenCheckpoint | undefined;
  onProgress(done: number, all: number): void;
}

/** Leaves that are hashed at a time, between two reports of progress. */
const BATCH = 1_000;

/**
 * Downloads all votes, recomputes the log, and counts again.
 *
 * @throws LogFault if log, votes and results do not fit
 * @throws Error if one of them cannot be loaded
 */
export async function checkResult(options: ResultCheck): Promise<CheckedResult> {
  const { pollUrl, seen } = options;
  const log = await loadLog(pollUrl);
  const note = await loadText(`${pollUrl}/log/checkpoint`);
  const check = async () => {
    const checkpoint = readCheckpoint(note);
    const isSigned = await checkSignature(note, log.key);
    compareWith(seen, checkpoint, log.key);
    const votes = await loadVotes(options, checkpoint.size);
    await checkLeaves(options, checkpoint, votes.leaves, log.breaks);
    const results = (await load(pollUrl)) as PublishedResults;
    const voided = checkCounts(results, votes.published, options.allowsMultiple);
    const lost = votes.published.filter(vote => vote.lost).map(({ sequence }) => sequence);
    const { breaks, key } = log;
    if (lost.length + breaks.length > 0) throw new LogFault('loss', 'Data were lost', { lost, breaks });
    return { size: checkpoint.size, voided, isSigned, seen: { note, key } };
  };
  return withValues(check(), { checkpoint: note, key: log.key });
}

const WAIT_MS = 1_000;
const MAX_WAITS = 30;

/** A log gets the last votes on request, which takes a moment if there are many. @throws Error if the poll has not ended */
async function loadLog(pollUrl: string): Promise<PublishedLog> {
  for (let waits = 0; waits < MAX_WAITS; waits += 1) {
    const { log } = (await load(`${pollUrl}/log`)) as { log: PublishedLog };
    if (log.ended) return log;
    await pause();
  }
  throw new Error('The log is not complete');
}

function pause(): Promise<void> {
  return new Promise(done => setTimeout(done, WAIT_MS));
}

async function loadVotes(
  { pollUrl, pollId, onProgress }: ResultCheck,
  size: number,
): Promise<{ readonly leaves: Bytes[]; readonly published: PublishedVote[] }> {
  const [leaves, published]: [Bytes[], PublishedVote[]] = [[], []];
  while (published.length < size) {
    const text = await loadText(`${pollUrl}/log/entries?from=${published.length + 1}`);
    const lines = text.split('\n').filter(line => line !== '');
    if (lines.length === 0) throw new LogFault('log', 'Votes are missing');
    const votes = lines.slice(0, size - published.length).map(line => JSON.parse(line) as PublishedVote);
    for (let at = 0; at < votes.length; at += BATCH) {
      const batch = votes.slice(at, at + BATCH);
      leaves.push(
        ...(await Promise.all(batch.map((vote, i) => leafOfVote(pollId, vote, leaves.length + i + 1)))),
      );
      onProgress(leaves.length, size);
    }
    published.push(...votes);
  }
  return { leaves, published };
}

async function leafOfVote(pollId: PollId, vote: PublishedVote, sequence: number): Promise<Bytes> {
  if (vote.sequence !== sequence) throw new LogFault('log', `Vote ${sequence} is missing`);
  if (vote.lost) return leafOf(LOST_ENTRY);
  return leafOf(await entryOf(fromBase64(vote.nonce ?? ''), pollId, sequence, vote.answers ?? []));
}

/** Compares with the checkpoint, and with the one that the browser saw before, which may be that of a log before a loss. */
async function checkLeaves(
  { seen }: ResultCheck,
  { origin, size, root }: Checkpoint,
  leaves: readonly Bytes[],
  breaks: PublishedLog['breaks'],
): Promise<void> {
  if (!areEqual(await rootOf(leaves), root)) throw new LogFault('log', 'The votes have another root');
  if (!seen) return;
  const before = readCheckpoint(seen.note);
  const isBroken = breaks.some(({ checkpoint }) => {
    const last = readCheckpoint(checkpoint);
    return last.origin === before.origin && last.size >= before.size;
  });
  const isKept =
    before.origin === origin
      ? before.size === size || areEqual(await rootOf(leaves.slice(0, before.size)), before.root)
      : isBroken;
  if (!isKept) throw new LogFault('memory', 'The log is not the one that this browser saw', { seen });
}

/** @returns votes that the creator removed */
function checkCounts(
  results: PublishedResults,
  published: readonly PublishedVote[],
  allowsMultiple: boolean,
): number {
  const counts = new Map(results.poll_answers.map(({ id }) => [id, 0]));
  let [voters, voided] = [0, 0];
  for (const { sequence, answers = [], voided: isVoided, lost } of published) {
    if (lost) continue;
    const isValid = new Set(answers).size === answers.length && (allowsMultiple || answers.length === 1);
    if (!isValid) throw new LogFault('counts', `Vote ${sequence} has answers that the poll does not allow`);
    if (isVoided) voided += answers.length;
    else voters += 1;
    if (!isVoided) for (const id of answers) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const shown = new Map(results.poll_answers.map(({ id, votes }) => [id, votes]));
  const isRight =
    [...counts].every(([id, votes]) => shown.get(id) === votes) &&
    voters === results.total_voters &&
    voided === (results.voided_votes ?? 0);
  if (!isRight)
    throw new LogFault('counts', 'The votes add up to other results', {
      counted: Object.fromEntries(counts),
      shown: Object.fromEntries(shown),
    });
  return voided;
}

/** Waits for a relay that is busy, or still builds the log. */
async function loadText(url: string): Promise<string> {
  for (let waits = 0; ; waits += 1) {
    const reply = await fetch(url, { cache: 'no-store' });
    if (reply.ok) return reply.text();
    const isBusy = reply.status === 503 || reply.status === 429;
    if (!isBusy || waits === MAX_WAITS) throw new Error(`${url}: status ${reply.status}`);
    await pause();
  }
}

async function load(url: string): Promise<unknown> {
  return JSON.parse(await loadText(url));
}
