import type { Engine } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-values.ts';
import type { PollId, PollOwner } from '../poll/poll.ts';
import { ownerKeyIn } from './owner-keys.ts';
import { parseShow, type StoredShow, showTopic } from './stored-show.ts';

interface KnownShow {
  readonly text: string | undefined;
  /** Parsed once, however many follow. */
  readonly show: StoredShow | undefined;
}

/** In one process: which shows are followed by whom. */
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
        (await find(shows)).map(text => ({ text, show: text ? parseShow(text) : undefined })),
      findMarks: find,
      isSame: (one, other) => one.text === other.text,
    });
  }

  /** A show at this moment; undefined where nobody has the name. */
  async find(show: string): Promise<StoredShow | undefined> {
    const [text] = await this.#find([show]);
    return text === undefined ? undefined : parseShow(text);
  }

  /** Tells what is on air, now and on each switch. @returns stops the telling */
  follow(show: string, follower: (id: PollId | null) => void): () => void {
    return this.#followPart(show, found => found?.onAir ?? null, follower);
  }

  /** Tells the whole show, now and on each change; undefined where nobody has the name. @returns stops the telling */
  followShow(show: string, follower: (found: StoredShow | undefined) => void): () => void {
    return this.#shows.follow(show, known => follower(known.show));
  }

  /** Tells the digest of the key that manages the polls of this owner, now and on each change. @returns stops the telling */
  followKey(owner: PollOwner, follower: (keyHash: string | undefined) => void): () => void {
    return this.#followPart(owner.name, found => ownerKeyIn(found, owner), follower);
  }

  close(): void {
    this.#shows.close();
  }

  #followPart<Part>(
    show: string,
    partOf: (found: StoredShow | undefined) => Part,
    follower: (part: Part) => void,
  ): () => void {
    let told: { readonly part: Part } | undefined;
    return this.followShow(show, found => {
      const part = partOf(found);
      if (told && told.part === part) return;
      told = { part };
      follower(part);
    });
  }
}
