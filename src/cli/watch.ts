import { WebSocket } from 'ws';
import { watchPoll } from '../client/watch-poll.ts';
import type { WatchState } from '../client/watch-state.ts';
import { CommandFailure, safeText } from './terminal.ts';
import { statusLine } from './status-line.ts';
import {
  jsonDisplay,
  lineDisplay,
  onceDisplay,
  screenDisplay,
  type WatchDisplay,
  type WatchStatus,
} from './watch-display.ts';

export interface WatchOptions {
  /** URL of the poll on its relay. */
  readonly url: string;
  readonly key: string | undefined;
  /** Ends with the first results. */
  readonly once: boolean;
  /** `screen` is lines, too, where stdout is no terminal. `json`: each results message as it came. */
  readonly shape: 'screen' | 'plain' | 'json';
  /** Ends the watching: Ctrl-C. */
  readonly signal: AbortSignal;
}

/** How long `--once` waits for a relay. */
const ONCE_PATIENCE_MS = 10_000;

/**
 * Watches until the signal, or with `once` until the first results.
 *
 * @throws CommandFailure where the relay refuses, and with `once` where the results are hidden or do not come
 */
export async function watchAtTerminal(options: WatchOptions): Promise<void> {
  const status: WatchStatus = {
    url: options.url,
    state: { state: 'connecting', attempts: 0 },
    results: undefined,
  };
  const display = openDisplay(options, status);
  try {
    await watchUntilEnd(options, status, display);
  } finally {
    display.close();
  }
}

function openDisplay({ once, shape }: WatchOptions, status: WatchStatus): WatchDisplay {
  if (shape === 'json') return jsonDisplay(status);
  if (once) return shape === 'plain' ? lineDisplay(status) : onceDisplay(status);
  return shape === 'plain' || !process.stdout.isTTY ? lineDisplay(status) : screenDisplay(status);
}

function watchUntilEnd(
  { url, key, once, signal }: WatchOptions,
  status: WatchStatus,
  display: WatchDisplay,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const watch = watchPoll(url, {
      key,
      WebSocket,
      onResults: results => {
        status.results = results;
        display.onResults(results);
      },
      onState: state => {
        status.state = state;
        if (state.state === 'hidden') status.results = undefined;
        const failure = failureOf(state, status, once);
        if (failure) end(failure);
        else {
          display.onState(state);
          if (once && status.results) end();
        }
      },
    });
    const patience = once && setTimeout(() => end(new CommandFailure(silence(status))), ONCE_PATIENCE_MS);
    const end = (failure?: CommandFailure): void => {
      if (patience) clearTimeout(patience);
      watch.close();
      if (failure) reject(failure);
      else resolve();
    };
    signal.addEventListener('abort', () => end());
  });
}

function silence({ url, state }: WatchStatus): string {
  const reason = state.state === 'connecting' ? state.reason : undefined;
  return `No results come from ${url}${reason === undefined ? '' : ` (${safeText(reason)})`}`;
}

function failureOf(state: WatchState, { url }: WatchStatus, once: boolean): CommandFailure | undefined {
  if (state.state === 'refused') return new CommandFailure(`${statusLine(state, undefined)} (${url})`);
  const isUseless = once && state.state === 'hidden';
  return isUseless ? new CommandFailure(`For ${url}, ${statusLine(state, undefined)}`) : undefined;
}
