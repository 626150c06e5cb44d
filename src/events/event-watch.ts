import { randomUUID } from 'node:crypto';
import { resumeVoids } from '../engine/void-ballots.ts';
import { isPollId } from '../poll/poll.ts';
import { isEngineUnavailable } from '../poll/poll-error.ts';
import type { WebhookDelivery } from './webhook-delivery.ts';
import type { AnnouncedEngine } from './with-events.ts';

const TURN_MS = 1_000;
/** Its holder tells deadlines, what dying processes left, and webhooks. After a death another process takes over. */
const LEASE = 'events-lease';
const LEASE_MS = 10_000;
const DUE = 500;
const AT_ONCE = 20;

export interface EventWatch {
  close(): Promise<void>;
}

/** Begins what one process at a time does for all. Two at a time do no harm: each event is added once. */
export function watchEvents(
  engine: AnnouncedEngine,
  delivery: WebhookDelivery,
  onError: (error: unknown) => void = () => {},
): EventWatch {
  const { announcer, events, polls, records } = engine;
  const id = randomUUID();
  let timer: NodeJS.Timeout;
  let turn: Promise<void> = Promise.resolve();
  let isClosed = false;
  schedule();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await delivery.close();
      await turn;
      // So that another process takes over at once.
      await records.replace(LEASE, id, undefined).catch(() => {});
    },
  };

  function schedule(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      turn = takeTurn().catch(report).finally(schedule);
    }, TURN_MS).unref();
  }

  /** Without an engine there is nothing to tell, and others report that. */
  function report(error: unknown): void {
    if (!isEngineUnavailable(error)) onError(error);
  }

  async function takeTurn(): Promise<void> {
    await announcer.tellUntold();
    if (!(await holdLease())) return delivery.yield();
    const due = await events.findDue(DUE);
    for (let at = 0; at < due.length; at += AT_ONCE)
      // One that cannot be read stays due, and stops neither the others nor the webhooks.
      await Promise.all(due.slice(at, at + AT_ONCE).map(subject => attend(subject).catch(report)));
    if (!isClosed) await delivery.deliver();
  }

  async function attend(subject: string): Promise<void> {
    const reading = isPollId(subject) ? await polls.find(subject) : undefined;
    // The next mark comes before this one ends.
    if (reading && (await resumeVoids(polls, reading.poll))) await events.mark(subject);
    await announcer.tell(subject, true);
  }

  async function holdLease(): Promise<boolean> {
    if ((await records.putIfAbsent(LEASE, id, LEASE_MS)) !== id) return false;
    await records.put(LEASE, id, LEASE_MS);
    return true;
  }
}
