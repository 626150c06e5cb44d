import type { Engine } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-topics.ts';
import type { PollOwner } from '../poll/poll.ts';
import { ownerKeyIn, type PublicShow, parseShow, publicShow, type StoredShow, showTopic } from './show.ts';

interface KnownShow {
  readonly text: string | undefined;
  /** Parsed once for all followers. */
  readonly show: StoredShow | undefined;
  /** The public part, encoded to compare it. */
  readonly publicText: string;
}

/** The shows that are followed in this process. */
export class ShowBoard {
  readonly #shows: FollowedValues<KnownShow>;
  readonly #find: (shows: readonly string[]) => Promise<(string | undefined)[]>;

  constructor({ hints, records }: Pick<Engine, 'hints' | 'records'>) {
    const find = (shows: readonly string[]) => records.findMany(shows.map(showTopic));
    this.#find = find;
    this.#shows = new FollowedValues({
      hints,
      topicOf: showTopic,
      read: async shows =>
        (await find(shows)).map((text, at) => {
          const show = text ? parseShow(text) : undefined;
          return { text, show, publicText: JSON.stringify(publicShow(shows[at]!, show)) };
        }),
      findMarks: find,
      isSame: (one, other) => one.text === other.text,
    });
  }

  /** Reads a show; undefined if there is none. */
  async find(show: string): Promise<StoredShow | undefined> {
    const [text] = await this.#find([show]);
    return text === undefined ? undefined : parseShow(text);
  }

  /** Reports what needs no key, now and on each change of it; for a show that does not exist, that nothing is on air. @returns stops */
  followPublic(show: string, follower: (found: PublicShow) => void): () => void {
    let reported: string | undefined;
    return this.#shows.follow(show, ({ show: found, publicText }) => {
      if (publicText === reported) return;
      reported = publicText;
      follower(publicShow(show, found));
    });
  }

  /** Reports the whole show, now and on each change; undefined if there is none. @returns stops */
  followShow(show: string, follower: (found: StoredShow | undefined) => void): () => void {
    return this.#shows.follow(show, known => follower(known.show));
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
