import { pbkdf2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  isSolution,
  issueTask,
  readSolvedTask,
  type Task,
} from '../../src/voting/human-check/altcha-task.ts';
import { VotingSecret } from '../../src/voting/voter/voting-secret.ts';

const secret = new VotingSecret(Buffer.alloc(32, 1));
const subject = { pollId: 'AAAAAAAAAAAA', voter: 'voter' };

/** The number of the right try, from 0, and its key. */
function solve({ parameters: { nonce, salt, cost, keyLength, keyPrefix } }: Task) {
  for (let counter = 0; ; counter += 1) {
    const password = Buffer.from(nonce + counter.toString(16).padStart(8, '0'), 'hex');
    const key = pbkdf2Sync(password, Buffer.from(salt, 'hex'), cost, keyLength, 'sha256').toString('hex');
    if (key.startsWith(keyPrefix)) return { counter, derivedKey: key };
  }
}

describe('a task of the human check', () => {
  it.each([
    [1, 1],
    [2, 1],
    [10, 3],
    [1_000, 250],
    [4_000, 1_000],
  ])('of cost %i asks for tries of %i iterations', (cost, iterations) => {
    expect(issueTask(secret, subject, cost, 0).parameters.cost).toBe(iterations);
  });

  it.each([1, 4, 7])(
    'of cost %i takes 256 times so many iterations, half of it at least and half more at most',
    cost => {
      for (let n = 0; n < 30; n += 1) {
        const task = issueTask(secret, subject, cost, 0);
        const { counter } = solve(task);
        expect(counter * task.parameters.cost).toBeGreaterThanOrEqual((cost * 256) / 2 - 1);
        expect(counter * task.parameters.cost).toBeLessThanOrEqual(cost * 256 * 1.5 + 1);
      }
    },
  );

  it('is never the same twice', () => {
    const tasks = Array.from({ length: 100 }, () => issueTask(secret, subject, 1, 0).parameters);
    for (const name of ['nonce', 'salt', 'keyPrefix'] as const)
      expect(new Set(tasks.map(task => task[name])).size).toBe(100);
  });

  it('is solved by its key alone, as it was issued, for its voter and poll', () => {
    const challenge = issueTask(secret, subject, 1, 100);
    const solution = solve(challenge);
    const wrong = solution.derivedKey.replace(/.$/, last => (last === '0' ? '1' : '0'));
    expect(isSolution(secret, subject, { challenge, solution })).toBe(true);
    expect(isSolution(secret, subject, { challenge, solution: { derivedKey: wrong } })).toBe(false);
    const prefix = { derivedKey: challenge.parameters.keyPrefix };
    expect(isSolution(secret, subject, { challenge, solution: prefix })).toBe(false);
    expect(isSolution(secret, { ...subject, voter: 'other' }, { challenge, solution })).toBe(false);
    expect(isSolution(secret, { ...subject, pollId: 'BBBBBBBBBBBB' }, { challenge, solution })).toBe(false);
    const longer = { ...challenge, parameters: { ...challenge.parameters, expiresAt: 101 } };
    expect(isSolution(secret, subject, { challenge: longer, solution })).toBe(false);
    const stranger = new VotingSecret(Buffer.alloc(32, 2));
    expect(isSolution(stranger, subject, { challenge, solution })).toBe(false);
  });

  it('is not read from anything else', () => {
    const odd = [undefined, 7, '', 'x', '[]', 'null', '{}', '{"challenge":{}}', `"${'x'.repeat(5_000)}"`];
    const halves = [
      '{"challenge":{"parameters":{"data":null},"signature":"a"},"solution":{"derivedKey":"a"}}',
      '{"challenge":{"parameters":{"data":{"poll":"a"}},"signature":"a"},"solution":{"derivedKey":1}}',
      '{"challenge":{"parameters":{"data":{"poll":["a"]}},"signature":"a"},"solution":{"derivedKey":"a"}}',
    ];
    for (const text of [...odd, ...halves]) expect(readSolvedTask(text)).toBeUndefined();
  });
});
