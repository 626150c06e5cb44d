import { afterAll, beforeAll, expect, it } from 'vitest';
import { rootOfPath } from '../../src/audit/merkle.ts';
import { logHashes } from '../../src/audit/node-crypto.ts';
import { expectGrowth } from './growth-claim.ts';
import {
  ballotsOf,
  castMany,
  createLoggedPoll,
  entryOf,
  newLogs,
  type OpenedEngine,
  onEachEngine,
  START_MS,
  treeHash,
} from './log-rig.ts';

it('an open log of 70,000 ballots grows from each earlier checkpoint, by some tiles', () =>
  expectGrowth(70_000, [1, 255, 256, 257, 4_711, 65_535, 65_536, 65_537]));

onEachEngine('the log of a large poll', (_, open) => {
  let opened: OpenedEngine;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const otherLogs = () =>
    newLogs(
      opened.engine,
      () => START_MS,
      fields => expect.fail(JSON.stringify(fields)),
    );

  it('has tiles and proofs that lead to the root, beyond 65,536 ballots', async () => {
    const { engine } = opened;
    const poll = await createLoggedPoll(engine);
    const size = 65_536 + 256 + 300;
    await castMany(engine, poll.id, size);
    const entries = (await ballotsOf(engine, poll.id, size)).map(ballot => entryOf(poll.id, ballot));
    const leaves = entries.map(entry => logHashes.leaf(entry));
    const roots = Array.from({ length: 258 }, (_, at) => treeHash(leaves.slice(at * 256, (at + 1) * 256)));
    const logs = otherLogs();
    await expect.poll(() => logs.find(poll).then(log => log?.size, String)).toBe(size);
    const log = (await logs.find(poll))!;
    expect(log.root).toEqual(treeHash(leaves));
    // Another process, from what is stored.
    for (const each of [logs, otherLogs()]) {
      expect(await each.findTile(log, 0, 0, 256)).toEqual(Buffer.concat(leaves.slice(0, 256)));
      expect(await each.findTile(log, 0, 258, 44)).toEqual(Buffer.concat(leaves.slice(-44)));
      expect(await each.findTile(log, 1, 0, 256)).toEqual(Buffer.concat(roots.slice(0, 256)));
      expect(await each.findTile(log, 1, 1, 2)).toEqual(Buffer.concat(roots.slice(256)));
      expect(await each.findTile(log, 2, 0, 1)).toEqual(Buffer.from(treeHash(roots.slice(0, 256))));
      const [length, bundle] = [Buffer.of(0, 32), await each.findBundle(log, 257, 256)];
      expect(bundle).toEqual(Buffer.concat(entries.slice(65_792, 66_048).flatMap(entry => [length, entry])));
      for (const [level, index, width] of [
        [0, 258, 45],
        [0, 259, 1],
        [1, 1, 3],
        [2, 0, 2],
        [3, 0, 1],
      ] as const)
        expect([level, index, width, await each.findTile(log, level, index, width)]).toEqual([
          level,
          index,
          width,
          undefined,
        ]);
      expect(await each.findBundle(log, 258, 45)).toBeUndefined();
      for (const sequence of [1, 256, 257, 65_536, 65_537, 65_792, size - 300, size]) {
        const proof = (await each.proveInclusion(poll, sequence))!;
        expect(proof.log).toEqual(log);
        const root = rootOfPath(logHashes, leaves[sequence - 1]!, sequence - 1, size, proof.path);
        expect([sequence, root]).toEqual([sequence, log.root]);
      }
      expect(await each.proveInclusion(poll, size + 1)).toBeUndefined();
    }
  });
});
