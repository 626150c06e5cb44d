import { rankAnswers } from '../../poll/ranking.ts';
import type { HiddenMessage, ResultsBody } from '../../protocol/messages.ts';
import type { Settings } from '../parameter/read-parameters.ts';

/** What the overlay last heard of its poll. */
export type PollSnapshot = ResultsBody | HiddenMessage;

export interface PictureRow {
  readonly id: string;
  readonly answer: string;
  /** Place in the poll, from 0; colour and pattern hang on it, so they never change with the order. */
  readonly place: number;
  readonly votes: number;
  /** 0 to 100, as it is shown. */
  readonly percent: number;
  /** How much of its track a bar takes, 0 to 1. */
  readonly length: number;
  /** Its part of all votes, 0 to 1. */
  readonly share: number;
  /** Has more votes than anybody, or as many as the best. */
  readonly leads: boolean;
  /** To be marked at the end: it won, alone or with others. */
  readonly wins: boolean;
  /** To be drawn quieter at the end, beside whoever won. */
  readonly lost: boolean;
}

/** Upcoming and hidden, a picture shows what there is to choose from, and no figures; waiting, they are all 0. */
export type Moment = 'upcoming' | 'waiting' | 'open' | 'closed' | 'hidden';

/** One consistent picture of a poll: everything that a style needs to draw, and nothing that moves. */
export interface Picture {
  readonly moment: Moment;
  readonly title: string;
  /** In the order in which they are to be drawn, cut to what fits. */
  readonly rows: readonly PictureRow[];
  /** Of how many answers the rows are. */
  readonly answers: number;
  /** The most votes that any answer has: figures beside each other are written alike. */
  readonly mostVotes: number;
  readonly totalVotes: number;
  /** Several answers share the most votes, and the poll is closed. */
  readonly tie: boolean;
  /** UNIX time in milliseconds. */
  readonly deadlineMs: number | null;
  /** Counts appear at the deadline, not by somebody's hand. */
  readonly revealsAtDeadline: boolean;
}

/** @param fit how many answers there is room for. */
export function composePicture(poll: PollSnapshot, settings: Settings, fit: number): Picture {
  const deadlineMs = poll.deadline === null ? null : Date.parse(poll.deadline);
  const revealsAtDeadline = poll.results_visibility === 'after_deadline';
  const known = 'total_votes' in poll;
  const ranked = known ? toRankedRows(poll, settings) : toBlankRows(poll);
  return {
    moment: momentOf(poll),
    title: poll.title,
    rows: cutRows(ranked, settings, fit),
    answers: ranked.length,
    mostVotes: Math.max(0, ...ranked.map(row => row.votes)),
    totalVotes: known ? poll.total_votes : 0,
    tie: ranked.filter(row => row.wins).length > 1,
    deadlineMs,
    revealsAtDeadline,
  };
}

function momentOf(poll: PollSnapshot): Moment {
  if (poll.status === 'upcoming') return 'upcoming';
  if (!('total_votes' in poll)) return 'hidden';
  if (poll.status === 'closed') return 'closed';
  return poll.total_votes === 0 ? 'waiting' : 'open';
}

/** What there is to choose from, in the order of the poll: nothing of it is told by place, length or figure. */
function toBlankRows({ poll_answers }: PollSnapshot): PictureRow[] {
  const blank = { votes: 0, percent: 0, share: 0, length: 0, leads: false, wins: false, lost: false };
  return poll_answers.map(({ id, answer, sorting }) => ({ ...blank, id, answer, place: sorting - 1 }));
}

/** The most votes first. */
function toRankedRows({ poll_answers, status }: ResultsBody, settings: Settings): PictureRow[] {
  const votes = poll_answers.map(answer => answer.votes);
  const closed = status === 'closed';
  const { ranked } = rankAnswers(votes, { closed, decimals: settings.decimals });
  const most = ranked[0]?.votes ?? 0;
  return ranked.map(({ index, votes, share, percent, isTop, winner }) => ({
    id: poll_answers[index]!.id,
    answer: poll_answers[index]!.answer,
    place: poll_answers[index]!.sorting - 1,
    votes,
    percent,
    share,
    length: most > 0 && fillsAtLeader(settings) ? votes / most : share,
    leads: isTop,
    wins: winner && settings.winner,
    lost: closed && settings.winner && !winner,
  }));
}

/** A column that meant all votes would leave most of the picture empty. */
function fillsAtLeader({ scale, style }: Settings): boolean {
  return scale === 'leader' || (scale === 'auto' && style === 'columns');
}

/** Whatever the order drawn, the answers that stay are those with the most votes. */
function cutRows(ranked: readonly PictureRow[], settings: Settings, fit: number): PictureRow[] {
  const kept = ranked.slice(0, Math.max(1, Math.min(settings.top ?? fit, fit)));
  return settings.sort === 'votes' ? kept : kept.sort((one, other) => one.place - other.place);
}

/**
 * When a poll ended, so that the overlay can go `hide` seconds later. A poll that its deadline closed ended at
 * its deadline, also for a page that is loaded later; one that a hand closed ended when it was first seen so.
 */
export class Ending {
  #seenMs: number | undefined;
  #id: string | undefined;

  /** @param nowMs by the server's clock. Returns UNIX time in milliseconds, or undefined while the poll is open. */
  observe(poll: PollSnapshot | undefined, nowMs: number): number | undefined {
    if (poll?.id !== this.#id || poll?.status !== 'closed') this.#seenMs = undefined;
    this.#id = poll?.id;
    if (poll?.status !== 'closed') return undefined;
    this.#seenMs ??= nowMs;
    const deadlineMs = poll.deadline === null ? Number.POSITIVE_INFINITY : Date.parse(poll.deadline);
    return Math.min(this.#seenMs, deadlineMs);
  }
}
