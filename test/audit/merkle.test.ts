import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { GrowingTree, type Hash, proveInclusion, rootOfPath } from '../../src/audit/merkle.ts';
import { logHashes } from '../../src/audit/node-crypto.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const leaves = Array.from({ length: 600 }, (_, index) => logHashes.leaf(Buffer.from(`entry ${index}`)));

/** RFC 6962, section 2.1, word for word. */
function rootByDefinition(hashes: readonly Hash[]): Hash {
  if (hashes.length === 0) return hash('sha256', '', 'buffer');
  if (hashes.length === 1) return hashes[0]!;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return logHashes.node(rootByDefinition(hashes.slice(0, split)), rootByDefinition(hashes.slice(split)));
}

describe('a tree', () => {
  it('hashes the published vectors of certificate transparency', () => {
    const inputs = [
      '',
      '00',
      '10',
      '2021',
      '3031',
      '40414243',
      '5051525354555657',
      '606162636465666768696a6b6c6d6e6f',
    ];
    const roots = [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ];
    const tree = new GrowingTree(logHashes);
    const seen = inputs.map(input => {
      tree.append(logHashes.leaf(Buffer.from(input, 'hex')));
      return hex(tree.root());
    });
    expect(seen).toEqual(roots);
  });

  it('of every size up to 600 has the root that the RFC defines', () => {
    const tree = new GrowingTree(logHashes);
    expect(tree.root()).toEqual(logHashes.emptyRoot());
    for (const [index, leaf] of leaves.entries()) {
      tree.append(leaf);
      if (index % 7 === 0 || index > 500)
        expect(hex(tree.root())).toBe(hex(rootByDefinition(leaves.slice(0, index + 1))));
    }
  });

  it('grows by complete subtrees to the same root', () => {
    const tree = new GrowingTree(logHashes);
    tree.append(rootByDefinition(leaves.slice(0, 256)), 8);
    tree.append(rootByDefinition(leaves.slice(256, 512)), 8);
    for (const leaf of leaves.slice(512)) tree.append(leaf);
    expect([tree.size, hex(tree.root())]).toEqual([600, hex(rootByDefinition(leaves))]);
  });

  it.each([1, 2, 3, 7, 8, 255, 256, 257, 600])('of %i leaves proves the inclusion of each', async size => {
    const readSubtree = (level: number, index: number) =>
      rootByDefinition(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level));
    const root = hex(rootByDefinition(leaves.slice(0, size)));
    for (let index = 0; index < size; index += size > 100 ? 17 : 1) {
      const path = await proveInclusion(logHashes, index, size, readSubtree);
      expect(hex(rootOfPath(logHashes, leaves[index]!, index, size, path)!)).toBe(root);
    }
  });
});
