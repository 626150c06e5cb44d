import type { DrawingStyle } from '../../parameter/parameters.ts';
import { createBars } from './bars.ts';
import { createBigNumber } from './big-number.ts';
import { CodeCard } from './code-card.ts';
import { createColumns } from './columns.ts';
import { createDonut } from './donut.ts';
import type { Drawing, DrawingFactory, DrawingTools } from './drawing.ts';
import { createTicker } from './ticker.ts';
import { createVersus } from './versus.ts';

const drawings: Readonly<Record<Exclude<DrawingStyle, 'code'>, DrawingFactory>> = {
  bars: createBars,
  columns: createColumns,
  donut: createDonut,
  versus: createVersus,
  ticker: createTicker,
  'big-number': createBigNumber,
};

/** What the style asked for is made of: the drawing in the panel, and where it was asked for the code, which may be that drawing. */
export function createStyle(
  stage: HTMLElement,
  body: HTMLElement,
  tools: DrawingTools,
): { drawing: Drawing; code: CodeCard | undefined } {
  const { style, qr } = tools.settings;
  if (style === 'code') {
    const alone = new CodeCard(body, 'alone');
    return { drawing: alone, code: alone };
  }
  if (qr !== 'none') stage.classList.add('with-code', `code-${qr}`);
  return {
    drawing: drawings[style](body, tools),
    code: qr === 'none' ? undefined : new CodeCard(stage, 'beside'),
  };
}
