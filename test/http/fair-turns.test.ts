import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { FairTurns } from '../../src/http/fair-turns.ts';

const requestOf = (ip: string, destroyed = false) =>
  ({ ip, socket: {}, raw: { socket: { destroyed } } }) as FastifyRequest;

it('starts one piece of work in each turn of the event loop, for each address in turn', async () => {
  const turns = new FairTurns();
  const started: string[] = [];
  const asked = ['a', 'a', 'a', 'b', 'b'].map((last, index) =>
    turns.take(requestOf(`192.0.2.${last === 'a' ? 1 : 2}`)).then(() => started.push(`${last}${index}`)),
  );
  const gone = turns.take(requestOf('192.0.2.3', true));
  await expect(gone).rejects.toMatchObject({ code: 'request_expired' });
  const perTurn: number[] = [];
  while (started.length < asked.length) {
    perTurn.push(started.length);
    await new Promise(setImmediate);
  }
  expect(started).toEqual(['a0', 'a1', 'b3', 'a2', 'b4']);
  expect(perTurn.every((count, turn) => turn === 0 || count - perTurn[turn - 1]! <= 1)).toBe(true);
  // A line that was empty begins at once.
  await turns.take(requestOf('192.0.2.1'));
});
