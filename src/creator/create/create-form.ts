import { parseWallTime } from '../../pages/page/wall-time.ts';
import { palettes } from '../../picture/row-look.ts';
import { effectiveFlags, type FlagWireName } from '../../poll/poll.ts';
import { checkDraft, type PollDraft } from '../../poll/poll-schema.ts';
import { visibleText } from '../../poll/visible-text.ts';
import { defaultColor, numberOf } from '../editor/edit-poll.ts';
import { type Faults, faultsOf } from '../editor/faults.ts';

export type Switch = Exclude<FlagWireName, 'has_image' | 'chat_words'>;
/** Without that of polls of shows. */
export const SWITCHES = effectiveFlags().filter(flag => flag !== 'chat_words') as Switch[];

export interface FilledPoll {
  readonly title: string;
  readonly description: string;
  readonly answers: readonly string[];
  /** `#rrggbb` of each answer, or empty. */
  readonly colors: readonly string[];
  readonly switches: ReadonlySet<Switch>;
  /** Whether people vote in the same room (`mip`) was answered. */
  readonly isRoomChosen: boolean;
  /** Local time, as a date field has it. */
  readonly deadline: string;
  /** Minutes from UTC; empty without scripts. */
  readonly offset: string;
  readonly image: string;
  readonly visibility: string;
  readonly isLater: boolean;
  /** How many answers a ballot has, as they were typed. */
  readonly leastChoices: string;
  readonly mostChoices: string;
  readonly isShuffled: boolean;
  /** The computer shall not remember the poll. */
  readonly isForgotten: boolean;
}

export function readCreateForm(body: unknown): FilledPoll {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  const textsOf = (name: string) => [fields[name]].flat().map(text => (typeof text === 'string' ? text : ''));
  const colors = textsOf('color');
  const rows = textsOf('answer').map((answer, index) => ({
    answer,
    color: colors[index] === defaultColor(index) ? '' : (colors[index] ?? ''),
  }));
  const filledRows = rows.filter(({ answer }) => visibleText(answer) !== '');
  const switches = new Set(SWITCHES.filter(name => !['', '0'].includes(text(name))));
  // Has no effect without a log.
  if (!switches.has('verifiable')) switches.delete('show_log_size');
  return {
    title: text('title'),
    description: text('description'),
    answers: filledRows.map(({ answer }) => answer),
    colors: filledRows.map(({ color }) => color),
    switches,
    isRoomChosen: text('mip') !== '',
    deadline: text('deadline').trim(),
    offset: text('offset'),
    image: text('image').trim(),
    visibility: text('results_visibility') || 'always',
    isLater: text('later') !== '',
    leastChoices: text('min_choices').trim(),
    mostChoices: text('max_choices').trim(),
    isShuffled: text('answer_order') !== '',
    isForgotten: text('forget') !== '',
  };
}

export const COLORS = palettes.light.length;

/** Checks the poll by the rules of the REST API. @param nowMs by the engine's clock */
export function checkCreateForm(
  filled: FilledPoll,
  nowMs: number,
): { readonly draft: PollDraft } | { readonly faults: Faults } {
  const deadlineMs = parseWallTime(filled.deadline, filled.offset);
  const poll = {
    title: filled.title,
    description: filled.description,
    answers: filled.answers.map((answer, index) =>
      filled.colors[index] ? { answer, color: filled.colors[index] } : answer,
    ),
    ...Object.fromEntries(SWITCHES.map(name => [name, filled.switches.has(name)])),
    // A room reads the code from its screen.
    join_code: filled.switches.has('join_code') || filled.switches.has('mip'),
    has_deadline: filled.deadline !== '',
    deadline: deadlineMs === undefined ? null : new Date(deadlineMs).toISOString(),
    has_image: filled.image !== '',
    image: filled.image === '' ? null : filled.image,
    results_visibility: filled.visibility,
    min_choices: numberOf(filled.leastChoices),
    max_choices: numberOf(filled.mostChoices),
    answer_order: filled.isShuffled ? 'random' : 'given',
    status: filled.isLater ? 'upcoming' : 'open',
  };
  const parsed = checkDraft({ poll }, nowMs);
  const faults = new Map(parsed.success ? [] : faultsOf(parsed.error));
  if (!filled.isRoomChosen) faults.set('mip', { code: 'choose' });
  return parsed.success && faults.size === 0 ? { draft: parsed.data.poll } : { faults };
}
