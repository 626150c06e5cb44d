import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Comment } from '../../../src/engine/comment-store.ts';
import { createPollId } from '../../../src/poll/create-poll.ts';
import { countHints, type EngineSubject, eventually, openPoll } from './engine-subject.ts';

/** Records and comments. */
export function storeClaims(subject: EngineSubject): void {
  test('keeps the first of many texts under one name', async () => {
    const name = `secret ${randomUUID()} {:}`;
    const stores = [subject.engine.records, subject.other.records];
    expect(await stores[0]!.find(name)).toBeUndefined();
    const kept = await Promise.all(
      Array.from({ length: 20 }, (_, index) => stores[index % 2]!.keep(name, `${index}`)),
    );
    expect(new Set(kept).size).toBe(1);
    expect(await stores[1]!.find(name)).toBe(kept[0]);
  });

  test('puts a text over another and removes it', async () => {
    const { records } = subject.engine;
    const name = randomUUID();
    await records.put(name, '');
    expect(await records.find(name)).toBe('');
    await records.put(name, 'ü'.repeat(10_000));
    expect(await subject.other.records.find(name)).toBe('ü'.repeat(10_000));
    expect(await records.keep(name, 'late')).toBe('ü'.repeat(10_000));
    await records.remove(name);
    await records.remove(name);
    expect(await records.find(name)).toBeUndefined();
  });

  test('forgets a text after its time, and keeps one that was put anew without', async () => {
    const { records } = subject.engine;
    const [brief, lasting] = [randomUUID(), randomUUID()];
    expect(await records.keep(brief, 'first', 200)).toBe('first');
    await records.put(lasting, 'old', 200);
    await records.put(lasting, 'new');
    expect(await records.find(brief)).toBe('first');
    await eventually(async () => expect(await records.find(brief)).toBeUndefined());
    expect(await records.keep(brief, 'second', 60_000)).toBe('second');
    expect(await records.find(lasting)).toBe('new');
  });

  test('keeps the newest comments of a poll, newest first, and hints', async () => {
    const { poll } = await openPoll(subject, { co: true });
    const { comments } = subject.engine;
    const topic = `comments:${poll.id}`;
    await subject.other.watch(topic);
    const hints = countHints(subject.other, topic);
    const written = Array.from({ length: 5 }, (_, index) => comment(`c${index}`));
    for (const one of written) expect(await comments.add(poll.id, one, 3)).toBe(true);
    expect(await subject.other.comments.list(poll.id)).toEqual([written[4], written[3], written[2]]);
    await eventually(() => expect(hints()).toBe(5));

    expect(await comments.remove(poll.id, 'c3')).toBe(true);
    expect(await comments.remove(poll.id, 'c3')).toBe(false);
    expect(await comments.list(poll.id)).toEqual([written[4], written[2]]);
    await eventually(() => expect(hints()).toBe(6));
    await subject.other.unwatch(topic);
  });

  test('takes no comment for a poll that does not exist', async () => {
    const id = createPollId();
    expect(await subject.engine.comments.add(id, comment('lost'), 10)).toBe(false);
    expect(await subject.engine.comments.list(id)).toEqual([]);
    expect(await subject.engine.comments.remove(id, 'lost')).toBe(false);
  });
}

function comment(id: string): Comment {
  return { id, name: 'Ann "A" O’Hara', text: 'Line one\nline two 🎉', writtenAtMs: 1_700_000_000_000 };
}
