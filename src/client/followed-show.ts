import type { ErrorMessage, FollowMessage, ShowMessage } from '../protocol/messages.ts';
import type { Failure, Refusal } from './channel.ts';
import { guarded, type Watch, type WatchListener } from './watch-state.ts';

export interface ShowListener extends WatchListener {
  /** Which poll the show points to now, before anything of that poll; null while it points to nothing. */
  readonly onShow?: ((id: string | null) => void) | undefined;
  /** All that the relay says about the show, on each change: with `showKey` the run-down, too. */
  readonly onChange?: ((show: ShowMessage) => void) | undefined;
  /** `showKey` opens nothing any more, or the show is gone. Nothing comes about the show after it. */
  readonly onRefused?: ((error: ErrorMessage) => void) | undefined;
}

interface Follower extends ShowListener {
  /** What it was told last; undefined before the first time. */
  id: string | null | undefined;
  watch: Watch | undefined;
}

/** A show on a shared connection: whoever follows it watches the poll that it points to. */
export class FollowedShow {
  /** What to say to follow it. */
  readonly follow: FollowMessage;
  readonly #watch: (id: string, listener: WatchListener) => Watch;
  readonly #followers = new Set<Follower>();
  /** undefined until the relay has said it. */
  #show: ShowMessage | undefined;

  constructor(watch: (id: string, listener: WatchListener) => Watch, follow: FollowMessage) {
    this.follow = follow;
    this.#watch = watch;
  }

  get isUnfollowed(): boolean {
    return this.#followers.size === 0;
  }

  /** @returns stops following */
  add({ onShow, onChange, onRefused, onResults, onState }: ShowListener): () => void {
    const follower: Follower = {
      onShow,
      onChange,
      onRefused,
      onResults,
      onState,
      id: undefined,
      watch: undefined,
    };
    this.#followers.add(follower);
    queueMicrotask(() => this.#tell(follower));
    return () => {
      this.#followers.delete(follower);
      follower.watch?.close();
    };
  }

  /** The relay repeats it after each reconnection. */
  point(show: ShowMessage): void {
    this.#show = show;
    for (const follower of [...this.#followers]) this.#tell(follower);
  }

  refuse({ error: code, message }: Pick<Refusal, 'error' | 'message'>): void {
    const { show } = this.follow;
    for (const { onRefused } of [...this.#followers])
      guarded(onRefused, { type: 'error', code, message, show });
  }

  /** The relay is out of reach; whoever watches a poll hears it from there. */
  lose(failure: Failure): void {
    if (this.#show) return;
    for (const { onState } of [...this.#followers]) guarded(onState, { state: 'connecting', ...failure });
  }

  close(): void {
    this.#followers.clear();
  }

  #tell(follower: Follower): void {
    const show = this.#show;
    if (!show || !this.#followers.has(follower)) return;
    guarded(follower.onChange, show);
    const { id } = show;
    if (id === follower.id || !this.#followers.has(follower)) return;
    const before = follower.watch;
    follower.id = id;
    guarded(follower.onShow, id);
    if (!this.#followers.has(follower)) return;
    follower.watch = id === null ? undefined : this.#watch(id, follower);
    // Closed last, so that the connection is never without a reason to be.
    before?.close();
  }
}
