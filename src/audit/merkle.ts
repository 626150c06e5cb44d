import type { LoggedBallot } from '../poll/ballot.ts';
import type { PollId } from '../poll/poll.ts';
import { utf8 } from './bytes.ts';

/** Hashes of the log: RFC 6962, section 2.1, with SHA-256. For servers, terminals and pages. */

/** Always 32 bytes. */
export type Hash = Uint8Array;

/**
 * Hashes the concatenation of parts. Of the runtime, and synchronous, because a call hashes some
 * hundred bytes at most.
 */
export type Sha256 = (...parts: readonly Uint8Array[]) => Hash;

export const HASH_BYTES = 32;
/** Levels of a tree that one tile of C2SP tlog-tiles spans. */
export const TILE_LEVELS = 8;
/** Hashes in a full tile. */
export const TILE_WIDTH = 2 ** TILE_LEVELS;
/** The entry of a ballot that the server no longer has. */
export const LOST_ENTRY: Hash = new Uint8Array(HASH_BYTES);

const NONCE_DOMAIN = 'tallycast nonce\n';
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** What an entry fixes of a ballot. */
export type LoggedChoice = Pick<LoggedBallot, 'sequence' | 'answers' | 'source' | 'replaces'>;

export class LogHashes {
  readonly #sha256: Sha256;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  /** Returns a ballot's nonce. The ballot id is the voter's secret, which the published nonce does not reveal. */
  nonce(ballotId: string): Hash {
    return this.#sha256(utf8(NONCE_DOMAIN + ballotId));
  }

  /**
   * Returns the log's entry for a ballot: SHA-256 of the nonce and `<poll id>\n<sequence>\n<answer
   * ids, joined by commas>`, with `\n<platform>` at the end for a ballot from chat, or `\n<sequence
   * of the voter's first ballot>` for a change.
   */
  entry(nonce: Hash, pollId: PollId, { sequence, answers, source, replaces }: LoggedChoice): Hash {
    const mark = replaces ?? source;
    const end = mark === undefined ? '' : `\n${mark}`;
    return this.#sha256(nonce, utf8(`${pollId}\n${sequence}\n${answers.join(',')}${end}`));
  }

  leaf(entry: Uint8Array): Hash {
    return this.#sha256(LEAF, entry);
  }

  node(left: Hash, right: Hash): Hash {
    return this.#sha256(NODE, left, right);
  }

  /** Returns the root of a tree without leaves. */
  emptyRoot(): Hash {
    return this.#sha256();
  }
}

/** A tree that grows by complete subtrees and keeps only their roots: at most 53 hashes. */
export class GrowingTree {
  readonly #hashes: LogHashes;
  readonly #subtrees: { readonly level: number; readonly root: Hash }[] = [];
  #size = 0;

  constructor(hashes: LogHashes) {
    this.#hashes = hashes;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Appends the root of a complete subtree of 2^level leaves; a leaf's hash has level 0. `size`
   * MUST be a multiple of 2^level.
   */
  append(root: Hash, level = 0): void {
    this.#size += 2 ** level;
    let subtree = { level, root };
    for (let last = this.#subtrees.at(-1); last?.level === subtree.level; last = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      subtree = { level: last.level + 1, root: this.#hashes.node(last.root, subtree.root) };
    }
    this.#subtrees.push(subtree);
  }

  /**
   * Appends complete subtrees, as large as they may be, up to a size. Between two checkpoints this
   * proves their consistency.
   */
  async growTo(size: number, readSubtree: ReadSubtree): Promise<void> {
    while (this.#size < size) {
      let level = Math.floor(Math.log2(size - this.#size));
      while (this.#size % 2 ** level !== 0) level -= 1;
      this.append(await readSubtree(level, this.#size / 2 ** level), level);
    }
  }

  root(): Hash {
    const roots = this.#subtrees.map(({ root }) => root);
    if (roots.length === 0) return this.#hashes.emptyRoot();
    return roots.reduceRight((right, left) => this.#hashes.node(left, right));
  }
}

/**
 * Returns the root of a complete subtree: of the leaves from `index * 2^level` up to, and without,
 * `(index + 1) * 2^level`.
 */
export type ReadSubtree = (level: number, index: number) => Promise<Hash> | Hash;

/**
 * Returns the audit path of RFC 6962, section 2.1.1, from the leaf up.
 *
 * @param index of the leaf, from 0 and less than `size`
 */
export async function proveInclusion(
  hashes: LogHashes,
  index: number,
  size: number,
  readSubtree: ReadSubtree,
): Promise<Hash[]> {
  const path: Hash[] = [];
  let first = 0;
  let end = size;
  while (end - first > 1) {
    const middle = first + largestPowerBelow(end - first);
    if (index < middle) {
      path.unshift(await rootBetween(hashes, middle, end, readSubtree));
      end = middle;
    } else {
      path.unshift(await rootBetween(hashes, first, middle, readSubtree));
      first = middle;
    }
  }
  return path;
}

/**
 * Returns the root of the leaves from `first` up to, and without, `end`. `first` MUST be where RFC
 * 6962 splits a tree.
 */
async function rootBetween(
  hashes: LogHashes,
  first: number,
  end: number,
  readSubtree: ReadSubtree,
): Promise<Hash> {
  const tree = new GrowingTree(hashes);
  for (let at = first; at < end; ) {
    const level = Math.floor(Math.log2(end - at));
    tree.append(await readSubtree(level, at / 2 ** level), level);
    at += 2 ** level;
  }
  return tree.root();
}

/** Returns the largest power of two that is less than a number, which is 2 or more. */
function largestPowerBelow(size: number): number {
  return 2 ** Math.ceil(Math.log2(size) - 1);
}

/**
 * Returns the root to which a leaf's audit path leads, by RFC 9162, section 2.1.3.2; undefined for
 * a path of another length than the tree gives it, and for a leaf outside of the tree.
 *
 * @param index of the leaf, from 0
 */
export function rootOfPath(
  hashes: LogHashes,
  leaf: Hash,
  index: number,
  size: number,
  path: readonly Hash[],
): Hash | undefined {
  if (!(Number.isSafeInteger(index) && index >= 0 && index < size)) return undefined;
  let first = index;
  let last = size - 1;
  let root = leaf;
  // Plain division: shifts of bits end at 2^31.
  const half = (number: number) => Math.floor(number / 2);
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (first % 2 === 1 || first === last) {
      root = hashes.node(sibling, root);
      while (first % 2 === 0 && first > 0) [first, last] = [half(first), half(last)];
    } else {
      root = hashes.node(root, sibling);
    }
    [first, last] = [half(first), half(last)];
  }
  return last === 0 ? root : undefined;
}
