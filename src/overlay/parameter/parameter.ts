import type { Catalogue } from '../../locales/catalogues.ts';
import { fill } from '../../web/i18n.ts';

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

type Words = Catalogue['builder'];

interface Grouped {
  /** The section of the builder's form. */
  readonly group: keyof Words['groups'];
}

export interface ChoiceParameter extends Grouped {
  readonly kind: 'choice';
  readonly choices: readonly string[];
  readonly fallback: string;
}

/** `1`, `true`, `on`, `yes` or nothing at all for on; `0`, `false`, `off`, `no` for off. */
export interface FlagParameter extends Grouped {
  readonly kind: 'flag';
  readonly fallback: boolean;
}

export interface NumberParameter extends Grouped {
  readonly kind: 'number';
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly unit: string;
  /** Null where the theme, or the room on screen, decides. */
  readonly fallback: number | null;
}

/** `rgb`, `rgba`, `rrggbb` or `rrggbbaa` in hexadecimal, with or without `#`. */
export interface ColorParameter extends Grouped {
  readonly kind: 'color';
  readonly fallback: null;
}

/** Up to 24 colours, separated by commas, in the order of the answers. */
export interface ColorsParameter extends Grouped {
  readonly kind: 'colors';
  readonly fallback: null;
}

/** The name of a font that is installed on the machine that draws. */
export interface FontParameter extends Grouped {
  readonly kind: 'font';
  readonly fallback: null;
}

/** A BCP 47 tag such as `de` or `pt-BR`. */
export interface LanguageParameter extends Grouped {
  readonly kind: 'language';
  readonly fallback: null;
}

/** Answer colours beyond these are never reached: the pattern changes with every round of the palette. */
export const MOST_COLORS = 24;

export function choice<const C extends string>(
  group: Grouped['group'],
  choices: readonly C[],
  fallback: NoInfer<C>,
) {
  return { kind: 'choice', group, choices, fallback } as const;
}

export function flag(group: Grouped['group'], fallback: boolean) {
  return { kind: 'flag', group, fallback } as const;
}

export function number<const F extends number | null>(
  group: Grouped['group'],
  [min, max, step, unit]: readonly [min: number, max: number, step: number, unit: string],
  fallback: F,
) {
  return { kind: 'number', group, min, max, step, unit, fallback } as const;
}

export const color = { kind: 'color', group: 'design', fallback: null } as const;

/** Describes the values that a parameter accepts, like `a number from 0 to 2`. */
export function describeValue(parameter: Parameter, values: Words['values']): string {
  const words = values[parameter.kind];
  if (parameter.kind === 'choice') return fill(words, { choices: parameter.choices.join(', ') });
  if (parameter.kind === 'number') return fill(words, { min: `${parameter.min}`, max: `${parameter.max}` });
  return fill(words, { most: `${MOST_COLORS}` });
}
