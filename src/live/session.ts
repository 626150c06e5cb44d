import { keepNewest } from '../poll/keep-newest.ts';
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
import type { ShowMessage } from '../protocol/messages.ts';
import { pressedOf } from '../show/press-guard.ts';
import { opensShow, type ShowAccess } from '../show/rewrite-show.ts';
import { type PublicShow, publicShow, type StoredShow } from '../show/show.ts';
import type { ShowBoard } from '../show/show-board.ts';
import type { ButtonBoard } from '../show/show-buttons.ts';
import type { Connection, Session } from './connection.ts';
import { errorFrame, Frame } from './frame.ts';
import type { Hub } from './hub.ts';
import type { Subscription, SubscriptionOptions } from './subscription.ts';

const NO_MESSAGES = 'This address takes no messages.';
const SHOW_KEY_REJECTED =
  'This key does not open this show. If its key was replaced, ask its owner for the new one.';
const MAX_POLLS = 100;
/** Shows are followed for hours, until the connection closes. */
const MAX_SHOWS = 5;
const CHECK_INTERVAL_MS = 10;
/**
 * Requests before a malformed message have 10 s. Counted in checks, because a process that stands
 * still answers nothing.
 */
const MAX_CHECKS = 1_000;

export type SessionQuery = Pick<SubscriptionOptions, 'hz' | 'compact' | 'preview' | 'page'>;

/** What all sessions share. */
export interface SessionDependencies {
  readonly hub: Hub;
  readonly shows: ShowBoard;
  readonly buttons: ButtonBoard;
  readonly isOperatorKey: IsOperatorKey;
}

export interface SessionRequest {
  /** For every poll that is subscribed to without a key of its own. */
  readonly key: PresentedKey | undefined;
  readonly query: SessionQuery;
}

/** The one poll or show of an address. */
export type SessionTarget =
  | { readonly poll: PollId; readonly since?: SubscriptionOptions['since'] }
  | { readonly show: string };

/** @param target undefined at `/api/live` */
export function beginSession(
  connection: Connection,
  services: SessionDependencies,
  request: SessionRequest,
  target?: SessionTarget,
): void {
  const session = new MultiplexedSession(services, request, connection);
  connection.session = session;
  if (target) session.openTarget(target);
}

interface SubscribedPoll {
  readonly subscription: Subscription;
  /** The client has subscribed: the poll stays, whatever shows have on air. */
  isRequested: boolean;
}

interface WatchedShow {
  readonly name: string;
  /** The key with which the client gets the whole rundown, if any. */
  readonly access: ShowAccess | undefined;
  /** Undefined before the first message. */
  onAir: PollId | null | undefined;
  /** The poll for which the connection is counted as a screen of the show; undefined if it is not counted. */
  watched: PollId | null | undefined;
  unfollow: () => void;
  unfollowButtons?: (() => void) | undefined;
}

/**
 * The polls and shows of one connection. At `/api/live` the client's messages ask for them: a
 * rejected poll affects no other, and a malformed message closes the connection. An address of one
 * poll or one show takes no messages, and the connection closes with the poll or the show.
 */
export class MultiplexedSession implements Session {
  readonly #services: SessionDependencies;
  readonly #key: PresentedKey | undefined;
  readonly #query: SessionQuery;
  readonly #connection: Connection;
  /** What the address asks for; at `/api/live` the client's messages do. */
  #fixed: 'poll' | 'show' | undefined;
  /** An array, and no map before the first show: most connections watch one poll, and a map takes 180 bytes. */
  #polls: readonly SubscribedPoll[] = [];
  #shows: Map<string, WatchedShow> | undefined;
  #isEnding = false;

  constructor(services: SessionDependencies, { key, query }: SessionRequest, connection: Connection) {
    this.#services = services;
    this.#key = key;
    this.#query = query;
    this.#connection = connection;
  }

  /** Opens the only poll or show of this session. Call once the connection has the session. */
  openTarget(target: SessionTarget): void {
    const key = this.#key;
    if ('poll' in target) {
      this.#fixed = 'poll';
      this.#open(target.poll, { key, since: target.since }, true);
    } else {
      this.#fixed = 'show';
      this.#followAs(target.show, showAccess({ key, isOperatorKey: this.#services.isOperatorKey }));
    }
  }

  message(text: string): void {
    if (this.#isEnding) return;
    if (this.#fixed) {
      this.#connection.refuse(BadMessage, undefined, NO_MESSAGES);
      return;
    }
    const { message, fault } = parse(text);
    if (!message) this.#endAfterAnswers(fault);
    else if (message.type === 'subscribe') this.#subscribe(message);
    else if (message.type === 'follow') this.#follow(message);
    else this.#unsubscribe(message.id);
  }

  onSubscriptionEnd(id: PollId, event: CloseEvent): void {
    this.#forget(id);
    if (this.#fixed === 'poll') this.#connection.refuse(event, id);
    else this.#sendError(event, id);
  }

  close(): void {
    this.#isEnding = true;
    for (const { subscription } of this.#polls) subscription.leave();
    for (const { name } of this.#followed) this.#unfollow(name);
  }

  /** Subscribing again replaces the key and starts over. A refused subscription changes nothing. */
  #subscribe({ id, key, since }: Extract<ReceivedMessage, { type: 'subscribe' }>): void {
    if (!isReadablePollId(id)) {
      this.#sendError(PollNotFound, id);
      return;
    }
    const requested = this.#polls.filter(({ isRequested }) => isRequested).length;
    if (requested === MAX_POLLS && !this.#find(id)?.isRequested) {
      this.#sendError(TooMany, id, `At most ${MAX_POLLS} polls fit on one connection.`);
      return;
    }
    this.#drop(id);
    this.#open(id, { key: presentKey(key, 'message') ?? this.#key, since }, true);
    for (const show of this.#showsOf(id)) this.#countScreen(show, id);
  }

  /** A poll on air stays subscribed. */
  #unsubscribe(id: string): void {
    const poll = this.#find(id);
    if (this.#showsOf(id).length === 0) this.#drop(id);
    else if (poll) poll.isRequested = false;
  }

  #open(
    id: string,
    options: Pick<SubscriptionOptions, 'key' | 'since' | 'isKeyOptional'>,
    isRequested: boolean,
  ): void {
    const { hz, compact, preview, page } = this.#query;
    const { hub } = this.#services;
    const subscription = hub.subscribe(id, { ...options, hz, compact, preview, page }, this.#connection);
    this.#polls = this.#polls.concat({ subscription, isRequested });
  }

  #find(id: string): SubscribedPoll | undefined {
    return this.#polls.find(({ subscription }) => subscription.id === id);
  }

  #drop(id: string): void {
    const poll = this.#find(id);
    if (!poll) return;
    this.#forget(id);
    this.#connection.forget(poll.subscription);
    poll.subscription.leave();
  }

  #forget(id: string): void {
    this.#polls = this.#polls.filter(({ subscription }) => subscription.id !== id);
    for (const show of this.#showsOf(id)) this.#countScreen(show, null);
  }

  #follow({ show: name, key: text }: Extract<ReceivedMessage, { type: 'follow' }>): void {
    const known = this.#shows?.get(name);
    if (known && text === undefined) return;
    if (!known && this.#shows?.size === MAX_SHOWS) {
      this.#connection.refuse(TooMany);
      return;
    }
    this.#unfollow(name);
    const key = presentKey(text, 'message');
    this.#followAs(name, key && { key, isOperatorKey: this.#services.isOperatorKey });
  }

  /** @param access sends the whole rundown; without it, only the poll on air */
  #followAs(name: string, access: ShowAccess | undefined): void {
    const { shows } = this.#services;
    const show: WatchedShow = { name, access, onAir: undefined, watched: undefined, unfollow: () => {} };
    this.#shows ??= new Map();
    this.#shows.set(name, show);
    this.#countScreen(show, null);
    const unfollow = access
      ? shows.followShow(name, (found, isMissing) => this.#sendRundown(show, access, found, isMissing))
      : shows.followPublic(name, found => {
          const json = JSON.stringify(publicMessage(name, found));
          this.#sendShow(show, found.id, frameOfShow(json));
        });
    // A known show calls back before this returns, and may have been refused.
    if (this.#isFollowed(show)) show.unfollow = unfollow;
    else unfollow();
  }

  #sendRundown(
    show: WatchedShow,
    access: ShowAccess,
    found: StoredShow | undefined,
    isMissing: boolean,
  ): void {
    if (!this.#isFollowed(show)) return;
    if (!found) this.#refuseShow(show, isMissing ? ShowNotFound : ShowRemoved);
    else if (!opensShow(found, access, 'read')) this.#refuseShow(show, KeyRejected, SHOW_KEY_REJECTED);
    else {
      const { onAir, title, rundown, looks, own, place, version, recent } = found;
      const seen = publicMessage(show.name, publicShow(show.name, found));
      const newest = recent.at(-1);
      const pressed = newest && pressedOf(newest);
      this.#sendShow(show, onAir, Frame.of({ ...seen, looks, title, rundown, own, place, version, pressed }));
      show.unfollowButtons ??= this.#services.buttons.follow(show.name, text => {
        // An operator's key may have been revoked since.
        if (opensShow(found, access, 'read')) this.#connection.queue(`buttons:${show.name}`, new Frame(text));
        else this.#refuseShow(show, KeyRejected, SHOW_KEY_REJECTED);
      });
    }
  }

  /** After the `show` message of a switch, the first message of the poll comes next. */
  #sendShow(show: WatchedShow, onAir: PollId | null, frame: Frame): void {
    if (!this.#isFollowed(show)) return;
    const before = show.onAir ?? null;
    show.onAir = onAir;
    this.#connection.queue(`show:${show.name}`, frame);
    if (before === onAir) return;
    if (before !== null) this.#takeOffAir(show, before);
    if (onAir !== null) this.#putOnAir(show, onAir);
  }

  #refuseShow(show: WatchedShow, event: CloseEvent, message?: string): void {
    this.#unfollow(show.name);
    const frame = errorFrame(event, { show: show.name }, message);
    if (frame) this.#connection.queue(`show:${show.name}`, frame);
    if (this.#fixed) this.#connection.close(event);
  }

  #unfollow(name: string): void {
    const show = this.#shows?.get(name);
    if (!show) return;
    show.unfollow();
    show.unfollowButtons?.();
    this.#shows?.delete(name);
    if (show.onAir) this.#takeOffAir(show, show.onAir);
    this.#countScreen(show, undefined);
  }

  get #followed(): readonly WatchedShow[] {
    return this.#shows ? [...this.#shows.values()] : [];
  }

  #isFollowed(show: WatchedShow): boolean {
    return this.#shows?.get(show.name) === show;
  }

  #showsOf(id: PollId): readonly WatchedShow[] {
    return this.#followed.filter(({ onAir }) => onAir === id);
  }

  /**
   * @param id the poll that the connection watches for the show; null for none, undefined if it
   *   follows the show no more
   */
  #countScreen(show: WatchedShow, id: PollId | null | undefined): void {
    const { hub } = this.#services;
    if (this.#query.preview || this.#query.page) return;
    if (show.watched !== undefined) hub.countScreen(show.name, show.watched, -1);
    if (id !== undefined) hub.countScreen(show.name, id, 1);
    show.watched = id;
  }

  #putOnAir(show: WatchedShow, id: PollId): void {
    if (!this.#find(id)) this.#open(id, { key: show.access?.key ?? this.#key, isKeyOptional: true }, false);
    this.#countScreen(show, id);
  }

  #takeOffAir(show: WatchedShow, id: PollId): void {
    this.#countScreen(show, null);
    if (!this.#find(id)?.isRequested && this.#showsOf(id).length === 0) this.#drop(id);
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
      this.#followed.some(({ onAir }) => onAir === undefined) ||
      this.#polls.some(({ subscription }) => subscription.activatedAtMs === 0)
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

/** A key in a header is the show's or an operator's. In the URL it is a view key, of the show or of the poll on air. */
export function showAccess({
  key,
  isOperatorKey,
}: Pick<SessionRequest, 'key'> & Pick<SessionDependencies, 'isOperatorKey'>): ShowAccess | undefined {
  return key?.carrier === 'header' || key?.viewsShow ? { key, isOperatorKey } : undefined;
}

/** Encodes the message of a show once for the crowd that follows it. */
const frameOfShow = keepNewest((json: string) => new Frame(json));

function publicMessage(
  show: string,
  { id, missing, look, looks, logo, delay, airedWinner, ground, chat, joinCode }: PublicShow,
): ShowMessage {
  return {
    type: 'show',
    show,
    id,
    subscribed: id !== null || undefined,
    missing,
    look: look ?? undefined,
    looks,
    logo: logo ?? undefined,
    delay: delay || undefined,
    aired_winner: airedWinner ?? undefined,
    ground: ground ?? undefined,
    chat,
    join_code: joinCode,
  };
}
