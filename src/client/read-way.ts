import type { FollowMessage, ResultsBody, ServerMessage, ShowMessage } from '../protocol/messages.ts';
import type { ChannelEvents, Way } from './channel.ts';
import type { Clock } from './clock.ts';
import type { RestError } from './refusal.ts';
import { type Fetch, keyHeader, reasonOf } from './stream-way.ts';

/** Errors about the poll or show that was asked for: every other one passes, or comes of a wrong address. */
const VERDICT = /^(api_key|invalid|poll|show)_/;
/** Spread by half to each side, so that screens that began together do not read together. */
const READ_EVERY_MS = 3_000;
/** After about a minute of reading, being pushed to is tried again. */
const READS_BEFORE_RENEWAL = 20;
/** However rarely the stream's heartbeat was asked for: the longest pause between two reads, and time for an answer. */
const SILENCE_MS = READ_EVERY_MS * 1.5 + 5_000;

/** What a relay may answer: results, a show, or an error. */
interface Answer
  extends Partial<Omit<ResultsBody, 'success'>>,
    Pick<ShowMessage, 'rundown' | 'own' | 'place'> {
  readonly on_air?: string | null;
  readonly error?: RestError;
}

/** Something to be read, and what the answer says in the words of the live stream. */
export interface ReadTarget {
  readonly url: string;
  readonly key?: string | undefined;
  /** Undefined where the answer is no relay's. */
  toMessage(body: Answer): ServerMessage | undefined;
}

export interface ReadWayOptions {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Asked anew before each round, and may go on from what the reads of the round have told so far. */
  targets(): Iterable<ReadTarget>;
}

/** The last resort: reads what the relay says at this moment, every few seconds. */
export function readWay({ fetch, clock, targets }: ReadWayOptions): Way {
  return {
    via: 'read',
    silenceMs: SILENCE_MS,

    open(events) {
      const abort = new AbortController();
      let cancelTimer = (): void => {};
      let rounds = 0;
      const next = async (): Promise<void> => {
        try {
          for (const target of targets()) await read(fetch, target, events, abort.signal);
        } catch (error) {
          return events.onEnd({ reason: reasonOf(error) });
        }
        rounds += 1;
        if (rounds === READS_BEFORE_RENEWAL) return events.onEnd({ renew: true });
        if (!abort.signal.aborted) cancelTimer = clock.after(READ_EVERY_MS * (0.5 + clock.random()), next);
      };
      void next();
      return {
        send: () => {},
        close: () => {
          cancelTimer();
          abort.abort();
        },
      };
    },
  };
}

/** The results of a poll. */
export function pollTarget(relay: string, id: string, key: string | undefined): ReadTarget {
  return {
    // As old as the relay's own reads for a crowd may be: a cache on the way answers the others. With a key none may.
    url: `${relay}/api/poll/${id}${key === undefined ? '?max_age=1' : ''}`,
    key,
    toMessage: body =>
      'total_votes' in body
        ? { type: 'results', ...(body as ResultsBody), ...(body.status === 'closed' && { final: true }) }
        : body.error && { type: 'error', ...body.error, id },
  };
}

/** Which poll a show points to. A show that does not exist points to nothing; with a key it is an error. */
export function showTarget(relay: string, { show, key }: FollowMessage): ReadTarget {
  return {
    url: `${relay}/api/show/${show}`,
    key,
    toMessage: ({ on_air, error, ...rest }) =>
      error && key !== undefined
        ? { type: 'error', ...error, show }
        : on_air !== undefined || error
          ? { ...rest, type: 'show', show, id: on_air ?? null }
          : undefined,
  };
}

async function read(
  fetch: Fetch,
  target: ReadTarget,
  events: ChannelEvents,
  signal: AbortSignal,
): Promise<void> {
  const init = { headers: keyHeader(target.key), cache: 'no-cache', signal } as const;
  const response = await fetch(target.url, init);
  const body: Answer = Object(await response.json().catch(() => undefined));
  const message = (!body.error || VERDICT.test(body.error.code)) && target.toMessage(body);
  if (!message) throw new Error(response.ok ? 'what answers is no relay' : `status ${response.status}`);
  events.onMessage(message);
}
