import type { ServerClock } from '../../../client/server-clock.ts';
import { fill, fillParts } from '../../../web/i18n.ts';
import { find, timeElement } from './dom.ts';
import { phrases, wording } from './i18n.ts';

/** Counts down in the line that the server wrote, and calls back at the moment itself. */
export class Countdown {
  readonly #line: HTMLElement;
  readonly #clock: ServerClock;
  readonly #onEnd: () => void;
  #deadlineMs: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(line: HTMLElement, clock: ServerClock, onEnd: () => void) {
    this.#line = line;
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** @param deadlineMs UNIX time in milliseconds; null where there is none or it has passed */
  set(deadlineMs: number | null): void {
    if (deadlineMs !== this.#deadlineMs) this.#write(deadlineMs);
    this.#deadlineMs = deadlineMs;
    this.#tick();
  }

  #write(deadlineMs: number | null): void {
    this.#line.hidden = deadlineMs === null;
    if (deadlineMs === null) return;
    const rest = document.createElement('span');
    rest.dataset['countdown'] = '';
    // A timer that is read out every second would drown everything else.
    rest.setAttribute('role', 'timer');
    const end = document.createElement('span');
    end.append(...fillParts(phrases.closesAt, { moment: timeElement(deadlineMs) }));
    this.#line.replaceChildren(rest, ' ', end);
  }

  #tick(): void {
    clearTimeout(this.#timer);
    if (this.#deadlineMs === null) return;
    const restMs = this.#deadlineMs - this.#clock.now();
    const rest = find(this.#line, 'countdown');
    if (rest) rest.textContent = restMs > 0 ? fill(phrases.closesIn, { rest: wording.timeLeft(restMs) }) : '';
    if (restMs <= 0) this.#onEnd();
    else this.#timer = setTimeout(() => this.#tick(), Math.min(restMs, (restMs % 1000) + 1));
  }
}
