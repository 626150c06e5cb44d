import { beforeEach, describe, expect, it } from 'vitest';
import { type BulkWriter, NO_SLOT } from '../../src/live/bulk-writer.ts';
import { Cohort } from '../../src/live/cohort.ts';
import { encodeSnapshot, type Snapshot } from '../../src/live/frame.ts';
import { SLICE } from '../../src/live/slice.ts';
import { Seat } from '../../src/live/subscription.ts';
import { OnePoll, POLL_ID } from '../support/one-poll.ts';
import { interest, SubscriberStub } from './subscriber-stub.ts';

const MEMBERS = SLICE + 200;

class OneOfMany extends SubscriberStub {
  readonly bulk: BulkWriter;
  readonly slot: number;

  constructor(bulk: BulkWriter, slot: number) {
    super();
    this.bulk = bulk;
    this.slot = slot;
  }
}

describe('a cohort', () => {
  let written: number[];
  let held: Snapshot;
  let next: Snapshot;
  let seats: Seat[];
  let cohort: Cohort;
  beforeEach(() => {
    written = [];
    const bulk: BulkWriter = {
      write: (_frame, slots, start, end) => {
        written.push(...slots.slice(start, end).filter(slot => slot !== NO_SLOT));
      },
    };
    const one = new OnePoll();
    held = encodeSnapshot(one.reading!, undefined);
    one.set({ version: 2, votes: [1, 0], totalVoters: 1 });
    next = encodeSnapshot(one.reading!, held);
    const owner = { leave: () => {}, catchUp: () => {}, judge: () => undefined };
    cohort = new Cohort(bulk, false, held, () => {});
    seats = Array.from({ length: MEMBERS }, (_, index) => {
      const seat = new Seat(POLL_ID, owner, interest(), new OneOfMany(bulk, index + 1));
      seat.hold(held);
      return seat;
    });
    for (const seat of seats) expect(cohort.admit(seat)).toBe(true);
  });

  it('takes in nobody who holds something else, wants another form or has a wire of another kind', () => {
    const [member] = seats as [Seat];
    cohort.release(member);
    member.hold(next);
    expect(cohort.admit(member)).toBe(false);
    member.hold(held);
    expect(new Cohort(member.bulk!, true, held, () => {}).admit(member)).toBe(false);
    expect(new Cohort({ write: () => {} }, false, held, () => {}).admit(member)).toBe(false);
    expect(cohort.admit(member)).toBe(true);
    expect(cohort.size).toBe(MEMBERS);
  });

  it('lets go of a member between two slices with what it was handed, and of one that had nothing yet without', async () => {
    const handedOut = cohort.handOut(next);
    const [early, late] = [seats[0]!, seats.at(-1)!];
    for (const seat of [early, late]) cohort.release(seat);
    expect([early.holds(next), late.holds(next), late.holds(held)]).toEqual([true, false, true]);
    await handedOut;
    expect(written).toHaveLength(MEMBERS - 1);
    expect(written).not.toContain(late.slot);
  });

  it('writes to nobody any more once it is dissolved, in the middle of handing out as well', async () => {
    const handedOut = cohort.handOut(next);
    expect(cohort.dissolve()).toHaveLength(MEMBERS);
    await handedOut;
    expect(written).toHaveLength(SLICE);
    expect(seats.filter(seat => seat.holds(next))).toHaveLength(SLICE);
    expect(cohort.size).toBe(0);
  });
});
