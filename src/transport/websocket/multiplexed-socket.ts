import { Frame } from '../../frame/frame.ts';
import type { Hub } from '../../hub/hub.ts';
import type { Seat } from '../../hub/seat.ts';
import { isPollId } from '../../poll/create-poll.ts';
import { type PresentedKey, presentKey } from '../../poll/poll-key.ts';
import { BadMessage, type CloseEvent, PollNotFound, TooMany } from '../../protocol/close-event.ts';
import { type ClientMessage, clientMessageSchema } from '../../protocol/messages.ts';
import type { ShowBoard } from '../../show/show-board.ts';
import { errorFrame } from '../error-frame.ts';
import type { LiveQuery } from '../live-query.ts';
import type { Session, WebsocketConnection } from './accept-websocket.ts';

const MAX_POLLS = 100;
/** Whoever follows does so for hours, and there is no unfollowing but closing. */
const MAX_SHOWS = 5;

interface MultiplexedOptions {
  readonly hub: Hub;
  readonly shows: ShowBoard;
  readonly connection: WebsocketConnection;
  readonly query: LiveQuery;
  /** For every poll that is subscribed to without a key of its own. */
  readonly key: PresentedKey | undefined;
}

/** Many polls on one socket. A refused poll costs the others nothing: only a message that makes no sense ends it all. */
class MultiplexedSession implements Session {
  readonly #options: MultiplexedOptions;
  readonly #seats = new Map<string, Seat>();
  readonly #shows = new Map<string, () => void>();
  readonly #defaultKey: PresentedKey | undefined;

  constructor(options: MultiplexedOptions) {
    this.#options = options;
    this.#defaultKey = options.key;
  }

  message(text: string): CloseEvent | undefined {
    const message = parse(text);
    if (!message) return BadMessage;
    if (message.type === 'subscribe') return this.#subscribe(message);
    if (message.type === 'follow') return this.#follow(message.show);
    this.#unsubscribe(message.id);
    return undefined;
  }

  end({ id }: Seat, event: CloseEvent): void {
    this.#seats.delete(id);
    this.#tell(event, id);
  }

  close(): void {
    for (const seat of this.#seats.values()) seat.leave();
    for (const unfollow of this.#shows.values()) unfollow();
  }

  /** Subscribing anew replaces the key and starts over. */
  #subscribe({ id, key, since }: Extract<ClientMessage, { type: 'subscribe' }>): CloseEvent | undefined {
    this.#unsubscribe(id);
    if (!isPollId(id)) return this.#tell(PollNotFound, id);
    if (this.#seats.size === MAX_POLLS)
      return this.#tell(TooMany, id, `At most ${MAX_POLLS} polls fit on one connection.`);
    const { hub, connection, query } = this.#options;
    const interest = { key: presentKey(key, 'message') ?? this.#defaultKey, hz: query.hz, since };
    this.#seats.set(id, hub.subscribe(id, interest, connection));
    return undefined;
  }

  #unsubscribe(id: string): void {
    const seat = this.#seats.get(id);
    if (!seat) return;
    this.#seats.delete(id);
    this.#options.connection.forget(seat);
    seat.leave();
  }

  #follow(show: string): CloseEvent | undefined {
    if (this.#shows.has(show)) return undefined;
    if (this.#shows.size === MAX_SHOWS) return TooMany;
    const { shows, connection } = this.#options;
    this.#shows.set(
      show,
      shows.follow(show, id => connection.deliver(show, Frame.of({ type: 'show', show, id }))),
    );
    return undefined;
  }

  #tell(event: CloseEvent, id: string, message?: string): undefined {
    const frame = errorFrame(event, id, message);
    // Kept while the wire is blocked: who misses it shows a poll for ever that is gone. The message budget is the bound.
    if (frame) this.#options.connection.deliver(`error:${id}`, frame);
  }
}

export function serveMany(options: MultiplexedOptions): void {
  options.connection.session = new MultiplexedSession(options);
}

function parse(text: string): ClientMessage | undefined {
  try {
    return clientMessageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
