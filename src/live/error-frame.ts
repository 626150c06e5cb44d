import { refusals } from '../metrics/catalogue.ts';
import { PollError } from '../poll/poll-error.ts';
import type { CloseEvent } from '../protocol/close-event.ts';
import { Frame } from './frame.ts';

/** The poll, or the show, that was refused. */
type About = { readonly id: string } | { readonly show: string } | Record<string, never>;

/** The `error` message that goes before a close, where the event has one. */
export function errorFrame(event: CloseEvent, about: About = {}, message?: string): Frame | undefined {
  if (event.error === undefined) return undefined;
  const error = new PollError(event.error, message === undefined ? {} : { message });
  refusals.of({ surface: 'live', code: error.code }).value += 1;
  return Frame.of({ type: 'error', code: error.code, message: error.message, ...about });
}
