import { seededRandom } from '../../../poll/seeded-random.ts';
import type { DrawingStyle } from '../../parameter/parameters.ts';
import { readParameters } from '../../parameter/read-parameters.ts';
import type { PollSnapshot } from '../../picture/picture.ts';
import { Rehearsal } from '../../picture/rehearsal.ts';
import type { VoteCode } from '../drawing/code-card.ts';
import { addElement } from '../drawing/element.ts';
import { Stage } from '../drawing/stage.ts';
import { adoptStyleSheet } from '../drawing/styles.ts';
import { loadVoteCode } from '../live/overlay.ts';
import { relay } from './source.ts';

/** Typing changes the address with every letter; the picture waits for a pause. */
const PAUSE_MS = 250;
/** The most of the window's height that the picture takes beside what is chosen. */
const TALLEST = 0.6;

/** What an overlay's page offers to whoever holds it in a frame. */
type OverlayWindow = Partial<Record<'play' | 'next' | 'stop', () => void>>;

/** The overlay itself in a frame as large as the screen it is for, shrunk to the room there is. */
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
    // Replaced, so that going back leaves the builder and not a colour.
    this.#timer = setTimeout(() => this.#frame.contentWindow?.location.replace(url), PAUSE_MS);
  }

  /** Comes, goes, or tells its results, as a playout server would have it. */
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

/** The screen that a small picture is drawn for, and then shrunk: a part of one, so that something is to be seen. */
const SCREEN = { width: 640, height: 360 };
const SEED = 41;
/** More would be too small to be seen. */
const ANSWERS = 3;
/** So that the panel is most of the picture. */
const CLOSE_UP = {
  ...{ align: 'center', valign: 'middle', margin: '3', width: '100' },
  ...{ title: '0', total: '0', countdown: '0', qr: 'none', speed: '0', top: '100' },
};
/** In per cent; as large as leaves room for all that a style draws. */
const SIZES: Readonly<Partial<Record<DrawingStyle, number>>> = {
  columns: 170,
  donut: 130,
  versus: 150,
  code: 110,
};
const OTHER_SIZE = 190;

let sample: Promise<VoteCode> | undefined;

/** One code for all pictures, asked for when the first one needs it. */
function sampleCode(): Promise<VoteCode> {
  sample ??= new Promise(done => {
    loadVoteCode(relay, { kind: 'rehearsal' }, done);
  });
  return sample;
}

/** An overlay drawn by the overlay's own code, without a frame, a connection or motion. */
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

  /** @param asked what the overlay's URL asks for; where it stands and how large it is, is left out */
  draw(asked: URLSearchParams): void {
    const query = new URLSearchParams(asked);
    for (const [name, value] of Object.entries(CLOSE_UP)) query.set(name, value);
    if (`${query}` === this.#query) return;
    this.#query = `${query}`;
    const read = readParameters(query).settings;
    const settings = { ...read, size: SIZES[read.style] ?? OTHER_SIZE };
    this.#stage?.close();
    const stage = new Stage(this.#root, settings, navigator.language);
    this.#stage = stage;
    if (settings.style === 'code')
      void sampleCode().then(code => this.#stage === stage && stage.showCode(code, true));
    const cast = settings.style === 'versus' ? 'two' : 'short';
    const poll = new Rehearsal({ ...settings, cast, moment: 'voting' }, Date.now(), seededRandom(SEED)).read(
      Date.now(),
    );
    stage.show({
      poll: { ...poll, poll_answers: poll.poll_answers.slice(0, ANSWERS) } as PollSnapshot,
      away: false,
    });
  }
}
