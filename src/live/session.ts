import type { PollId } from '../poll/poll.ts';
import type { PresentedKey } from '../poll/poll-key.ts';
import { BadMessage, type CloseEvent } from '../protocol/close-event.ts';
import type { ShowAccess } from '../show/rewrite-show.ts';
import type { ShowBoard } from '../show/show-board.ts';
import type { Connection, Session } from './connection.ts';
import { errorFrame } from './error-frame.ts';
import { FollowedShow } from './followed-show.ts';
import type { Hub } from './hub.ts';
import type { Subscription, SubscriptionOptions } from './subscription.ts';

/** One poll: `/api/poll/<id>/live`. */
export class PollSession implements Session {
  readonly #connection: Connection;
  readonly #subscription: Subscription;

  constructor(hub: Hub, id: PollId, options: SubscriptionOptions, connection: Connection) {
    this.#connection = connection;
    this.#subscription = hub.subscribe(id, options, connection);
  }

  message(): void {
    this.#connection.refuse(BadMessage, undefined, NO_MESSAGES);
  }

  onSubscriptionEnd(id: PollId, event: CloseEvent): void {
    this.#connection.refuse(event, id);
  }

  close(): void {
    this.#subscription.leave();
  }
}

export interface ShowSessionOptions {
  readonly hub: Hub;
  readonly shows: ShowBoard;
  readonly isOperatorKey: ShowAccess['isOperatorKey'];
  readonly key: PresentedKey | undefined;
  readonly query: Pick<SubscriptionOptions, 'hz' | 'compact' | 'preview'>;
}

/** One show and the poll that it has on air: `/api/show/<name>/live`. */
export class ShowSession implements Session {
  readonly #options: ShowSessionOptions;
  readonly #connection: Connection;
  readonly #show: FollowedShow;
  #subscription: Subscription | undefined;

  constructor(name: string, options: ShowSessionOptions, connection: Connection) {
    this.#options = options;
    this.#connection = connection;
    this.#show = new FollowedShow(name, {
      shows: options.shows,
      connection,
      access: showAccess(options),
      onSwitch: id => this.#subscribe(id),
      onRefused: event => connection.close(event),
    });
  }

  /** To be called once the connection has this session. */
  begin(): void {
    this.#show.begin();
  }

  message(): void {
    this.#connection.refuse(BadMessage, undefined, NO_MESSAGES);
  }

  /** The poll on air has ended; the show goes on. */
  onSubscriptionEnd(id: PollId, event: CloseEvent): void {
    this.#subscription = undefined;
    const frame = errorFrame(event, { id });
    if (frame) this.#connection.queue(`error:${id}`, frame);
  }

  close(): void {
    this.#show.end();
    this.#unsubscribe();
  }

  #subscribe(id: PollId | null): void {
    this.#unsubscribe();
    if (id === null) return;
    const { hub, query, key } = this.#options;
    const { hz, compact, preview } = query;
    const options = { key, isKeyOptional: true, hz, compact, preview };
    this.#subscription = hub.subscribe(id, options, this.#connection);
  }

  #unsubscribe(): void {
    if (!this.#subscription) return;
    this.#connection.forget(this.#subscription);
    this.#subscription.leave();
    this.#subscription = undefined;
  }
}

const NO_MESSAGES = 'This address takes no messages.';

/** In a header a key is the show's or an operator's. In the URL it is a view key of the poll on air. */
export function showAccess({
  key,
  isOperatorKey,
}: Pick<ShowSessionOptions, 'key' | 'isOperatorKey'>): ShowAccess | undefined {
  return key?.carrier === 'header' ? { key, isOperatorKey } : undefined;
}
