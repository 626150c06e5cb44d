import type { HiddenMessage, ResultsMessage, WatchState } from '../../client/watch-state.ts';
import type { Catalogue } from '../../locales/catalogues.ts';
import { rankAnswers } from '../../poll/ranking.ts';
import type { OverlayWording } from '../picture/wording.ts';

/** What the widget draws: texts and shares, computed without a browser. */
export interface WidgetPicture {
  /** Also `data-moment` of the frame, for style sheets. */
  readonly moment: 'connecting' | 'upcoming' | 'waiting' | 'open' | 'closed' | 'hidden' | 'gone' | 'faulty';
  readonly title: string;
  readonly rows: readonly WidgetRow[];
  /** The line below the bars. */
  readonly note: string;
  /** Text of the link to the vote; empty while voting is not possible. */
  readonly vote: string;
  /** Why figures may be stale, or empty. */
  readonly away: string;
}

export interface WidgetRow {
  readonly id: string;
  readonly answer: string;
  /** Place in the poll, from 0, which determines the colour. */
  readonly place: number;
  /** Length of the bar, 0 to 1. */
  readonly share: number;
  /** Empty while the counts are hidden. */
  readonly percent: string;
  readonly count: string;
  readonly leads: boolean;
  readonly wins: boolean;
  readonly lost: boolean;
  /** Winner or tie of a closed poll, else empty. */
  readonly badge: string;
}

export interface WidgetWords {
  readonly wording: OverlayWording;
  readonly phrases: Catalogue['widget'];
  readonly sort: 'order' | 'votes';
}

const NOTHING = { title: '', rows: [], note: '', vote: '', away: '' };

/** Shows the page's developer what is wrong with the attributes. */
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
