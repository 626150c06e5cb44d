import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Engine, EVENTS, type EventLog } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-topics.ts';
import { keyOfRequest } from '../http/caller.ts';
import { type EventStream, EventStreams } from '../http/event-stream.ts';
import type { IsOperatorKey } from '../poll/poll-key.ts';
import type { ApiOptions } from './api-options.ts';
import { requireOperator } from './list-polls.ts';

const STREAMS_OF_KEY = 20;
const KEPT_MS = 3_600_000;
const BATCH = 50;
const EVENT_ID = /^\d{1,15}$/;

/** `GET /api/events`. */
export async function programEvents(app: FastifyInstance, options: ApiOptions): Promise<void> {
  const streams = new ProgramStreams(options);
  app.addHook('preClose', async () => streams.close());
  // A HEAD would be answered with an endless stream.
  const withoutHead = { exposeHeadRoute: false, config: { outline: 'asyncapi' } } as const;
  app.get('/api/events', withoutHead, (request, reply) => streams.open(request, reply));
}

/** The streams of programs. */
class ProgramStreams {
  readonly #engine: Pick<Engine, 'hints' | 'events'>;
  readonly #isOperatorKey: IsOperatorKey;
  readonly #clock: () => number;
  readonly #streams = new EventStreams(STREAMS_OF_KEY);
  readonly #newest: FollowedValues<number>;

  constructor({ engine, isOperatorKey, clock }: Pick<ApiOptions, 'engine' | 'isOperatorKey' | 'clock'>) {
    this.#engine = engine;
    this.#isOperatorKey = isOperatorKey;
    this.#clock = clock;
    this.#newest = followNewest(engine);
  }

  /** @throws PollError `api_key_required`, `api_key_rejected` */
  async open(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    requireOperator(request, this.#isOperatorKey);
    const { hash } = keyOfRequest(request)!;
    const after = await positionAfter(request, this.#engine.events);
    const stream = this.#streams.open(request, reply, hash);
    const isAllowed = () => this.#isOperatorKey(hash, 'read') || this.#isOperatorKey(hash, 'manage');
    const pump = new EventPump({
      log: this.#engine.events,
      stream,
      after,
      isAllowed,
      clock: this.#clock,
    });
    stream.onClose(this.#newest.follow(EVENTS, () => pump.start()));
  }

  close(): void {
    this.#newest.close();
    this.#streams.closeAll();
  }
}

function followNewest({ hints, events }: Pick<Engine, 'hints' | 'events'>): FollowedValues<number> {
  const find = async () => [await events.findNewest()];
  return new FollowedValues({
    hints,
    topicOf: name => name,
    read: find,
    findMarks: async () => (await find()).map(String),
    isSame: Object.is,
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
 * Sends events in order, and the next one only after the reader has taken the one before: a slow
 * reader holds one in memory.
 */
class EventPump {
  readonly #options: EventPumpOptions;
  #position: number;
  #isRunning = false;
  #isDue = false;

  constructor(options: EventPumpOptions) {
    this.#options = options;
    this.#position = options.after;
    // A client that reconnects before the first event continues here.
    options.stream.skipTo(`${options.after}`);
  }

  start(): void {
    this.#isDue = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#isDue) {
        this.#isDue = false;
        await this.#sendAll();
      }
    } catch {
      // The client reconnects and continues where it was.
      this.#options.stream.close();
    } finally {
      this.#isRunning = false;
    }
  }

  async #sendAll(): Promise<void> {
    const { log, stream, isAllowed, clock } = this.#options;
    for (;;) {
      const events = await log.read(this.#position, BATCH);
      for (const { position, text, atMs } of events) {
        if (!isAllowed()) return stream.close();
        this.#position = position;
        if (atMs < clock() - KEPT_MS) stream.skipTo(`${position}`);
        else stream.send(text, `${position}`);
        if (!(await stream.drained())) return;
      }
      if (events.length < BATCH) return;
    }
  }
}
