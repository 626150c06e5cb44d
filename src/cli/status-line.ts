import type { ResultsMessage, WatchState } from '../client/watch-state.ts';
import { safeText } from './terminal.ts';
import { winnersOf } from './results-text.ts';

/** What is known about the figures, in a few words. */
export function statusLine(state: WatchState, results: ResultsMessage | undefined): string {
  switch (state.state) {
    case 'connecting':
      return state.reason === undefined
        ? 'connecting …'
        : `no relay answers (${safeText(state.reason)}); attempt ${state.attempts + 1} …`;
    case 'live':
      return `live${results?.status === 'upcoming' ? ', voting has not begun' : ''}${results?.deadline ? `, closes ${localTime(results.deadline)}` : ''}`;
    case 'final':
      return results ? `closed, ${outcome(results)}` : 'closed';
    case 'stale':
      return state.reason === 'engine'
        ? 'the relay has lost its engine; these may be old'
        : 'connection lost; coming back …';
    case 'hidden':
      return hiddenLine(state.hidden?.deadline ?? null);
    case 'refused':
      return safeText(state.message);
  }
}

function outcome(results: ResultsMessage): string {
  const winners = winnersOf(results);
  if (winners.length === 0) return 'without a vote';
  return winners.length === 1 ? `winner: ${winners[0]}` : `tie: ${winners.join(', ')}`;
}

function hiddenLine(deadline: string | null): string {
  return deadline === null
    ? 'the results are hidden; a key shows them (--key)'
    : `the results are hidden, at the latest the deadline (${localTime(deadline)}) may show them; a key does now (--key)`;
}

function localTime(iso: string): string {
  return new Date(iso).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });
}
