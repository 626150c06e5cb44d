import { parseOverlayAddress } from '../../picture/overlay-address.ts';
import { Overlay } from './live/overlay.ts';
import { adoptStyleSheet } from './page-style.ts';

/** The page for browser sources like OBS, vMix and CasparCG. Reports its status to the builder by `postMessage`. */

adoptStyleSheet(document);
// The desk shows previews from another origin and ignores their status.
const isEmbedded = window.parent !== window;
const isPreview = parseOverlayAddress(location.href).preview;
const builder = isEmbedded && !isPreview ? window.parent : undefined;

const overlay = new Overlay(document.body, location.href, {
  onStatus: status => {
    document.title = status;
    builder?.postMessage({ tallycast: 'status', status }, location.origin);
  },
});

// Some playout servers call these on any page.
Object.assign(window, {
  play: () => overlay.play(),
  stop: () => overlay.stop(),
  update: () => undefined,
  next: () => overlay.reveal(),
});

// The desk warns of text that is cut. Which site it is on is unknown here.
if (isEmbedded && isPreview)
  document.addEventListener('tallycast-cut', event => {
    window.parent.postMessage({ tallycast: 'cut', cut: (event as CustomEvent<string>).detail }, '*');
  });

// Removes the last frame, which OBS would show when the source is switched on again.
window.addEventListener('pagehide', () => overlay.close());
// A page from the back/forward cache is closed already.
window.addEventListener('pageshow', event => {
  if (event.persisted) location.reload();
});
window.addEventListener('hashchange', () => location.reload());
