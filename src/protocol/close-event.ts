import type { ErrorCode } from '../poll/poll-error.ts';

/** Why the relay closes a connection. */
export interface CloseEvent {
  readonly code: number;
  readonly reason: string;
  /** The `code` of the error message before the close, if any. */
  readonly error?: ErrorCode | undefined;
}

/** The relay shuts down. Clients reconnect at once, usually to another one. */
export const RelayClosing: CloseEvent = { code: 1001, reason: 'relay going away' };
export const MessageTooBig: CloseEvent = { code: 1009, reason: 'message too big' };
export const BadMessage: CloseEvent = { code: 4400, reason: 'bad message', error: 'invalid_request' };
export const KeyRejected: CloseEvent = { code: 4403, reason: 'key rejected', error: 'api_key_rejected' };
export const PollNotFound: CloseEvent = { code: 4404, reason: 'no such poll', error: 'poll_not_found' };
export const ShowNotFound: CloseEvent = { code: 4404, reason: 'no such show', error: 'show_not_found' };
/** The subscriber read nothing for 30 seconds, or did not answer pings. */
export const SlowSubscriber: CloseEvent = { code: 4408, reason: 'took nothing for too long' };
export const PollRemoved: CloseEvent = { code: 4410, reason: 'poll deleted', error: 'poll_not_found' };
export const ShowRemoved: CloseEvent = { code: 4410, reason: 'show deleted', error: 'show_not_found' };
export const TooMany: CloseEvent = { code: 4429, reason: 'too many', error: 'rate_limited' };
