import { PollTracker } from '../../src/client/poll-tracker.ts';
import type { Hub } from '../../src/live/hub.ts';
import type { Subscription, SubscriptionOptions } from '../../src/live/subscription.ts';
import type { CloseEvent } from '../../src/protocol/close-event.ts';
import { Recorder } from '../client/recorder.ts';
import { POLL_ID } from '../support/one-poll.ts';
import { ConnectionStub } from './connection-stub.ts';

/** A connection that a test blocks, and what its client makes of the messages. */
export class Screen extends ConnectionStub {
  readonly subscription: Subscription;

  constructor(hub: Hub, options: SubscriptionOptions) {
    super();
    this.subscription = hub.subscribe(POLL_ID, options, this);
  }

  override onSubscriptionEnd(_: Subscription, event: CloseEvent): void {
    throw new Error(`ended: ${event.reason}`);
  }

  /** What a client hands on. */
  watch(): Recorder {
    const seen = new Recorder();
    const tracker = new PollTracker(seen);
    for (const message of this.messages) tracker.apply(message, 'websocket');
    return seen;
  }
}
