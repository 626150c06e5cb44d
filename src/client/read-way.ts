import type { ResultsBody, ServerMessage } from '../protocol/messages.ts';
import type { ChannelEvents, Way } from './channel.ts';
import type { Clock } from './clock.ts';
import { type Fetch, keyHeader, readError } from './stream-way.ts';

/** Spread by half to each side, so that screens that began together do not read together. */
const READ_EVERY_MS = 3_000;
/** After about a minute of reading, being pushed to is tried again. */
const READS_BEFORE_RENEWAL = 20;

export interface ReadTarget {
  readonly id: string;
  readonly url: string;
  readonly key?: string | undefined;
}

export interface ReadWayOptions {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Asked anew before each round. */
  targets(): readonly ReadTarget[];
}

/** The last resort: reads what the relay says at this moment, every few seconds. */
export function readWay({ fetch, clock, targets }: ReadWayOptions): Way {
  return {
    via: 'read',
    open(events) {
      const abort = new AbortController();
      let cancelTimer = (): void => {};
      let rounds = 0;
      const next = async (): Promise<void> => {
        try {
          for (const target of targets()) await read(fetch, target, events, abort.signal);
        } catch {
          return events.onEnd({});
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

async function read(
  fetch: Fetch,
  target: ReadTarget,
  events: ChannelEvents,
  signal: AbortSignal,
): Promise<void> {
  const init = { headers: keyHeader(target.key), cache: 'no-cache', signal } as const;
  const response = await fetch(target.url, init);
  const message = response.ok
    ? resultsMessage((await response.json()) as ResultsBody)
    : await readError(response);
  if (!message) throw new Error(`read failed with status ${response.status}`);
  events.onMessage(message.type === 'error' ? { ...message, id: target.id } : message);
}

function resultsMessage(body: ResultsBody): ServerMessage {
  return { type: 'results', ...body, ...(body.status === 'closed' && { final: true }) };
}
