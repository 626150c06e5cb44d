import { type IsOperatorKey, type PresentedKey, presentKey } from '../poll/poll-key.ts';
import { isReadablePollId } from '../poll/rehearsal.ts';
import { clientMessageSchema, type ReceivedMessage } from '../protocol/client-message.ts';
import { BadMessage, type CloseEvent, PollNotFound, TooMany } from '../protocol/close-event.ts';
import type { ShowBoard } from '../show/show-board.ts';
import { errorFrame } from './error-frame.ts';
import { FollowedShow } from './followed-show.ts';
import type { Hub } from './hub.ts';
import type { LiveQuery } from './live-query.ts';
import type { Interest, Seat } from './subscription.ts';
import { refuse, type Session, type WebsocketConnection } from './websocket-connection.ts';

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
  readonly isOperatorKey: IsOperatorKey;
}

/** A poll that the connection is subscribed to. */
interface Subscription {
  readonly seat: Seat;
  /** The other side has subscribed to it: it stays, whatever shows have on air. */
  isAsked: boolean;
  /** Shows that have it on air. */
  readonly shows: Set<string>;
}

/** Many polls on one socket. A refused poll costs the others nothing: only a message that makes no sense ends it all. */
class MultiplexedSession implements Session {
  readonly #options: MultiplexedOptions;
  readonly #polls = new Map<string, Subscription>();
  readonly #shows = new Map<string, FollowedShow>();
  #asked = 0;
  #isEnding = false;

  constructor(options: MultiplexedOptions) {
    this.#options = options;
  }

  message(text: string): CloseEvent | undefined {
    if (this.#isEnding) return undefined;
    const { message, fault } = parse(text);
    if (!message) return this.#endAfterAnswers(fault);
    if (message.type === 'subscribe') return this.#subscribe(message);
    if (message.type === 'follow') return this.#follow(message);
    this.#unsubscribe(message.id);
    return undefined;
  }

  end({ id }: Seat, event: CloseEvent): void {
    this.#forget(id);
    this.#tell(event, id);
  }

  close(): void {
    this.#isEnding = true;
    for (const { seat } of this.#polls.values()) seat.leave();
    for (const show of this.#shows.values()) show.end();
  }

  /** Subscribing again replaces the key and starts over. A refused subscription changes nothing. */
  #subscribe({ id, key, since }: Extract<ReceivedMessage, { type: 'subscribe' }>): CloseEvent | undefined {
    if (!isReadablePollId(id)) return this.#tell(PollNotFound, id);
    const known = this.#polls.get(id);
    if (this.#asked === MAX_POLLS && !known?.isAsked)
      return this.#tell(TooMany, id, `At most ${MAX_POLLS} polls fit on one connection.`);
    this.#drop(id);
    this.#asked += 1;
    const seat = this.#sit(id, { key: presentKey(key, 'message') ?? this.#options.key, since });
    this.#polls.set(id, { seat, isAsked: true, shows: known?.shows ?? new Set() });
    return undefined;
  }

  /** What a show has on air stays: it may have come back while the other side let go of it. */
  #unsubscribe(id: string): void {
    const poll = this.#polls.get(id);
    if (!poll?.shows.size) this.#drop(id);
    else if (poll.isAsked) {
      this.#asked -= 1;
      poll.isAsked = false;
    }
  }

  #sit(id: string, interest: Pick<Interest, 'key' | 'since' | 'isKeyOptional'>): Seat {
    const { hub, connection, query } = this.#options;
    const { hz, compact, preview } = query;
    return hub.subscribe(id, { ...interest, hz, compact, preview }, connection);
  }

  #drop(id: string): void {
    const poll = this.#polls.get(id);
    if (!poll) return;
    this.#forget(id);
    this.#options.connection.forget(poll.seat);
    poll.seat.leave();
  }

  #forget(id: string): void {
    if (this.#polls.get(id)?.isAsked) this.#asked -= 1;
    this.#polls.delete(id);
  }

  /** Following anew with a key starts over. */
  #follow({ show, key: text }: Extract<ReceivedMessage, { type: 'follow' }>): CloseEvent | undefined {
    const known = this.#shows.get(show);
    if (known && text === undefined) return undefined;
    if (!known && this.#shows.size === MAX_SHOWS) return TooMany;
    known?.end();
    if (known?.onAir) this.#takeOff(show, known.onAir);
    const { shows, connection, isOperatorKey } = this.#options;
    const key = presentKey(text, 'message');
    const followed = new FollowedShow(show, {
      shows,
      connection,
      access: key && { key, isOperatorKey },
      onSwitch: (onAir, before) => {
        if (before !== null) this.#takeOff(show, before);
        if (onAir !== null) this.#putOn(show, onAir, key);
      },
      onRefused: () => {
        if (followed.onAir) this.#takeOff(show, followed.onAir);
        this.#shows.delete(show);
      },
    });
    this.#shows.set(show, followed);
    followed.begin();
    return undefined;
  }

  /** Whoever follows need not subscribe: the first message of the poll comes with the switch. */
  #putOn(show: string, id: string, key: PresentedKey | undefined): void {
    const known = this.#polls.get(id);
    if (known) known.shows.add(show);
    else {
      const interest = { key: key ?? this.#options.key, isKeyOptional: true, since: undefined };
      this.#polls.set(id, { seat: this.#sit(id, interest), isAsked: false, shows: new Set([show]) });
    }
  }

  #takeOff(show: string, id: string): void {
    const poll = this.#polls.get(id);
    poll?.shows.delete(show);
    if (poll && !poll.isAsked && poll.shows.size === 0) this.#drop(id);
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
      [...this.#shows.values()].some(({ onAir }) => onAir === undefined) ||
      [...this.#polls.values()].some(({ seat }) => seat.greetedAtMs === 0)
    );
  }

  #tell(event: CloseEvent, id: string, message?: string): undefined {
    const frame = errorFrame(event, { id }, message);
    // Kept while the wire is blocked: who misses it shows a poll for ever that is gone. The message budget is the bound.
    if (frame) this.#options.connection.tell(`error:${id}`, frame);
  }
}

export function serveMany(options: MultiplexedOptions): void {
  options.connection.session = new MultiplexedSession(options);
}

function parse(text: string): { message?: ReceivedMessage; fault?: string } {
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
