import { PollError } from '../../poll/poll-error.ts';

/** Causes that come from no command. */
export const NO_PRIMARY = 'no connection to a primary';
export const TOO_MANY_UNANSWERED = 'too many commands are unanswered';

/** Whatever went wrong below the port: callers learn that the engine cannot answer, logs learn why. */
export function engineUnavailable(cause: unknown, message?: string): PollError {
  if (cause instanceof PollError) return cause;
  // ioredis hangs the whole command on its errors: voter keys and names have no business in a log.
  if (cause instanceof Error && 'command' in cause) delete cause.command;
  return new PollError('engine_unavailable', { cause, ...(message !== undefined && { message }) });
}
