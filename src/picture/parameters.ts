import type { Catalogue } from '../locales/catalogues.ts';
import { fill } from '../locales/i18n.ts';
import { drawingStyles, styleTraits } from './styles.ts';
import { resolveTheme, themeNames } from './themes.ts';

type Words = Catalogue['builder'];
type Group = keyof Words['groups'];

/** The kinds of URL parameters. Values are parsed by kind, so nothing from a URL reaches the page as CSS or markup. */
export type Parameter = ChoiceParameter | FlagParameter | NumberParameter | TextParameter;

export interface ChoiceParameter {
  readonly kind: 'choice';
  readonly group: Group;
  readonly choices: readonly string[];
  readonly fallback: string;
}

/** `1`, `true`, `on`, `yes` or an empty value; `0`, `false`, `off`, `no`. */
export interface FlagParameter {
  readonly kind: 'flag';
  readonly group: Group;
  readonly fallback: boolean;
}

export interface NumberParameter {
  readonly kind: 'number';
  readonly group: Group;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly unit: string;
  /** Null where theme or screen decide. */
  readonly fallback: number | null;
}

export interface TextParameter {
  /**
   * A color in 3, 4, 6 or 8 hexadecimal digits, with or without `#`; up to 24 of them, separated
   * by commas; the name of an installed font; a BCP 47 language.
   */
  readonly kind: 'color' | 'colors' | 'font' | 'language';
  readonly group: Group;
  readonly fallback: null;
}

/** Limit of answer colors. */
export const MOST_COLORS = 24;

function choice<const C extends string>(group: Group, choices: readonly C[], fallback: NoInfer<C>) {
  return { kind: 'choice', group, choices, fallback } as const;
}

function flag(group: Group, fallback: boolean) {
  return { kind: 'flag', group, fallback } as const;
}

function number<const F extends number | null>(
  group: Group,
  [min, max, step, unit]: readonly [min: number, max: number, step: number, unit: string],
  fallback: F,
) {
  return { kind: 'number', group, min, max, step, unit, fallback } as const;
}

const color = { kind: 'color', group: 'design', fallback: null } as const;

/**
 * Every parameter of an overlay's URL: the overlay parses its URL with this table, and the builder renders its
 * form from it. Their texts are in `src/locales`, at `builder.parameters`.
 */
export const parameters = {
  style: choice('look', drawingStyles, 'bars'),
  theme: choice('look', themeNames, 'dark'),
  scene: choice('look', ['panel', 'full', 'strap'], 'panel'),
  answer: number('look', [1, 100, 1, ''], null),

  values: choice('content', ['percent', 'count', 'both'], 'both'),
  sort: choice('content', ['auto', 'votes', 'order'], 'auto'),
  top: number('content', [1, 100, 1, ''], null),
  scale: choice('content', ['auto', 'total', 'leader'], 'auto'),
  decimals: number('content', [0, 2, 1, ''], 0),
  title: flag('content', true),
  total: flag('content', true),
  voided: flag('content', false),
  sources: flag('content', false),
  countdown: flag('content', true),
  away: flag('content', false),
  qr: choice('content', ['none', 'right', 'left'], 'none'),
  winner: flag('content', true),
  logo: flag('content', true),
  lang: { kind: 'language', group: 'content', fallback: null },

  align: choice('place', ['left', 'center', 'right'], 'left'),
  valign: choice('place', ['top', 'middle', 'bottom'], 'bottom'),
  size: number('place', [50, 250, 1, '%'], 100),
  width: number('place', [20, 100, 1, '%'], null),
  margin: number('place', [0, 20, 0.5, '%'], 5),

  colors: { kind: 'colors', group: 'design', fallback: null },
  ground: color,
  font: { kind: 'font', group: 'design', fallback: null },
  plate: color,
  edge: color,
  text: color,
  soft: color,
  track: color,
  accent: color,
  stroke: color,
  strokewidth: number('design', [0, 6, 0.5, 'px'], null),
  radius: number('design', [0, 60, 1, 'px'], null),
  bar: number('design', [0, 40, 1, 'px'], null),
  padding: number('design', [0, 80, 1, 'px'], null),
  blur: number('design', [0, 40, 1, 'px'], null),

  speed: number('motion', [0, 4, 0.25, '×'], 1),
  reveal: choice('motion', ['rise', 'instant'], 'rise'),
  reveal_pause: number('motion', [0, 10, 0.1, 's'], 1.2),
  turn: number('motion', [2, 60, 1, 's'], 6),
  hide: number('motion', [0, 3600, 1, 's'], 0),
  hz: number('motion', [1, 20, 1, ''], 10),

  rehearsal: flag('rehearsal', false),
  moment: choice('rehearsal', ['voting', 'waiting', 'upcoming', 'hidden', 'tie', 'closed', 'away'], 'voting'),
  cast: choice('rehearsal', ['short', 'two', 'many', 'long', 'rtl'], 'short'),
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof parameters;

type ValueOf<P> = P extends { kind: 'choice'; choices: readonly (infer C)[] }
  ? C
  : P extends { kind: 'flag' }
    ? boolean
    : P extends { kind: 'number'; fallback: infer F }
      ? F extends null
        ? number | null
        : number
      : P extends { kind: 'colors' }
        ? readonly string[] | null
        : string | null;

export type Settings = { readonly [N in ParameterName]: ValueOf<(typeof parameters)[N]> };

/** Never throws: invalid values fall back to defaults, and `invalid` names them and unknown parameters. */
export function readParameters(query: URLSearchParams): { settings: Settings; invalid: string[] } {
  const invalid: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries<Parameter>(parameters)) {
    const raw = query.get(name);
    const value = raw === null ? undefined : parseValue(parameter, raw.trim());
    if (raw !== null && value === undefined) invalid.push(name);
    settings[name] = value ?? parameter.fallback;
  }
  invalid.push(...new Set([...query.keys()].filter(name => !(name in parameters))));
  return { settings: settings as Settings, invalid };
}

/** Parameters of a panel, which a full picture does not have. */
const OF_PANEL: readonly string[] = ['align', 'valign', 'width', 'plate', 'edge', 'padding', 'blur'];

/** Whether a parameter changes anything beside these settings. The builder hides those that do not. */
export function hasEffect(name: ParameterName, settings: Settings): boolean {
  const { style, values, speed, reveal, width } = settings;
  if (styleTraits[style].ignores.includes(name)) return false;
  if (name === 'ground') return isFull(settings);
  if (isFull(settings) && OF_PANEL.includes(name)) return false;
  if (name === 'decimals') return values !== 'count';
  if (name === 'stroke') return resolveTheme(settings).strokewidth > 0;
  if (name === 'reveal') return speed > 0;
  if (name === 'reveal_pause') return speed > 0 && reveal === 'rise';
  // A strip is as wide as the screen by default.
  return name !== 'align' || !(styleTraits[style].isStrip || isStrap(settings)) || width !== null;
}

/** Whether the poll fills the picture. */
export function isFull({ style, scene }: Pick<Settings, 'style' | 'scene'>): boolean {
  return scene === 'full' && !styleTraits[style].ignores.includes('scene');
}

/** Whether the poll is a lower third. */
export function isStrap({ style, scene }: Pick<Settings, 'style' | 'scene'>): boolean {
  return scene === 'strap' && !styleTraits[style].ignores.includes('scene');
}

/** Whether the image of a show is the ground: a color replaces it. */
export function drawsGround(settings: Settings): boolean {
  return isFull(settings) && settings.ground === null;
}

/** Returns the settings with the default of each parameter that their style ignores. */
export function effectiveSettings(settings: Settings): Settings {
  const { ignores } = styleTraits[settings.style];
  const ignored = Object.entries<Parameter>(parameters).filter(([name]) => ignores.includes(name));
  return { ...settings, ...Object.fromEntries(ignored.map(([name, { fallback }]) => [name, fallback])) };
}

/** Describes the values that a parameter accepts, like `a number from 0 to 2`. */
export function describeValue(parameter: Parameter, values: Words['values']): string {
  const words = values[parameter.kind];
  if (parameter.kind === 'choice') return fill(words, { choices: parameter.choices.join(', ') });
  if (parameter.kind === 'number') return fill(words, { min: `${parameter.min}`, max: `${parameter.max}` });
  return fill(words, { most: `${MOST_COLORS}` });
}

const HEX_COLOR = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
/** Letters, digits, spaces and hyphens, which suffice for fonts and not for CSS. */
const FONT_NAME = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,59}$/u;
const ON = ['', '1', 'true', 'on', 'yes'];
const OFF = ['0', 'false', 'off', 'no'];

function parseValue(parameter: Parameter, raw: string): unknown {
  switch (parameter.kind) {
    case 'choice':
      return parameter.choices.find(choice => choice === raw.toLowerCase());
    case 'flag':
      if (ON.includes(raw.toLowerCase())) return true;
      return OFF.includes(raw.toLowerCase()) ? false : undefined;
    case 'number':
      return parseNumber(raw, parameter);
    case 'color':
      return parseColor(raw);
    case 'colors':
      return parseColors(raw);
    case 'font':
      return FONT_NAME.test(raw) ? raw : undefined;
    case 'language':
      return parseLanguage(raw);
  }
}

function parseNumber(raw: string, { min, max }: NumberParameter): number | undefined {
  if (!/^\d{1,6}(\.\d{1,4})?$/.test(raw)) return undefined;
  const value = Number(raw);
  return value >= min && value <= max ? value : undefined;
}

/** Returns `#rrggbb` or `#rrggbbaa`, also for the short forms. */
function parseColor(raw: string): string | undefined {
  const digits = HEX_COLOR.exec(raw)?.[1];
  if (!digits) return undefined;
  const long = digits.length < 6 ? digits.replace(/./g, '$&$&') : digits;
  return `#${long.toLowerCase()}`;
}

function parseColors(raw: string): string[] | undefined {
  const colors = raw.split(',').map(part => parseColor(part.trim()));
  const valid = colors.filter(color => color !== undefined);
  return valid.length === colors.length && valid.length <= MOST_COLORS ? valid : undefined;
}

function parseLanguage(raw: string): string | undefined {
  try {
    const [tag] = Intl.getCanonicalLocales(raw.replaceAll('_', '-'));
    return tag && Intl.NumberFormat.supportedLocalesOf(tag).length > 0 ? tag : undefined;
  } catch {
    return undefined;
  }
}
