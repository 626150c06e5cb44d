import bars from './bars.css' with { type: 'text' };
import bigNumber from './big-number.css' with { type: 'text' };
import columns from './columns.css' with { type: 'text' };
import donut from './donut.css' with { type: 'text' };
import panel from './panel.css' with { type: 'text' };
import stage from './stage.css' with { type: 'text' };
import ticker from './ticker.css' with { type: 'text' };
import versus from './versus.css' with { type: 'text' };

/** Adopted, not linked: works under a strict CSP, in a shadow root, and in a page without network. */
export function adoptStyleSheet(root: Document | ShadowRoot): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([stage, panel, bars, columns, donut, versus, ticker, bigNumber].join('\n'));
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
