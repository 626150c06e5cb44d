import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { presentKey } from '../../../src/poll/poll-key.ts';
import { changeShow, createShow, findShow, removeEmptyShows } from '../../../src/show/shows.ts';
import { type EngineSubject, openPoll } from './engine-subject.ts';

const DAY_MS = 86_400_000;

/** When the name of a show is free again. */
export function showClaims(subject: EngineSubject): void {
  const key = presentKey('show_key-of-the-test', 'header')!;
  const take = async (isKept?: boolean) => {
    const name = `s-${randomBytes(8).toString('hex')}`;
    await createShow(subject.engine, { name, title: '' }, key.hash, isKept);
    return name;
  };
  const pass = (days: number) => removeEmptyShows(subject.engine, 30 * DAY_MS, Date.now() + days * DAY_MS);
  const isTaken = async (name: string) => (await findShow(subject.other, name)) !== undefined;
  const change = (name: string, what: Parameters<typeof changeShow>[2]) =>
    changeShow(subject.engine, name, what, { key, isOperatorKey: () => false });

  // One after the other: a sweep looks at every show.
  it('frees the name of a show without a poll, unless an operator’s key created it', async () => {
    const [empty, kept] = [await take(), await take(true)];
    await pass(29);
    expect(await isTaken(empty)).toBe(true);
    await pass(31);
    expect([await isTaken(empty), await isTaken(kept)]).toEqual([false, true]);
    await createShow(subject.engine, { name: empty, title: '' }, 'f'.repeat(64));

    const [listed, airing] = [await take(), await take()];
    const [{ poll }, { poll: other }] = [await openPoll(subject), await openPoll(subject)];
    await change(listed, { rundown: [poll.id, other.id] });
    await change(airing, { onAir: poll.id });
    await subject.engine.polls.remove(other.id);
    await pass(400);
    expect([await isTaken(listed), await isTaken(airing)]).toEqual([true, true]);
    await subject.engine.polls.remove(poll.id);
    await pass(400);
    expect([await isTaken(listed), await isTaken(airing)]).toEqual([false, false]);
  });
}
