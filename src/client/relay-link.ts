import type { ClientMessage, ServerMessage, ShowMessage } from '../protocol/messages.ts';
import { type Clock, systemClock } from './clock.ts';
import { type ConnectOptions, heartbeatMs, liveQuery } from './connect-options.ts';
import { Connection } from './connection.ts';
import { FollowedShow, type ShowListener } from './followed-show.ts';
import { httpUrl } from './poll-url.ts';
import { pollTarget, type ReadTarget, readWay, showTarget } from './read-way.ts';
import { SharedPoll } from './shared-poll.ts';
import { globalWebSocket, socketWay } from './socket-way.ts';
import type { Fetch } from './stream-way.ts';
import type { Via, Watch, WatchListener } from './watch-state.ts';

export type { ShowListener } from './followed-show.ts';
export type * from './watch-state.ts';

/** The relay lets one connection follow no more. */
const MAX_SHOWS = 5;

export interface WatchOptions extends WatchListener {
  /** Opens hidden results. Where several watch one poll, the first key counts for all of them. */
  readonly key?: string | undefined;
}

export interface FollowOptions extends ShowListener {
  /** Opens hidden results of the polls that the show points to. */
  readonly key?: string | undefined;
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
  readonly #clock: Clock;
  readonly #fetch: Fetch;
  readonly #polls = new Map<string, SharedPoll>();
  readonly #shows = new Map<string, FollowedShow>();
  #connection: Connection | undefined;
  /** For the shows that have no room on this connection. */
  #overflow: RelayLink | undefined;

  /**
   * @param relay where the relay is, such as `https://relay.example`
   * @throws TypeError where it is no http or https URL
   */
  constructor(relay: string, options: ConnectOptions = {}) {
    this.#relay = httpUrl(relay).href.replace(/\/+$/, '');
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  watch(id: string, options: WatchOptions): Watch {
    const poll = this.#polls.get(id) ?? new SharedPoll(id);
    const isKnown = this.#polls.has(id) && (poll.key !== undefined || options.key === undefined);
    this.#polls.set(id, poll);
    poll.key ??= options.key;
    // Two calls may share their options; each is a watcher of its own.
    const listener = { onResults: options.onResults, onState: options.onState };
    poll.add(listener);
    if (!isKnown) this.#say(poll.subscribe);
    return { close: () => this.#unwatch(poll, listener) };
  }

  /** Watches whatever poll the show points to. A name that nobody has pointed yet points to nothing, which is no error. */
  follow(show: string, options: FollowOptions): Watch {
    const { key } = options;
    let followed = this.#shows.get(show);
    if (!followed && !this.#makeRoomForShow()) {
      this.#overflow ??= new RelayLink(this.#relay, this.#options);
      return this.#overflow.follow(show, options);
    }
    if (!followed) {
      followed = new FollowedShow((id, listener) => this.watch(id, { ...listener, key }));
      this.#shows.set(show, followed);
      this.#say({ type: 'follow', show });
    }
    const leave = followed.add(options);
    return {
      close: () => {
        leave();
        this.#closeIfIdle();
      },
    };
  }

  /** Ends all watching and following. */
  close(): void {
    for (const followed of this.#shows.values()) followed.close();
    this.#shows.clear();
    this.#polls.clear();
    this.#closeIfIdle();
    this.#overflow?.close();
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
    this.#connection?.send(JSON.stringify(poll.unsubscribe));
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
    if (this.#connection) this.#connection.send(JSON.stringify(message));
    else this.#connection = this.#connect();
  }

  #connect(): Connection {
    const { WebSocket = globalWebSocket() } = this.#options;
    const clock = this.#clock;
    const url = (): string => `${this.#relay}/api/live?${liveQuery(this.#options)}`;
    return new Connection({
      ways: [
        ...(WebSocket ? [socketWay({ WebSocket, clock, url, hello: () => this.#hello() })] : []),
        readWay({ fetch: this.#fetch, clock, targets: () => this.#targets() }),
      ],
      heartbeatMs: heartbeatMs(this.#options),
      clock,
      onMessage: (message, via) => this.#take(message, via),
      onLost: failure => {
        for (const { tracker } of this.#polls.values()) tracker.lose(failure);
        for (const show of this.#shows.values()) show.lose(failure);
      },
      onRefused: refusal => {
        const polls = [...this.#polls.values()];
        this.#polls.clear();
        this.#connection = undefined;
        for (const { tracker } of polls) tracker.refuse(refusal);
      },
    });
  }

  #hello(): ClientMessage[] {
    this.#forgetUnfollowedShows();
    const follows = [...this.#shows.keys()].map(show => ({ type: 'follow' as const, show }));
    return [...follows, ...[...this.#polls.values()].map(poll => poll.subscribe)];
  }

  /** Shows first: what they point to is read in the same round. */
  *#targets(): Iterable<ReadTarget> {
    for (const show of this.#shows.keys()) yield showTarget(this.#relay, show);
    for (const { id, key } of this.#polls.values()) yield pollTarget(this.#relay, id, key);
  }

  #take(message: ServerMessage, via: Via): void {
    if (message.type === 'show') this.#takeShow(message);
    if (!('id' in message) || typeof message.id !== 'string') return;
    const poll = this.#polls.get(message.id);
    if (!poll) return;
    poll.tracker.take(message, via);
    // The relay has let go of it; whoever watches this poll again asks again.
    if (poll.tracker.state.state === 'refused') this.#polls.delete(poll.id);
  }

  #takeShow({ show, id }: ShowMessage): void {
    this.#shows.get(show)?.point(id);
  }
}
