import { setText } from './element.ts';
import { type Motion, times } from './motion.ts';

/** A changed text costs a layout of its cell; a count that runs is read, not counted along. */
const TEXT_EVERY_MS = 30;
/** Of the least by which figures differ: they are written in whole votes and percent. */
const HALF = 0.5;

/** The numbers on a stage. All run in one animation frame, in step with the bars, and none when nothing changes. */
export class Figures {
  readonly #running = new Set<Figure>();
  readonly #speed: number;
  #frame = 0;

  /** @param speed 0 writes every number at once */
  constructor(speed: number) {
    this.#speed = speed;
  }

  /** A number shown in `element` as `format` writes it. */
  add(element: Element, format: (value: number) => string): Figure {
    return new Figure(element, format, figure => this.#start(figure));
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#running.clear();
  }

  #start(figure: Figure): void {
    if (this.#speed === 0) {
      figure.finish();
      return;
    }
    figure.begin(performance.now(), this.#speed);
    if (this.#running.size === 0) this.#frame = requestAnimationFrame(now => this.#run(now));
    this.#running.add(figure);
  }

  #run(now: number): void {
    for (const figure of this.#running) {
      if (figure.advance(now)) this.#running.delete(figure);
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
  #beginsMs = 0;
  #durationMs = 0;
  #delayMs = 0;
  #enters = false;
  #waits = false;
  #wroteMs = 0;

  constructor(element: Element, format: (value: number) => string, start: (figure: Figure) => void) {
    this.#element = element;
    this.#format = format;
    this.#start = start;
  }

  /** Runs to `value` from wherever it is, or from nothing `delayMs` from now where the picture enters. */
  set(value: number, motion: Motion, delayMs = 0): void {
    const enters = motion.kind === 'enter';
    if (value === this.#to && !enters) return;
    const first = this.#to === undefined;
    this.#to = value;
    if (motion.kind === 'still' || (first && !enters)) {
      this.finish();
      return;
    }
    if (enters) this.#shown = 0;
    this.#enters = enters;
    this.#delayMs = delayMs;
    this.#start(this);
  }

  begin(nowMs: number, speed: number): void {
    this.#from = this.#shown;
    // Whoever has not begun yet begins when it was to begin, with the newer number.
    if (this.#enters) this.#beginsMs = nowMs + this.#delayMs;
    else this.#beginsMs = Math.max(nowMs, this.#beginsMs);
    this.#durationMs = (this.#enters ? times.grow : times.change) / speed;
    this.#waits = this.#beginsMs > nowMs;
    this.write();
  }

  /** Returns whether the number has arrived. */
  advance(nowMs: number): boolean {
    const part = (nowMs - this.#beginsMs) / this.#durationMs;
    const to = this.#to ?? 0;
    if (part >= 1) {
      this.finish();
      return true;
    }
    this.#waits = part <= 0;
    this.#shown = this.#from + (to - this.#from) * easeOut(Math.max(0, part));
    if (nowMs - this.#wroteMs >= TEXT_EVERY_MS) {
      this.#wroteMs = nowMs;
      this.write();
    }
    return false;
  }

  finish(): void {
    this.#shown = this.#to ?? 0;
    this.write();
  }

  /** Runs half a step ahead, so that a single vote is seen in the frame in which it came, not when half of it has run. */
  write(): void {
    const left = (this.#to ?? 0) - this.#shown;
    const ahead = this.#waits ? 0 : Math.sign(left) * Math.min(HALF, Math.abs(left));
    setText(this.#element, this.#format(this.#shown + ahead));
  }
}

/** The curve that `--ease` gives the bars: cubic-bezier(0.33, 1, 0.68, 1). */
function easeOut(part: number): number {
  return 1 - (1 - part) ** 3;
}
