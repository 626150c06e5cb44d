import { resolveTheme } from '../look/themes.ts';
import type { DrawingStyle, ParameterName } from './parameters.ts';
import type { Settings } from './read-parameters.ts';

/** Parameters that change nothing but in these styles. */
const ONLY_IN: Readonly<Partial<Record<ParameterName, readonly DrawingStyle[]>>> = {
  answer: ['big-number'],
  sort: ['bars', 'columns', 'donut', 'ticker'],
  top: ['bars', 'columns', 'donut', 'ticker'],
  scale: ['bars', 'columns'],
  track: ['bars', 'columns', 'donut', 'versus', 'big-number'],
  turn: ['ticker'],
};

/** Parameters that change nothing in a style, though they do in nearly all others. */
const IDLE_IN: Readonly<Partial<Record<DrawingStyle, readonly ParameterName[]>>> = {
  code: ['values', 'decimals', 'qr', 'winner', 'colors', 'patterns', 'bar', 'reveal'],
};

/** Whether a parameter changes anything beside these settings; the builder offers nothing that does not. */
export function hasEffect(name: ParameterName, settings: Settings): boolean {
  const { style, values, speed, width } = settings;
  if (ONLY_IN[name]?.includes(style) === false || IDLE_IN[style]?.includes(name)) return false;
  switch (name) {
    case 'decimals':
      return values !== 'count';
    case 'stroke':
      return resolveTheme(settings).strokewidth > 0;
    case 'reveal':
      return speed > 0;
    // A ticker is as wide as the screen.
    case 'align':
      return style !== 'ticker' || width !== null;
    default:
      return true;
  }
}
