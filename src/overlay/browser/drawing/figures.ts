import { setText } from './element.ts';
import { type Motion, times } from './motion.ts';

/** A new text costs a layout, so a running number is written less often than it is animated. */
const TEXT_EVERY_MS = 30;
/** Half of the smallest visible step: one vote or one percent. */
const HALF = 0.5;

/** All animated numbers of a stage. They share one animation frame, which runs only while a number changes. */
export class Figures {
  readonly #running = new Set<Figure>();
  readonly #speed: number;
  #frame = 0;

  /** @param speed 0 writes numbers without animation */
  constructor(speed: number) {
    this.#speed = speed;
  }

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

  /** Animates to `value`, in an entrance from 0 and after `delayMs`. */
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
    // A delayed number keeps its start time when its value changes meanwhile.
    if (this.#enters) this.#beginsMs = nowMs + this.#delayMs;
    else this.#beginsMs = Math.max(nowMs, this.#beginsMs);
    this.#durationMs = (this.#enters ? times.grow : times.change) / speed;
    this.#waits = this.#beginsMs > nowMs;
    this.write();
  }

  advance(nowMs: number): boolean {
    const part = (nowMs - this.#beginsMs) / this.#durationMs;
    if (part >= 1) {
      this.finish();
      return true;
    }
    this.#waits = part <= 0;
    this.#shown = this.#from + ((this.#to ?? 0) - this.#from) * easeOut(Math.max(0, part));
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

  /** Writes half a step ahead, so that a single vote is visible in its first frame. */
  write(): void {
    const left = (this.#to ?? 0) - this.#shown;
    const ahead = this.#waits ? 0 : Math.sign(left) * Math.min(HALF, Math.abs(left));
    setText(this.#element, this.#format(this.#shown + ahead));
  }
}

/** The curve of `--ease` in `stage.css`. */
function easeOut(part: number): number {
  return 1 - (1 - part) ** 3;
}
