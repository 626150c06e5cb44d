import { expect, it } from 'vitest';
import { MARK_MS, type ToldState } from '../../../src/engine/engine.ts';
import { createPollId } from '../../../src/poll/create-poll.ts';
import { type EngineSubject, eventually, newPoll, openPoll } from './engine-subject.ts';

const told = (change: Partial<ToldState> & { readonly subject: string }): ToldState => ({
  known: undefined,
  state: 'a',
  dueAtMs: null,
  events: [],
  ...change,
});

/** The log of events, and the list of polls. */
export function eventClaims(subject: EngineSubject): void {
  const textsAfter = async (position: number, wanted: string) =>
    (await subject.other.events.read(position, 1_000))
      .map(({ text }) => text)
      .filter(text => text.startsWith(wanted));

  it('adds events in order, with the state that they tell', async () => {
    const { engine, other } = subject;
    const id = createPollId();
    const before = await engine.events.findNewest();
    expect(await engine.events.findState(id)).toBeUndefined();
    expect(await engine.events.tell(told({ subject: id, events: [`${id} 1`, `${id} 2`] }))).toBe(true);
    expect(await other.events.tell(told({ subject: id, known: 'a', state: 'b', events: [`${id} 3`] }))).toBe(
      true,
    );
    expect(await other.events.findState(id)).toBe('b');
    expect(await textsAfter(before, id)).toEqual([`${id} 1`, `${id} 2`, `${id} 3`]);
    const all = await other.events.read(before, 1_000);
    const positions = all.map(({ position }) => position);
    expect(positions).toEqual(positions.map((_, index) => before + 1 + index));
    const [first] = all.filter(({ text }) => text === `${id} 1`);
    expect(await textsAfter(first!.position, id)).toEqual([`${id} 2`, `${id} 3`]);
    expect(Math.abs(first!.atMs - (await engine.polls.now()))).toBeLessThan(20_000);
    expect(await other.events.read(before, 1)).toHaveLength(1);
  });

  it('lets one of many tell the same change', async () => {
    const { engine, other } = subject;
    const id = createPollId();
    const before = await engine.events.findNewest();
    const tries = Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? engine : other).events.tell(told({ subject: id, events: [`${id} once`] })),
    );
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    expect(await textsAfter(before, id)).toEqual([`${id} once`]);
  });

  it('stores what was deleted, and takes nothing else that is missing for deleted', async () => {
    const { engine, other } = subject;
    const { poll } = await openPoll(subject);
    expect(await engine.polls.remove(poll.id)).toBe(true);
    await engine.events.markDeleted('show:over');
    const found = [poll.id, 'show:over', createPollId(), 'show:never'].map(id => other.events.wasDeleted(id));
    expect(await Promise.all(found)).toEqual([true, true, false, false]);
  });

  it('hints new events, and only those', async () => {
    const { engine, other } = subject;
    let hints = 0;
    const { ready, unfollow } = other.hints.follow('events', () => {
      hints += 1;
    });
    await ready;
    await engine.events.tell(told({ subject: createPollId(), events: ['hinted'] }));
    await eventually(() => expect(hints).toBeGreaterThan(0));
    unfollow();
  });

  it('lists in descending order, page by page, until a subject is forgotten', async () => {
    const { engine, other } = subject;
    const ids = ['c', 'a', 'b'].map(letter => ({ id: createPollId(), entry: `zz${letter}` }));
    for (const { id, entry } of ids) await engine.events.tell(told({ subject: id, listed: entry }));
    expect(await other.events.list(3)).toEqual(['zzc', 'zzb', 'zza']);
    expect(await other.events.list(1, 'zzc')).toEqual(['zzb']);
    expect(await other.events.list(2, 'zzb')).toEqual(expect.arrayContaining(['zza']));
    for (const { id, entry } of ids)
      await engine.events.tell(told({ subject: id, known: 'a', state: undefined, listed: entry }));
    expect(await other.events.list(10, 'zzd')).not.toContain('zza');
    expect(await engine.events.findState(ids[0]!.id)).toBeUndefined();
  });

  it('finds a subject at the time at which its state changes by itself, until it is told', async () => {
    const { engine, other } = subject;
    const id = createPollId();
    const nowMs = await engine.polls.now();
    await engine.events.tell(told({ subject: id, dueAtMs: nowMs + 60_000 }));
    expect(await other.events.findDue(1_000)).not.toContain(id);
    await engine.events.tell(told({ subject: id, known: 'a', state: 'b', dueAtMs: nowMs - 1 }));
    expect(await other.events.findDue(1_000)).toContain(id);
    await engine.events.tell(told({ subject: id, known: 'b', state: 'c' }));
    expect(await other.events.findDue(1_000)).not.toContain(id);
  });
}

/** A mark is due after `MARK_MS`: these claims take that long. */
export function markClaims(subject: EngineSubject): void {
  it('finds every poll that was created, changed, removed or marked, once the change has ended', async () => {
    const { engine, other } = subject;
    const created = newPoll({}, await engine.polls.now()).poll.id;
    await engine.polls.create({ ...newPoll({ id: created }, await engine.polls.now()) });
    const changed = await openPoll(subject);
    await engine.events.tell(told({ subject: changed.poll.id }));
    await engine.polls.change(changed.poll.id, { closed: true });
    const removed = await openPoll(subject);
    await engine.polls.remove(removed.poll.id);
    await engine.events.mark('show:marked');
    const marked = [created, changed.poll.id, removed.poll.id, 'show:marked'];
    const early = await other.events.findDue(10_000);
    expect(marked.filter(id => early.includes(id))).toEqual([]);
    await new Promise(resolve => setTimeout(resolve, MARK_MS));
    await eventually(async () =>
      expect(await other.events.findDue(10_000)).toEqual(expect.arrayContaining(marked)),
    );
    // Of a poll with a state, a tell with that state ends the mark.
    await other.events.tell(told({ subject: changed.poll.id, known: 'a' }));
    expect(await other.events.findDue(10_000)).not.toContain(changed.poll.id);
  });
}
