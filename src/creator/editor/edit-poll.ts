import { palettes } from '../../picture/row-look.ts';
import { visibleText } from '../../poll/visible-text.ts';

/** The editor of a poll, at the desk and on the manage page: its form, and the correction that it asks for. */

export interface EditablePoll {
  readonly title: string;
  readonly description?: string | undefined;
  readonly answers: readonly EditableAnswer[];
}

interface EditableAnswer {
  readonly id: string;
  readonly answer: string;
  readonly color?: string | undefined;
}

/** What the form says. */
export interface FilledEditor {
  readonly title: string;
  readonly description: string;
  /** The answers, one per line. */
  readonly lines: string;
  /** `#rrggbb` by the id of the answer. */
  readonly colors: Readonly<Record<string, string>>;
}

/** Members of `PATCH /api/poll/<id>`. */
export interface WantedWording {
  readonly title?: string;
  readonly description?: string;
  readonly answers?: readonly {
    readonly id?: string;
    readonly answer?: string;
    readonly color?: string | null;
  }[];
}

/** The form as it is before anything is typed. */
export function editorOf({ title, description = '', answers }: EditablePoll): FilledEditor {
  const colors = answers.map(({ id, color }, index) => [id, color ?? defaultColor(index)]);
  return { title, description, lines: linesOf(answers), colors: Object.fromEntries(colors) };
}

/** Answers as text, one per line. */
export function linesOf(answers: readonly { readonly answer: string }[]): string {
  return answers.map(({ answer }) => answer).join('\n');
}

/** What a color field has that was left alone: browsers send one in any case. */
export function defaultColor(index: number): string {
  return palettes.light[index % palettes.light.length]!;
}

/**
 * What changes a poll to a corrected wording; undefined for nothing. Lines that match no answer
 * replace those in their place; with more or fewer lines than answers, they are new.
 */
export function correctionOf(poll: EditablePoll, filled: FilledEditor): WantedWording | undefined {
  const { answers } = poll;
  const before = editorOf(poll);
  const title = filled.title.trim();
  const description = filled.description.trim();
  const texts = filled.lines
    .split('\n')
    .map(text => text.trim())
    .filter(text => visibleText(text) !== '');
  const colors = colorsOf(poll, filled);
  const wanted =
    texts.join('\n') === before.lines
      ? [...colors].map(([id, color]) => ({ id, color }))
      : matchLines(answers, texts).map(one => ({ ...one, ...colorIn(colors, one.id) }));
  const change = {
    ...(title !== poll.title && { title }),
    ...(description !== before.description.trim() && { description }),
    ...(wanted.length > 0 && { answers: wanted }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

function matchLines(answers: readonly EditableAnswer[], texts: readonly string[]) {
  const known = new Map(answers.map(({ id, answer }) => [answer, id]));
  const kept = new Set(texts.map(text => known.get(text)));
  const idInPlace = (index: number) => {
    const id = answers[index]?.id;
    return texts.length === answers.length && !kept.has(id) ? id : undefined;
  };
  return texts.map((answer, index) => {
    const id = known.get(answer) ?? idInPlace(index);
    return { ...(id !== undefined && { id }), answer };
  });
}

/** Returns the colors that changed; null for the default color of the position. */
function colorsOf({ answers }: EditablePoll, { colors }: FilledEditor): Map<string, string | null> {
  const changed = new Map<string, string | null>();
  for (const [index, { id, color }] of answers.entries()) {
    const standard = defaultColor(index);
    const wanted = colors[id] ?? color ?? standard;
    if (wanted !== (color ?? standard)) changed.set(id, wanted === standard ? null : wanted);
  }
  return changed;
}

function colorIn(colors: ReadonlyMap<string, string | null>, id = ''): { readonly color?: string | null } {
  const color = colors.get(id);
  return color === undefined ? {} : { color };
}
