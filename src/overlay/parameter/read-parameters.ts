import { MOST_COLORS, type Parameter } from './parameter.ts';
import { type ParameterName, parameters } from './parameters.ts';

type Table = typeof parameters;

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

/** A value for every parameter: what the URL asked for, where it was good, else the default. */
export type Settings = { readonly [N in ParameterName]: ValueOf<Table[N]> };

const HEX_COLOR = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
/** Letters, digits, spaces, hyphens: enough for a font's name, too little for CSS. */
const FONT_NAME = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,59}$/u;
const ON = ['', '1', 'true', 'on', 'yes'];
const OFF = ['0', 'false', 'off', 'no'];

/**
 * Never throws: an invalid value falls back to its default. The first of doubled parameters counts.
 *
 * @returns with the names of parameters that are unknown or have an invalid value
 */
export function readParameters(query: URLSearchParams): { settings: Settings; invalid: string[] } {
  const invalid: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries<Parameter>(parameters)) {
    const raw = query.get(name);
    const value = raw === null ? undefined : readValue(parameter, raw.trim());
    if (raw !== null && value === undefined) invalid.push(name);
    settings[name] = value ?? parameter.fallback;
  }
  invalid.push(...new Set([...query.keys()].filter(name => !(name in parameters))));
  return { settings: settings as Settings, invalid };
}

export const defaultSettings: Settings = readParameters(new URLSearchParams()).settings;

function readValue(parameter: Parameter, raw: string): unknown {
  switch (parameter.kind) {
    case 'choice':
      return parameter.choices.find(choice => choice === raw.toLowerCase());
    case 'flag':
      return readFlag(raw);
    case 'number':
      return readNumber(raw, parameter.min, parameter.max);
    case 'color':
      return readColor(raw);
    case 'colors':
      return readColors(raw);
    case 'font':
      return FONT_NAME.test(raw) ? raw : undefined;
    case 'language':
      return readLanguage(raw);
  }
}

function readFlag(raw: string): boolean | undefined {
  if (ON.includes(raw.toLowerCase())) return true;
  return OFF.includes(raw.toLowerCase()) ? false : undefined;
}

function readNumber(raw: string, min: number, max: number): number | undefined {
  if (!/^\d{1,6}(\.\d{1,4})?$/.test(raw)) return undefined;
  const value = Number(raw);
  return value >= min && value <= max ? value : undefined;
}

function readColor(raw: string): string | undefined {
  const digits = HEX_COLOR.exec(raw)?.[1];
  return digits && `#${digits.toLowerCase()}`;
}

function readColors(raw: string): string[] | undefined {
  const colors = raw.split(',').map(part => readColor(part.trim()));
  const good = colors.filter(color => color !== undefined);
  return good.length === colors.length && good.length <= MOST_COLORS ? good : undefined;
}

function readLanguage(raw: string): string | undefined {
  try {
    const [tag] = Intl.getCanonicalLocales(raw.replaceAll('_', '-'));
    return tag && Intl.NumberFormat.supportedLocalesOf(tag).length > 0 ? tag : undefined;
  } catch {
    return undefined;
  }
}
