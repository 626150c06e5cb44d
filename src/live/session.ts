import type { PollId } from '../poll/poll.ts';
import { type IsOperatorKey, type PresentedKey, presentKey } from '../poll/poll-key.ts';
import { isReadablePollId } from '../poll/rehearsal.ts';
import { clientMessageSchema, type ReceivedMessage } from '../protocol/client-message.ts';
import {
  BadMessage,
  type CloseEvent,
  KeyRejected,
  PollNotFound,
  ShowNotFound,
  ShowRemoved,
  TooMany,
} from '../protocol/close-event.ts';
import { opensShow, type ShowAccess } from '../show/rewrite-show.ts';
import { type PublicShow, publicShow, type StoredShow } from '../show/show.ts';
import type { ShowBoard } from '../show/show-board.ts';
import type { Connection, Session } from './connection.ts';
import { errorFrame, Frame } from './frame.ts';
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

const NO_MESSAGES = 'This address takes no messages.';
const MAX_POLLS = 100;
/** Shows are followed for hours, until the connection closes. */
const MAX_SHOWS = 5;
const CHECK_INTERVAL_MS = 10;
/** Requests before a malformed message have 10 s. Counted in checks, because a process that stands still answers nothing. */
const MAX_CHECKS = 1_000;

export type SessionQuery = Pick<SubscriptionOptions, 'hz' | 'compact' | 'preview' | 'page'>;

export interface SessionOptions {
  readonly hub: Hub;
  readonly shows: ShowBoard;
  readonly isOperatorKey: IsOperatorKey;
  /** For every poll that is subscribed to without a key of its own. */
  readonly key: PresentedKey | undefined;
  readonly query: SessionQuery;
}

interface SubscribedPoll {
  readonly subscription: Subscription;
  /** The client has subscribed: the poll stays, whatever shows have on air. */
  isRequested: boolean;
  readonly shows: Set<string>;
}

/** Many polls and shows on one connection: `/api/live`. A rejected poll affects no other; a malformed message closes the connection. */
export class MultiplexedSession implements Session {
  readonly #options: SessionOptions;
  readonly #connection: Connection;
  readonly #polls = new Map<string, SubscribedPoll>();
  readonly #shows = new Map<string, FollowedShow>();
  #requested = 0;
  #isEnding = false;

  constructor(options: SessionOptions, connection: Connection) {
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

  onSubscriptionEnd(id: PollId, event: CloseEvent): void {
    this.#forget(id);
    this.#sendError(event, id);
  }

  close(): void {
    this.#isEnding = true;
    for (const { subscription } of this.#polls.values()) subscription.leave();
    for (const name of this.#shows.keys()) this.#unfollow(name);
  }

  /** @param access sends the whole rundown; without it, only the poll on air */
  protected follow(name: string, access: ShowAccess | undefined): void {
    const { shows, key } = this.#options;
    const show = new FollowedShow(name, {
      shows,
      access,
      connection: this.#connection,
      onSwitch: (onAir, before) => {
        if (before !== null) this.#takeOffAir(name, before);
        if (onAir !== null) this.#putOnAir(name, onAir, access?.key ?? key);
      },
      onRefused: event => {
        this.#unfollow(name);
        this.onShowRefused(event);
      },
    });
    this.#shows.set(name, show);
    this.#countScreen(name, null);
    show.begin();
  }

  protected onShowRefused(_: CloseEvent): void {}

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
    const shows = known?.shows ?? new Set<string>();
    this.#polls.set(id, { subscription, isRequested: true, shows });
    for (const show of shows) this.#countScreen(show, id);
  }

  /** A poll on air stays subscribed. */
  #unsubscribe(id: string): void {
    const poll = this.#polls.get(id);
    if (!poll?.shows.size) this.#drop(id);
    else if (poll.isRequested) {
      this.#requested -= 1;
      poll.isRequested = false;
    }
  }

  #open(id: string, options: Pick<SubscriptionOptions, 'key' | 'since' | 'isKeyOptional'>): Subscription {
    const { hz, compact, preview, page } = this.#options.query;
    return this.#options.hub.subscribe(id, { ...options, hz, compact, preview, page }, this.#connection);
  }

  #drop(id: string): void {
    const poll = this.#polls.get(id);
    if (!poll) return;
    this.#forget(id);
    this.#connection.forget(poll.subscription);
    poll.subscription.leave();
  }

  #forget(id: string): void {
    const poll = this.#polls.get(id);
    if (poll?.isRequested) this.#requested -= 1;
    this.#polls.delete(id);
    for (const show of poll?.shows ?? []) this.#countScreen(show, null);
  }

  #follow({ show: name, key: text }: Extract<ReceivedMessage, { type: 'follow' }>): void {
    const known = this.#shows.get(name);
    if (known && text === undefined) return;
    if (!known && this.#shows.size === MAX_SHOWS) {
      this.#connection.refuse(TooMany);
      return;
    }
    this.#unfollow(name);
    const key = presentKey(text, 'message');
    this.follow(name, key && { key, isOperatorKey: this.#options.isOperatorKey });
  }

  #unfollow(name: string): void {
    const show = this.#shows.get(name);
    show?.end();
    if (show?.onAir) this.#takeOffAir(name, show.onAir);
    this.#countScreen(name, undefined);
    this.#shows.delete(name);
  }

  /** @param id the poll that the connection watches for the show; null for none, undefined if it follows the show no more */
  #countScreen(name: string, id: PollId | null | undefined): void {
    const show = this.#shows.get(name);
    const { hub, query } = this.#options;
    if (!show || query.preview || query.page) return;
    if (show.watched !== undefined) hub.countScreen(name, show.watched, -1);
    if (id !== undefined) hub.countScreen(name, id, 1);
    show.watched = id;
  }

  #putOnAir(show: string, id: string, key: PresentedKey | undefined): void {
    const known = this.#polls.get(id);
    if (known) known.shows.add(show);
    else {
      const subscription = this.#open(id, { key, isKeyOptional: true });
      this.#polls.set(id, { subscription, isRequested: false, shows: new Set([show]) });
    }
    this.#countScreen(show, id);
  }

  #takeOffAir(show: string, id: string): void {
    const poll = this.#polls.get(id);
    poll?.shows.delete(show);
    this.#countScreen(show, null);
    if (poll && !poll.isRequested && poll.shows.size === 0) this.#drop(id);
  }

  /** Closes the connection after a malformed message, once all requests before it are answered. */
  #endAfterAnswers(fault: string | undefined): void {
    this.#isEnding = true;
    const end = (checks: number) => {
      if (this.#owesAnswers && checks < MAX_CHECKS)
        setTimeout(() => end(checks + 1), CHECK_INTERVAL_MS).unref();
      else this.#connection.refuse(BadMessage, undefined, fault);
    };
    end(0);
  }

  get #owesAnswers(): boolean {
    return (
      [...this.#shows.values()].some(({ onAir }) => onAir === undefined) ||
      [...this.#polls.values()].some(({ subscription }) => subscription.activatedAtMs === 0)
    );
  }

  #sendError(event: CloseEvent, id: string, message?: string): void {
    const frame = errorFrame(event, { id }, message);
    // Queued, because a client that misses it would show a deleted poll forever. The message budget bounds the queue.
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

/** One show and the poll on air: `/api/show/<name>/live`. Closes with the show; the end of a poll is only a message. */
export class ShowSession extends MultiplexedSession {
  readonly #name: string;
  readonly #access: ShowAccess | undefined;
  readonly #connection: Connection;

  constructor(name: string, options: SessionOptions, connection: Connection) {
    super(options, connection);
    this.#name = name;
    this.#access = showAccess(options);
    this.#connection = connection;
  }

  /** Call once the connection has this session. */
  begin(): void {
    this.follow(this.#name, this.#access);
  }

  override message(): void {
    this.#connection.refuse(BadMessage, undefined, NO_MESSAGES);
  }

  protected override onShowRefused(event: CloseEvent): void {
    this.#connection.close(event);
  }
}

/** A key in a header is the show's or an operator's. A key in the URL is a view key of the poll on air. */
export function showAccess({
  key,
  isOperatorKey,
}: Pick<SessionOptions, 'key' | 'isOperatorKey'>): ShowAccess | undefined {
  return key?.carrier === 'header' ? { key, isOperatorKey } : undefined;
}

interface FollowedShowOptions {
  readonly shows: ShowBoard;
  readonly connection: Connection;
  readonly access: ShowAccess | undefined;
  /** Called after the `show` message of a switch: the first message of the poll comes next. */
  readonly onSwitch: (onAir: PollId | null, before: PollId | null) => void;
  readonly onRefused: (event: CloseEvent) => void;
}

class FollowedShow {
  readonly #name: string;
  readonly #options: FollowedShowOptions;
  /** The poll for which the connection is counted as a screen of the show; undefined if it is not counted. */
  watched: PollId | null | undefined;
  #unfollow: (() => void) | undefined;
  #onAir: PollId | null | undefined;
  #hasEnded = false;

  constructor(name: string, options: FollowedShowOptions) {
    this.#name = name;
    this.#options = options;
  }

  /** The poll on air; undefined before the first message. */
  get onAir(): PollId | null | undefined {
    return this.#onAir;
  }

  begin(): void {
    const { shows, access } = this.#options;
    const unfollow = access
      ? shows.followShow(this.#name, (found, isMissing) => this.#sendRundown(found, isMissing, access))
      : shows.followPublic(this.#name, found => this.#send(found.id, publicFrame(this.#name, found)));
    // A known show calls back before this returns, which may call `end`.
    if (this.#hasEnded) unfollow();
    else this.#unfollow = unfollow;
  }

  end(): void {
    this.#hasEnded = true;
    this.#unfollow?.();
  }

  #sendRundown(found: StoredShow | undefined, isMissing: boolean, access: ShowAccess): void {
    if (this.#hasEnded) return;
    if (found && opensShow(found, access, 'read')) {
      const { onAir: id, title, rundown, own, place, version } = found;
      const seen = publicMessage(this.#name, publicShow(this.#name, found));
      this.#send(id, Frame.of({ ...seen, title, rundown, own, place, version }));
    } else this.#refuse(found ? KeyRejected : isMissing ? ShowNotFound : ShowRemoved);
  }

  #send(id: PollId | null, frame: Frame): void {
    if (this.#hasEnded) return;
    const before = this.#onAir ?? null;
    this.#onAir = id;
    this.#options.connection.queue(`show:${this.#name}`, frame);
    if (before !== id) this.#options.onSwitch(id, before);
  }

  #refuse(event: CloseEvent): void {
    this.end();
    const frame = errorFrame(event, { show: this.#name }, event === KeyRejected ? KEY_REJECTED : undefined);
    if (frame) this.#options.connection.queue(`show:${this.#name}`, frame);
    this.#options.onRefused(event);
  }
}

const KEY_REJECTED =
  'This key does not open this show. If its key was replaced, ask its owner for the new one.';

/** A crowd follows the same show, so its message is encoded once. */
let newest: { readonly text: string; readonly frame: Frame } | undefined;

function publicFrame(show: string, found: PublicShow): Frame {
  const text = JSON.stringify(publicMessage(show, found));
  if (newest?.text !== text) newest = { text, frame: new Frame(text) };
  return newest.frame;
}

function publicMessage(show: string, { id, missing, look, logo }: PublicShow) {
  const subscribed = id !== null && { subscribed: true as const };
  return {
    type: 'show' as const,
    show,
    id,
    ...subscribed,
    ...(missing && { missing }),
    ...(look && { look }),
    ...(logo && { logo }),
  };
}
