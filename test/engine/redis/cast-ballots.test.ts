import { expect, it } from 'vitest';
import { fastBallots } from '../../../src/engine/redis/cast-ballots.ts';
import type { CastReply, CommandClient } from '../../../src/engine/redis/redis-commands.ts';
import type { Ballot } from '../../../src/poll/ballot.ts';

const TEXTS = 8;
const turn = () => new Promise<void>(setImmediate);

/** A Redis that accepts everything, and its calls. */
function startCasting() {
  const calls: string[] = [];
  const castBallots = async (...[poll, ...texts]: unknown[]): Promise<CastReply> => {
    const length = texts.length / TEXTS;
    calls.push(`${length} of ${poll}`);
    return Array.from({ length }, (_, index) => index + 2);
  };
  const castBallot = fastBallots({ castBallots } as unknown as CommandClient, id => [id]);
  const cast = (pollId: string, count: number) =>
    Array.from({ length: count }, (_, index) => castBallot(ballotFor(pollId, index)));
  return { calls, cast };
}

function ballotFor(pollId: string, index: number): Ballot {
  const id = `${index}`;
  return { pollId, answers: ['a'], voter: id, address: id, ballotId: id };
}

it('sends a group once it is full, and the others at the end of the turn', async () => {
  const { calls, cast } = startCasting();
  const receipts = [...cast('one', 199), ...cast('two', 3)];
  expect(calls).toEqual(['100 of one']);
  receipts.push(...cast('one', 2));
  expect(calls).toEqual(['100 of one', '100 of one']);
  await turn();
  expect(calls.slice(2).sort()).toEqual(['1 of one', '3 of two']);
  const answered = await Promise.all(receipts);
  expect(answered).toHaveLength(204);
  expect(answered.slice(98, 101).map(({ version }) => version)).toEqual([100, 101, 2]);
});
