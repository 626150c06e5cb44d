import type { Settings } from '../parameters.ts';
import type { Picture } from '../picture.ts';
import { styleTraits } from '../styles.ts';
import type { OverlayWording } from '../wording.ts';
import { isBlank } from './body.ts';
import type { Around } from './look.ts';
import { canVote } from './state.ts';

/** What a presenter reads about the next poll: a label and a title, or that nothing follows. */
export function nextOf({ next }: Around, { phrases }: OverlayWording): { label: string; text: string } {
  if (next) return { label: phrases.next, text: next };
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
  const { moment, deadlineMs, isOpen, revealsAtDeadline, revealedFrom, secret } = picture;
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
  const notes: Note[] = [
    { key: 'waiting', text: isWaiting ? phrases.waiting : '' },
    {
      key: 'secret',
      text: secret && isOffAir ? (revealedFrom === undefined ? phrases.secret : phrases.secretRest) : '',
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
