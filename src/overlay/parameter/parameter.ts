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
  /** One line for people: what it changes. */
  readonly about: string;
  /** The heading under which the builder and the README show it. */
  readonly group: Group;
}

export type Group = 'Picture' | 'Content' | 'Place' | 'Look' | 'Motion and time' | 'Rehearsal';

export interface ChoiceParameter extends Described {
  readonly kind: 'choice';
  readonly choices: readonly string[];
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
