import type { PollStatus } from '../../poll/poll.ts';
import type { StateMessage } from '../page/state-message.ts';

/** Until the server has said when to ask again; the page itself is as new as its first answer would be. */
const FIRST_MS: Readonly<Record<PollStatus, number>> = { upcoming: 3_000, open: 15_000, closed: 30_000 };
/** Somebody comes back to the page, and so may all others, when a show says so. */
const BACK_MS = 1_000;

export interface StateListener {
  readonly onState: (state: StateMessage) => void;
  readonly onGone: () => void;
}

/**
 * Asks the voting server now and then how a poll stands, for a page whose voter sees no results: that costs a relay no
 * connection. A page that nobody looks at asks nothing, and asks as soon as somebody does.
 */
export class StateWatch {
  readonly #url: string;
  readonly #listener: StateListener;
  #againMs: number;
  #isOn = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, status: PollStatus, listener: StateListener) {
    this.#url = url;
    this.#againMs = FIRST_MS[status];
    this.#listener = listener;
    document.addEventListener('visibilitychange', () => this.#plan(Math.random() * BACK_MS));
  }

  begin(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#plan(this.#spread());
  }

  end(): void {
    this.#isOn = false;
    clearTimeout(this.#timer);
  }

  #plan(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isOn && document.visibilityState === 'visible')
      this.#timer = setTimeout(() => void this.#look(), ms);
  }

  /** Pages that were opened in the same second do not go on asking in the same second. */
  #spread(): number {
    return this.#againMs * (0.75 + Math.random() / 2);
  }

  async #look(): Promise<void> {
    let waitMs = 0;
    try {
      const reply = await fetch(this.#url);
      waitMs = Number(reply.headers.get('retry-after')) * 1000 || 0;
      if (reply.ok) this.#take((await reply.json()) as StateMessage);
      else if (reply.status === 404) this.#listener.onGone();
    } catch {
      // Nobody answers: later somebody will.
    }
    this.#plan(Math.max(waitMs, this.#spread()));
  }

  #take(state: StateMessage): void {
    this.#againMs = state.againMs;
    if (this.#isOn) this.#listener.onState(state);
  }
}
