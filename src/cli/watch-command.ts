import { WebSocket } from 'ws';
import { watchPoll } from '../client/watch-poll.ts';
import type { WatchState } from '../client/watch-state.ts';
import { CommandFailure } from './command-failure.ts';
import { statusLine } from './status-line.ts';
import { safeText } from './terminal-text.ts';
import { lineDisplay, onceDisplay, screenDisplay, type WatchDisplay, type Watched } from './watch-display.ts';

export interface WatchCommandOptions {
  /** URL of the poll on its relay. */
  readonly url: string;
  readonly key: string | undefined;
  /** Ends with the first results. */
  readonly once: boolean;
  /** Lines instead of a screen; where stdout is no terminal it is lines anyway. */
  readonly plain: boolean;
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
export async function watchCommand(options: WatchCommandOptions): Promise<void> {
  const watched: Watched = {
    url: options.url,
    state: { state: 'connecting', attempts: 0 },
    results: undefined,
  };
  const display = openDisplay(options, watched);
  try {
    await watchUntilEnd(options, watched, display);
  } finally {
    display.close();
  }
}

function openDisplay({ once, plain }: WatchCommandOptions, watched: Watched): WatchDisplay {
  if (once) return plain ? lineDisplay(watched) : onceDisplay(watched);
  return plain || !process.stdout.isTTY ? lineDisplay(watched) : screenDisplay(watched);
}

function watchUntilEnd(
  { url, key, once, signal }: WatchCommandOptions,
  watched: Watched,
  display: WatchDisplay,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const watch = watchPoll(url, {
      key,
      WebSocket,
      onResults: results => {
        watched.results = results;
        display.onResults(results);
      },
      onState: state => {
        watched.state = state;
        if (state.state === 'hidden') watched.results = undefined;
        const failure = failureOf(state, watched, once);
        if (failure) end(failure);
        else {
          display.onState(state);
          if (once && watched.results) end();
        }
      },
    });
    const patience = once && setTimeout(() => end(new CommandFailure(silence(watched))), ONCE_PATIENCE_MS);
    const end = (failure?: CommandFailure): void => {
      if (patience) clearTimeout(patience);
      watch.close();
      if (failure) reject(failure);
      else resolve();
    };
    signal.addEventListener('abort', () => end());
  });
}

function silence({ url, state }: Watched): string {
  const reason = state.state === 'connecting' ? state.reason : undefined;
  return `No results come from ${url}${reason === undefined ? '' : ` (${safeText(reason)})`}`;
}

function failureOf(state: WatchState, { url }: Watched, once: boolean): CommandFailure | undefined {
  if (state.state === 'refused') return new CommandFailure(`${statusLine(state, undefined)} (${url})`);
  const isUseless = once && state.state === 'hidden';
  return isUseless ? new CommandFailure(`For ${url}, ${statusLine(state, undefined)}`) : undefined;
}
