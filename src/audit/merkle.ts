import { hash } from 'node:crypto';
import type { AnswerId, PollId } from '../poll/poll.ts';

/** Hashes of the log: RFC 6962, section 2.1, with SHA-256. Every hash is 32 bytes. */

export type Hash = Uint8Array;

export const HASH_BYTES = 32;
/** Levels of a tree that one tile of C2SP tlog-tiles spans. */
export const TILE_LEVELS = 8;
/** Hashes in a full tile. */
export const TILE_WIDTH = 2 ** TILE_LEVELS;

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Hash = sha256('');

function sha256(data: Uint8Array | string): Hash {
  return hash('sha256', data, 'buffer');
}

const NONCE_DOMAIN = 'tallycast nonce\n';

/** Returns a ballot's nonce. The ballot id is the voter's secret, which the published nonce does not reveal. */
export function nonceOf(ballotId: string): Hash {
  return sha256(NONCE_DOMAIN + ballotId);
}

/**
 * Returns the log's entry for a ballot: SHA-256 of the nonce and `<poll id>\n<sequence>\n<answer ids, joined by commas>`.
 *
 * @param sequence of the ballot in its poll, from 1
 */
export function commitmentOf(
  nonce: Hash,
  pollId: PollId,
  sequence: number,
  answers: readonly AnswerId[],
): Hash {
  const text = Buffer.from(`${pollId}\n${sequence}\n${answers.join(',')}`);
  return sha256(Buffer.concat([nonce, text]));
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export function hashLeaf(entry: Uint8Array): Hash {
  return sha256(Buffer.concat([LEAF, entry]));
}

export function hashNode(left: Hash, right: Hash): Hash {
  return sha256(Buffer.concat([NODE, left, right]));
}

/** A tree that grows by complete subtrees and keeps only their roots: at most 53 hashes. */
export class GrowingTree {
  readonly #subtrees: { readonly level: number; readonly root: Hash }[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /**
   * Appends the root of a complete subtree of 2^level leaves; a leaf's hash has level 0. `size` MUST be a multiple of 2^level.
   */
  append(root: Hash, level = 0): void {
    this.#size += 2 ** level;
    let subtree = { level, root };
    for (let last = this.#subtrees.at(-1); last?.level === subtree.level; last = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      subtree = { level: last.level + 1, root: hashNode(last.root, subtree.root) };
    }
    this.#subtrees.push(subtree);
  }

  /** Appends complete subtrees, as large as they may be, up to a size. Between two checkpoints this proves their consistency. */
  async growTo(size: number, readSubtree: ReadSubtree): Promise<void> {
    while (this.#size < size) {
      let level = Math.floor(Math.log2(size - this.#size));
      while (this.#size % 2 ** level !== 0) level -= 1;
      this.append(await readSubtree(level, this.#size / 2 ** level), level);
    }
  }

  root(): Hash {
    const roots = this.#subtrees.map(({ root }) => root);
    return roots.length === 0 ? EMPTY_ROOT : roots.reduceRight((right, left) => hashNode(left, right));
  }
}

/**
 * Returns the root of a complete subtree: of the leaves from `index * 2^level` up to, and without, `(index + 1) * 2^level`.
 */
export type ReadSubtree = (level: number, index: number) => Promise<Hash> | Hash;

/**
 * Returns the audit path of RFC 6962, section 2.1.1, from the leaf up.
 *
 * @param index of the leaf, from 0 and less than `size`
 */
export async function proveInclusion(index: number, size: number, readSubtree: ReadSubtree): Promise<Hash[]> {
  const path: Hash[] = [];
  let [first, end] = [0, size];
  while (end - first > 1) {
    const middle = first + largestPowerBelow(end - first);
    if (index < middle) {
      path.unshift(await rootBetween(middle, end, readSubtree));
      end = middle;
    } else {
      path.unshift(await rootBetween(first, middle, readSubtree));
      first = middle;
    }
  }
  return path;
}

/** Returns the root of the leaves from `first` up to, and without, `end`. `first` MUST be where RFC 6962 splits a tree. */
async function rootBetween(first: number, end: number, readSubtree: ReadSubtree): Promise<Hash> {
  const tree = new GrowingTree();
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
