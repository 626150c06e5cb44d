import { PollTracker } from '../../src/client/poll-tracker.ts';
import { Connection } from '../../src/live/connection.ts';
import type { Frame } from '../../src/live/frame.ts';
import type { Hub } from '../../src/live/hub.ts';
import type { Subscription, SubscriptionOptions } from '../../src/live/subscription.ts';
import { type Traffic, traffic } from '../../src/metrics/catalogue.ts';
import type { CloseEvent } from '../../src/protocol/close-event.ts';
import type { ServerMessage } from '../../src/protocol/messages.ts';
import { Recorder } from '../client/recorder.ts';
import { POLL_ID } from '../support/one-poll.ts';

/** A connection whose socket a test blocks and drains. */
export class ConnectionStub extends Connection {
  readonly frames: Frame[] = [];
  isFull = false;
  pings = 0;
  closes: CloseEvent[] = [];
  isTerminated = false;
  ended: CloseEvent | undefined;
  #onDrain: (() => void)[] = [];

  constructor(counts: Traffic = traffic.websocket) {
    super(counts);
  }

  get written(): string[] {
    return this.frames.map(({ json }) => json);
  }

  get messages(): (ServerMessage & {
    version?: number;
    position?: string;
    reset?: true;
    total_votes?: number;
  })[] {
    return this.written.map(json => JSON.parse(json));
  }

  drain(): void {
    this.isFull = false;
    for (const callback of this.#onDrain.splice(0)) callback();
  }

  override onSubscriptionEnd(subscription: Subscription, event: CloseEvent): void {
    this.ended = event;
    super.onSubscriptionEnd(subscription, event);
  }

  override terminate(): void {
    this.isTerminated = true;
  }

  override write(frame: Frame, _taken = 0): boolean {
    this.frames.push(frame);
    return !this.isFull;
  }

  protected override onceDrained(callback: () => void): void {
    this.#onDrain.push(callback);
  }

  protected override ping(): void {
    this.pings += 1;
  }

  override sendClose(event: CloseEvent): void {
    this.closes.push(event);
  }
}

export function subscriptionOptions(wishes: Partial<SubscriptionOptions> = {}): SubscriptionOptions {
  return { key: undefined, hz: 10, compact: false, ...wishes };
}

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
