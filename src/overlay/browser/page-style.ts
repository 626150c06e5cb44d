/** The canvas fills its root, and the words beside it are for readers only. */
const CSS = `
.tallycast { position: absolute; inset: 0; overflow: hidden; }
.tallycast canvas { position: absolute; }
.tallycast .words { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

/** Adopts the style sheet, which works under a strict CSP, in a shadow root and without network. */
export function adoptStyleSheet(root: Document | ShadowRoot): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(CSS);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}

/** Links the relay's font, also from a template or a local file. @param relay URL without a slash at the end */
export function linkFonts(relay: string): void {
  const href = `${relay}/fonts/inter.css`;
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')];
  if (links.some(link => link.href === href)) return;
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }));
}
