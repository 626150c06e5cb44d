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
