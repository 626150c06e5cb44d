import type { WriteStream } from 'node:tty';
import { WebSocket } from 'ws';
import { watchPoll } from '../client/watch-poll.ts';
import type { ResultsMessage, WatchState } from '../client/watch-state.ts';
import {
  describeResults,
  drawResults,
  drawRevealed,
  revealedTo,
  type TerminalSize,
  winnersOf,
} from './results-text.ts';
import { CommandFailure, safeText } from './terminal.ts';

/** `tallycast watch`: a poll on the whole terminal, as lines, or once. */

export interface WatchOptions {
  readonly url: string;
  readonly key: string | undefined;
  readonly once: boolean;
  /** `screen` prints lines unless stdout is a terminal. `json` prints each results message. */
  readonly format: 'screen' | 'plain' | 'json';
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

interface WatchStatus {
  readonly url: string;
  state: WatchState;
  results: ResultsMessage | undefined;
}

interface Display {
  readonly onResults?: (results: ResultsMessage) => void;
  readonly onState?: (state: WatchState) => void;
  readonly close?: () => unknown;
}

const ONCE_TIMEOUT_MS = 10_000;
const ENTER_SCREEN = '\x1b[?1049h\x1b[?25l';
const LEAVE_SCREEN = '\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/** @throws CommandFailure if the relay rejects the poll; with `once` also if the results are hidden or do not arrive */
export async function watchAtTerminal(options: WatchOptions): Promise<void> {
  const { url } = options;
  const status: WatchStatus = { url, state: { state: 'connecting', attempts: 0 }, results: undefined };
  const display = openDisplay(options, status);
  try {
    await watchUntilEnd(options, status, display);
  } finally {
    display.close?.();
  }
}

function openDisplay({ once, format }: WatchOptions, status: WatchStatus): Display {
  if (format === 'json') return linesDisplay(status, results => JSON.stringify(results));
  if (format === 'screen' && once) {
    const print = () => console.log(drawScreen(status, { ...terminalSize(), rows: Infinity }).join('\n'));
    return { close: () => status.results && print() };
  }
  if (format === 'plain' || !process.stdout.isTTY) return linesDisplay(status, describeResults);
  const screen = new LiveScreen(process.stdout, () => drawScreen(status, terminalSize()));
  return { onResults: screen.refresh, onState: screen.refresh, close: () => screen.close() };
}

/** Results on stdout, changes of the state on stderr. */
function linesDisplay(status: WatchStatus, describe: (results: ResultsMessage) => string): Display {
  return {
    onResults: results => console.log(describe(results)),
    onState: state => {
      if (state.state !== 'live') console.error(`# ${statusLine(state, status.results)}`);
    },
  };
}

function watchUntilEnd(
  { url, key, once, signal }: WatchOptions,
  status: WatchStatus,
  display: Display,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const watch = watchPoll(url, {
      key,
      WebSocket,
      onResults: results => {
        status.results = results;
        display.onResults?.(results);
      },
      onState: state => {
        status.state = state;
        if (state.state === 'hidden') status.results = undefined;
        if (state.state === 'refused' || (once && state.state === 'hidden'))
          return end(`${statusLine(state, undefined)} (${url})`);
        display.onState?.(state);
        if (once && status.results) end();
      },
    });
    const timeout = once && setTimeout(() => end(noResults(status)), ONCE_TIMEOUT_MS);
    const end = (failure?: string): void => {
      if (timeout) clearTimeout(timeout);
      watch.close();
      if (failure === undefined) resolve();
      else reject(new CommandFailure(failure));
    };
    signal.addEventListener('abort', () => end());
  });
}

function noResults({ url, state }: WatchStatus): string {
  const reason = state.state === 'connecting' ? state.reason : undefined;
  return `No results from ${url}${reason === undefined ? '' : ` (${safeText(reason)})`}`;
}

export function statusLine(state: WatchState, results: ResultsMessage | undefined): string {
  switch (state.state) {
    case 'connecting':
      return state.reason === undefined
        ? 'connecting …'
        : `cannot reach a relay (${safeText(state.reason)}); attempt ${state.attempts + 1} …`;
    case 'live': {
      const upcoming = results?.status === 'upcoming' ? ", voting hasn't started yet" : '';
      const deadline = results?.deadline ? `, closes ${localTime(results.deadline)}` : '';
      return `live${upcoming}${deadline}`;
    }
    case 'final':
      return results ? `closed, ${outcome(results)}` : 'closed';
    case 'stale':
      return state.reason === 'engine'
        ? 'the relay has lost its engine; results may be outdated'
        : 'connection lost; reconnecting …';
    case 'hidden': {
      const deadline = state.hidden?.deadline;
      if (state.hidden?.revealed_from !== undefined) return revealedTo(state.hidden);
      const until = deadline ? `, maybe until the deadline (${localTime(deadline)})` : '';
      return `the results are hidden${until}; a key shows them (--key)`;
    }
    case 'refused':
      return safeText(state.message);
  }
}

function outcome(results: ResultsMessage): string {
  const winners = winnersOf(results);
  if (winners.length === 0) return 'no votes';
  return winners.length === 1 ? `winner: ${winners[0]}` : `tie: ${winners.join(', ')}`;
}

function localTime(iso: string): string {
  return new Date(iso).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });
}

function drawScreen({ url, state, results }: WatchStatus, size: TerminalSize): string[] {
  const status = statusLine(state, results);
  if (results) return drawResults(results, status, size);
  if (state.state === 'hidden' && state.hidden?.revealed_from !== undefined)
    return drawRevealed(state.hidden).map(line => line.slice(0, size.columns));
  const title = state.state === 'hidden' && state.hidden ? state.hidden.title : url;
  return [`  ${safeText(title)}`, '', `  ${status}`].map(line => line.slice(0, size.columns));
}

function terminalSize(): TerminalSize {
  const { columns = 80, rows = 24, isTTY } = process.stdout;
  return { columns, rows, color: isTTY && process.stdout.hasColors() };
}

/** Draws over the whole terminal, and restores it on close. */
export class LiveScreen {
  readonly #terminal: WriteStream;
  readonly #draw: () => string[];

  constructor(terminal: WriteStream, draw: () => string[]) {
    this.#terminal = terminal;
    this.#draw = draw;
    terminal.write(ENTER_SCREEN);
    terminal.on('resize', this.refresh);
    this.refresh();
  }

  readonly refresh = (): void => {
    const lines = this.#draw().slice(0, this.#terminal.rows);
    // One write, without clearing first, does not flicker.
    this.#terminal.write(HOME + lines.map(line => line + CLEAR_LINE).join('\r\n') + CLEAR_BELOW);
  };

  /** Leaves the last picture in the terminal's history. */
  close(): void {
    this.#terminal.off('resize', this.refresh);
    this.#terminal.write(`${LEAVE_SCREEN}${this.#draw().join('\n')}\n`);
  }
}
