import type { ClientMessage, ServerMessage } from '../protocol/messages.ts';
import type { Via } from './watch-state.ts';

/** A refusal is for good: the same request cannot succeed later. */
export interface Refusal {
  /** Close code of the live stream: 4400, 4403, 4404, 4410, or 4429 for a poll too many on one connection. */
  readonly code: number;
  /** What a REST reply would have in `error.code`, such as `poll_not_found`. */
  readonly error: string;
  readonly message: string;
}

/** Rounds of attempts in a row in which no way led to the relay. */
export interface Failure {
  readonly attempts: number;
  /** Why the last way of the last round failed, in a few words for people. */
  readonly reason: string;
}

/** Why a channel ended. */
export interface ChannelEnd {
  /** In a few words for people, where something went wrong. */
  readonly reason?: string | undefined;
  readonly refusal?: Refusal | undefined;
  /** The relay took its leave in good order and said when to come back: milliseconds. */
  readonly pauseMs?: number | undefined;
  /** Nothing went wrong: it is time to look for a better way. */
  readonly renew?: boolean | undefined;
}

export interface ChannelEvents {
  onMessage(message: ServerMessage): void;
  /** Called once, and nothing follows. */
  onEnd(end: ChannelEnd): void;
}

export interface Channel {
  /** Says something to the relay; dropped where the channel cannot speak or is not open. */
  send(message: ClientMessage): void;
  /** MAY still call back: whoever closes stops listening. */
  close(): void;
}

/** One way to the relay. */
export interface Way {
  readonly via: Via;
  /** The longest that is waited for the next message, in milliseconds; two and a half heartbeats where it is not said. */
  readonly silenceMs?: number | undefined;
  /** MUST NOT throw and MUST NOT call back before it returned. */
  open(events: ChannelEvents): Channel;
}
