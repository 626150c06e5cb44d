import type { Engine } from '../engine/engine.ts';
import type { NewPoll, PollOwner } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { rewriteShow, type ShowAccess } from './rewrite-show.ts';
import { MAX_RUNDOWN, withRundown } from './rundown.ts';
import { createShowId } from './shows.ts';
import { ownsPoll } from './stored-show.ts';

/** How polls come into a show that owns them. */

type Ports = Pick<Engine, 'polls' | 'hints' | 'records'>;

/**
 * Whom new polls of a show belong to, for whoever may put some into it.
 *
 * @throws PollError `show_not_found`, `api_key_required`, `api_key_rejected`
 */
export async function openShow(
  engine: Ports,
  name: string,
  access: ShowAccess,
): Promise<{ readonly owner: PollOwner; readonly isKept: boolean }> {
  const { id, isKept = false } = (await rewriteShow(engine, name, access, async stored =>
    stored.id === '' ? { ...stored, id: createShowId() } : stored,
  ))!;
  return { owner: { name, id }, isKept };
}

/**
 * Stores a poll and puts it at the end of the run-down of the show that owns it. Safe to do again with the same.
 *
 * @throws PollError `rundown_full`, and what `rewriteShow` throws
 */
export async function addPoll(engine: Ports, created: NewPoll, access: ShowAccess): Promise<void> {
  const { id, show } = created.poll;
  let isStored = false;
  try {
    await rewriteShow(engine, show!.name, access, async stored => {
      if (!ownsPoll(stored, show)) throw new PollError('show_not_found');
      if (stored.rundown.includes(id)) return stored;
      if (stored.rundown.length >= MAX_RUNDOWN) throw new PollError('rundown_full');
      isStored = (await engine.polls.create(created)) || isStored;
      return withRundown(stored, [...stored.rundown, id], [...stored.own, id]);
    });
  } catch (error) {
    // Refused, and not merely unanswered: whoever asks again gets another poll.
    if (isStored && error instanceof PollError && error.status < 500) await engine.polls.remove(id);
    throw error;
  }
}
