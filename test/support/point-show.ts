import type { Engine } from '../../src/engine/engine.ts';
import type { PollId } from '../../src/poll/poll.ts';
import { changeShow, createShow, findShow } from '../../src/show/shows.ts';

/** Puts a poll on a show, as an operator would; the show is there where it was not. */
export async function pointShow(engine: Engine, name: string, id: PollId | null): Promise<void> {
  if (!(await findShow(engine, name))) await createShow(engine, { name, title: '' }, 'f'.repeat(64));
  const operator = { key: { hash: 'operator', carrier: 'message' }, isOperatorKey: () => true } as const;
  await changeShow(engine, name, { onAir: id }, operator);
}
