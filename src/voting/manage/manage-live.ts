import type { Engine } from '../../engine/engine.ts';
import type { Revision } from '../../engine/polls.ts';
import type { EventStream } from '../../http/event-stream.ts';
import type { Reading } from '../../poll/poll.ts';
import type { ManageMessage } from '../page/manage-message.ts';

const LOOK_EVERY_MS = 500;

/**
 * Live counts for the creator, hidden or not: the session's cookie is the right to them. Looks at the poll's revision instead
 * of watching hints, because one creator costs less than the bookkeeping, and in one process the relay watches the poll too.
 */
export function followPoll(engine: Engine, first: Reading, stream: EventStream): void {
  const { id } = first.poll;
  let shown = '';
  let looking = false;
  let ended = first.results.status === 'closed';
  const send = (reading: Reading) => {
    shown = revisionOf(reading.results);
    stream.send(JSON.stringify(toMessage(reading)));
  };
  const look = async () => {
    const [revision] = await engine.polls.findRevisions([id]);
    if (revision && revisionOf(revision) === shown && (ended || !isDue(revision))) return;
    const reading = await engine.polls.find(id);
    if (!reading) return stream.close();
    ended = reading.results.status === 'closed';
    send(reading);
  };
  send(first);
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    // An engine that is away for a while is no reason to end the stream: the next look may find it back.
    void look()
      .catch(() => {})
      .finally(() => {
        looking = false;
      });
  }, LOOK_EVERY_MS).unref();
  stream.onClose(() => clearInterval(timer));
}

function toMessage({ poll, results }: Reading): ManageMessage {
  return {
    votes: poll.answers.map(({ id }, index) => ({ id, votes: results.votes[index] ?? 0 })),
    voters: results.totalVoters,
    status: results.status,
    deadlineMs: results.deadlineMs,
  };
}

/** The end is noted, and the version raised, by the first read after it. */
function isDue({ deadlineMs, readAtMs }: Revision): boolean {
  return deadlineMs !== null && readAtMs >= deadlineMs;
}

function revisionOf({ epoch, version }: { epoch: number; version: number }): string {
  return `${epoch}.${version}`;
}
