import type { HiddenMessage, ResultsMessage, WatchState } from '../../client/watch-state.ts';
import type { Catalogue } from '../../locales/catalogues.ts';
import { composePicture, type Picture, type PictureRow, type PollSnapshot } from '../../picture/picture.ts';
import type { OverlayWording } from '../../picture/wording.ts';

/** What the widget draws: texts and shares, computed without a browser. */
export interface WidgetPicture {
  /** Also `data-moment` of the frame, for style sheets. */
  readonly moment: 'connecting' | 'upcoming' | 'waiting' | 'open' | 'closed' | 'hidden' | 'gone' | 'faulty';
  readonly title: string;
  readonly rows: readonly WidgetRow[];
  readonly note: string;
  /** Text of the link to the vote; empty while voting is not possible. */
  readonly vote: string;
  /** Why figures may be stale, or empty. */
  readonly away: string;
}

export interface WidgetRow extends Omit<PictureRow, 'percent'> {
  /** Empty while the count is hidden. */
  readonly percent: string;
  readonly count: string;
  /** Winner or tie of a closed poll, else empty. */
  readonly badge: string;
}

export interface WidgetWords {
  readonly wording: OverlayWording;
  readonly phrases: Catalogue['widget'];
  readonly sort: 'order' | 'votes';
  /** Whether the note says how many votes were removed. */
  readonly voided: boolean;
}

type WidgetResults = ResultsMessage & Pick<PollSnapshot, 'winner'>;

const NOTHING = { title: '', rows: [], note: '', vote: '', away: '' };

/** Shows the page's developer what is wrong with the attributes. */
export function faultPicture(fault: string): WidgetPicture {
  return { ...NOTHING, moment: 'faulty', note: `<poll-results>: ${fault}.` };
}

export function composeWidget(
  state: WatchState,
  results: WidgetResults | undefined,
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

function hiddenPicture(hidden: HiddenMessage | null, words: WidgetWords, nowMs: number): WidgetPicture {
  const revealMs =
    hidden?.results_visibility === 'after_deadline' && hidden.deadline ? Date.parse(hidden.deadline) : null;
  const note = words.wording.hidden(revealMs, nowMs);
  return {
    moment: 'hidden',
    title: hidden?.title ?? '',
    rows: hidden ? rowsOf(compose(hidden, words), words) : [],
    vote: hidden?.status === 'open' ? words.phrases.vote : '',
    note:
      hidden?.total_votes === undefined || hidden.status === 'upcoming'
        ? note
        : `${note} · ${words.wording.votes(hidden.total_votes)}`,
    away: '',
  };
}

function resultsPicture(results: WidgetResults, words: WidgetWords): WidgetPicture {
  const picture = compose(results, words);
  const { moment, title, totalVotes, voidedVotes } = picture;
  const total = words.wording.votes(totalVotes);
  const { closed, upcoming, waiting } = words.wording.phrases;
  const state = { closed: `${closed} · ${total}`, upcoming, waiting, open: total, hidden: '' }[moment];
  const removed = words.voided ? words.wording.voided(voidedVotes) : '';
  const note = removed === '' ? state : `${state} · ${removed}`;
  const vote = results.status === 'open' ? words.phrases.vote : '';
  return { moment, title, rows: rowsOf(picture, words), note, vote, away: '' };
}

/** Composes all answers in whole percent, as an overlay with bars would. */
function compose(poll: PollSnapshot, { sort }: WidgetWords): Picture {
  const settings = { sort, top: null, scale: 'total', style: 'bars', decimals: 0, winner: true } as const;
  return composePicture(poll, settings, Number.POSITIVE_INFINITY);
}

function rowsOf({ rows, tie }: Picture, { wording }: WidgetWords): WidgetRow[] {
  return rows.map(row => ({
    ...row,
    percent: row.isRevealed ? wording.percent(row.percent) : '',
    count: row.isRevealed ? wording.number(row.votes) : '',
    badge: row.wins ? (tie ? wording.phrases.tie : wording.phrases.winner) : '',
  }));
}
