import { parseOverlayAddress } from '../parameter/overlay-address.ts';
import { adoptStyleSheet } from './drawing/style-sheet.ts';
import { Overlay } from './live/overlay.ts';

/** The page for OBS, vMix, CasparCG and any other browser source. The builder watches it through `message`. */

adoptStyleSheet(document);
// A desk watches by itself, and is at home elsewhere.
const isAlone = window.parent === window || parseOverlayAddress(location.href).preview;
const builder = isAlone ? undefined : window.parent;

const overlay = new Overlay(document.body, location.href, {
  listener: {
    onStatus: status => {
      document.title = status;
      builder?.postMessage({ tallycast: 'status', status }, location.origin);
    },
  },
});

// Some playout servers call these on any page; an overlay in OBS plays by itself.
Object.assign(window, {
  play: () => overlay.play(),
  stop: () => overlay.stop(),
  update: () => undefined,
  next: () => overlay.tell(),
});

// A source that is switched off keeps its last frame, and would flash it when it comes back.
window.addEventListener('pagehide', () => overlay.close());
// Only a copy of the page from the browser's cache is shown again without being loaded.
window.addEventListener('pageshow', event => {
  if (event.persisted) location.reload();
});
window.addEventListener('hashchange', () => location.reload());
