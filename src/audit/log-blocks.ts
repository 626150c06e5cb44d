import { GrowingTree, HASH_BYTES, type Hash, TILE_LEVELS, TILE_WIDTH } from './merkle.ts';
import { logHashes } from './node-crypto.ts';

/** Blocks whose roots are stored in one text. */
export const GROUP = TILE_WIDTH;

/**
 * The roots of a log's complete blocks of 256 leaves, and of complete subtrees above them: the
 * hashes of its tiles from level 1 on.
 */
export class LogBlocks {
  /** `#levels[n - 1][i]` is hash `i` of tile level `n`: the root of 256^n leaves. */
  readonly #levels: Hash[][] = [];

  get count(): number {
    return this.#levels[0]?.length ?? 0;
  }

  append(root: Hash, level = 1): void {
    const hashes = this.#levels[level - 1] ?? [];
    this.#levels[level - 1] = hashes;
    hashes.push(root);
    if (hashes.length % TILE_WIDTH === 0) this.append(rootOf(hashes.slice(-TILE_WIDTH)), level + 1);
  }

  /** @param level of tiles, from 1 */
  hashes(level: number, first: number, count: number): readonly Hash[] {
    return this.#levels[level - 1]?.slice(first, first + count) ?? [];
  }

  /** Returns the root of 2^level leaves. @param level of the tree, 8 or more */
  subtree(level: number, index: number): Hash {
    const span = 2 ** (level % TILE_LEVELS);
    return rootOf(this.hashes(Math.floor(level / TILE_LEVELS), index * span, span));
  }

  /** Returns a tree of the first blocks. */
  treeOf(blocks: number): GrowingTree {
    const tree = new GrowingTree(logHashes);
    for (let level = this.#levels.length; level > 0; level -= 1) {
      const width = TILE_WIDTH ** (level - 1);
      const end = Math.floor(blocks / width);
      const done = tree.size / (width * TILE_WIDTH);
      for (const root of this.hashes(level, done, end - done)) tree.append(root, level * TILE_LEVELS);
    }
    return tree;
  }

  /** Returns the stored text of a group: its roots as base64. @param more roots that follow the first `count` blocks */
  groupText(group: number, count: number, more: readonly Hash[]): string {
    const first = group * GROUP;
    return Buffer.concat([...this.hashes(1, first, count - first), ...more]).toString('base64');
  }

  /** Adds the blocks of a group that are not there yet. */
  addGroup(group: number, text: string): void {
    const bytes = Buffer.from(text, 'base64');
    const end = group * GROUP + bytes.length / HASH_BYTES;
    while (this.count >= group * GROUP && this.count < end) {
      const at = (this.count - group * GROUP) * HASH_BYTES;
      this.append(bytes.subarray(at, at + HASH_BYTES));
    }
  }
}

/** @param hashes a power of two of them */
export function rootOf(hashes: readonly Hash[]): Hash {
  const tree = new GrowingTree(logHashes);
  for (const hash of hashes) tree.append(hash);
  return tree.root();
}
