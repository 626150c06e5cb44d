import { hasFigures, isSeen } from '../../picture/draw/body.ts';
import { addressParts } from '../../picture/draw/code.ts';
import { stateWords } from '../../picture/draw/head.ts';
import type { Around, VoteCode } from '../../picture/draw/look.ts';
import { nextOf, notesOf } from '../../picture/draw/notes.ts';
import { stateOf } from '../../picture/draw/state.ts';
import type { Settings } from '../../picture/parameters.ts';
import type { Picture, PollSnapshot } from '../../picture/picture.ts';
import { styleTraits } from '../../picture/styles.ts';
import type { OverlayWording } from '../../picture/wording.ts';

export interface Described {
  readonly poll: PollSnapshot;
  /** Undefined for a code alone. */
  readonly picture: Picture | undefined;
  readonly settings: Settings;
  readonly wording: OverlayWording;
  readonly around: Around;
  readonly code: VoteCode | undefined;
  /** Server time. */
  readonly nowMs: number;
}

/**
 * Says in words what a picture shows: question, state, answers with their figures, totals, what
 * comes next, and the voting address. Always current, for readers of the page and for tests.
 */
export function describePicture({
  poll,
  picture,
  settings,
  wording,
  around,
  code,
  nowMs,
}: Described): HTMLElement[] {
  const { phrases } = wording;
  const made: HTMLElement[] = [];
  const isOffAir = styleTraits[settings.style].isOffAir === true;
  const add = (tag: string, name: string, text: string) => {
    if (text === '') return;
    made.push(textElement(tag, name, text));
  };
  if (picture) {
    if (settings.title) add('h1', 'title', poll.title);
    add('p', 'state', stateWords(stateOf(picture, nowMs), wording, picture));
    if (picture.rows.length > 0) made.push(listOf(picture, settings, wording));
    const notes = notesOf({ picture, around, settings, wording, nowMs, isCompact: false });
    for (const { key, text } of notes) add('p', key, text);
    if (isOffAir) add('p', 'next', nextWords(around, wording, picture));
  }
  add('p', 'away', around.away && (settings.away || isOffAir) ? phrases.status.stale : '');
  add('p', 'address', code ? addressParts(code).join(' · ') : '');
  add('p', 'note', code?.note ?? '');
  add('p', 'rehearsal', settings.rehearsal || poll.rehearsal ? phrases.rehearsal : '');
  return made;
}

function listOf(picture: Picture, settings: Settings, wording: OverlayWording): HTMLElement {
  const { values } = settings;
  const list = document.createElement('ol');
  for (const row of picture.rows) {
    const item = document.createElement('li');
    item.className = ['row', row.leads && 'leads', row.wins && 'wins', row.lost && 'lost']
      .filter(Boolean)
      .join(' ');
    if (row.key !== undefined) item.append(textElement('span', 'key', row.key), ' ');
    item.append(textElement('span', 'label', row.answer), ' ');
    if (hasFigures(row, picture)) {
      if (values !== 'percent') item.append(textElement('span', 'count', wording.number(row.votes)), ' ');
      if (values !== 'count')
        item.append(textElement('span', 'percent', wording.percent(row.percent, row.decimals)), ' ');
    }
    if (isSeen(row, picture, settings)) item.append(textElement('span', 'tag', wording.phrases.seen));
    else if (row.wins)
      item.append(textElement('span', 'tag', picture.tie ? wording.phrases.tie : wording.phrases.winner));
    list.append(item);
  }
  return list;
}

function nextWords(around: Around, wording: OverlayWording, picture: Picture): string {
  // A lost connection is said once.
  if (around.away) return '';
  const { label, text } = nextOf(around, wording, picture);
  return label === '' ? text : `${label}: ${text}`;
}

function textElement(tag: string, name: string, text: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = name;
  element.dir = 'auto';
  element.textContent = text;
  return element;
}
