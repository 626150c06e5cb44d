import type { CloseEvent } from '../protocol/close-event.ts';
import { BadMessage, KeyRejected, PollNotFound, PollRemoved, TooMany } from '../protocol/close-event.ts';
import type { ErrorMessage } from '../protocol/messages.ts';
import type { Refusal } from './channel.ts';

const FINAL_EVENTS: readonly CloseEvent[] = [BadMessage, KeyRejected, PollNotFound, PollRemoved];

/** What a REST reply holds in `error`. */
export interface RestError extends Pick<ErrorMessage, 'code' | 'message'> {
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
}

/** An error of REST as the live stream would send it: the first issue gives the reason. */
export function errorOfRest({ code, message, issues: [issue] = [] }: RestError): ErrorMessage {
  return { type: 'error', code, message: issue ? `${issue.path} ${issue.message}.` : message };
}

/** A close that says that coming back is useless. */
export function refusalOfClose(code: number | undefined): Refusal | undefined {
  const event = FINAL_EVENTS.find(candidate => candidate.code === code);
  return event && { code: event.code, error: event.error!, message: event.reason };
}

/**
 * A refusal in words. A poll that is not found after it was seen was deleted. Too many polls on one connection is for good;
 * too many connections, which names no poll, passes.
 */
export function refusalOfError({ code, message, id }: ErrorMessage, wasSeen: boolean): Refusal | undefined {
  const events = id === undefined ? FINAL_EVENTS : [...FINAL_EVENTS, TooMany];
  const event = events.find(candidate => candidate.error === code);
  return (
    event && { code: event === PollNotFound && wasSeen ? PollRemoved.code : event.code, error: code, message }
  );
}
