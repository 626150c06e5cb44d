import type { Frame } from '../frame/frame.ts';
import type { Subscriber } from '../hub/subscriber.ts';
import type { PollId } from '../poll/poll.ts';
import type { Access, PresentedKey } from '../poll/poll-key.ts';
import type { CloseEvent } from '../protocol/close-event.ts';
import type { Connection } from './connection.ts';

export interface LiveInterest {
  readonly key: PresentedKey | undefined;
  readonly hz: number;
  readonly since: number | undefined;
}

/** A poll on a connection: what every wire has in common. */
export class LiveSubscriber implements Subscriber {
  readonly id: PollId;
  readonly key: PresentedKey | undefined;
  readonly hz: number;
  readonly since: number | undefined;
  access: Access | undefined = undefined;
  last: Frame | undefined = undefined;
  epoch: number | undefined = undefined;
  greetedAtMs = 0;
  restsUntilMs = 0;
  readonly #connection: Connection;
  readonly #onEnd: (id: PollId, event: CloseEvent) => void;

  constructor(
    id: PollId,
    interest: LiveInterest,
    connection: Connection,
    onEnd: (id: PollId, event: CloseEvent) => void,
  ) {
    this.id = id;
    this.key = interest.key;
    this.hz = interest.hz;
    this.since = interest.since;
    this.#connection = connection;
    this.#onEnd = onEnd;
  }

  deliver(frame: Frame): void {
    this.#connection.deliver(this, frame);
  }

  end(event: CloseEvent): void {
    this.#connection.forget(this);
    this.#onEnd(this.id, event);
  }
}
