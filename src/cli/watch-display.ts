import type { ResultsMessage, WatchState } from '../client/watch-state.ts';
import { safeText } from './terminal.ts';
import { LiveScreen } from './live-screen.ts';
import { describeResults, drawResults, type PictureSize } from './results-text.ts';
import { statusLine } from './status-line.ts';

/** What a watching terminal knows. */
export interface WatchStatus {
  readonly url: string;
  state: WatchState;
  results: ResultsMessage | undefined;
}

/** How it is shown. */
export interface WatchDisplay {
  onResults(results: ResultsMessage): void;
  onState(state: WatchState): void;
  close(): void;
}

/** Bars that move, over the whole terminal. */
export function screenDisplay(status: WatchStatus): WatchDisplay {
  const screen = new LiveScreen(process.stdout, () => drawScreen(status, terminalSize()));
  return { onResults: screen.refresh, onState: screen.refresh, close: () => screen.close() };
}

/** One line for each update on stdout, for a log or a pipe; what happens in between goes to stderr. */
export function lineDisplay(status: WatchStatus, describe = describeResults): WatchDisplay {
  return {
    onResults: results => console.log(describe(results)),
    onState: state => {
      if (state.state !== 'live') console.error(`# ${statusLine(state, status.results)}`);
    },
    close: () => {},
  };
}

/** The same for programs: each results message as the live stream gives it. */
export function jsonDisplay(status: WatchStatus): WatchDisplay {
  return lineDisplay(status, results => JSON.stringify(results));
}

/** The bars as they stand at the end, once. */
export function onceDisplay(status: WatchStatus): WatchDisplay {
  return {
    onResults: () => {},
    onState: () => {},
    close: () => {
      if (status.results) console.log(drawScreen(status, { ...terminalSize(), rows: Infinity }).join('\n'));
    },
  };
}

function drawScreen({ url, state, results }: WatchStatus, size: PictureSize): string[] {
  const status = statusLine(state, results);
  if (results) return drawResults(results, status, size);
  const title = state.state === 'hidden' && state.hidden ? state.hidden.title : url;
  return [`  ${safeText(title)}`, '', `  ${status}`].map(line => line.slice(0, size.columns));
}

function terminalSize(): PictureSize {
  const { columns = 80, rows = 24, isTTY } = process.stdout;
  return { columns, rows, color: isTTY && process.stdout.hasColors() };
}
