/**
 * What a URL parameter of the overlay may be. Every value is read through one of these kinds, so nothing
 * from a URL ever reaches the page as CSS or markup.
 */
export type Parameter =
  | ChoiceParameter
  | FlagParameter
  | NumberParameter
  | ColorParameter
  | ColorsParameter
  | FontParameter
  | LanguageParameter;

interface Described {
  /** What the builder calls it, in plain words. */
  readonly label: string;
  /** One line for people: what it changes. */
  readonly about: string;
  /** The heading under which the builder shows it. */
  readonly group: Group;
}

export type Group =
  | 'Picture'
  | 'Words and figures'
  | 'Place and size'
  | 'Colours and type'
  | 'Motion and time'
  | 'Rehearsal';

export interface ChoiceParameter extends Described {
  readonly kind: 'choice';
  readonly choices: readonly string[];
  /** What the builder calls each choice. */
  readonly words: Readonly<Record<string, string>>;
  readonly fallback: string;
}

/** `1`, `true`, `on`, `yes` or nothing at all for on; `0`, `false`, `off`, `no` for off. */
export interface FlagParameter extends Described {
  readonly kind: 'flag';
  readonly fallback: boolean;
}

export interface NumberParameter extends Described {
  readonly kind: 'number';
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly unit: string;
  /** Null where the theme, or the room on screen, decides. */
  readonly fallback: number | null;
}

/** `rgb`, `rgba`, `rrggbb` or `rrggbbaa` in hexadecimal, with or without `#`. */
export interface ColorParameter extends Described {
  readonly kind: 'color';
  readonly fallback: null;
}

/** Up to 24 colours, separated by commas, in the order of the answers. */
export interface ColorsParameter extends Described {
  readonly kind: 'colors';
  readonly fallback: null;
}

/** The name of a font that is installed on the machine that draws. */
export interface FontParameter extends Described {
  readonly kind: 'font';
  readonly fallback: null;
}

/** A BCP 47 tag such as `de` or `pt-BR`. */
export interface LanguageParameter extends Described {
  readonly kind: 'language';
  readonly fallback: null;
}

/** Answer colours beyond these are never reached: the pattern changes with every round of the palette. */
export const MOST_COLORS = 24;

export function choice<const C extends string>(
  group: Group,
  label: string,
  words: Readonly<Record<C, string>>,
  fallback: NoInfer<C>,
  about: string,
) {
  const choices = Object.keys(words) as readonly string[] as readonly C[];
  return { kind: 'choice', group, label, choices, words, fallback, about } as const;
}

export function flag(group: Group, label: string, fallback: boolean, about: string) {
  return { kind: 'flag', group, label, fallback, about } as const;
}

export function number<const F extends number | null>(
  [group, label]: readonly [Group, string],
  [min, max, step, unit]: readonly [min: number, max: number, step: number, unit: string],
  fallback: F,
  about: string,
) {
  return { kind: 'number', group, label, min, max, step, unit, fallback, about } as const;
}

export function color(label: string, about: string) {
  return {
    kind: 'color',
    group: 'Colours and type',
    label,
    fallback: null,
    about: `${about} Else as the theme has it.`,
  } as const;
}

/** What a value of this parameter looks like, for people. */
export function describeValue(parameter: Parameter): string {
  switch (parameter.kind) {
    case 'choice':
      return `one of ${parameter.choices.join(', ')}`;
    case 'flag':
      return '1 or 0';
    case 'number':
      return `a number from ${parameter.min} to ${parameter.max}`;
    case 'color':
      return 'a colour such as 1e90ff or 1e90ffcc';
    case 'colors':
      return `up to ${MOST_COLORS} colours such as 1e90ff,ff8800`;
    case 'font':
      return 'the name of a font, without quotes';
    case 'language':
      return 'a language such as en or pt-BR';
  }
}

/** Parameters as a Markdown table, for the README. */
export function parameterTable(parameters: Readonly<Record<string, Parameter>>): string {
  const rows = Object.entries(parameters).map(([name, parameter]) =>
    [`\`${name}\``, describeValue(parameter), describeFallback(parameter), parameter.about].join(' | '),
  );
  return [
    '| parameter | value | default | what it does |',
    '|---|---|---|---|',
    ...rows.map(row => `| ${row} |`),
  ].join('\n');
}

function describeFallback({ fallback }: Parameter): string {
  if (typeof fallback === 'boolean') return fallback ? '`1`' : '`0`';
  return fallback === null ? '' : `\`${fallback}\``;
}
