import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { HINT_WINDOW_MS } from '../../../src/engine/engine.ts';
import { createPollId } from '../../../src/poll/create-poll.ts';
import { ballotFor, countHints, type EngineSubject, eventually, openPoll } from './engine-subject.ts';

/** Which changes hint at which topics. */
export function hintClaims(subject: EngineSubject): void {
  it('hints at every kind of change, in every process', async () => {
    const poll = await openPoll(subject);
    const { id } = poll.poll;
    const { engine, other } = subject;
    const hints = await countHints(other, id);
    const changes: (() => Promise<unknown>)[] = [
      () => engine.polls.cast(ballotFor(poll)),
      () => engine.polls.change(id, { closed: true }),
      () => engine.polls.change(id, { resultsVisibility: 'hidden' }),
      () => engine.hints.publish(id),
      () => engine.polls.remove(id),
    ];
    for (const change of changes) {
      const before = hints.count;
      await change();
      await eventually(() => expect(hints.count).toBeGreaterThan(before));
    }
    hints.unfollow();
  });

  it('does not hint at a rejected or repeated ballot', async () => {
    const poll = await openPoll(subject);
    const ballot = ballotFor(poll);
    await subject.engine.polls.cast(ballot);
    const hints = await countHints(subject.engine, poll.poll.id);
    await subject.engine.polls.cast(ballot);
    await subject.engine.polls.cast({ ...ballot, ballotId: 'again' });
    await pause(2 * HINT_WINDOW_MS);
    await subject.engine.polls.cast(ballotFor(poll));
    await eventually(() => expect(hints.count).toBeGreaterThan(0));
    expect(hints.count).toBe(1);
    hints.unfollow();
  });

  it('hints at ballots at most forty times a second, with many ballots from several processes', async () => {
    const poll = await openPoll(subject, { sharedAddress: true });
    const { id } = poll.poll;
    const { engine, other } = subject;
    const hints = await countHints(other, id);
    const startMs = performance.now();
    const spanMs = 20 * HINT_WINDOW_MS;
    let ballots = 0;
    while (performance.now() - startMs < spanMs || ballots < 100) {
      await Promise.all([engine, other].map(each => each.polls.cast(ballotFor(poll))));
      ballots += 2;
    }
    const windows = (performance.now() - startMs) / HINT_WINDOW_MS;
    await eventually(() => expect(hints.count).toBeGreaterThan(1));
    const atTheEnd = hints.count;
    await engine.polls.change(id, { closed: true });
    await eventually(() => expect(hints.count).toBeGreaterThan(atTheEnd));
    // The first one, and that of the change at the end.
    expect(hints.count).toBeLessThanOrEqual(windows + 2);
    hints.unfollow();
  });

  it('hints at every other change at once, right after the hint of a ballot', async () => {
    const poll = await openPoll(subject);
    const { id } = poll.poll;
    const { engine, other } = subject;
    const hints = await countHints(other, id);
    await engine.polls.cast(ballotFor(poll));
    await Promise.all([
      engine.polls.change(id, { resultsVisibility: 'hidden' }),
      engine.polls.change(id, { resultsVisibility: 'always' }),
      engine.polls.change(id, { closed: true }),
    ]);
    await eventually(() => expect(hints.count).toBe(4));
    hints.unfollow();
  });

  it('calls a listener for its own topic and no other', async () => {
    const show = `show:${createPollId()}`;
    const { engine, other } = subject;
    const [hints, strangers] = [await countHints(other, show), await countHints(other, `${show}-2`)];
    await engine.hints.publish(show);
    await eventually(() => expect(hints.count).toBe(1));
    expect(strangers.count).toBe(0);
    await engine.hints.publish(`${show}-2`);
    await eventually(() => expect(strangers.count).toBe(1));
    expect(hints.count).toBe(1);
    for (const { unfollow } of [hints, strangers]) unfollow();
  });

  it('calls every follower of a topic until it unfollows', async () => {
    const [topic, beacon] = [`show:${createPollId()}`, `show:${createPollId()}`];
    const { engine } = subject;
    const [first, second] = [await countHints(engine, topic), await countHints(engine, topic)];
    const heard = await countHints(engine, beacon);
    await engine.hints.publish(topic);
    await eventually(() => expect([first.count, second.count]).toEqual([1, 1]));

    first.unfollow();
    first.unfollow();
    await engine.hints.publish(topic);
    await eventually(() => expect(second.count).toBe(2));
    second.unfollow();
    await engine.hints.publish(topic);
    await engine.hints.publish(beacon);
    await eventually(() => expect(heard.count).toBe(1));
    expect([first.count, second.count]).toEqual([1, 2]);
    heard.unfollow();
  });

  it('calls a follower that follows again in the turn in which the last one left', async () => {
    const topic = `show:${createPollId()}`;
    const { engine, other } = subject;
    const before = await countHints(engine, topic);
    before.unfollow();
    const again = await countHints(engine, topic);
    await other.hints.publish(topic);
    await eventually(() => expect(again.count).toBe(1));
    expect(before.count).toBe(0);
    again.unfollow();
  });

  it('follows thousands of topics at once, each separately', async () => {
    const topics = Array.from({ length: 2_500 }, (_, index) => `show:${createPollId()}-${index}`);
    const hints = await Promise.all(topics.map(topic => countHints(subject.other, topic)));
    for (const index of [0, 1_000, 2_499]) await subject.engine.hints.publish(topics[index]!);
    await eventually(() => expect(hints.reduce((sum, { count }) => sum + count, 0)).toBe(3));
    for (const index of [0, 1_000, 2_499]) expect(hints[index]!.count).toBe(1);
    for (const { unfollow } of hints) unfollow();
  });
}
