import type { Engine } from '../engine/engine.ts';
import { SHOW_NAME } from '../poll/name-rules.ts';
import type { PollKeys, PollOwner, Reading } from '../poll/poll.ts';
import { ownsPoll, parseShow, type StoredShow, showTopic } from './stored-show.ts';

/** The key of a show manages the polls that the show owns, as their admin keys do. It stands in the show's record alone. */

type Records = Pick<Engine, 'records'>;

/** All keys of a poll at this moment. Costs a read more where a show owns it. */
export async function keysOf(
  engine: Records,
  { poll, keys }: Pick<Reading, 'poll' | 'keys'>,
): Promise<PollKeys> {
  return poll.show ? { ...keys, showKeyHash: await findOwnerKey(engine, poll.show) } : keys;
}

/** @returns SHA-256, hex; undefined where the show is gone, or its name is somebody else's */
export async function findOwnerKey({ records }: Records, owner: PollOwner): Promise<string | undefined> {
  const text = SHOW_NAME.test(owner.name) ? await records.find(showTopic(owner.name)) : undefined;
  return text === undefined ? undefined : ownerKeyIn(parseShow(text), owner);
}

/** The same from the show that has the owner's name now. */
export function ownerKeyIn(show: StoredShow | undefined, owner: PollOwner): string | undefined {
  return show && ownsPoll(show, owner) ? show.keyHash : undefined;
}
