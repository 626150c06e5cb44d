import { MAX_KEY_LENGTH, SHOW_NAME } from '../poll/poll.ts';
import { KeyRejected } from '../protocol/close-event.ts';
import type {
  ClientMessage,
  ErrorMessage,
  FollowMessage,
  ServerMessage,
  ShowMessage,
} from '../protocol/messages.ts';
import { type ConnectOptions, heartbeatMs, liveQuery, platform } from './connect-options.ts';
import { Connection, type Failure } from './connection.ts';
import { type DelayedListener, delayListener } from './delayed-listener.ts';
import { PollTracker } from './poll-tracker.ts';
import { httpUrl } from './poll-url.ts';
import {
  type PollingTarget,
  pollingTransport,
  pollTarget,
  type Rejection,
  rejectionOfClose,
  showTarget,
  webSocketTransport,
} from './transports.ts';
import { callSafely, type ShowListener, type Via, type Watch, type WatchListener } from './watch-state.ts';

export type * from './watch-state.ts';

/** Bad names and keys are rejected here: the relay would close the shared connection for them. */
const POLL_ID = /^[\w-]{1,64}$/;
const MAX_POLLS = 100;
const MAX_SHOWS = 5;
/** ± half. */
const ASK_AGAIN_MS = 15_000;
const BAD_KEY = rejectionOfClose(KeyRejected.code)!;

export interface WatchOptions extends WatchListener {
  /** As of `watchPoll`. */
  readonly delay?: number | undefined;
  /** Opens hidden results. All watchers of a poll share the first key. */
  readonly key?: string | undefined;
}

export interface FollowOptions extends ShowListener {
  /** As of `watchPoll`; also of what the show has on air. */
  readonly delay?: number | undefined;
  /** Opens hidden results of the polls that the show points to. */
  readonly key?: string | undefined;
  /** Key of the show or of an operator; adds the rundown. All followers of a show share the first one. */
  readonly showKey?: string | undefined;
}

/**
 * Many polls of one relay over one WebSocket, which is open while anything is watched. Falls back
 * to polling: a page may open only six streams of Server-Sent Events.
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
  /** Polls and shows that the relay does not have, until they are asked for again. */
  readonly #missing = new Set<SharedPoll | FollowedShow>();
  /** Listeners of all watches and follows. */
  readonly #delayed = new Set<DelayedListener>();
  #cancelAsking = (): void => {};
  /** Poll that the relay has just subscribed this connection to, while followers of the show are notified. */
  #subscribedByRelay: string | null | undefined;
  /** Takes what exceeds the limits of this connection. */
  #overflow: RelayLink | undefined;

  /** @param relay base URL, such as `https://relay.example` @throws TypeError unless it is an http or https URL */
  constructor(relay: string, options: ConnectOptions = {}) {
    this.#relay = httpUrl(relay).href.replace(/\/+$/, '');
    this.#options = options;
  }

  /**
   * Watches a poll. Watchers of the same poll share a subscription, a rejection affects this poll
   * only, and more than 100 polls open another connection.
   *
   * @throws TypeError for an id that no poll can have, and for a delay out of range
   */
  watch(id: string, options: WatchOptions): Watch {
    checkName(POLL_ID, id);
    const { key } = options;
    const isValid = isValidKey(key);
    const known = isValid ? this.#polls.get(id) : undefined;
    if (isValid && !known && this.#polls.size === MAX_POLLS) return this.#next.watch(id, options);
    const delayed = this.#delay(options);
    const { onResults, onState } = delayed.listener;
    // A new object each time: two calls may pass the same options.
    const listener = { onResults, onState };
    const poll = known ?? new SharedPoll(id);
    poll.add(listener);
    if (isValid) this.#subscribe(poll, key);
    else queueMicrotask(() => poll.reject(BAD_KEY));
    return {
      close: () => {
        this.#endDelay(delayed);
        this.#unwatch(poll, listener);
      },
    };
  }

  /**
   * Watches the poll that a show points to. An unused name is no error: it points to nothing. More
   * than 5 shows open another connection.
   *
   * @throws TypeError for a name that no show can have, and for a delay out of range
   */
  follow(show: string, options: FollowOptions): Watch {
    checkName(SHOW_NAME, show);
    const { key, showKey } = options;
    const isValid = isValidKey(showKey);
    const known = isValid ? this.#shows.get(show) : undefined;
    if (isValid && !known && !this.#makeRoomForShow()) return this.#next.follow(show, options);
    const delayed = this.#delay(options);
    const watch = (id: string, listener: WatchListener) => this.watch(id, { ...listener, key });
    const followed = known ?? new FollowedShow(watch, { type: 'follow', show, key: showKey });
    if (!isValid) queueMicrotask(() => followed.reject(BAD_KEY));
    else if (!known) {
      this.#shows.set(show, followed);
      this.#send(followed.follow);
    }
    const remove = followed.add(delayed.listener);
    return {
      close: () => {
        this.#endDelay(delayed);
        remove();
        this.#closeIfIdle();
      },
    };
  }

  /** Ends all watches and follows. A later one opens a new connection. */
  close(): void {
    for (const followed of this.#shows.values()) followed.close();
    for (const delayed of this.#delayed) this.#endDelay(delayed);
    this.#polls.clear();
    this.#closeIfIdle();
    this.#overflow?.close();
  }

  #delay(options: FollowOptions): DelayedListener {
    const delayed = delayListener(options, options.delay ?? 0, platform(this.#options).clock);
    this.#delayed.add(delayed);
    return delayed;
  }

  #endDelay(delayed: DelayedListener): void {
    delayed.close();
    this.#delayed.delete(delayed);
  }

  #subscribe(poll: SharedPoll, key: string | undefined): void {
    const isNew = !poll.isSubscribed || (poll.key === undefined && key !== undefined);
    this.#polls.set(poll.id, poll);
    poll.key ??= key;
    const isPushed = poll.id === this.#subscribedByRelay && key === undefined;
    if (isNew && !isPushed) this.#send(poll.hello());
  }

  get #next(): RelayLink {
    this.#overflow ??= new RelayLink(this.#relay, this.#options);
    return this.#overflow;
  }

  /**
   * The protocol has no unfollow, so unfollowed shows count until the connection is replaced.
   *
   * @returns whether there is room
   */
  #makeRoomForShow(): boolean {
    if (this.#shows.size < MAX_SHOWS) return true;
    this.#removeUnfollowedShows();
    if (this.#shows.size === MAX_SHOWS) return false;
    this.#disconnect();
    return true;
  }

  #removeUnfollowedShows(): void {
    for (const [name, show] of this.#shows) if (show.isIdle) this.#shows.delete(name);
  }

  #unwatch(poll: SharedPoll, listener: WatchListener): void {
    poll.remove(listener);
    if (!poll.isIdle || this.#polls.get(poll.id) !== poll) return;
    this.#polls.delete(poll.id);
    if (poll.isSubscribed) this.#connection?.send({ type: 'unsubscribe', id: poll.id });
    this.#closeIfIdle();
  }

  #closeIfIdle(): void {
    if (this.#polls.size > 0 || [...this.#shows.values()].some(show => !show.isIdle)) return;
    this.#shows.clear();
    this.#disconnect();
  }

  #disconnect(): void {
    this.#cancelAsking();
    this.#missing.clear();
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Opening a connection sends every subscription, so nothing is lost before it is open. */
  #send(message: ClientMessage): void {
    if (this.#connection) this.#connection.send(message);
    else this.#connection = this.#connect();
  }

  #connect(): Connection {
    const { WebSocket, fetch, clock } = platform(this.#options);
    const url = (): string => `${this.#relay}/api/live?${liveQuery(this.#options)}`;
    return new Connection({
      transports: [
        ...(WebSocket ? [webSocketTransport(WebSocket, clock, url, () => this.#hello())] : []),
        pollingTransport(fetch, clock, () => this.#targets()),
      ],
      heartbeatMs: heartbeatMs(this.#options),
      longestPauseMs: this.#options.longestPauseMs,
      clock,
      onMessage: (message, via) => this.#onMessage(message, via),
      onLost: failure => {
        for (const one of [...this.#polls.values(), ...this.#shows.values()]) one.disconnect(failure);
      },
      onRejected: rejection => {
        const all = [...this.#polls.values(), ...this.#shows.values()];
        this.#polls.clear();
        this.#shows.clear();
        this.#disconnect();
        for (const one of all) one.reject(rejection);
      },
    });
  }

  #hello(): ClientMessage[] {
    this.#removeUnfollowedShows();
    const follows = [...this.#shows.values()].map(({ follow }) => follow);
    return [...follows, ...[...this.#polls.values()].map(poll => poll.hello())];
  }

  /** Shows first, so that the poll on air is read in the same round. */
  *#targets(): Iterable<PollingTarget> {
    for (const { follow } of this.#shows.values()) yield showTarget(this.#relay, follow);
    for (const { id, key } of this.#polls.values()) yield pollTarget(this.#relay, id, key);
  }

  #onMessage(message: ServerMessage, via: Via): void {
    if (message.type === 'show') {
      this.#subscribedByRelay = message.subscribed && message.id;
      this.#shows.get(message.show)?.update(message);
      this.#subscribedByRelay = undefined;
    }
    if (message.type === 'error' && message.show) {
      const show = this.#shows.get(message.show);
      show?.reject({ ...message, error: message.code });
      if (show?.isMissing) this.#askAgain(show);
      else this.#shows.delete(message.show);
    }
    const poll = message.type !== 'show' && 'id' in message && this.#polls.get(message.id ?? '');
    if (!poll) return;
    poll.apply(message, via);
    // The relay has dropped the subscription: the next watch of this poll subscribes again.
    if (message.type === 'error') {
      poll.isSubscribed = false;
      if (poll.isEnded) this.#polls.delete(poll.id);
      else this.#askAgain(poll);
    }
  }

  /** Once for all that is missing. */
  #askAgain(one: SharedPoll | FollowedShow): void {
    const { clock } = platform(this.#options);
    if (this.#missing.size === 0)
      this.#cancelAsking = clock.after(ASK_AGAIN_MS * (0.5 + clock.random()), () => {
        const all = [...this.#missing].filter(({ isIdle }) => !isIdle);
        this.#missing.clear();
        for (const one of all) this.#connection?.send(one.hello());
      });
    this.#missing.add(one);
  }
}

function checkName(pattern: RegExp, name: string): void {
  if (!pattern.test(name)) throw new TypeError(`Not the name of a poll or show: "${name}"`);
}

function isValidKey(key: string | null | undefined): boolean {
  return key == null || (key.length > 0 && key.length <= MAX_KEY_LENGTH);
}

/** A poll on a shared connection with all its watchers. */
class SharedPoll extends PollTracker {
  readonly id: string;
  key: string | undefined;
  /** This client has subscribed; false while only a followed show has. */
  isSubscribed = false;
  readonly #listeners: Set<WatchListener>;

  constructor(id: string) {
    const listeners = new Set<WatchListener>();
    super({
      onResults: results => {
        for (const { onResults } of listeners) callSafely(onResults, results);
      },
      onState: state => {
        for (const { onState } of listeners) callSafely(onState, state);
      },
    });
    this.id = id;
    this.#listeners = listeners;
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  hello(): ClientMessage {
    this.isSubscribed = true;
    const { id, key, since } = this;
    return { type: 'subscribe', id, key, since };
  }

  /** Calls the listener with the current state, as earlier listeners know it. */
  add(listener: WatchListener): void {
    this.#listeners.add(listener);
    const { results, state } = this;
    queueMicrotask(() => {
      // Anything newer has reached it already.
      if (!this.#listeners.has(listener) || this.state !== state || this.results !== results) return;
      if (results) callSafely(listener.onResults, results);
      if (state.state !== 'connecting' || state.attempts > 0) callSafely(listener.onState, state);
    });
  }

  remove(listener: WatchListener): void {
    this.#listeners.delete(listener);
  }
}

type RefusedShow = Pick<Rejection, 'error' | 'message'> & Pick<ErrorMessage, 'deleted'>;

interface Follower {
  readonly listener: ShowListener;
  /** The poll in the last `onShow`; undefined before the first. */
  id: string | null | undefined;
  watch: Watch | undefined;
}

class FollowedShow {
  readonly follow: FollowMessage;
  readonly #watch: (id: string, listener: WatchListener) => Watch;
  readonly #followers = new Set<Follower>();
  /** Undefined before the first message. */
  #show: ShowMessage | undefined;
  isMissing = false;

  constructor(watch: (id: string, listener: WatchListener) => Watch, follow: FollowMessage) {
    this.follow = follow;
    this.#watch = watch;
  }

  get isIdle(): boolean {
    return this.#followers.size === 0;
  }

  hello(): ClientMessage {
    return this.follow;
  }

  add({ onShow, onChange, onRefused, onResults, onState }: ShowListener): () => void {
    const listener = { onShow, onChange, onRefused, onResults, onState };
    const follower: Follower = { listener, id: undefined, watch: undefined };
    this.#followers.add(follower);
    queueMicrotask(() => this.#notify(follower));
    return () => {
      this.#followers.delete(follower);
      follower.watch?.close();
    };
  }

  /** The relay sends the show again after each reconnect. */
  update(show: ShowMessage): void {
    // What is on screen stays: the relay sends the show once it is back.
    if (show.missing && this.#show) return;
    this.#show = show;
    for (const follower of [...this.#followers]) this.#notify(follower);
  }

  /** A show that was seen and is not there now was lost, and may come back. */
  reject({ error: code, message, deleted }: RefusedShow): void {
    const { show } = this.follow;
    this.isMissing = code === 'show_not_found' && !deleted;
    if (this.isMissing && this.#show) return;
    for (const { listener } of [...this.#followers])
      callSafely(listener.onRefused, { type: 'error', code, message, show });
  }

  /** Once the show is known, its poll reports the loss. */
  disconnect(failure: Failure): void {
    if (this.#show) return;
    for (const { listener } of [...this.#followers])
      callSafely(listener.onState, { state: 'connecting', ...failure });
  }

  close(): void {
    this.#followers.clear();
  }

  #notify(follower: Follower): void {
    const show = this.#show;
    if (!show || !this.#followers.has(follower)) return;
    const { listener } = follower;
    callSafely(listener.onChange, show);
    const { id } = show;
    if (id === follower.id || !this.#followers.has(follower)) return;
    const before = follower.watch;
    follower.id = id;
    callSafely(listener.onShow, id);
    if (!this.#followers.has(follower)) return;
    follower.watch = id === null ? undefined : this.#watch(id, listener);
    // Last, so that the shared connection stays open.
    before?.close();
  }
}
