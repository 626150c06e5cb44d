import { rowVariables } from '../../../row/row-look.ts';
import { onAccent, type Theme } from '../../look/themes.ts';
import { typeScale } from '../../look/type-scale.ts';
import type { Settings } from '../../parameter/read-parameters.ts';
import type { Size } from './drawing.ts';
import { setStyle } from './element.ts';
import { times } from './motion.ts';

/** All measures are given for this picture and scale with it. */
const FULL = { width: 1920, height: 1080 };
/** A narrow column keeps room for a line of text by scaling as if it were this wide. */
const COLUMN_WIDTH = 640;
/** Below this the smallest text would be under 12 pixels, on any screen. */
const SMALLEST_UNIT_PX = 12 / 28.5;

export interface Canvas extends Size {
  /** CSS pixels for one pixel of the picture that is 1080 high. */
  readonly unitPx: number;
}

/**
 * Finds the unit for the place that the stage was given, sets it as `--u`, and returns what the safe area
 * leaves, in units. A strip that is wide and low scales by its width, so that its text stays legible.
 */
export function measureCanvas(stage: HTMLElement, settings: Settings): Canvas {
  const widthPx = stage.clientWidth || FULL.width;
  const heightPx = stage.clientHeight || FULL.height;
  const whole = Math.max(heightPx / FULL.height, widthPx / FULL.width);
  const fitted = Math.max(SMALLEST_UNIT_PX, Math.min(whole, widthPx / COLUMN_WIDTH));
  const unitPx = fitted * (settings.size / 100);
  setStyle(stage, '--u', `${unitPx.toFixed(4)}px`);
  const marginX = (widthPx * settings.margin) / 100;
  const marginY = (heightPx * settings.margin) / 100;
  setStyle(stage, '--margin-x', `${marginX}px`);
  setStyle(stage, '--margin-y', `${marginY}px`);
  return { unitPx, width: (widthPx - 2 * marginX) / unitPx, height: (heightPx - 2 * marginY) / unitPx };
}

const LENGTHS = ['strokewidth', 'radius', 'bar', 'padding', 'blur'];

/**
 * Sets the variables of theme, type and time. Every value was read by kind, so none can carry other CSS.
 *
 * @param speed 0 where nothing is to move
 */
export function applyTheme(stage: HTMLElement, theme: Theme, settings: Settings, speed: number): void {
  for (const [variable, value] of Object.entries(theme)) {
    const length = LENGTHS.includes(variable) ? `calc(var(--u) * ${value})` : `${value}`;
    setStyle(stage, `--${variable}`, length);
  }
  setStyle(stage, '--on-accent', onAccent(theme.accent));
  for (const [name, value] of rowVariables('var(--u)')) setStyle(stage, name, value);
  for (const name of ['title', 'note'] as const) {
    setStyle(stage, `--${name}-size`, `calc(var(--u) * ${typeScale[name].size})`);
    setStyle(stage, `--${name}-weight`, `${typeScale[name].weight}`);
  }
  for (const [name, milliseconds] of Object.entries(times))
    setStyle(stage, `--${name}`, `${speed === 0 ? 0 : milliseconds / speed}ms`);
  setStyle(stage, '--decimals', `${settings.decimals}`);
  if (settings.font !== null) setStyle(stage, '--font', `"${settings.font}"`);
  stage.classList.toggle('stroked', theme.strokewidth > 0);
  stage.classList.toggle('blurred', theme.blur > 0);
}

export function prefersStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
