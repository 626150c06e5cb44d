import type { DrawingStyle } from '../../parameter/choices.ts';
import { createBars } from './bars.ts';
import { createBigNumber } from './big-number.ts';
import { createColumns } from './columns.ts';
import { createDonut } from './donut.ts';
import type { Drawing, DrawingFactory, DrawingTools } from './drawing.ts';
import { createTicker } from './ticker.ts';
import { createVersus } from './versus.ts';

const factories: Readonly<Record<DrawingStyle, DrawingFactory>> = {
  bars: createBars,
  columns: createColumns,
  donut: createDonut,
  versus: createVersus,
  ticker: createTicker,
  'big-number': createBigNumber,
};

export function createDrawing(body: HTMLElement, tools: DrawingTools): Drawing {
  return factories[tools.settings.style](body, tools);
}
