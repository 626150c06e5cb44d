import { describe, expect, it } from 'vitest';
import { findReply, type ReplyRecords, replyOnce } from '../../src/http/reply-once.ts';
import { PollError } from '../../src/poll/poll-error.ts';

const REQUEST = { key: 'key of the caller', caller: '192.0.2.1', body: { show: 1 } };

function recordsInMemory(): ReplyRecords {
  const texts = new Map<string, string>();
  return {
    find: async name => texts.get(name),
    putIfAbsent: async (name, text) => texts.get(name) ?? texts.set(name, text).get(name) ?? text,
    put: async (name, text) => void texts.set(name, text),
    remove: async name => void texts.delete(name),
  };
}

const done = async () => {};
const failing = (error: Error) => async () => {
  throw error;
};

describe('a repeated request', () => {
  it('gets the first reply, and acts once', async () => {
    const records = recordsInMemory();
    let acts = 0;
    const act = async () => void acts++;
    expect(await replyOnce(records, REQUEST, 'first', act)).toBe('first');
    expect(await replyOnce(records, REQUEST, 'second', act)).toBe('first');
    expect([await findReply(records, REQUEST), acts]).toEqual(['first', 1]);
  });

  it('with another body is rejected', async () => {
    const records = recordsInMemory();
    await replyOnce(records, REQUEST, 'first', done);
    const other = { ...REQUEST, body: { show: 2 } };
    await expect(replyOnce(records, other, 'second', done)).rejects.toThrow('used with another body');
    await expect(findReply(records, other)).rejects.toThrow('used with another body');
  });

  it('after a client error is validated again, even with another body', async () => {
    const records = recordsInMemory();
    const refused = replyOnce(records, REQUEST, 'first', failing(new PollError('invalid_request')));
    await expect(refused).rejects.toThrow('not valid');
    expect(await replyOnce(records, { ...REQUEST, body: 'mended' }, 'second', done)).toBe('second');
  });

  it('after a server error completes the first reply', async () => {
    for (const error of [new PollError('engine_unavailable'), new Error('crashed')]) {
      const records = recordsInMemory();
      await expect(replyOnce(records, REQUEST, 'first', failing(error))).rejects.toBe(error);
      expect(await findReply(records, REQUEST)).toBeUndefined();
      expect(await replyOnce(records, REQUEST, 'second', done)).toBe('first');
    }
  });
});
