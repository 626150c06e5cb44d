import type { PollId } from '../poll/poll.ts';
import type { Access, PresentedKey } from '../poll/poll-key.ts';
import type { CloseEvent } from '../protocol/close-event.ts';
import type { Held } from '../protocol/position.ts';
import type { Connection } from './connection.ts';
import type { Frame, ResultsFrame, Snapshot } from './frame.ts';

export interface SubscriptionOptions {
  /** The key presented on connecting. */
  readonly key: PresentedKey | undefined;
  /** A key that does not open the poll is ignored: a show may have any poll on air. */
  readonly isKeyOptional?: boolean | undefined;
  /** The most results a second, 1 to 20. */
  readonly hz: number;
  /** What the client says it holds. */
  readonly since?: Held | undefined;
  /** After the first `results`, `counts` are enough wherever nothing else changes. */
  readonly compact: boolean;
  /** A small picture at a producer's desk, not counted as a screen. */
  readonly preview?: boolean | undefined;
}

/** What a subscription pulls from its poll. */
export interface LatestSource {
  readonly snapshot: Snapshot | undefined;
  /** Sent before any results while the engine is lost. */
  readonly stale: Frame | undefined;
  authorize(key: PresentedKey | undefined): Access | undefined;
  unsubscribe(subscription: Subscription): void;
  reject(subscription: Subscription): void;
  /** Reports a fault of this program. MUST NOT throw. */
  onError(error: unknown): void;
}

/**
 * What one connection may see of one poll, and what it holds. Only frames that were written count as held, so that the next message
 * leaves out nothing that the client lacks.
 */
export class Subscription {
  readonly id: PollId;
  readonly hz: number;
  readonly isCompact: boolean;
  readonly connection: Connection;
  /** Its index in a batch of its rate group; negative outside. */
  place = -1;
  /** Whole monotonic milliseconds of the first message, 0 before, and until when broadcasts pass the subscription over. */
  activatedAtMs = 0;
  restsUntilMs = 0;
  readonly #source: LatestSource;
  readonly #key: PresentedKey | undefined;
  readonly #isKeyOptional: boolean;
  /** Computed once for each change of keys, not for each frame. */
  #access: Access | undefined;
  /** The frame sent last. Frames are shared, so it is compared by reference. */
  #last: Frame | undefined;
  /** The results sent last, whatever followed them; before the first what the client says it holds. */
  #held: ResultsFrame | Held | undefined;
  /** The definition in the results sent last, unless something else was sent since. */
  #definition: Frame | undefined;

  constructor(id: PollId, source: LatestSource, options: SubscriptionOptions, connection: Connection) {
    const { key, isKeyOptional = false, hz, since, compact } = options;
    this.id = id;
    this.hz = hz;
    this.isCompact = compact;
    this.connection = connection;
    this.#source = source;
    this.#key = key;
    this.#isKeyOptional = isKeyOptional;
    this.#held = since;
  }

  /** Sends nothing from now on. Calling it twice does no harm. */
  leave(): void {
    this.#source.unsubscribe(this);
  }

  /** Sends the first message. */
  activate(): void {
    this.activatedAtMs = Math.ceil(performance.now());
    this.sendLatest();
  }

  /** Sends the newest message that this subscription may see, unless the client holds it. A rejected key ends the subscription. */
  sendLatest(): void {
    try {
      this.#sendLatest();
    } catch (error) {
      this.#source.onError(error);
    }
  }

  /** The keys of the poll, its show or the operator have changed. @returns false where the key is rejected now */
  reauthorize(): boolean {
    this.#access = this.#key && this.#authorize();
    return this.#access !== 'rejected';
  }

  end(event: CloseEvent): void {
    try {
      this.connection.onSubscriptionEnd(this, event);
    } catch (error) {
      this.#source.onError(error);
    }
  }

  /** Whether the client holds these results with their definition, and so needs the next ones in the form that all like it do. */
  holds({ results, hidden }: Snapshot): boolean {
    return this.#last === results && this.#definition === hidden;
  }

  /** Notes what was sent in a batch. */
  hold({ results, hidden }: Snapshot): void {
    this.#last = results;
    this.#held = results;
    this.#definition = hidden;
  }

  #sendLatest(): void {
    const { snapshot, stale } = this.#source;
    const maySee = snapshot !== undefined && this.#maySee(snapshot.isPublic);
    if (this.#access === 'rejected') {
      this.#source.reject(this);
      return;
    }
    const frame = stale ?? (maySee ? snapshot.results : snapshot?.hidden);
    if (!frame || frame === this.#last) return;
    if (maySee && frame === snapshot.results) this.#sendResults(snapshot);
    else if (this.connection.sendResults(this, frame)) {
      this.#last = frame;
      this.#definition = undefined;
    }
  }

  #maySee(isPublic: boolean): boolean {
    this.#access ??= this.#authorize();
    return this.#access === 'granted' || (isPublic && this.#access === 'absent');
  }

  #authorize(): Access | undefined {
    const access = this.#source.authorize(this.#key);
    return access === 'rejected' && this.#isKeyOptional ? 'absent' : access;
  }

  #sendResults(snapshot: Snapshot): void {
    const { results } = snapshot;
    const frame = this.#formOf(snapshot);
    if (!this.connection.sendResults(this, frame)) return;
    this.hold(snapshot);
    if (frame === results.current) this.#definition = undefined;
  }

  /** The smallest message that gives the client the whole picture. */
  #formOf({ results, hidden }: Snapshot): Frame {
    const held = this.#held;
    if (held && !results.follows(held)) return results.reset;
    if (this.#last === undefined && held?.position === results.position) return results.current;
    return this.#definition === hidden ? results.next(this.isCompact) : results;
  }
}
