import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Engine, EVENTS, type EventLog } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-topics.ts';
import { keyOfRequest } from '../http/caller.ts';
import { type EventStream, EventStreams } from '../http/event-stream.ts';
import type { ApiOptions } from './api-options.ts';
import { requireOperator } from './list-polls.ts';

const STREAMS_OF_KEY = 20;
const KEPT_MS = 3_600_000;
const BATCH = 50;
const EVENT_ID = /^\d{1,15}$/;

/** `GET /api/events`. */
export async function programEvents(
  app: FastifyInstance,
  { engine, isOperatorKey, clock }: ApiOptions,
): Promise<void> {
  const streams = new EventStreams(STREAMS_OF_KEY);
  const newest = followNewest(engine);
  app.addHook('preClose', async () => {
    newest.close();
    streams.closeAll();
  });
  // A HEAD would be answered with an endless stream.
  const withoutHead = { exposeHeadRoute: false, config: { outline: 'asyncapi' } } as const;
  app.get('/api/events', withoutHead, async (request, reply) => {
    requireOperator(request, isOperatorKey);
    const { hash } = keyOfRequest(request)!;
    const after = await positionAfter(request, engine.events);
    const stream = streams.open(request, reply, hash);
    const isAllowed = () => isOperatorKey(hash, 'read') || isOperatorKey(hash, 'manage');
    const sendNewer = eventPump({ log: engine.events, stream, after, isAllowed, clock });
    stream.onClose(newest.follow(EVENTS, sendNewer));
  });
}

function followNewest({ hints, events }: Pick<Engine, 'hints' | 'events'>): FollowedValues<number> {
  const find = async () => [await events.findNewest()];
  return new FollowedValues({
    hints,
    read: find,
    findMarks: async () => (await find()).map(String),
  });
}

/**
 * After the last event that the client has; without one, or with an unknown one, after the newest
 * or from the oldest kept.
 */
async function positionAfter({ headers }: FastifyRequest, events: EventLog): Promise<number> {
  const newest = await events.findNewest();
  const last = String(headers['last-event-id'] ?? '');
  if (!EVENT_ID.test(last)) return newest;
  // The engine has lost events: its positions begin again.
  return Number(last) > newest ? 0 : Number(last);
}

interface EventPumpOptions {
  readonly log: Pick<EventLog, 'read'>;
  readonly stream: EventStream;
  readonly after: number;
  /** False once the key is revoked. */
  readonly isAllowed: () => boolean;
  readonly clock: () => number;
}

/**
 * Returns a function that sends the newer events in order, and the next one only after the reader
 * has taken the one before: a slow reader holds one in memory.
 */
function eventPump({ log, stream, after, isAllowed, clock }: EventPumpOptions): () => void {
  let sent = after;
  let isRunning = false;
  let isDue = false;
  // A client that reconnects before the first event continues here.
  stream.skipTo(`${after}`);

  async function run(): Promise<void> {
    isRunning = true;
    try {
      while (isDue) {
        isDue = false;
        await sendAll();
      }
    } catch {
      // The client reconnects and continues where it was.
      stream.close();
    } finally {
      isRunning = false;
    }
  }

  async function sendAll(): Promise<void> {
    for (;;) {
      const events = await log.read(sent, BATCH);
      for (const { position, text, atMs } of events) {
        if (!isAllowed()) return stream.close();
        sent = position;
        if (atMs < clock() - KEPT_MS) stream.skipTo(`${position}`);
        else stream.send(text, `${position}`);
        if (!(await stream.drained())) return;
      }
      if (events.length < BATCH) return;
    }
  }

  return () => {
    isDue = true;
    if (!isRunning) void run();
  };
}
