/**
 * Milliseconds after a hint at a ballot in which other ballots of the poll give none, counted by the engine: at most 40 hints
 * a second and poll, however many ballots there are. Whoever has heard a hint, or has just begun to follow, therefore looks
 * once more when they have passed.
 */
export const HINT_WINDOW_MS = 25;

/**
 * "Something about this topic has changed, read it again": a poll's id, or a name with a colon like `comments:<poll id>`.
 * A hint carries no content and may come late, twice or never. Whoever follows a topic reads after `ready`, after each
 * hint and when the engine is back, and sweeps; `FollowedTopics` does all of it, so use that.
 */
export interface Hints {
  /**
   * Calls the listener at each hint about this topic, and about no other, from anywhere. MUST count: a topic is let go
   * when the last of its followers has left. Where subscribing fails, MUST try again by itself until the subscription
   * holds or nobody follows any more, and then MUST call the listener, because hints may have been missed. MUST NOT call
   * it before this returns or after `unfollow`. Listeners MUST NOT throw.
   */
  follow(topic: string, listener: () => void): Following;

  /** Calls every follower of a topic, in every process. MUST NOT wait for them. */
  publish(topic: string): Promise<void>;

  /**
   * Resolves where what is published here is heard here, as far as the engine has tried; rejects where it was not, twice in
   * a row. MUST cost nothing: it is asked whenever somebody asks whether this process is ready.
   */
  checkHearing(): Promise<void>;

  /**
   * False when the engine was lost, true when it is back and every followed topic is subscribed to again: then hints may
   * have been missed under all of them.
   */
  onAvailability(listener: (available: boolean) => void): void;
}

export interface Following {
  /**
   * Resolves once the subscription holds, so that what is read from then on misses nothing, or once the first try has
   * failed, because a reader should not wait for as long as the engine is away. MUST NOT reject.
   */
  readonly ready: Promise<void>;

  /** Calling it twice does no harm. */
  unfollow(): void;
}
