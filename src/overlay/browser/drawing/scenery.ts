/** What comes and goes on a stage: the names under which the style sheet moves it, and until when. */
export class Scenery {
  readonly #element: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #untilMs = 0;
  #leaves = false;

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  /** Title and answers are going: what is drawn meanwhile is drawn after. */
  get leaves(): boolean {
    return this.#leaves;
  }

  /** Milliseconds until what was begun last stands, or is gone. */
  get restMs(): number {
    return Math.max(this.#leaves ? 1 : 0, this.#untilMs - performance.now());
  }

  /** Title and answers go, and then comes what comes. */
  leave(ms: number, then: () => void): void {
    this.#leaves = true;
    this.#element.classList.add('leaving');
    this.wait(ms);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#leaves = false;
      this.#element.classList.remove('leaving');
      then();
    }, ms);
  }

  /** The style sheet moves what it finds under these names, from nothing to where it stands. */
  enter(ms: number, arriving: boolean): void {
    const { classList } = this.#element;
    classList.add('entering');
    if (arriving) classList.add('arriving');
    this.wait(ms);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => classList.remove('entering', 'arriving'), ms);
  }

  /** Something else moves for so long. */
  wait(ms: number): void {
    this.#untilMs = performance.now() + ms;
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
