import { Frame } from '../../frame/frame.ts';
import type { Hub } from '../../hub/hub.ts';
import type { Seat } from '../../hub/seat.ts';
import { type PresentedKey, presentKey } from '../../poll/poll-key.ts';
import { isReadablePollId } from '../../poll/rehearsal.ts';
import { clientMessageSchema } from '../../protocol/client-message.ts';
import { BadMessage, type CloseEvent, PollNotFound, TooMany } from '../../protocol/close-event.ts';
import type { ClientMessage } from '../../protocol/messages.ts';
import type { ShowBoard } from '../../show/show-board.ts';
import { errorFrame } from '../error-frame.ts';
import type { LiveQuery } from '../live-query.ts';
import { refuse, type Session, type WebsocketConnection } from './accept-websocket.ts';

const MAX_POLLS = 100;
/** Whoever follows does so for hours, and there is no unfollowing but closing. */
const MAX_SHOWS = 5;
/** How long what was asked for before a bad message may take to be answered. */
const LAST_ANSWERS_MS = 2_000;
const LOOK_EVERY_MS = 10;

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
  /** Followed, and not told yet where they point to. */
  readonly #unanswered = new Set<string>();
  readonly #defaultKey: PresentedKey | undefined;
  #isEnding = false;

  constructor(options: MultiplexedOptions) {
    this.#options = options;
    this.#defaultKey = options.key;
  }

  message(text: string): CloseEvent | undefined {
    if (this.#isEnding) return undefined;
    const { message, fault } = parse(text);
    if (!message) return this.#endAfterAnswers(fault);
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
    this.#isEnding = true;
    for (const seat of this.#seats.values()) seat.leave();
    for (const unfollow of this.#shows.values()) unfollow();
  }

  /** Subscribing anew replaces the key and starts over. */
  #subscribe({ id, key, since }: Extract<ClientMessage, { type: 'subscribe' }>): CloseEvent | undefined {
    this.#unsubscribe(id);
    if (!isReadablePollId(id)) return this.#tell(PollNotFound, id);
    if (this.#seats.size === MAX_POLLS)
      return this.#tell(TooMany, id, `At most ${MAX_POLLS} polls fit on one connection.`);
    const { hub, connection, query } = this.#options;
    const { hz, compact, preview } = query;
    const interest = { key: presentKey(key, 'message') ?? this.#defaultKey, hz, compact, preview, since };
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
    this.#unanswered.add(show);
    const unfollow = shows.follow(show, id => {
      this.#unanswered.delete(show);
      connection.tell(`show:${show}`, Frame.of({ type: 'show', show, id }));
    });
    this.#shows.set(show, unfollow);
    return undefined;
  }

  /** A message that makes no sense costs what comes after it, and nothing that was asked for before. */
  #endAfterAnswers(fault: string | undefined): undefined {
    this.#isEnding = true;
    const untilMs = performance.now() + LAST_ANSWERS_MS;
    const end = () => {
      if (this.#owesAnswers && performance.now() < untilMs) setTimeout(end, LOOK_EVERY_MS).unref();
      else refuse(this.#options.connection, BadMessage, undefined, fault);
    };
    end();
  }

  get #owesAnswers(): boolean {
    return (
      this.#unanswered.size > 0 || [...this.#seats.values()].some(({ greetedAtMs }) => greetedAtMs === 0)
    );
  }

  #tell(event: CloseEvent, id: string, message?: string): undefined {
    const frame = errorFrame(event, id, message);
    // Kept while the wire is blocked: who misses it shows a poll for ever that is gone. The message budget is the bound.
    if (frame) this.#options.connection.tell(`error:${id}`, frame);
  }
}

export function serveMany(options: MultiplexedOptions): void {
  options.connection.session = new MultiplexedSession(options);
}

function parse(text: string): { message?: ClientMessage; fault?: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'The message is not valid JSON.' };
  }
  const { data: message, error } = clientMessageSchema.safeParse(value);
  if (message) return { message };
  const [issue] = error?.issues ?? [];
  if (!issue?.path.length) return { fault: 'A message is a JSON object with a type.' };
  return { fault: `${issue.path.join('.')} ${issue.message}.` };
}
