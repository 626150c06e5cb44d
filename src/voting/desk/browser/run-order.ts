import { originOfTwin, twinOf } from '../../../poll/rehearsal-twin.ts';
import type { ShowBody } from './desk-relay.ts';
import type { DeskState } from './desk-state.ts';

/** Where a show stands in its run-down, and which polls its buttons mean. The same rules as the relay's own `next` and `previous`. */
export class RunOrder {
  readonly #state: DeskState;

  constructor(state: DeskState) {
    this.#state = state;
  }

  get isRehearsing(): boolean {
    return originOfTwin(this.#show?.on_air ?? '') !== undefined;
  }

  /** As the relay calls it now: in a rehearsal its twin. */
  wireId(id: string, rehearsing = this.isRehearsing): string {
    return rehearsing ? twinOf(id) : id;
  }

  /** Of the run-down, whether it is rehearsed or not; undefined while nothing is on air. */
  get onAir(): string | undefined {
    const id = this.#show?.on_air;
    return id ? (originOfTwin(id) ?? id) : undefined;
  }

  /** What was on air before it was cleared. */
  get cleared(): string | undefined {
    const id = this.#show?.place;
    return this.onAir === undefined && id && this.#isThere(id) ? id : undefined;
  }

  get next(): string | undefined {
    return this.#rundown.slice(this.#place + 1).find(id => this.#isThere(id));
  }

  get previous(): string | undefined {
    const { onAir } = this;
    const isOnAir = onAir !== undefined && onAir === this.#show?.place;
    const before = this.#rundown.slice(0, isOnAir ? this.#place : this.#place + 1);
    return before.reverse().find(id => this.#isThere(id));
  }

  /** Of the poll on air, or the one that was; -1 where there was none. */
  get #place(): number {
    return this.#rundown.indexOf(this.#show?.place ?? '');
  }

  get #rundown(): string[] {
    return [...(this.#show?.rundown ?? [])];
  }

  get #show(): ShowBody | undefined {
    return this.#state.show;
  }

  #isThere(id: string): boolean {
    return this.#state.polls.get(id) !== 'gone';
  }
}
