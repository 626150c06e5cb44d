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

/** Letters of two alphabets; those of others are loaded when they are first drawn. */
const LETTERS = 'aą';

/**
 * Links the relay's font, also from a template or a local file, and loads it before anything is on air.
 *
 * @param relay URL without a slash at the end
 */
export function linkFonts(relay: string): void {
  const href = `${relay}/fonts/inter.css`;
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')];
  const linked = links.find(link => link.href === href);
  const link = linked ?? Object.assign(document.createElement('link'), { rel: 'stylesheet', href });
  const load = () => void document.fonts.load('30px Inter', LETTERS).catch(() => {});
  link.addEventListener('load', load);
  if (linked) load();
  else document.head.append(link);
}
