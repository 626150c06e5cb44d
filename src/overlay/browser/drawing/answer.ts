import type { Picture, PictureRow } from '../../picture/picture.ts';
import type { OverlayWording } from '../../picture/wording.ts';
import { setText } from './element.ts';
import { writeAnswer } from './fit-text.ts';

interface Answer {
  /** Carries the classes `leads` and `wins`. */
  readonly element: HTMLElement;
  readonly label: HTMLElement;
  /** Left out where the name itself carries the mark. */
  readonly tag?: HTMLElement;
}

/** What all styles say of an answer in the same way. */
export function drawAnswer(answer: Answer, row: PictureRow, picture: Picture, wording: OverlayWording): void {
  const { element, label, tag } = answer;
  writeAnswer(label, row.answer);
  if (tag) setText(tag, markOf(row, picture, wording));
  element.classList.toggle('leads', row.leads);
  element.classList.toggle('wins', row.wins);
}

/** The word beside the winner, or beside those who share the first place; empty beside everybody else. */
export function markOf(row: PictureRow, { tie }: Picture, wording: OverlayWording): string {
  if (!row.wins) return '';
  return tie ? wording.phrases.tie : wording.phrases.winner;
}
