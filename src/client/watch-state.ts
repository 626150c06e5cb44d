import type { HiddenMessage, ResultsMessage } from '../protocol/messages.ts';

export type { HiddenMessage, ResultsAnswer, ResultsMessage } from '../protocol/messages.ts';

/** How the results come in: pushed over a WebSocket or Server-Sent Events, or read every few seconds. */
export type Via = 'websocket' | 'sse' | 'read';

/** What is known about the results on screen. */
export type WatchState =
  /**
   * Nothing was received yet. Told after each round of attempts in which no way led to the relay: how many rounds failed so
   * far, and why the last one did, such as `ECONNREFUSED` or `status 404`. It is tried on for ever.
   */
  | { readonly state: 'connecting'; readonly attempts: number; readonly reason?: string | undefined }
  /** What was handed on last is current. */
  | { readonly state: 'live'; readonly via: Via }
  /** The poll is closed and what was handed on last is its end. It is watched on, because it can be opened again. */
  | { readonly state: 'final'; readonly via: Via }
  /** What was handed on last may be old: the relay lost its engine, or this side lost the relay. It heals by itself. */
  | { readonly state: 'stale'; readonly reason: 'engine' | 'connection' }
  /** The counts may not be seen now. The poll without them, or null where only reading works and says nothing more. */
  | { readonly state: 'hidden'; readonly hidden: HiddenMessage | null }
  /**
   * The relay refused for good, and nothing follows. `code`: 4400 bad request, 4403 key rejected, 4404 no such poll, 4410
   * poll deleted, 4429 too many polls on one connection.
   */
  | { readonly state: 'refused'; readonly code: number; readonly error: string; readonly message: string };

export interface WatchListener {
  /** The newest results, and never older ones save where the results carry `reset`. */
  readonly onResults: (results: ResultsMessage) => void;
  readonly onState?: ((state: WatchState) => void) | undefined;
}

export interface Watch {
  /** Stops watching; nothing is called back any more. Harmless when called again. */
  close(): void;
}

/** Calls somebody else's code: its error is reported as uncaught, and what called it goes on. */
export function guarded<T>(callback: ((value: T) => void) | undefined, value: T): void {
  try {
    callback?.(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
