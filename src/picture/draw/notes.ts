import { fill } from '../../locales/i18n.ts';
import type { Settings } from '../parameters.ts';
import { type Picture, type PictureRow, soleWinner } from '../picture.ts';
import { styleTraits } from '../styles.ts';
import type { OverlayWording } from '../wording.ts';
import { isBlank } from './body.ts';
import type { Around } from './look.ts';
import { canVote } from './state.ts';

/** What a presenter reads next: a label with the next place of a reveal or the next poll, or that nothing follows. */
export function nextOf(
  { next }: Around,
  wording: OverlayWording,
  picture: Picture,
): { label: string; text: string } {
  const { phrases } = wording;
  const hidden = picture.isVeiled ? picture.all.filter(({ isPublic }) => !isPublic).reverse() : [];
  // The last two may come together.
  const rows = hidden.filter(({ rank }) => hidden.length <= 2 || rank === hidden[0]!.rank);
  const places = rows.map(
    ({ rank, answer, percent, decimals }) =>
      `${wording.number(rank!)}. \u2068${answer}\u2069 ${wording.percent(percent, decimals)}`,
  );
  if (places.length > 0) return { label: phrases.next, text: places.join(' · ') };
  if (next) return { label: phrases.nextPoll, text: next };
  return { label: '', text: next === null ? phrases.noNext : '' };
}

/** How to vote in chat; empty while chat votes do not count. */
export function callOf({
  picture,
  around: { chatLabels = [] },
  wording,
  nowMs,
}: Omit<NotesOf, 'settings' | 'isCompact'>) {
  return chatLabels.length > 0 && canVote(picture, nowMs) ? wording.inChat(chatLabels) : '';
}

export interface Note {
  readonly key:
    | 'lead'
    | 'waiting'
    | 'secret'
    | 'hidden'
    | 'total'
    | 'sources'
    | 'voided'
    | 'chat'
    | 'join'
    | 'clock'
    | 'late';
  readonly text: string;
}

function percentOf({ percent, decimals }: PictureRow, wording: OverlayWording): string {
  return wording.percent(percent, decimals);
}

export interface NotesOf {
  readonly picture: Picture;
  readonly around: Around;
  readonly settings: Settings;
  readonly wording: OverlayWording;
  /** Server time. */
  readonly nowMs: number;
  /** Long counts are written in few digits. */
  readonly isCompact: boolean;
}

/**
 * Returns the notes below the answers, on the picture and in its words: totals, sources, removed
 * votes, how to vote in chat, the join code, and the time that is left. Notes without a text are
 * left out.
 */
export function notesOf({ picture, around, settings, wording, nowMs, isCompact }: NotesOf): Note[] {
  const { joinWords = '' } = around;
  const { moment, deadlineMs, isOpen, revealsAtDeadline, secret } = picture;
  const { totalVotes, hasTotal, bySource, voidedVotes, lateMs } = picture;
  const { phrases } = wording;
  const { style, total, sources, voided, countdown } = settings;
  const hasFigures = !isBlank(picture);
  // Viewers do not read what is kept from them.
  const { isOffAir = false } = styleTraits[style];
  const saysUntil = moment === 'hidden' && revealsAtDeadline;
  const leftMs = deadlineMs !== null && isOpen ? deadlineMs - nowMs : Number.NEGATIVE_INFINITY;
  const late = isOffAir && leftMs <= 0 && leftMs + lateMs > 0 ? wording.lateVotes(leftMs + lateMs) : '';
  // Votes that were removed had come.
  const isWaiting = moment === 'waiting' && voidedVotes === 0;
  // Two places that differ, and whose percentages are equal with all decimals.
  const [first, second] = settings.values === 'count' || !soleWinner(picture) ? [] : picture.all;
  const isClose =
    first && second && first.votes > second.votes && percentOf(first, wording) === percentOf(second, wording);
  const notes: Note[] = [
    {
      key: 'lead',
      text: isClose ? fill(phrases.lead, { votes: wording.votes(first.votes - second.votes) }) : '',
    },
    { key: 'waiting', text: isWaiting ? phrases.waiting : '' },
    {
      key: 'secret',
      text: secret && isOffAir && isOpen ? phrases.secret : '',
    },
    { key: 'hidden', text: saysUntil ? wording.hidden(deadlineMs, nowMs) : '' },
    {
      key: 'total',
      text: total && hasTotal && !isWaiting ? wording.votes(totalVotes, isCompact) : '',
    },
    ...(sources && hasFigures ? wording.sources(bySource, isCompact) : []).map(
      text => ({ key: 'sources', text }) as const,
    ),
    { key: 'voided', text: voided && hasFigures ? wording.voided(voidedVotes, isCompact) : '' },
    { key: 'chat', text: callOf({ picture, around, wording, nowMs }) },
    { key: 'join', text: isOffAir ? joinWords : '' },
    { key: 'clock', text: leftMs > 0 && countdown ? wording.closesIn(leftMs) : '' },
    { key: 'late', text: late },
  ];
  return notes.filter(({ text }) => text !== '');
}
