import type {
  ErrorMessage,
  HiddenAnswer,
  HiddenMessage,
  ResultsBody,
  ResultsMessage,
  ShowMessage,
} from '../protocol/messages.ts';

export type { HiddenMessage, ResultsAnswer, ResultsMessage } from '../protocol/messages.ts';

/** How results arrive: over a WebSocket, Server-Sent Events, or polling every few seconds. */
export type Via = 'websocket' | 'sse' | 'read';

/** The state of the results on screen. */
export type WatchState =
  /**
   * No message yet. Reported after each round in which every transport failed: the number of failed
   * rounds, and the reason of the last failure, such as `ECONNREFUSED` or `status 404`. The client
   * keeps trying.
   */
  | { readonly state: 'connecting'; readonly attempts: number; readonly reason?: string | undefined }
  /** The newest results are current. */
  | { readonly state: 'live'; readonly via: Via }
  /**
   * The poll is closed and the newest results are final. The client stays connected, because a poll
   * can be reopened.
   */
  | { readonly state: 'final'; readonly via: Via }
  /**
   * The newest results may be outdated: the relay lost its engine, the engine lost the poll, or the
   * client lost the relay. It recovers by itself.
   */
  | { readonly state: 'stale'; readonly reason: 'engine' | 'connection' }
  /**
   * The counts are hidden. The poll without them, or with those that steps of a reveal have shown;
   * null while polling, which returns no poll without a key before the first step.
   */
  | { readonly state: 'hidden'; readonly hidden: HiddenMessage | null }
  /**
   * A permanent error; no further calls. `code`: 4400 bad request, 4403 key rejected, 4410 poll
   * deleted, 4429 too many polls on one connection. Only 4404, no such poll, is not permanent: the
   * client asks again after long pauses, as a backup may bring it back.
   */
  | { readonly state: 'refused'; readonly code: number; readonly error: string; readonly message: string };

export interface WatchListener {
  /** Called with the newest results. Never with older ones, unless they carry `reset`. */
  readonly onResults: (results: ResultsMessage) => void;
  readonly onState?: ((state: WatchState) => void) | undefined;
}

export interface ShowListener extends WatchListener {
  /** Called with the poll on air before any of its results; null if nothing is on air. */
  readonly onShow?: ((id: string | null) => void) | undefined;
  /** Called with the whole show on each change; with `showKey` it includes the rundown. */
  readonly onChange?: ((show: ShowMessage) => void) | undefined;
  /**
   * The relay rejected `showKey`, or the show is gone. Further calls only if it is not deleted but
   * missing, and comes back.
   */
  readonly onRefused?: ((error: ErrorMessage) => void) | undefined;
}

export interface Watch {
  /** Stops watching; no further calls. Safe to call twice. */
  close(): void;
}

/** Calls a listener. Its error is reported as uncaught and does not reach the caller. */
export function callSafely<T>(callback: ((value: T) => void) | undefined, value: T): void {
  try {
    callback?.(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Returns a poll as a subscriber gets it that may not read the counts. */
export function withoutCounts(poll: ResultsBody | HiddenMessage): HiddenMessage {
  const { id, title, status, join_code, deadline, closes_in } = poll;
  const { results_visibility, round, chat_labels, rehearsal } = poll;
  const poll_answers = poll.poll_answers.map(({ votes, place, ...answer }: HiddenAnswer) => answer);
  const question = { id, title, poll_answers, status, join_code, deadline, closes_in };
  return { type: 'hidden', success: 1, ...question, results_visibility, round, chat_labels, rehearsal };
}
