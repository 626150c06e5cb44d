import { parseWallTime } from '../../pages/page/wall-time.ts';
import { effectiveFlags, type FlagWireName } from '../../poll/poll.ts';
import { checkDraft, type PollDraft } from '../../poll/poll-schema.ts';
import { visibleText } from '../../poll/visible-text.ts';
import {
  defaultColor,
  type EditedRules,
  type FilledEditor,
  numberOf,
  readEditor,
  readRules,
  textIn,
} from '../editor/edit-poll.ts';
import { type Faults, faultsOf } from '../editor/faults.ts';

export type Switch = Exclude<FlagWireName, 'has_image' | 'chat_words'>;
/** Without that of polls of shows. */
export const SWITCHES = effectiveFlags().filter(flag => flag !== 'chat_words') as Switch[];

/** What the form says. The colors of its rows are empty where they were left alone. */
export interface FilledPoll extends Omit<FilledEditor, 'rules'> {
  readonly rules: Omit<EditedRules, 'on'> & { readonly on: ReadonlySet<Switch> };
  /** Whether people vote in the same room (`mip`) was answered. */
  readonly isRoomChosen: boolean;
  /** Local time, as a date field has it. */
  readonly deadline: string;
  /** Minutes from UTC; empty without scripts. */
  readonly offset: string;
  readonly image: string;
  readonly visibility: string;
  readonly isLater: boolean;
  /** The computer shall not remember the poll. */
  readonly isForgotten: boolean;
}

export function readCreateForm(body: unknown): FilledPoll {
  const fields = Object(body) as Readonly<Record<string, unknown>>;
  const valuesOf = (name: string) =>
    [fields[name]].flat().map(value => (typeof value === 'string' ? value : ''));
  const text = (name: string) => textIn(valuesOf, name);
  const { rows, ...texts } = readEditor(valuesOf);
  const { on, ...rules } = readRules(valuesOf);
  const switches = new Set<Switch>([...on, ...(text('join_code') === '' ? [] : ['join_code' as const])]);
  // Has no effect without a log.
  if (!switches.has('verifiable')) switches.delete('show_log_size');
  return {
    ...texts,
    rows: rows
      .map((row, index) => (row.color === defaultColor(index) ? { ...row, color: '' } : row))
      .filter(({ answer }) => visibleText(answer) !== ''),
    rules: { ...rules, on: switches },
    isRoomChosen: text('mip') !== '',
    deadline: text('deadline'),
    offset: text('offset'),
    image: text('image'),
    visibility: text('results_visibility') || 'always',
    isLater: text('later') !== '',
    isForgotten: text('forget') !== '',
  };
}

/** Checks the poll by the rules of the REST API. @param nowMs by the engine's clock */
export function checkCreateForm(
  filled: FilledPoll,
  nowMs: number,
): { readonly draft: PollDraft } | { readonly faults: Faults } {
  const { title, description, rows, rules, image } = filled;
  const deadlineMs = parseWallTime(filled.deadline, filled.offset);
  const poll = {
    title,
    description,
    answers: rows.map(({ answer, color }) => (color === '' ? answer : { answer, color })),
    ...Object.fromEntries(SWITCHES.map(name => [name, rules.on.has(name)])),
    // A room reads the code from its screen.
    join_code: rules.on.has('join_code') || rules.on.has('mip'),
    has_deadline: filled.deadline !== '',
    deadline: deadlineMs === undefined ? null : new Date(deadlineMs).toISOString(),
    has_image: image !== '',
    image: image === '' ? null : image,
    results_visibility: filled.visibility,
    min_choices: numberOf(rules.least),
    max_choices: numberOf(rules.most),
    answer_order: rules.isShuffled ? 'random' : 'given',
    status: filled.isLater ? 'upcoming' : 'open',
  };
  const parsed = checkDraft({ poll }, nowMs);
  const faults = new Map(parsed.success ? [] : faultsOf(parsed.error));
  if (!filled.isRoomChosen) faults.set('mip', { code: 'choose' });
  return parsed.success && faults.size === 0 ? { draft: parsed.data.poll } : { faults };
}
