import type { PollId } from '../poll/poll.ts';
import type { PresentedKey } from '../poll/poll-key.ts';
import type { CloseEvent } from '../protocol/close-event.ts';
import type { ShowAccess } from '../show/rewrite-show.ts';
import type { Connection } from './connection.ts';
import { errorFrame } from './error-frame.ts';
import { FollowedShow, type ShowFollowing } from './followed-show.ts';
import type { Hub } from './hub.ts';
import type { Interest, Seat, Subscriber } from './subscription.ts';

export interface SingleShowOptions extends Omit<ShowFollowing, 'access' | 'onSwitch'> {
  readonly hub: Hub;
  readonly connection: Connection & Subscriber;
  readonly query: Pick<Interest, 'hz' | 'compact' | 'preview'>;
  readonly key: PresentedKey | undefined;
  readonly isOperatorKey: ShowAccess['isOperatorKey'];
}

/** A connection that carries one show and nothing else: `/api/show/<name>/live`. */
export class SingleShow {
  readonly #options: SingleShowOptions;
  readonly #show: FollowedShow;
  #seat: Seat | undefined;

  constructor(name: string, options: SingleShowOptions) {
    this.#options = options;
    this.#show = new FollowedShow(name, {
      ...options,
      access: accessToShow(options),
      onSwitch: id => this.#sit(id),
    });
  }

  begin(): void {
    this.#show.begin();
  }

  /** The poll on air has come to its end; the show goes on. */
  endSeat(seat: Seat, event: CloseEvent): void {
    if (seat !== this.#seat) return;
    this.#seat = undefined;
    const frame = errorFrame(event, { id: seat.id });
    if (frame) this.#options.connection.tell(`error:${seat.id}`, frame);
  }

  end(): void {
    this.#show.end();
    this.#leave();
  }

  #sit(id: PollId | null): void {
    this.#leave();
    if (id === null) return;
    const { hub, connection, query, key } = this.#options;
    const { hz, compact, preview } = query;
    const interest = { key, isKeyOptional: true, since: undefined, hz, compact, preview };
    this.#seat = hub.subscribe(id, interest, connection);
  }

  #leave(): void {
    const seat = this.#seat;
    if (!seat) return;
    this.#seat = undefined;
    this.#options.connection.forget(seat);
    seat.leave();
  }
}

/** In a header a key is the show's or an operator's. In the address it is a view key, for whichever poll it opens. */
export function accessToShow({
  key,
  isOperatorKey,
}: Pick<SingleShowOptions, 'key' | 'isOperatorKey'>): ShowAccess | undefined {
  return key?.carrier === 'header' ? { key, isOperatorKey } : undefined;
}
