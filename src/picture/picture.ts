import type { WinnerState } from '../poll/aired-winner.ts';
import type { VotersBySource } from '../poll/chat-platform.ts';
import { type ImageFocus, isVisible } from '../poll/poll.ts';
import { percentagesOfVoters, placesOf, type RankedAnswer, rankAnswers } from '../poll/ranking.ts';
import type { HiddenMessage, ResultsBody } from '../protocol/messages.ts';
import type { Settings } from './parameters.ts';
import { styleTraits } from './styles.ts';

export type PollSnapshot = (ResultsBody | HiddenMessage) & {
  /**
   * Where the winner comes on a press of its own: no winner is drawn while it is `pending`, and after `shown`
   * the next press brings back the table. Absent where it comes with the close.
   */
  readonly winner?: WinnerState | undefined;
};

export interface PictureRow {
  readonly id: string;
  readonly answer: string;
  /** What people type in chat for it, while they can. */
  readonly key?: string | undefined;
  /** Place in the poll, from 0. Determines color and pattern in any ranking. */
  readonly place: number;
  /** Place by votes, where it is known. */
  readonly rank: number | undefined;
  /** `#rrggbb`, if the creator chose one. */
  readonly color?: string | undefined;
  /** Path of its image on the relay, if it has one. */
  readonly image?: string | undefined;
  /** The point that its crop keeps: see `IMAGE_FOCUS`. */
  readonly imageFocus?: ImageFocus | undefined;
  /** Whether the figures are known. Otherwise they are 0 and not drawn. */
  readonly isRevealed: boolean;
  /** Whether viewers without a key see its figures, too. */
  readonly isPublic: boolean;
  readonly votes: number;
  readonly percent: number;
  /** How many the percentage has, where it needs more than the others. */
  readonly decimals?: number | undefined;
  readonly length: number;
  /** Part of all votes, 0 to 1. */
  readonly share: number;
  /** Has the most votes, alone or shared. */
  readonly leads: boolean;
  /** Marked as a winner of the closed poll. */
  readonly wins: boolean;
  /** Did not win the closed poll; drawn fainter. */
  readonly lost: boolean;
}

/**
 * Upcoming and hidden pictures have answers without figures, except for those that steps of a
 * reveal have shown; waiting ones have figures of 0.
 */
export type Moment = 'upcoming' | 'waiting' | 'open' | 'closed' | 'hidden';

/** What else a picture of a poll depends on. */
export interface Showing {
  /** Which page is shown, counting from 0; undefined for the first answers and no other page. */
  readonly turn?: number | undefined;
  /** Ids of the answers in the order that they keep while they are the same. */
  readonly order?: readonly string[] | undefined;
  /** With keys of a chat answers have the order of the poll: a number before a name reads as its place. */
  readonly around?:
    | { readonly chatLabels?: readonly string[] | undefined; readonly lateMs?: number | undefined }
    | undefined;
}

/** What a style draws of a poll at one time. */
export interface Picture {
  readonly moment: Moment;
  /** A poll, and not a sentence in the place of one. */
  readonly isPoll: boolean;
  /** One can vote, as far as the relay has said. */
  readonly isOpen: boolean;
  readonly title: string;
  /** In drawing order: one page of what fits. */
  readonly rows: readonly PictureRow[];
  /** How many rows each page has room for: the last one may have fewer. */
  readonly slots: number;
  readonly pages: number;
  /** The one that is shown, counting from 0. */
  readonly page: number;
  /** Every answer, the leader first. */
  readonly all: readonly PictureRow[];
  readonly answers: number;
  /** How many of all answers have no known figures. */
  readonly unrevealed: number;
  /** Votes of the leader, by which all counts choose their notation. */
  readonly mostVotes: number;
  readonly totalVotes: number;
  /** The total is known, perhaps while counts are hidden. */
  readonly hasTotal: boolean;
  /** Votes that the creator removed; 0 for none. */
  readonly voidedVotes: number;
  /** Undefined where none came from chat, or nothing is known of it. */
  readonly bySource: VotersBySource | undefined;
  readonly tie: boolean;
  /** The winner of the closed poll comes on a press. */
  readonly isPending: boolean;
  /** Milliseconds that votes count after their end on air. */
  readonly lateMs: number;
  readonly deadlineMs: number | null;
  /** Hidden results become visible at the deadline. */
  readonly revealsAtDeadline: boolean;
  /**
   * The best place that steps of a reveal have shown; undefined for public results, and hidden ones
   * before the first step.
   */
  readonly revealedFrom: number | undefined;
  /** A key opened these results; the audience does not see them. */
  readonly secret: boolean;
  /** A presenter's screen at the end of a poll whose results viewers have yet to see. */
  readonly isVeiled: boolean;
}

type PictureSettings = Pick<Settings, 'sort' | 'top' | 'scale' | 'style' | 'decimals' | 'winner'>;

/** @param fit how many answers there is room for */
export function composePicture(
  poll: PollSnapshot,
  settings: PictureSettings,
  fit: number,
  { turn, order, around }: Showing = {},
): Picture {
  const deadlineMs = poll.deadline === null ? null : Date.parse(poll.deadline);
  const revealsAtDeadline = poll.results_visibility === 'after_deadline';
  const known = hasResults(poll);
  const keys = around?.chatLabels ?? [];
  const ranked = (known ? toRankedRows(poll, settings) : toHiddenRows(poll, settings)).map(row => ({
    ...row,
    key: keys[row.place],
  }));
  const sort = settings.sort === 'auto' ? (around?.chatLabels ? 'order' : 'votes') : settings.sort;
  const page = pageOf(ranked, { ...settings, sort }, fit, turn);
  const keepsOrder = order?.length === page.rows.length && page.rows.every(({ id }) => order.includes(id));
  const rows = keepsOrder
    ? [...page.rows].sort((one, other) => order.indexOf(one.id) - order.indexOf(other.id))
    : page.rows;
  return {
    moment: momentOf(poll),
    isPoll: poll.id !== '',
    isOpen: poll.status === 'open',
    title: poll.title,
    ...page,
    rows,
    all: ranked,
    answers: ranked.length,
    unrevealed: ranked.filter(row => !row.isRevealed).length,
    mostVotes: Math.max(0, ...ranked.map(row => row.votes)),
    totalVotes: poll.total_votes ?? 0,
    hasTotal: poll.total_votes !== undefined && poll.status !== 'upcoming',
    voidedVotes: (known && poll.voided_votes) || 0,
    bySource: known ? poll.by_source : undefined,
    tie: ranked.filter(row => row.wins).length > 1,
    isPending: poll.winner === 'pending',
    lateMs: around?.lateMs ?? 0,
    deadlineMs,
    revealsAtDeadline,
    revealedFrom: poll.revealed_from,
    secret: known && isSecret(poll),
    isVeiled: isVeiled(poll, settings),
  };
}

/**
 * The poll at the moment of a reveal in which the second place is known, and its winner has as many
 * votes: both are shown, and nothing tells which of them will go on. Undefined where the first
 * place is shown by itself.
 *
 * @param shownFrom the best place that viewers have seen
 */
export function levelled(
  poll: PollSnapshot,
  shownFrom = Number.POSITIVE_INFINITY,
): HiddenMessage | undefined {
  if (!hasResults(poll) || poll.total_votes === 0) return undefined;
  const { poll_answers, total_votes, total_voters, id, title, status, deadline, round, rehearsal } = poll;
  const places = placesOf(poll_answers.map(({ votes }) => votes));
  const isAlone = places.filter(place => place === 1).length === 1;
  const second = Math.min(...places.filter(place => !isAlone || place > 1));
  if (second >= shownFrom || second === Number.POSITIVE_INFINITY) return undefined;
  const most = Math.max(...poll_answers.flatMap(({ votes }, at) => (places[at] === second ? [votes] : [])));
  return {
    type: 'hidden',
    success: 1,
    id,
    title,
    status,
    deadline,
    round,
    rehearsal,
    total_votes,
    total_voters,
    poll_answers: poll_answers.map((answer, at) => {
      const place = places[at]!;
      return place > second ? { ...answer, place } : { ...answer, place: 1, votes: most };
    }),
    results_visibility: 'hidden',
    revealed_from: 1,
  };
}

/** The only winner; undefined before the end, and in a tie. */
export function soleWinner({ all, tie }: Picture): PictureRow | undefined {
  return tie ? undefined : all.find(({ wins }) => wins);
}

/** What people type in the chat of a show for each answer; empty while they cannot vote there. */
export function chatLabelsOf({ status, poll_answers, chat_labels }: PollSnapshot): readonly string[] {
  return status === 'open' ? (chat_labels ?? poll_answers.map(({ sorting }) => `${sorting}`)) : [];
}

/** Whether these are results; hidden ones may have a total, and some of the counts. */
export function hasResults(poll: PollSnapshot): poll is ResultsBody & PollSnapshot {
  return 'version' in poll;
}

/** How many answers have known counts. */
export function countRevealed({ poll_answers }: PollSnapshot): number {
  return poll_answers.filter(({ votes }) => votes !== undefined).length;
}

/** Whether only a key opens the results. */
export function isSecret({ results_visibility: visibility, status }: PollSnapshot): boolean {
  return !isVisible(visibility, status);
}

function isVeiled(poll: PollSnapshot, { style }: Pick<Settings, 'style'>): boolean {
  return hasResults(poll) && isSecret(poll) && poll.status === 'closed' && !!styleTraits[style].isOffAir;
}

function momentOf(poll: PollSnapshot): Moment {
  if (poll.status === 'upcoming') return 'upcoming';
  if (!hasResults(poll)) return 'hidden';
  if (poll.status === 'closed') return 'closed';
  return poll.total_votes === 0 ? 'waiting' : 'open';
}

/**
 * First the answers that are not revealed, in the order of the poll, which says nothing about them;
 * then the others by their places. Shares follow from one count and the total alone, because
 * rounding them together would tell of the hidden ones.
 */
function toHiddenRows(
  { poll_answers, total_votes: total = 0 }: HiddenMessage,
  { decimals }: PictureSettings,
): PictureRow[] {
  const ranked = [...poll_answers].sort((a, b) => (a.place ?? 0) - (b.place ?? 0) || a.sorting - b.sorting);
  return ranked.map(answer => {
    const { votes } = answer;
    const share = votes === undefined || total === 0 ? 0 : votes / total;
    return {
      isRevealed: votes !== undefined,
      isPublic: votes !== undefined,
      rank: answer.place,
      votes: votes ?? 0,
      percent: percentagesOfVoters([votes ?? 0], total, decimals)[0]!,
      share,
      length: share,
      leads: false,
      wins: false,
      lost: false,
      ...answerOf(answer),
    };
  });
}

/** To be spread last: Node 20 takes microseconds for each member after a spread. */
function answerOf(given: PollSnapshot['poll_answers'][number]) {
  const { id, answer, sorting, color, image, image_focus: imageFocus } = given;
  return { id, answer, place: sorting - 1, color, image, imageFocus };
}

function toRankedRows(poll: ResultsBody & PollSnapshot, settings: PictureSettings): PictureRow[] {
  const { poll_answers, status, revealed_from: shownFrom = Number.POSITIVE_INFINITY } = poll;
  const votes = poll_answers.map(answer => answer.votes);
  const closed = status === 'closed' && !isVeiled(poll, settings);
  const isCrowned = settings.winner && poll.winner !== 'pending';
  const { ranked } = rankAnswers(votes, { closed, decimals: settings.decimals });
  const most = ranked[0]?.votes ?? 0;
  const { scale, style } = settings;
  const leaderFills = scale === 'leader' || (scale === 'auto' && styleTraits[style].leaderFills === true);
  const isPublic = !isSecret(poll);
  const fine = closed ? decimalsOf(ranked, settings.decimals) : undefined;
  return ranked.map(({ index, votes, share, percent, place, isTop, winner }) => {
    const decimals = place <= 2 ? fine : undefined;
    return {
      isRevealed: true,
      isPublic: isPublic || place >= shownFrom,
      rank: place,
      votes,
      percent: decimals === undefined ? percent : share * 100,
      decimals,
      share,
      length: most > 0 && leaderFills ? votes / most : share,
      leads: isTop,
      wins: winner && isCrowned,
      lost: closed && isCrowned && !winner && most > 0,
      ...answerOf(poll_answers[index]!),
    };
  });
}

/** With how many decimals the first two places differ; undefined where they differ anyway, or never do. */
function decimalsOf([first, second]: readonly RankedAnswer[], decimals: number): number | undefined {
  if (!first || !second || first.votes === second.votes || first.percent !== second.percent) return undefined;
  const differs = (count: number) =>
    (first.share * 100).toFixed(count) !== (second.share * 100).toFixed(count);
  return [1, 2].find(count => count > decimals && differs(count));
}

/**
 * Pages have the same length, so that nothing but their answers changes. While a poll is revealed
 * by steps, its newest place is in view.
 */
function pageOf(
  ranked: readonly PictureRow[],
  { sort, top, style }: PictureSettings,
  fit: number,
  turn: number | undefined,
): Pick<Picture, 'rows' | 'slots' | 'page' | 'pages'> {
  const inOrder = (rows: readonly PictureRow[]) =>
    sort === 'votes' ? [...rows] : [...rows].sort((one, other) => one.place - other.place);
  const most = Math.min(top ?? ranked.length, ranked.length);
  const hasPages = turn !== undefined && !styleTraits[style].ignores.includes('turn');
  const pages = hasPages ? Math.max(1, Math.ceil(most / Math.max(1, fit))) : 1;
  const slots = pages > 1 ? Math.ceil(most / pages) : Math.min(most, Math.max(1, fit));
  const newest = ranked.findIndex(row => row.isRevealed);
  if (pages === 1) {
    const from = Math.max(0, Math.min(newest - Math.floor(slots / 2), ranked.length - slots));
    return { rows: inOrder(ranked.slice(from, from + slots)), slots, page: 0, pages };
  }
  const kept = inOrder(ranked.slice(0, most));
  const page =
    newest > 0 ? Math.floor(Math.max(0, kept.indexOf(ranked[newest]!)) / slots) : (turn ?? 0) % pages;
  return { rows: kept.slice(page * slots, (page + 1) * slots), slots, page, pages };
}

/** Tracks when a poll ended: at its deadline, or when it was first seen closed. */
export class Ending {
  #seenMs: number | undefined;
  #id: string | undefined;

  /** Returns UNIX time in milliseconds, or undefined while the poll is open. @param nowMs server time */
  observe(poll: PollSnapshot | undefined, nowMs: number): number | undefined {
    if (poll?.id !== this.#id || poll?.status !== 'closed') this.#seenMs = undefined;
    this.#id = poll?.id;
    if (poll?.status !== 'closed') return undefined;
    this.#seenMs ??= nowMs;
    const deadlineMs = poll.deadline === null ? Number.POSITIVE_INFINITY : Date.parse(poll.deadline);
    return Math.min(this.#seenMs, deadlineMs);
  }
}
