import { expect, it } from 'vitest';
import type { Comment } from '../../../src/engine/engine.ts';
import { createPollId } from '../../../src/poll/create-poll.ts';
import { countHints, type EngineSubject, eventually, openPoll } from './engine-subject.ts';

/** Comments under a poll. */
export function commentClaims(subject: EngineSubject): void {
  it('keeps the newest comments of a poll, newest first, and hints', async () => {
    const { poll } = await openPoll(subject, { allowComments: true });
    const { comments } = subject.engine;
    const topic = `comments:${poll.id}`;
    const hints = await countHints(subject.other, topic);
    const written = Array.from({ length: 5 }, (_, index) => comment(`c${index}`));
    for (const one of written) expect(await comments.add(poll.id, one, 3)).toBe(true);
    expect(await subject.other.comments.list(poll.id)).toEqual([written[4], written[3], written[2]]);
    await eventually(() => expect(hints.count).toBe(5));

    expect(await comments.remove(poll.id, 'c3')).toBe(true);
    expect(await comments.remove(poll.id, 'c3')).toBe(false);
    expect(await comments.list(poll.id)).toEqual([written[4], written[2]]);
    await eventually(() => expect(hints.count).toBe(6));
    hints.unfollow();
  });

  it('stores a comment once if it is added again, as after a lost reply', async () => {
    const { poll } = await openPoll(subject, { allowComments: true });
    const [first, second] = [comment('first'), comment('second')];
    for (const one of [first, second, first])
      expect(await subject.engine.comments.add(poll.id, one, 10)).toBe(true);
    expect(await subject.other.comments.list(poll.id)).toEqual([second, first]);
  });

  it('lists at most the given number of the newest', async () => {
    const { poll } = await openPoll(subject, { allowComments: true });
    const { comments } = subject.engine;
    const written = Array.from({ length: 4 }, (_, index) => comment(`c${index}`));
    for (const one of written) await comments.add(poll.id, one, 10);
    expect(await comments.list(poll.id, 2)).toEqual([written[3], written[2]]);
    expect(await comments.list(poll.id, 9)).toHaveLength(4);
    expect(await comments.list(poll.id, 0)).toEqual([]);
  });

  it('returns a short text for each poll that changes with its list', async () => {
    const [{ poll }, { poll: quiet }] = [await openPoll(subject), await openPoll(subject)];
    const { comments } = subject.engine;
    const revisions = () => subject.other.comments.findRevisions([poll.id, 'no poll', quiet.id]);
    const changes: (() => Promise<unknown>)[] = [
      () => comments.add(poll.id, comment('c1'), 2),
      () => comments.add(poll.id, comment('c2'), 2),
      () => comments.add(poll.id, comment('c3'), 2),
      () => comments.remove(poll.id, 'c2'),
      () => comments.remove(poll.id, 'c3'),
    ];
    let before = await revisions();
    expect(await revisions()).toEqual(before);
    for (const change of changes) {
      await change();
      const after = await revisions();
      expect(after[0]).not.toBe(before[0]);
      expect(after.slice(1)).toEqual(before.slice(1));
      before = after;
    }
    expect(await comments.findRevisions([])).toEqual([]);
  });

  it('adds no comment to an unknown poll', async () => {
    const id = createPollId();
    expect(await subject.engine.comments.add(id, comment('lost'), 10)).toBe(false);
    expect(await subject.engine.comments.list(id)).toEqual([]);
    expect(await subject.engine.comments.remove(id, 'lost')).toBe(false);
  });
}

function comment(id: string): Comment {
  return { id, name: 'Ann "A" O’Hara', text: 'Line one\nline two 🎉', writtenAtMs: 1_700_000_000_000 };
}
