import { PollTracker } from '../../src/client/poll-tracker.ts';
import { Connection } from '../../src/live/connection.ts';
import type { Hub } from '../../src/live/hub.ts';
import type { Interest, Seat, Subscriber } from '../../src/live/subscription.ts';
import type { CloseEvent } from '../../src/protocol/close-event.ts';
import type { ServerMessage } from '../../src/protocol/messages.ts';
import { Recorder } from '../client/recorder.ts';
import { POLL_ID } from '../support/one-poll.ts';
import { WireStub } from './wire-stub.ts';

/** A connection on a wire that a test blocks, and what the other side makes of what it gets. */
export class Screen extends Connection implements Subscriber {
  readonly wire: WireStub;
  readonly seat: Seat;

  constructor(hub: Hub, asked: Interest) {
    const wire = new WireStub();
    super(wire, performance.now());
    this.wire = wire;
    this.seat = hub.subscribe(POLL_ID, asked, this);
  }

  get messages(): ServerMessage[] {
    return this.wire.written.map(json => JSON.parse(json));
  }

  end(_: Seat, event: CloseEvent): void {
    throw new Error(`ended: ${event.reason}`);
  }

  /** What a client hands on. */
  watch(): Recorder {
    const seen = new Recorder();
    const tracker = new PollTracker(seen);
    for (const message of this.messages) tracker.take(message, 'websocket');
    return seen;
  }
}
