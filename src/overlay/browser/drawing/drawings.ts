import type { DrawingStyle } from '../../parameter/choices.ts';
import { createBars } from './bars.ts';
import type { Drawing, DrawingFactory, DrawingTools } from './drawing.ts';

const factories: Readonly<Record<DrawingStyle, DrawingFactory>> = {
  bars: createBars,
  columns: createBars,
  donut: createBars,
  versus: createBars,
  ticker: createBars,
  'big-number': createBars,
};

export function createDrawing(body: HTMLElement, tools: DrawingTools): Drawing {
  return factories[tools.settings.style](body, tools);
}
