import { originOfTwin } from '../poll/rehearsal.ts';
import {
  hasEffect,
  type Parameter,
  type ParameterName,
  parameters,
  readParameters,
  type Settings,
} from './parameters.ts';
import { drawingStyles, styleTraits } from './styles.ts';

/** The look of a show: the parameters that its overlays have in common. An overlay's own URL takes precedence. */

/** Values by parameter, as `Settings` has them. An absent parameter has its default. */
export type Look = { readonly [N in ParameterName]?: NonNullable<Settings[N]> };

const GROUPS: readonly string[] = ['look', 'design', 'motion'];
/** They depend on one poll, or on one screen. */
const OWN: readonly string[] = ['answer', 'hz'];
const OF_POLLS: readonly string[] = ['style', 'scene', 'sort', 'theme'];
const style = { ...parameters.style, choices: drawingStyles.filter(name => !styleTraits[name].isApart) };

/** What a look can have: a part of the table of parameters. */
export const lookParameters: Readonly<Partial<Record<ParameterName, Parameter>>> = Object.fromEntries(
  Object.entries<Parameter>({ ...parameters, style }).filter(
    ([name, { group }]) => (GROUPS.includes(group) && !OWN.includes(name)) || name === 'sort',
  ),
);
export const lookNames = Object.keys(lookParameters) as readonly ParameterName[];
/** What a poll of the rundown can have of its own. */
export const pollLookNames = lookNames.filter(
  name => OF_POLLS.includes(name) || /^colors?$/.test(lookParameters[name]!.kind),
);

/** Looks of polls by their ids. */
export interface Looks<L = Look> {
  readonly look?: L | null | undefined;
  readonly looks?: Readonly<Record<string, L>> | undefined;
}

/** Returns the look of a poll or of its twin: that of the show, and over it its own. */
export function lookOfPoll<L = Look>({ look, looks }: Looks<L>, id: string): Partial<L> {
  return { ...look, ...looks?.[originOfTwin(id) ?? id] } as Partial<L>;
}

/** Returns the valid parameters of a URL that a look can have. */
export function lookOf(query: URLSearchParams): Look {
  const { settings, invalid } = readParameters(query);
  const names = lookNames.filter(name => {
    const parameter = lookParameters[name]!;
    const isApart = parameter.kind === 'choice' && !parameter.choices.includes(`${settings[name]}`);
    return query.has(name) && !invalid.includes(name) && !isApart;
  });
  return Object.fromEntries(names.map(name => [name, settings[name]]));
}

/** Returns a look as the parameters of a URL. */
export function lookQuery(look: Readonly<Record<string, unknown>>): URLSearchParams {
  const names = lookNames.filter(name => (look[name] ?? undefined) !== undefined);
  return new URLSearchParams(Object.fromEntries(names.map(name => [name, textOf(look[name])])));
}

/** Colors have no `#`, which URLs would encode; numbers have at most four decimals. */
function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return `${Number(value.toFixed(4))}`;
  return `${value}`.replaceAll('#', '');
}

/**
 * Returns an overlay's parameters: those of its URL, else those of its show. One that is empty in
 * the URL has its default.
 */
export function withLook(query: URLSearchParams, look: URLSearchParams): URLSearchParams {
  return new URLSearchParams({ ...Object.fromEntries(look), ...Object.fromEntries(query) });
}

/** The reverse: returns what the URL of an overlay with these parameters needs, where its show has this look. */
export function withoutLook(query: URLSearchParams, look: URLSearchParams): URLSearchParams {
  const own = new URLSearchParams(query);
  const written = lookQuery(lookOf(query));
  const { settings } = readParameters(query);
  for (const [name, value] of lookQuery(lookOf(look))) {
    if (written.get(name) === value) own.delete(name);
    else if (!query.has(name) && hasEffect(name as ParameterName, settings))
      own.set(name, textOf(parameters[name as ParameterName].fallback ?? ''));
  }
  return own;
}
