import type { Frame } from '../frame/frame.ts';
import type { Access, PresentedKey } from '../poll/poll-key.ts';
import type { CloseEvent } from '../protocol/close-event.ts';

/** One live connection's interest in one poll: the hub's way out. */
export interface Subscriber {
  /** The key shown on connecting; undefined where none was. */
  readonly key: PresentedKey | undefined;
  /** The most results a second, 1 to 20. */
  readonly hz: number;
  /** The version the other side says it holds; undefined where it holds none. */
  readonly since: number | undefined;

  /** The hub's own notes, kept here because a map of thousands of subscribers costs more than three fields. */
  access: Access | undefined;
  /** What was handed over last. Frames are shared, so it is compared by reference. */
  last: Frame | undefined;
  /** Epoch of the results handed over last. */
  epoch: number | undefined;
  /** Whole monotonic milliseconds of the first message, and until when a lane passes the subscriber over. */
  greetedAtMs: number;
  restsUntilMs: number;

  /**
   * Takes a frame to the wire, or keeps it until the wire is free. MUST keep no more than the newest frame, MUST NOT
   * reorder, MUST NOT throw, and MUST cost no more than a write.
   */
  deliver(frame: Frame): void;

  /** The end of this interest, to be said to the other side. The hub has let go of the subscriber already. */
  end(event: CloseEvent): void;
}
