import type { HiddenMessage, ResultsMessage, WatchState } from '../../client/watch-state.ts';
import type { Catalogue } from '../../locales/catalogues.ts';
import { rankAnswers } from '../../poll/ranking.ts';
import type { OverlayWording } from '../picture/wording.ts';

/** What the widget draws, in words and shares: pure, so that every state can be tested without a browser. */
export interface WidgetPicture {
  /** For style sheets and tests: `data-moment` of the widget's frame. */
  readonly moment: 'connecting' | 'upcoming' | 'waiting' | 'open' | 'closed' | 'hidden' | 'gone' | 'faulty';
  readonly title: string;
  readonly rows: readonly WidgetRow[];
  /** The line below the bars. */
  readonly note: string;
  /** What leads to the vote is called; empty where none is taken. */
  readonly vote: string;
  /** Why the figures may be old; empty while they are not. */
  readonly away: string;
}

export interface WidgetRow {
  readonly id: string;
  readonly answer: string;
  /** Place in the poll, from 0: its colour hangs on it, as on air. */
  readonly place: number;
  /** Part of all votes, 0 to 1: the length of the bar. */
  readonly share: number;
  /** Empty while the counts are hidden. */
  readonly percent: string;
  readonly count: string;
  readonly leads: boolean;
  readonly wins: boolean;
  /** Beside a winner. */
  readonly lost: boolean;
  /** Winner or tie, once the poll is closed. */
  readonly badge: string;
}

export interface WidgetWords {
  readonly wording: OverlayWording;
  readonly phrases: Catalogue['widget'];
  readonly sort: 'order' | 'votes';
}

const NOTHING = { title: '', rows: [], note: '', vote: '', away: '' };

/** For the developer of the page, who has to mend it. @param fault what is wrong with the attributes */
export function faultPicture(fault: string): WidgetPicture {
  return { ...NOTHING, moment: 'faulty', note: `<poll-results>: ${fault}.` };
}

export function composeWidget(
  state: WatchState,
  results: ResultsMessage | undefined,
  words: WidgetWords,
  nowMs: number,
): WidgetPicture {
  const { phrases } = words;
  if (state.state === 'refused') return { ...NOTHING, moment: 'gone', note: phrases.gone };
  if (state.state === 'hidden') return hiddenPicture(state.hidden, words, nowMs);
  const isAway = state.state === 'stale' || (state.state === 'connecting' && state.attempts > 0);
  const away = isAway ? phrases.away : '';
  if (!results) return { ...NOTHING, moment: 'connecting', note: away ? '' : '…', away };
  return { ...resultsPicture(results, words), away };
}

function hiddenPicture(
  hidden: HiddenMessage | null,
  { wording, phrases }: WidgetWords,
  nowMs: number,
): WidgetPicture {
  const opensByItself = hidden?.results_visibility === 'after_deadline' && hidden.deadline !== null;
  return {
    moment: 'hidden',
    title: hidden?.title ?? '',
    rows: (hidden?.poll_answers ?? []).map(({ id, answer, sorting }) => ({
      id,
      answer,
      place: sorting - 1,
      share: 0,
      percent: '',
      count: '',
      leads: false,
      wins: false,
      lost: false,
      badge: '',
    })),
    vote: hidden?.status === 'open' ? phrases.vote : '',
    note: wording.hidden(opensByItself ? Date.parse(hidden.deadline!) : null, nowMs),
    away: '',
  };
}

function resultsPicture(results: ResultsMessage, { wording, phrases, sort }: WidgetWords): WidgetPicture {
  const { poll_answers, total_votes, status } = results;
  const votes = poll_answers.map(answer => answer.votes);
  const closed = status === 'closed';
  const { rows: inOrder, ranked, tie } = rankAnswers(votes, { closed });
  const rows = (sort === 'votes' ? ranked : inOrder).map(
    ({ index, share, percent, votes, isTop, winner }) => ({
      id: poll_answers[index]!.id,
      answer: poll_answers[index]!.answer,
      place: index,
      share,
      percent: wording.percent(percent),
      count: wording.number(votes),
      leads: isTop,
      wins: winner,
      lost: closed && !winner,
      badge: winner ? (tie ? wording.phrases.tie : wording.phrases.winner) : '',
    }),
  );
  const moment = closed ? 'closed' : status === 'upcoming' ? status : total_votes === 0 ? 'waiting' : 'open';
  const total = wording.votes(total_votes, false);
  const note = {
    closed: `${wording.phrases.closed} · ${total}`,
    upcoming: wording.phrases.upcoming,
    waiting: wording.phrases.waiting,
    open: total,
  }[moment];
  const vote = status === 'open' ? phrases.vote : '';
  return { moment, title: results.title, rows, note, vote, away: '' };
}
