import { type IsOperatorKey, type PresentedKey, presentKey } from '../poll/poll-key.ts';
import { isReadablePollId } from '../poll/rehearsal.ts';
import { clientMessageSchema, type ReceivedMessage } from '../protocol/client-message.ts';
import { BadMessage, type CloseEvent, PollNotFound, TooMany } from '../protocol/close-event.ts';
import type { ShowBoard } from '../show/show-board.ts';
import type { Connection, Session } from './connection.ts';
import { errorFrame } from './error-frame.ts';
import { FollowedShow } from './followed-show.ts';
import type { Hub } from './hub.ts';
import type { LiveQuery } from './live-query.ts';
import type { Subscription, SubscriptionOptions } from './subscription.ts';

const MAX_POLLS = 100;
/** Shows are followed for hours, and only a close ends it. */
const MAX_SHOWS = 5;
/** How long requests before a bad message may take to be answered. */
const LAST_ANSWERS_MS = 2_000;
const CHECK_INTERVAL_MS = 10;

export interface MultiplexedOptions {
  readonly hub: Hub;
  readonly shows: ShowBoard;
  readonly query: LiveQuery;
  /** For every poll that is subscribed to without a key of its own. */
  readonly key: PresentedKey | undefined;
  readonly isOperatorKey: IsOperatorKey;
}

interface SubscribedPoll {
  readonly subscription: Subscription;
  /** The client has subscribed: the poll stays, whatever shows have on air. */
  isRequested: boolean;
  /** Shows that have it on air. */
  readonly shows: Set<string>;
}

/** Many polls on one connection: `/api/live`. A rejected poll costs the others nothing; only a malformed message ends the connection. */
export class MultiplexedSession implements Session {
  readonly #options: MultiplexedOptions;
  readonly #connection: Connection;
  readonly #polls = new Map<string, SubscribedPoll>();
  readonly #shows = new Map<string, FollowedShow>();
  #requested = 0;
  #isEnding = false;

  constructor(options: MultiplexedOptions, connection: Connection) {
    this.#options = options;
    this.#connection = connection;
  }

  message(text: string): void {
    if (this.#isEnding) return;
    const { message, fault } = parse(text);
    if (!message) this.#endAfterAnswers(fault);
    else if (message.type === 'subscribe') this.#subscribe(message);
    else if (message.type === 'follow') this.#follow(message);
    else this.#unsubscribe(message.id);
  }

  onSubscriptionEnd(id: string, event: CloseEvent): void {
    this.#forget(id);
    this.#sendError(event, id);
  }

  close(): void {
    this.#isEnding = true;
    for (const { subscription } of this.#polls.values()) subscription.leave();
    for (const show of this.#shows.values()) show.end();
  }

  /** Subscribing again replaces the key and starts over. A refused subscription changes nothing. */
  #subscribe({ id, key, since }: Extract<ReceivedMessage, { type: 'subscribe' }>): void {
    if (!isReadablePollId(id)) {
      this.#sendError(PollNotFound, id);
      return;
    }
    const known = this.#polls.get(id);
    if (this.#requested === MAX_POLLS && !known?.isRequested) {
      this.#sendError(TooMany, id, `At most ${MAX_POLLS} polls fit on one connection.`);
      return;
    }
    this.#drop(id);
    this.#requested += 1;
    const subscription = this.#open(id, { key: presentKey(key, 'message') ?? this.#options.key, since });
    this.#polls.set(id, { subscription, isRequested: true, shows: known?.shows ?? new Set() });
  }

  /** A poll on air stays: the show may have put it back on air meanwhile. */
  #unsubscribe(id: string): void {
    const poll = this.#polls.get(id);
    if (!poll?.shows.size) this.#drop(id);
    else if (poll.isRequested) {
      this.#requested -= 1;
      poll.isRequested = false;
    }
  }

  #open(id: string, options: Pick<SubscriptionOptions, 'key' | 'since' | 'isKeyOptional'>): Subscription {
    const { hub, query } = this.#options;
    const { hz, compact, preview } = query;
    return hub.subscribe(id, { ...options, hz, compact, preview }, this.#connection);
  }

  #drop(id: string): void {
    const poll = this.#polls.get(id);
    if (!poll) return;
    this.#forget(id);
    this.#connection.forget(poll.subscription);
    poll.subscription.leave();
  }

  #forget(id: string): void {
    if (this.#polls.get(id)?.isRequested) this.#requested -= 1;
    this.#polls.delete(id);
  }

  /** Following again with a key starts over. */
  #follow({ show, key: text }: Extract<ReceivedMessage, { type: 'follow' }>): void {
    const known = this.#shows.get(show);
    if (known && text === undefined) return;
    if (!known && this.#shows.size === MAX_SHOWS) {
      this.#connection.refuse(TooMany);
      return;
    }
    known?.end();
    if (known?.onAir) this.#takeOff(show, known.onAir);
    const { shows, isOperatorKey } = this.#options;
    const key = presentKey(text, 'message');
    const followed = new FollowedShow(show, {
      shows,
      connection: this.#connection,
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
  }

  /** A follower need not subscribe: the first message of the poll comes with the switch. */
  #putOn(show: string, id: string, key: PresentedKey | undefined): void {
    const known = this.#polls.get(id);
    if (known) known.shows.add(show);
    else {
      const options = { key: key ?? this.#options.key, isKeyOptional: true };
      const subscription = this.#open(id, options);
      this.#polls.set(id, { subscription, isRequested: false, shows: new Set([show]) });
    }
  }

  #takeOff(show: string, id: string): void {
    const poll = this.#polls.get(id);
    poll?.shows.delete(show);
    if (poll && !poll.isRequested && poll.shows.size === 0) this.#drop(id);
  }

  /** A malformed message ends the connection, once all requests before it are answered. */
  #endAfterAnswers(fault: string | undefined): void {
    this.#isEnding = true;
    const untilMs = performance.now() + LAST_ANSWERS_MS;
    const end = () => {
      if (this.#owesAnswers && performance.now() < untilMs) setTimeout(end, CHECK_INTERVAL_MS).unref();
      else this.#connection.refuse(BadMessage, undefined, fault);
    };
    end();
  }

  get #owesAnswers(): boolean {
    return (
      [...this.#shows.values()].some(({ onAir }) => onAir === undefined) ||
      [...this.#polls.values()].some(({ subscription }) => subscription.activatedAtMs === 0)
    );
  }

  #sendError(event: CloseEvent, id: string, message?: string): void {
    const frame = errorFrame(event, { id }, message);
    // Queued while blocked: a client that misses it would show a deleted poll for ever. The message budget is the bound.
    if (frame) this.#connection.queue(`error:${id}`, frame);
  }
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
