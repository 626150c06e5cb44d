import row from '../../../picture/row.css' with { type: 'text' };
import type { DrawingStyle } from '../../../picture/styles.ts';
import bars from './bars.css' with { type: 'text' };
import { createBars } from './bars.ts';
import bigNumber from './big-number.css' with { type: 'text' };
import { createBigNumber } from './big-number.ts';
import code from './code-card.css' with { type: 'text' };
import { CodeCard } from './code-card.ts';
import columns from './columns.css' with { type: 'text' };
import { createColumns } from './columns.ts';
import donut from './donut.css' with { type: 'text' };
import { createDonut } from './donut.ts';
import type { Drawing, DrawingFactory, DrawingTools } from './drawing.ts';
import host from './host.css' with { type: 'text' };
import { createHost } from './host.ts';
import panel from './panel.css' with { type: 'text' };
import stage from './stage.css' with { type: 'text' };
import ticker from './ticker.css' with { type: 'text' };
import { Ticker } from './ticker.ts';
import versus from './versus.css' with { type: 'text' };
import { createVersus } from './versus.ts';

/** How each style is drawn, and its style sheet. */
const styles: Readonly<Record<DrawingStyle, { readonly css: string; readonly create: DrawingFactory }>> = {
  bars: { css: bars, create: createBars },
  columns: { css: columns, create: createColumns },
  donut: { css: donut, create: createDonut },
  versus: { css: versus, create: createVersus },
  ticker: { css: ticker, create: (body, tools) => new Ticker(body, tools) },
  'big-number': { css: bigNumber, create: createBigNumber },
  code: { css: code, create: body => new CodeCard(body, 'alone') },
  host: { css: host, create: createHost },
};

/** Creates the drawing of the panel, and the QR code: beside the panel, or as the drawing itself. */
export function createStyle(
  stage: HTMLElement,
  body: HTMLElement,
  tools: DrawingTools,
): { drawing: Drawing; code: CodeCard | undefined } {
  const { style, qr } = tools.settings;
  const drawing = styles[style].create(body, tools);
  if (drawing instanceof CodeCard) return { drawing, code: drawing };
  if (qr === 'none') return { drawing, code: undefined };
  stage.classList.add('with-code', `code-${qr}`);
  return { drawing, code: new CodeCard(stage, 'beside') };
}

/** Adopts the style sheets, which works under a strict CSP, in a shadow root and without network. */
export function adoptStyleSheet(root: Document | ShadowRoot): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([stage, row, panel, ...Object.values(styles).map(({ css }) => css)].join('\n'));
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}

/** Links the relay's font, also from a template or a local file. @param relay URL without a slash at the end */
export function linkFonts(relay: string): void {
  const href = `${relay}/fonts/inter.css`;
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')];
  if (links.some(link => link.href === href)) return;
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }));
}
