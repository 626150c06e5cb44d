import bars from './bars.css' with { type: 'text' };
import panel from './panel.css' with { type: 'text' };

/** Adopted, not linked: works under a strict CSP, in a shadow root, and in a page without network. */
export function adoptStyleSheet(root: Document | ShadowRoot): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([panel, bars].join('\n'));
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
