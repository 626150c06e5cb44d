import type { Engine } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-topics.ts';
import type { PollOwner } from '../poll/poll.ts';
import { ownerKeyIn, type PublicShow, parseShow, publicShow, type StoredShow, showTopic } from './show.ts';

interface KnownShow {
  readonly text: string | undefined;
  /** There is no such show, but its deletion is not stored: the engine never had it, or has lost it. */
  readonly isMissing: boolean;
  /** Parsed once for all followers. */
  readonly show: StoredShow | undefined;
  /** The public part, encoded to compare it. */
  readonly publicText: string;
}

/** The shows that are followed in this process. */
export class ShowBoard {
  readonly #shows: FollowedValues<KnownShow>;
  readonly #find: (shows: readonly string[]) => Promise<(string | undefined)[]>;

  constructor({ hints, records, events }: Pick<Engine, 'hints' | 'records' | 'events'>) {
    const find = (shows: readonly string[]) => records.findMany(shows.map(showTopic));
    this.#find = find;
    this.#shows = new FollowedValues({
      hints,
      topicOf: showTopic,
      read: async shows => {
        const texts = await find(shows);
        return Promise.all(
          shows.map(async (name, at) => {
            const text = texts[at];
            const show = text ? parseShow(text) : undefined;
            const isMissing = !show && !(await events.wasDeleted(showTopic(name)));
            return { text, show, isMissing, publicText: JSON.stringify(publicShow(name, show, isMissing)) };
          }),
        );
      },
      findMarks: find,
      isSame: (one, other) => one.text === other.text && one.isMissing === other.isMissing,
    });
  }

  /** Reads a show; undefined if there is none. */
  async find(show: string): Promise<StoredShow | undefined> {
    const [text] = await this.#find([show]);
    return text === undefined ? undefined : parseShow(text);
  }

  /**
   * Reports what needs no key, now and on each change of it; for a show that does not exist, that
   * nothing is on air.
   *
   * @returns stops
   */
  followPublic(show: string, follower: (found: PublicShow) => void): () => void {
    let reported: string | undefined;
    return this.#follow(show, ({ show: found, isMissing, publicText }) => {
      if (publicText === reported) return;
      reported = publicText;
      follower(publicShow(show, found, isMissing));
    });
  }

  /**
   * Calls back with the whole show, at once and after each change; with undefined if there is no such show.
   *
   * @param follower `isMissing` as in `KnownShow`
   * @returns stops
   */
  followShow(
    show: string,
    follower: (found: StoredShow | undefined, isMissing: boolean) => void,
  ): () => void {
    return this.#follow(show, known => follower(known.show, known.isMissing));
  }

  /** A show that the engine has lost stays as it was: a backup may bring it back. */
  #follow(show: string, follower: (known: KnownShow) => void): () => void {
    let wasSeen = false;
    return this.#shows.follow(show, known => {
      if (wasSeen && known.isMissing) return;
      wasSeen ||= known.show !== undefined;
      follower(known);
    });
  }

  /** Reports the digest of the key of a show that owns polls, now and on each change. @returns stops */
  followKey(owner: PollOwner, follower: (keyHash: string | undefined) => void): () => void {
    let reported: { readonly keyHash: string | undefined } | undefined;
    return this.followShow(owner.name, found => {
      const keyHash = ownerKeyIn(found, owner);
      if (reported && reported.keyHash === keyHash) return;
      reported = { keyHash };
      follower(keyHash);
    });
  }

  close(): void {
    this.#shows.close();
  }
}

/** The key of the show that owns a poll, followed until `close()`. */
export class ShowKey {
  readonly #shows: ShowBoard;
  readonly #owner: PollOwner;
  readonly #onChange: () => void;
  readonly #unfollow: () => void;
  #hash: string | undefined;
  #isKnown = false;

  /** @param onChange called after each change of a key that was known */
  constructor(shows: ShowBoard, owner: PollOwner, onChange: () => void) {
    this.#shows = shows;
    this.#owner = owner;
    this.#onChange = onChange;
    this.#unfollow = shows.followKey(owner, hash => this.#set(hash));
  }

  /** SHA-256, hex; undefined before `load()`, and if the show was deleted, even if its name has been taken again. */
  get hash(): string | undefined {
    return this.#hash;
  }

  /** Resolves once the key is known. Rejects if the engine is unavailable. */
  async load(): Promise<void> {
    if (this.#isKnown) return;
    const show = await this.#shows.find(this.#owner.name);
    if (!this.#isKnown) this.#set(ownerKeyIn(show, this.#owner));
  }

  close(): void {
    this.#unfollow();
  }

  #set(hash: string | undefined): void {
    const hasChanged = this.#isKnown && hash !== this.#hash;
    this.#isKnown = true;
    this.#hash = hash;
    if (hasChanged) this.#onChange();
  }
}
