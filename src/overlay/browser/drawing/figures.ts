import { setText } from './element.ts';

/** A changed text costs a layout of its cell; a count that runs is read, not counted along. */
const TEXT_EVERY_MS = 30;

/** The numbers on a stage. All run in one animation frame, in step with the bars, and none when nothing changes. */
export class Figures {
  readonly #running = new Set<Figure>();
  #durationMs = 0;
  #frame = 0;

  setDuration(milliseconds: number): void {
    this.#durationMs = milliseconds;
  }

  /** A number shown in `element` as `format` writes it. */
  add(element: Element, format: (value: number) => string): Figure {
    return new Figure(element, format, figure => this.#start(figure));
  }

  get durationMs(): number {
    return this.#durationMs;
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#running.clear();
  }

  #start(figure: Figure): void {
    if (this.#durationMs === 0) {
      figure.finish();
      return;
    }
    figure.begin(performance.now());
    if (this.#running.size === 0) this.#frame = requestAnimationFrame(now => this.#run(now));
    this.#running.add(figure);
  }

  #run(now: number): void {
    for (const figure of this.#running) {
      if (figure.advance(now, this.#durationMs)) this.#running.delete(figure);
    }
    if (this.#running.size > 0) this.#frame = requestAnimationFrame(next => this.#run(next));
  }
}

export class Figure {
  readonly #element: Element;
  readonly #format: (value: number) => string;
  readonly #start: (figure: Figure) => void;
  #from = 0;
  #to: number | undefined;
  #shown = 0;
  #beganMs = 0;
  #wroteMs = 0;

  constructor(element: Element, format: (value: number) => string, start: (figure: Figure) => void) {
    this.#element = element;
    this.#format = format;
    this.#start = start;
  }

  /** Runs to `value` from wherever it is; `still` is for the first picture, which does not move. */
  set(value: number, still: boolean): void {
    if (value === this.#to) return;
    const first = this.#to === undefined;
    this.#to = value;
    if (still || first) this.finish();
    else this.#start(this);
  }

  begin(nowMs: number): void {
    this.#from = this.#shown;
    this.#beganMs = nowMs;
  }

  /** Returns whether the number has arrived. */
  advance(nowMs: number, durationMs: number): boolean {
    const part = (nowMs - this.#beganMs) / durationMs;
    const to = this.#to ?? 0;
    if (part >= 1) {
      this.finish();
      return true;
    }
    this.#shown = this.#from + (to - this.#from) * easeOut(Math.max(0, part));
    if (nowMs - this.#wroteMs >= TEXT_EVERY_MS) {
      this.#wroteMs = nowMs;
      setText(this.#element, this.#format(this.#shown));
    }
    return false;
  }

  finish(): void {
    this.#shown = this.#to ?? 0;
    setText(this.#element, this.#format(this.#shown));
  }
}

/** The curve that `--ease` gives the bars: cubic-bezier(0.33, 1, 0.68, 1). */
function easeOut(part: number): number {
  return 1 - (1 - part) ** 3;
}
