import { parseOverlayAddress } from '../../picture/overlay-address.ts';
import { Overlay, RevealGate } from './live/overlay.ts';
import { adoptStyleSheet } from './page-style.ts';
import type { Scene } from './stage.ts';

/** The page that a room sees on its screen: the overlay's full picture, and a button that makes it the whole screen. */

const IDLE_MS = 3_000;

/** Before it opens, a poll shows its question alone, as its page does. A show has its answers on air. */
class OpeningGate extends RevealGate {
  override filter(scene: Scene): Scene {
    const { poll } = scene;
    return poll?.status === 'upcoming' ? { ...scene, poll: { ...poll, poll_answers: [] } } : scene;
  }
}

adoptStyleSheet(document);
const screen = document.querySelector<HTMLElement>('.present')!;
const button = screen.querySelector('button')!;
const { overlay = '', title = '', gone = '', note } = screen.dataset;
// The overlay has a main element of its own.
document.querySelector('main')!.replaceWith(screen);

new Overlay(screen, overlay, {
  gate: parseOverlayAddress(overlay).target.kind === 'poll' ? new OpeningGate() : undefined,
  presentation: { language: document.documentElement.lang, between: title, gone, note: note || undefined },
});

button.hidden = !document.fullscreenEnabled;
button.addEventListener('click', toggle);
document.addEventListener('keydown', event => {
  const isPlain = !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey;
  // Where keys have other letters, their place counts.
  if (isPlain && (event.key.toLowerCase() === 'f' || event.code === 'KeyF')) toggle();
});

function toggle(): void {
  const change = document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen();
  change.catch(() => {});
}

let timer: ReturnType<typeof setTimeout> | undefined;
function rest(): void {
  screen.classList.remove('idle');
  clearTimeout(timer);
  timer = setTimeout(() => screen.classList.add('idle'), IDLE_MS);
}
rest();
for (const event of ['pointermove', 'pointerdown']) document.addEventListener(event, rest);
