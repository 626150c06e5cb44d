import type { Engine } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-topics.ts';
import type { PollOwner, ShowKeys } from '../poll/poll.ts';
import { ownerKeysIn, type PublicShow, parseShow, publicShow, type StoredShow, showTopic } from './show.ts';

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

  /** Reports the keys of a show that owns polls, now and on each change. @returns stops */
  followKeys(owner: PollOwner, follower: (keys: ShowKeys | undefined) => void): () => void {
    let reported: { readonly keys: ShowKeys | undefined } | undefined;
    return this.followShow(owner.name, found => {
      const keys = ownerKeysIn(found, owner);
      if (reported && areSame(reported.keys, keys)) return;
      reported = { keys };
      follower(keys);
    });
  }

  close(): void {
    this.#shows.close();
  }
}

function areSame(one: ShowKeys | undefined, other: ShowKeys | undefined): boolean {
  return one?.keyHash === other?.keyHash && one?.viewKey?.hash === other?.viewKey?.hash;
}

/** The keys of the show that owns a poll, followed until `close()`. */
export class OwnerKeys {
  readonly #shows: ShowBoard;
  readonly #owner: PollOwner;
  readonly #onChange: () => void;
  readonly #unfollow: () => void;
  #keys: ShowKeys | undefined;
  #isKnown = false;

  /** @param onChange called after each change of keys that were known */
  constructor(shows: ShowBoard, owner: PollOwner, onChange: () => void) {
    this.#shows = shows;
    this.#owner = owner;
    this.#onChange = onChange;
    this.#unfollow = shows.followKeys(owner, keys => this.#set(keys));
  }

  /** Undefined before `load()`, and if the show was deleted, even if its name has been taken again. */
  get newest(): ShowKeys | undefined {
    return this.#keys;
  }

  /** Resolves once the keys are known. Rejects if the engine is unavailable. */
  async load(): Promise<void> {
    if (this.#isKnown) return;
    const show = await this.#shows.find(this.#owner.name);
    if (!this.#isKnown) this.#set(ownerKeysIn(show, this.#owner));
  }

  close(): void {
    this.#unfollow();
  }

  #set(keys: ShowKeys | undefined): void {
    const hasChanged = this.#isKnown && !areSame(keys, this.#keys);
    this.#isKnown = true;
    this.#keys = keys;
    if (hasChanged) this.#onChange();
  }
}
