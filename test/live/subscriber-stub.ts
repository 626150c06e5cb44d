import type { Frame } from '../../src/live/frame.ts';
import type { Interest, Seat, Subscriber } from '../../src/live/subscription.ts';
import type { CloseEvent } from '../../src/protocol/close-event.ts';

/** A subscriber that keeps what it is handed. */
export class SubscriberStub implements Subscriber {
  readonly frames: Frame[] = [];
  ended: CloseEvent | undefined;

  get messages(): {
    type: string;
    version?: number;
    position?: string;
    reset?: true;
    total_votes?: number;
  }[] {
    return this.frames.map(frame => JSON.parse(frame.json));
  }

  deliver(_: Seat, frame: Frame): boolean {
    this.frames.push(frame);
    return true;
  }

  end(_: Seat, event: CloseEvent): void {
    this.ended = event;
  }
}

export function interest(wishes: Partial<Interest> = {}): Interest {
  return { key: undefined, hz: 10, since: undefined, compact: false, ...wishes };
}
