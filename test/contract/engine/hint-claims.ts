import { expect, test } from 'vitest';
import { createPollId } from '../../../src/poll/create-poll.ts';
import {
  ballotFor,
  countHints,
  type EngineSubject,
  eventually,
  openPoll,
  readResults,
} from './engine-subject.ts';

/** Who is told about what. */
export function hintClaims(subject: EngineSubject): void {
  test('hints at every kind of change to whoever watches, in every process', async () => {
    const poll = await openPoll(subject);
    const { id } = poll.poll;
    const { engine, other } = subject;
    await other.watch(id);
    const hints = countHints(other, id);
    const { epoch } = await readResults(engine, id);
    const changes: (() => Promise<unknown>)[] = [
      () => engine.castBallot(ballotFor(poll)),
      () => engine.changePoll(id, { closed: true }),
      () => engine.changePoll(id, { resultsVisibility: 'hidden' }),
      () => engine.renewEpoch(id, { epoch, version: 100 }),
      () => engine.hint(id),
      () => engine.removePoll(id),
    ];
    for (const change of changes) {
      const before = hints();
      await change();
      await eventually(() => expect(hints()).toBeGreaterThan(before));
    }
    await other.unwatch(id);
  });

  test('does not hint at a ballot that was refused or repeated', async () => {
    const poll = await openPoll(subject);
    const { id } = poll.poll;
    const ballot = ballotFor(poll);
    await subject.engine.castBallot(ballot);
    await subject.engine.watch(id);
    const hints = countHints(subject.engine, id);
    await subject.engine.castBallot(ballot);
    await subject.engine.castBallot({ ...ballot, ballotId: 'again' });
    await subject.engine.castBallot(ballotFor(poll));
    await eventually(() => expect(hints()).toBeGreaterThan(0));
    expect(hints()).toBe(1);
    await subject.engine.unwatch(id);
  });

  test('watches topics with a colon like polls, each by itself', async () => {
    const show = `show:${createPollId()}`;
    const { engine, other } = subject;
    await other.watch(show);
    const hints = countHints(other, show);
    const strangers = countHints(other, `${show}-2`);
    await engine.hint(`${show}-2`);
    await engine.hint(show);
    await eventually(() => expect(hints()).toBe(1));
    expect(strangers()).toBe(0);
    await other.unwatch(show);
  });

  test('goes silent about a topic that is no longer watched, and speaks again when it is', async () => {
    const [silent, loud] = [`show:${createPollId()}`, `show:${createPollId()}`];
    const { engine } = subject;
    await Promise.all([engine.watch(silent), engine.watch(silent), engine.watch(loud)]);
    await engine.unwatch(silent);
    await engine.unwatch(silent);
    const quiet = countHints(engine, silent);
    const heard = countHints(engine, loud);
    await engine.hint(silent);
    await engine.hint(loud);
    await eventually(() => expect(heard()).toBe(1));
    expect(quiet()).toBe(0);
    await engine.watch(silent);
    await engine.hint(silent);
    await eventually(() => expect(quiet()).toBe(1));
    await Promise.all([engine.unwatch(silent), engine.unwatch(loud)]);
  });

  test('tells every listener', async () => {
    const topic = `show:${createPollId()}`;
    await subject.engine.watch(topic);
    const counts = [countHints(subject.engine, topic), countHints(subject.engine, topic)];
    await subject.engine.hint(topic);
    await eventually(() => expect(counts.map(count => count())).toEqual([1, 1]));
    await subject.engine.unwatch(topic);
  });
}
