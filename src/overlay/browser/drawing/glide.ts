/** The curve of `--ease`. */
const EASING = 'cubic-bezier(0.33, 1, 0.68, 1)';

/**
 * The plate's way from the height that it has to the one that its next picture needs. What is on the plate stands at once in
 * its place, and is seen as far as the plate has come.
 */
export class Glide {
  readonly #plate: HTMLElement;
  #running: Animation | undefined;

  constructor(plate: HTMLElement) {
    this.#plate = plate;
  }

  /**
   * @param ms how long it takes, 0 for at once
   * @param draw measures as it likes: meanwhile the plate has the height of its content
   */
  during(ms: number, draw: () => void): void {
    const fromPx = ms > 0 ? this.#heightPx() : 0;
    this.#running?.cancel();
    this.#running = undefined;
    draw();
    if (ms === 0) return;
    const toPx = this.#heightPx();
    if (Math.abs(toPx - fromPx) < 1) return;
    const overflow = 'clip';
    this.#running = this.#plate.animate(
      [
        { height: `${fromPx}px`, overflow },
        { height: `${toPx}px`, overflow },
      ],
      { duration: ms, easing: EASING },
    );
  }

  #heightPx(): number {
    return this.#plate.getBoundingClientRect().height;
  }
}
