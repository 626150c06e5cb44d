import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import type { Following } from '../../engine/hints.ts';
import type { EventStream } from '../../http/event-stream.ts';

export const SHOWN_COMMENTS = 50;
/** Writers may be quick; readers get the list at most this often. */
const PAUSE_MS = 500;
/** Hints may be lost: what is read by somebody is looked at again now and then. */
const SWEEP_MS = 10_000;

interface Readers {
  readonly streams: Set<EventStream>;
  readonly following: Following;
  /** The list as it was sent last. */
  sent: string;
  timer: NodeJS.Timeout | undefined;
  reading: boolean;
  again: boolean;
}

/** Tells everybody who has a poll's comments open when one is written or removed. */
export class CommentFeed {
  readonly #engine: Engine;
  readonly #log: FastifyBaseLogger;
  readonly #polls = new Map<string, Readers>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(engine: Engine, log: FastifyBaseLogger) {
    this.#engine = engine;
    this.#log = log;
    engine.hints.onAvailability(available => available && this.#sweep());
  }

  async add(pollId: string, stream: EventStream): Promise<void> {
    const readers = this.#polls.get(pollId) ?? {
      streams: new Set(),
      following: this.#engine.hints.follow(topicOf(pollId), () => this.#soon(pollId)),
      sent: '',
      timer: undefined,
      reading: false,
      again: false,
    };
    this.#polls.set(pollId, readers);
    readers.streams.add(stream);
    stream.onClose(() => this.#remove(pollId, stream));
    this.#sweeping ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    if (readers.sent !== '') stream.send(readers.sent);
    // Watched before it is read: what is written in between is hinted.
    await readers.following.ready;
    await this.#read(pollId);
  }

  close(): void {
    clearInterval(this.#sweeping);
    for (const { timer, following } of this.#polls.values()) {
      clearTimeout(timer);
      following.unfollow();
    }
    this.#polls.clear();
  }

  #remove(pollId: string, stream: EventStream): void {
    const readers = this.#polls.get(pollId);
    readers?.streams.delete(stream);
    if (readers?.streams.size !== 0) return;
    clearTimeout(readers.timer);
    this.#polls.delete(pollId);
    readers.following.unfollow();
    if (this.#polls.size > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  #soon(pollId: string): void {
    const readers = this.#polls.get(pollId);
    if (!readers || readers.timer) return;
    readers.timer = setTimeout(() => {
      readers.timer = undefined;
      void this.#read(pollId);
    }, PAUSE_MS).unref();
  }

  #sweep(): void {
    for (const pollId of this.#polls.keys()) this.#soon(pollId);
  }

  async #read(pollId: string): Promise<void> {
    const readers = this.#polls.get(pollId);
    if (!readers) return;
    if (readers.reading) {
      readers.again = true;
      return;
    }
    readers.reading = true;
    try {
      const comments = await this.#engine.comments.list(pollId);
      const list = JSON.stringify(comments.slice(0, SHOWN_COMMENTS));
      if (list !== readers.sent) for (const stream of readers.streams) stream.send(list);
      readers.sent = list;
    } catch (error) {
      // What is shown stays; the next sweep reads again.
      this.#log.warn({ err: error }, 'comments cannot be read');
    }
    readers.reading = false;
    if (!readers.again) return;
    readers.again = false;
    this.#soon(pollId);
  }
}

function topicOf(pollId: string): string {
  return `comments:${pollId}`;
}
