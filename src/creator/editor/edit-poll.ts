import { palettes } from '../../picture/row-look.ts';
import { effectiveFlags, type FlagWireName, IMAGE_FOCUS, type ImageFocus } from '../../poll/poll.ts';
import { visibleText } from '../../poll/visible-text.ts';

/** The editor of a poll, at the desk and on the manage page: what its form has, and the change that it asks for. */

/** A rule that is on or off, and that the first ballot fixes. */
export type Rule = Exclude<FlagWireName, 'has_image' | 'chat_words' | 'join_code'>;

export const RULES = effectiveFlags().filter(name => name !== 'chat_words' && name !== 'join_code') as Rule[];

/** Whose picture it is, in place of the id of an answer. */
export const QUESTION = 'question';

/** As in replies to keys that manage the poll. */
export interface EditablePoll extends Readonly<Record<Rule, boolean>> {
  readonly title: string;
  readonly description: string;
  /** The question's: a path on the relay, or a URL. */
  readonly image: string | null;
  readonly image_focus?: ImageFocus | undefined;
  readonly poll_answers: readonly EditableAnswer[];
  readonly min_choices: number;
  readonly max_choices: number;
  readonly answer_order: 'given' | 'random';
  /** Whose polls are not listed. */
  readonly show: string | null;
}

/** @param owner an answer's id, or `QUESTION` @returns its path on the relay, or URL; null for none */
export function imageOf(
  { image, poll_answers }: Pick<EditablePoll, 'image' | 'poll_answers'>,
  owner: string,
): string | null {
  return owner === QUESTION ? image : (poll_answers.find(({ id }) => id === owner)?.image ?? null);
}

interface EditableAnswer {
  readonly id: string;
  readonly answer: string;
  readonly color?: string | undefined;
  /** Path on the relay. */
  readonly image?: string | undefined;
  readonly image_focus?: ImageFocus | undefined;
}

/** What the form says. */
export interface FilledEditor {
  readonly title: string;
  readonly description: string;
  /** The crop of the question's picture; absent in a form without it. */
  readonly focus?: ImageFocus | undefined;
  readonly rows: readonly EditedRow[];
  /** Absent in the form of a poll with votes. */
  readonly rules: EditedRules | undefined;
}

/** What the form shows; the rules only until the first vote. */
export interface ShownEditor extends FilledEditor {
  readonly rules: EditedRules;
}

interface EditedRow {
  /** Empty for a new answer. */
  readonly id: string;
  /** Empty for one that is removed. */
  readonly answer: string;
  /** `#rrggbb` */
  readonly color: string;
  /** Absent for an answer without a picture. */
  readonly focus?: ImageFocus | undefined;
}

export interface EditedRules {
  readonly on: ReadonlySet<Rule>;
  /** How many answers a ballot has, as typed; empty for no limit. */
  readonly least: string;
  readonly most: string;
  readonly isShuffled: boolean;
}

/** Members of `PATCH /api/poll/<id>`. */
export interface WantedEdit extends Partial<Record<Rule, boolean>> {
  readonly title?: string;
  readonly description?: string;
  readonly answers?: readonly {
    readonly id?: string;
    readonly answer?: string;
    readonly color?: string | null;
    readonly image_focus?: ImageFocus;
  }[];
  readonly image_focus?: ImageFocus;
  readonly min_choices?: number | null;
  readonly max_choices?: number | null;
  readonly answer_order?: EditablePoll['answer_order'];
}

/** The form as it is before anything is typed. */
export function editorOf(poll: EditablePoll): ShownEditor {
  const { title, description, poll_answers: answers, min_choices: least, max_choices: most } = poll;
  const rows = answers.map(({ id, answer, color = '', image_focus: focus = IMAGE_FOCUS }, index) => ({
    id,
    answer,
    color: color || defaultColor(index),
    focus,
  }));
  const rules = {
    on: new Set(RULES.filter(name => poll[name])),
    least: least > 1 ? `${least}` : '',
    most: poll.ma && most < answers.length ? `${most}` : '',
    isShuffled: poll.answer_order === 'random',
  };
  return { title, description, focus: poll.image_focus ?? IMAGE_FOCUS, rows, rules };
}

/** What a color field has that was left alone: browsers send one in any case. */
export function defaultColor(index: number): string {
  return palettes.light[index % palettes.light.length]!;
}

/** The values of a field of the form, by its name. */
export type ValuesOf = (name: string) => readonly string[];

export function textIn(valuesOf: ValuesOf, name: string): string {
  return (valuesOf(name)[0] ?? '').replaceAll('\r\n', '\n').trim();
}

export function readEditor(valuesOf: ValuesOf): FilledEditor {
  const [ids, colors, places] = [valuesOf('answer_id'), valuesOf('color'), valuesOf('place')];
  const rows = valuesOf('answer').map((answer, index) => {
    const place = Number(places[index] ?? index + 1);
    // Ahead of the answer whose place it takes, or behind it on the way down.
    const order = place + Math.sign(place - index - 1) / 2;
    const id = ids[index] ?? '';
    const focus = focusIn(valuesOf, id);
    return { id, answer: answer.trim(), color: colors[index] ?? '', focus, order };
  });
  return {
    title: textIn(valuesOf, 'title'),
    description: textIn(valuesOf, 'description'),
    focus: focusIn(valuesOf, QUESTION),
    rows: rows.sort((one, other) => one.order - other.order),
    rules: textIn(valuesOf, 'rules') === '' ? undefined : readRules(valuesOf),
  };
}

/** @param owner an answer's id, or `QUESTION` @returns undefined to leave it as it is */
function focusIn(valuesOf: ValuesOf, owner: string): ImageFocus | undefined {
  const [x = '', y = ''] = valuesOf(`focus:${owner}`);
  return x === '' || y === '' ? undefined : [Number(x), Number(y)];
}

export function readRules(valuesOf: ValuesOf): EditedRules {
  return {
    on: new Set(RULES.filter(name => textIn(valuesOf, name) === '1')),
    least: textIn(valuesOf, 'min_choices'),
    most: textIn(valuesOf, 'max_choices'),
    isShuffled: textIn(valuesOf, 'answer_order') !== '',
  };
}

/** What changes a poll to what the form says; undefined for nothing. */
export function changeOf(poll: EditablePoll, filled: FilledEditor): WantedEdit | undefined {
  const before = editorOf(poll);
  const { title, description } = filled;
  const rows = filled.rows.filter(({ answer }) => visibleText(answer) !== '');
  const answers = rows.map(({ id, answer, color, focus }, index) => {
    const at = poll.poll_answers.findIndex(known => known.id === id);
    const known = poll.poll_answers[at];
    const wanted = colorOf(color, known?.color, [index, at]);
    const face = { ...(wanted !== undefined && { color: wanted }), ...changedFocus(known ?? {}, focus) };
    return { ...(at >= 0 && { id }), answer, ...face };
  });
  const textsOf = (all: readonly { readonly id?: string; readonly answer: string }[]) =>
    JSON.stringify(all.map(({ id, answer }) => [id, answer]));
  const changed =
    textsOf(answers) === textsOf(before.rows)
      ? answers
          .filter(answer => 'color' in answer || 'image_focus' in answer)
          .map(({ answer: _, ...face }) => face)
      : answers;
  const change = {
    ...(title !== poll.title && { title }),
    ...(description !== poll.description.trim() && { description }),
    ...changedFocus(poll, filled.focus),
    ...(changed.length > 0 && { answers: changed }),
    ...(filled.rules && changedRules(before.rules, filled.rules)),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

function changedFocus(
  { image_focus: before = IMAGE_FOCUS }: Pick<EditablePoll, 'image_focus'>,
  focus = before,
): { readonly image_focus?: ImageFocus } {
  return focus.join() === before.join() ? {} : { image_focus: focus };
}

/** @param places whose default colors mean none @returns undefined for the present color */
function colorOf(
  given: string,
  known: string | undefined,
  places: readonly number[],
): string | null | undefined {
  const isDefault = given === '' || places.some(place => place >= 0 && given === defaultColor(place));
  if (given === known || (isDefault && known === undefined)) return undefined;
  return isDefault ? null : given;
}

function changedRules(before: EditedRules, { on, least, most, isShuffled }: EditedRules): WantedEdit {
  // Has no effect without a log.
  const isOn = (name: Rule) => on.has(name) && (name !== 'show_log_size' || on.has('verifiable'));
  const flags = RULES.filter(name => isOn(name) !== before.on.has(name)).map(name => [name, isOn(name)]);
  return {
    ...Object.fromEntries(flags),
    ...(on.has('ma') && least !== before.least && { min_choices: numberOf(least) }),
    ...(on.has('ma') && most !== before.most && { max_choices: numberOf(most) }),
    ...(isShuffled !== before.isShuffled && { answer_order: isShuffled ? 'random' : 'given' }),
  };
}

/** Browsers without number fields send any text. */
export function numberOf(text: string): number | null {
  return text === '' ? null : Number(text);
}
