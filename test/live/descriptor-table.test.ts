import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DescriptorTable } from '../../src/live/descriptor-table.ts';

it('finds what was noted last of each slot that is open, and nothing of any other', () => {
  const act = fc.record({ kind: fc.constantFrom('open', 'set', 'forget', 'close'), which: fc.nat(5_000) });
  fc.assert(
    fc.property(fc.array(act, { minLength: 100, maxLength: 400 }), acts => {
      const table = new DescriptorTable();
      const open = Array.from({ length: 450 }, () => ({ slot: table.open(), descriptor: 0 }));
      const closed: number[] = [0];
      for (const [index, { kind, which }] of acts.entries()) {
        const one = open[which % open.length];
        if (kind === 'open' || !one) open.push({ slot: table.open(), descriptor: 0 });
        else if (kind === 'close') {
          table.close(one.slot);
          closed.push(one.slot);
          open.splice(which % open.length, 1);
        } else {
          one.descriptor = kind === 'set' ? index + 1 : 0;
          table.set(one.slot, one.descriptor);
        }
      }
      expect(open.map(({ slot }) => table.get(slot))).toEqual(open.map(({ descriptor }) => descriptor));
      expect(closed.map(slot => table.get(slot))).toEqual(closed.map(() => 0));
    }),
  );
});

it('gives nobody the slot of one that was closed, nor heeds whoever still holds it', () => {
  const table = new DescriptorTable();
  const former = table.open();
  table.set(former, 7);
  table.close(former);
  const others = Array.from({ length: 5_000 }, () => table.open());
  for (const slot of others) table.set(slot, 1_000 + slot);
  expect(others).not.toContain(former);
  expect(table.get(former)).toBe(0);
  table.set(former, 8);
  table.close(former);
  expect(others.map(slot => table.get(slot))).toEqual(others.map(slot => 1_000 + slot));
});
