import type { Frame } from '../../src/frame/frame.ts';
import type { Subscriber } from '../../src/hub/subscriber.ts';
import type { Access, PresentedKey } from '../../src/poll/poll-key.ts';
import type { CloseEvent } from '../../src/protocol/close-event.ts';

/** A subscriber that keeps what it is handed. */
export class SubscriberStub implements Subscriber {
  readonly key: PresentedKey | undefined;
  readonly hz: number;
  readonly since: number | undefined;
  access: Access | undefined;
  last: Frame | undefined;
  epoch: number | undefined;
  greetedAtMs = 0;
  restsUntilMs = 0;
  readonly frames: Frame[] = [];
  ended: CloseEvent | undefined;

  constructor(wishes: { key?: PresentedKey; hz?: number; since?: number } = {}) {
    this.key = wishes.key;
    this.hz = wishes.hz ?? 10;
    this.since = wishes.since;
  }

  get messages(): { type: string; version?: number; reset?: true; total_votes?: number }[] {
    return this.frames.map(frame => JSON.parse(frame.json));
  }

  deliver(frame: Frame): void {
    this.frames.push(frame);
  }

  end(event: CloseEvent): void {
    this.ended = event;
  }
}
