import { addElement } from '../../../picture/browser/element.ts';
import type { VoteCode } from '../../../picture/draw/look.ts';
import { readParameters } from '../../../picture/parameters.ts';
import type { PollSnapshot } from '../../../picture/picture.ts';
import { Rehearsal } from '../../../picture/rehearsal.ts';
import type { DrawingStyle } from '../../../picture/styles.ts';
import { seededRandom } from '../../../poll/rehearsal.ts';
import { loadVoteCode } from '../live/overlay.ts';
import { adoptStyleSheet } from '../page-style.ts';
import { Stage } from '../stage.ts';
import { relay } from './source.ts';

/** The preview reloads once changes pause. */
const PAUSE_MS = 250;
/** Limit of the preview's part of the window's height. */
const TALLEST = 0.6;

type OverlayWindow = Partial<Record<'play' | 'next' | 'stop', () => void>>;

/** The overlay in a frame of its real size, scaled down. */
export class Preview {
  readonly #frame: HTMLIFrameElement;
  readonly #scene: HTMLElement;
  #url = '';
  #width = 1920;
  #height = 1080;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(scene: HTMLElement, frame: HTMLIFrameElement, onStatus: (status: string) => void) {
    this.#scene = scene;
    this.#frame = frame;
    window.addEventListener('message', ({ source, data }) => {
      if (source !== frame.contentWindow) return;
      if (data?.tallycast === 'status') onStatus(data.status);
    });
    new ResizeObserver(() => this.#fit()).observe(scene);
    window.addEventListener('resize', () => this.#fit());
    this.#fit();
  }

  setScreen(width: number, height: number): void {
    this.#width = width;
    this.#height = height;
    this.#fit();
  }

  show(url: string): void {
    if (url === this.#url) return;
    this.#url = url;
    clearTimeout(this.#timer);
    // Replaced, so that the back button leaves the builder.
    this.#timer = setTimeout(() => this.#frame.contentWindow?.location.replace(url), PAUSE_MS);
  }

  act(action: 'play' | 'next' | 'stop'): void {
    (this.#frame.contentWindow as OverlayWindow | null)?.[action]?.();
  }

  #fit(): void {
    const tallest = window.innerHeight * TALLEST;
    const scale = Math.min(this.#scene.clientWidth / this.#width, tallest / this.#height);
    this.#scene.style.height = `${this.#height * scale}px`;
    this.#frame.style.width = `${this.#width}px`;
    this.#frame.style.height = `${this.#height}px`;
    const left = (this.#scene.clientWidth - this.#width * scale) / 2;
    this.#frame.style.transform = `translateX(${left}px) scale(${scale})`;
  }
}

/** Size for which a small picture is drawn before it is scaled down. */
const SCREEN = { width: 640, height: 360 };
const SEED = 41;
const ANSWERS = 3;
const CLOSE_UP = {
  align: 'center',
  valign: 'middle',
  margin: '3',
  width: '100',
  title: '0',
  total: '0',
  countdown: '0',
  qr: 'none',
  speed: '0',
  top: '100',
};
/** Size in percent, where a style does not fit at the usual one. */
const SIZES: Readonly<Partial<Record<DrawingStyle, number>>> = {
  columns: 130,
  donut: 110,
  versus: 130,
  code: 110,
  host: 100,
};
const OTHER_SIZE = 140;

/** One QR code for all pictures, loaded on first use. */
let sample: Promise<VoteCode> | undefined;

/** A small overlay without frame, connection or motion. */
export class SmallPicture {
  readonly element = document.createElement('span');
  readonly #screen = addElement(this.element, 'span', 'screen');
  readonly #root: ShadowRoot;
  #query = '';
  #stage: Stage | undefined;

  constructor() {
    this.element.className = 'small behind';
    this.element.setAttribute('aria-hidden', 'true');
    this.#screen.style.width = `${SCREEN.width}px`;
    this.#screen.style.height = `${SCREEN.height}px`;
    this.#root = this.#screen.attachShadow({ mode: 'open' });
    adoptStyleSheet(this.#root);
    new ResizeObserver(() => {
      this.#screen.style.transform = `scale(${this.element.clientWidth / SCREEN.width})`;
    }).observe(this.element);
  }

  /** @param asked the overlay's parameters; position and size are replaced */
  draw(asked: URLSearchParams): void {
    const query = new URLSearchParams(asked);
    for (const [name, value] of Object.entries(CLOSE_UP)) query.set(name, value);
    if (`${query}` === this.#query) return;
    this.#query = `${query}`;
    const read = readParameters(query).settings;
    const settings = { ...read, size: SIZES[read.style] ?? OTHER_SIZE };
    this.#stage?.close();
    const stage = new Stage(this.#root, settings, navigator.language, relay);
    this.#stage = stage;
    if (settings.style === 'code') {
      sample ??= new Promise(done => void loadVoteCode(relay, { kind: 'rehearsal' }, done));
      void sample.then(code => this.#stage === stage && stage.showCode(code));
    }
    const cast = settings.style === 'versus' ? 'two' : 'short';
    const poll = new Rehearsal({ ...settings, cast, moment: 'voting' }, Date.now(), seededRandom(SEED)).read(
      Date.now(),
    );
    stage.show({
      poll: { ...poll, poll_answers: poll.poll_answers.slice(0, ANSWERS) } as PollSnapshot,
      away: false,
      isCodePermanent: true,
    });
  }
}
