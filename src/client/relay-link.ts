import { MAX_KEY_LENGTH, SHOW_NAME } from '../poll/name-rules.ts';
import { KeyRejected } from '../protocol/close-event.ts';
import type { ClientMessage, ServerMessage } from '../protocol/messages.ts';
import { type ConnectOptions, heartbeatMs, liveQuery, surroundings } from './connect-options.ts';
import { Connection } from './connection.ts';
import { FollowedShow, type ShowListener } from './followed-show.ts';
import { httpUrl } from './poll-url.ts';
import { pollTarget, type ReadTarget, readWay, showTarget } from './read-way.ts';
import { refusalOfClose } from './refusal.ts';
import { SharedPoll } from './shared-poll.ts';
import { socketWay } from './socket-way.ts';
import type { Via, Watch, WatchListener } from './watch-state.ts';

export type { ShowListener } from './followed-show.ts';
export type * from './watch-state.ts';

/** Names and keys outside the rules are refused here: the relay would close the connection of all for a bad message. */
const POLL_ID = /^[\w-]{1,64}$/;
/** The relay lets one connection watch and follow no more. */
const MAX_POLLS = 100;
const MAX_SHOWS = 5;
const NO_KEY = refusalOfClose(KeyRejected.code)!;

export interface WatchOptions extends WatchListener {
  /** Opens hidden results. Where several watch one poll, the first key counts for all of them. */
  readonly key?: string | undefined;
}

export interface FollowOptions extends ShowListener {
  /** Opens hidden results of the polls that the show points to. */
  readonly key?: string | undefined;
  /** Of the show, or an operator's: tells the run-down, too. The first one counts for all who follow the show. */
  readonly showKey?: string | undefined;
}

/**
 * Many polls of one relay over one WebSocket, which is open while anything is watched. Where no WebSocket can be opened the
 * polls are read every few seconds: a page may hold only six streams of Server-Sent Events, so those are no way for many.
 *
 *     const relay = new RelayLink('https://relay.example');
 *     const watch = relay.watch('<id>', { onResults: draw, onState: mark });
 *     const follow = relay.follow('evening', { onShow: id => clear(), onResults: draw, onState: mark });
 */
export class RelayLink {
  readonly #relay: string;
  readonly #options: ConnectOptions;
  readonly #polls = new Map<string, SharedPoll>();
  readonly #shows = new Map<string, FollowedShow>();
  #connection: Connection | undefined;
  /** A poll whose first message comes next, unasked, while that is being told. */
  #pushed: string | null | undefined;
  /** For what has no room on this connection. */
  #overflow: RelayLink | undefined;

  /**
   * @param relay where the relay is, such as `https://relay.example`
   * @throws TypeError where it is no http or https URL
   */
  constructor(relay: string, options: ConnectOptions = {}) {
    this.#relay = httpUrl(relay).href.replace(/\/+$/, '');
    this.#options = options;
  }

  /**
   * Watches a poll. Whoever comes second to a poll shares the subscription and is told at once what is known. A refusal comes
   * as a state of this poll and costs the others nothing; beyond 100 polls a further connection is opened.
   *
   * @throws TypeError where no poll has such an id, before anything is asked
   */
  watch(id: string, options: WatchOptions): Watch {
    checkName(POLL_ID, id);
    const { key, onResults, onState } = options;
    // Two calls may share their options; each is a watcher of its own.
    const listener = { onResults, onState };
    const isKey = isKeyOrNone(key);
    const known = isKey ? this.#polls.get(id) : undefined;
    if (isKey && !known && this.#polls.size === MAX_POLLS) return this.#next.watch(id, options);
    const poll = known ?? new SharedPoll(id);
    poll.add(listener);
    if (isKey) this.#subscribe(poll, key);
    else queueMicrotask(() => poll.refuse(NO_KEY));
    return { close: () => this.#unwatch(poll, listener) };
  }

  /**
   * Watches whatever poll the show points to. A name that nobody has taken yet points to nothing, which is no error. Beyond 5
   * shows a further connection is opened.
   *
   * @throws TypeError where no show has such a name, before anything is asked
   */
  follow(show: string, options: FollowOptions): Watch {
    checkName(SHOW_NAME, show);
    const { key, showKey } = options;
    const isKey = isKeyOrNone(showKey);
    const known = isKey ? this.#shows.get(show) : undefined;
    if (isKey && !known && !this.#makeRoomForShow()) return this.#next.follow(show, options);
    const watch = (id: string, listener: WatchListener) => this.watch(id, { ...listener, key });
    const followed = known ?? new FollowedShow(watch, { type: 'follow', show, key: showKey });
    if (!isKey) queueMicrotask(() => followed.refuse(NO_KEY));
    else if (!known) {
      this.#shows.set(show, followed);
      this.#say(followed.follow);
    }
    const leave = followed.add(options);
    return {
      close: () => {
        leave();
        this.#closeIfIdle();
      },
    };
  }

  /** Ends all watching and following. Whatever is watched later opens a connection again. */
  close(): void {
    for (const followed of this.#shows.values()) followed.close();
    this.#polls.clear();
    this.#closeIfIdle();
    this.#overflow?.close();
  }

  #subscribe(poll: SharedPoll, key: string | undefined): void {
    const hasNews = !poll.isAsked || (poll.key === undefined && key !== undefined);
    this.#polls.set(poll.id, poll);
    poll.key ??= key;
    // The relay has subscribed this connection to what it puts on air.
    const isPushed = poll.id === this.#pushed && key === undefined;
    if (hasNews && !isPushed) this.#say(poll.subscribe);
  }

  get #next(): RelayLink {
    this.#overflow ??= new RelayLink(this.#relay, this.#options);
    return this.#overflow;
  }

  /**
   * Nothing takes a follow back, so the relay counts also what nobody follows any more: a connection that is full of such
   * gives way to a new one. @returns whether there is room
   */
  #makeRoomForShow(): boolean {
    if (this.#shows.size < MAX_SHOWS) return true;
    this.#forgetUnfollowedShows();
    if (this.#shows.size === MAX_SHOWS) return false;
    this.#connection?.close();
    this.#connection = undefined;
    return true;
  }

  #forgetUnfollowedShows(): void {
    for (const [name, show] of this.#shows) if (show.isUnfollowed) this.#shows.delete(name);
  }

  #unwatch(poll: SharedPoll, listener: WatchListener): void {
    poll.remove(listener);
    if (!poll.isUnwatched || this.#polls.get(poll.id) !== poll) return;
    this.#polls.delete(poll.id);
    if (poll.isAsked) this.#connection?.send({ type: 'unsubscribe', id: poll.id });
    this.#closeIfIdle();
  }

  #closeIfIdle(): void {
    if (this.#polls.size > 0 || [...this.#shows.values()].some(show => !show.isUnfollowed)) return;
    this.#shows.clear();
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Opening says it all, so what cannot be sent yet is not lost. */
  #say(message: ClientMessage): void {
    if (this.#connection) this.#connection.send(message);
    else this.#connection = this.#connect();
  }

  #connect(): Connection {
    const { WebSocket, fetch, clock } = surroundings(this.#options);
    const url = (): string => `${this.#relay}/api/live?${liveQuery(this.#options)}`;
    return new Connection({
      ways: [
        ...(WebSocket ? [socketWay({ WebSocket, clock, url, hello: () => this.#hello() })] : []),
        readWay({ fetch, clock, targets: () => this.#targets() }),
      ],
      heartbeatMs: heartbeatMs(this.#options),
      longestPauseMs: this.#options.longestPauseMs,
      clock,
      onMessage: (message, via) => this.#take(message, via),
      onLost: failure => {
        for (const lost of [...this.#polls.values(), ...this.#shows.values()]) lost.lose(failure);
      },
      onRefused: refusal => {
        const refused = [...this.#polls.values(), ...this.#shows.values()];
        this.#polls.clear();
        this.#shows.clear();
        this.#connection = undefined;
        for (const one of refused) one.refuse(refusal);
      },
    });
  }

  #hello(): ClientMessage[] {
    this.#forgetUnfollowedShows();
    const follows = [...this.#shows.values()].map(({ follow }) => follow);
    return [...follows, ...[...this.#polls.values()].map(poll => poll.subscribe)];
  }

  /** Shows first: what they point to is read in the same round. */
  *#targets(): Iterable<ReadTarget> {
    for (const { follow } of this.#shows.values()) yield showTarget(this.#relay, follow);
    for (const { id, key } of this.#polls.values()) yield pollTarget(this.#relay, id, key);
  }

  #take(message: ServerMessage, via: Via): void {
    if (message.type === 'show') {
      this.#pushed = message.subscribed && message.id;
      this.#shows.get(message.show)?.point(message);
      this.#pushed = undefined;
    }
    if (message.type === 'error' && message.show) {
      this.#shows.get(message.show)?.refuse({ ...message, error: message.code });
      this.#shows.delete(message.show);
    }
    const poll = message.type !== 'show' && 'id' in message && this.#polls.get(message.id ?? '');
    if (!poll) return;
    poll.take(message, via);
    // The relay has dropped the subscription: the next watch of this poll subscribes again.
    if (poll.state.state === 'refused') this.#polls.delete(poll.id);
  }
}

function checkName(pattern: RegExp, name: string): void {
  if (!pattern.test(name)) throw new TypeError(`No poll or show is called "${name}"`);
}

function isKeyOrNone(key: string | null | undefined): boolean {
  return key == null || (key.length > 0 && key.length <= MAX_KEY_LENGTH);
}
