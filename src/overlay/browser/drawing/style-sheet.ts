import row from '../../../row/row.css' with { type: 'text' };
import bars from './bars.css' with { type: 'text' };
import bigNumber from './big-number.css' with { type: 'text' };
import codeCard from './code-card.css' with { type: 'text' };
import columns from './columns.css' with { type: 'text' };
import donut from './donut.css' with { type: 'text' };
import entrance from './entrance.css' with { type: 'text' };
import panel from './panel.css' with { type: 'text' };
import stage from './stage.css' with { type: 'text' };
import ticker from './ticker.css' with { type: 'text' };
import versus from './versus.css' with { type: 'text' };

/** Adopted, not linked: works under a strict CSP, in a shadow root, and in a page without network. */
export function adoptStyleSheet(root: Document | ShadowRoot): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    [stage, row, panel, bars, columns, donut, versus, ticker, bigNumber, codeCard, entrance].join('\n'),
  );
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}

/**
 * Makes the relay's font known to the page, wherever it comes from: a template of a playout server, a file on a disk.
 * Where it does not come, or a policy forbids it, the stack of the style sheet draws.
 *
 * @param relay its address, without a slash at the end
 */
export function linkFonts(relay: string): void {
  const href = `${relay}/fonts/inter.css`;
  if (
    [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].some(link => link.href === href)
  )
    return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  document.head.append(link);
}
