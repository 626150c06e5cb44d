import type { ServerClock } from '../../client/server-clock.ts';
import { find, formatMoment } from './page-manners.ts';

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
    this.#line.replaceChildren('Voting ends ', formatMoment(deadlineMs), ' ', rest);
  }

  #tick(): void {
    clearTimeout(this.#timer);
    if (this.#deadlineMs === null) return;
    const restMs = this.#deadlineMs - this.#clock.now();
    const rest = find(this.#line, 'countdown');
    if (rest) rest.textContent = restMs > 0 ? `in ${inWords(restMs)}` : '';
    if (restMs <= 0) this.#onEnd();
    else this.#timer = setTimeout(() => this.#tick(), Math.min(restMs, (restMs % 1000) + 1));
  }
}

export function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days} ${days === 1 ? 'day' : 'days'} ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
}
