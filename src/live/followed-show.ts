import type { PollId } from '../poll/poll.ts';
import { type CloseEvent, KeyRejected, ShowNotFound } from '../protocol/close-event.ts';
import { opensShow, type ShowAccess } from '../show/rewrite-show.ts';
import type { ShowBoard } from '../show/show-board.ts';
import type { StoredShow } from '../show/stored-show.ts';
import type { Connection } from './connection.ts';
import { errorFrame } from './error-frame.ts';
import { Frame } from './frame.ts';

export interface ShowFollowing {
  readonly shows: ShowBoard;
  readonly connection: Connection;
  /** With the show's key or an operator's, messages carry the whole run-down; without, only what is on air. */
  readonly access: ShowAccess | undefined;
  /** Another poll is on air, and the `show` message is sent: the first message of the poll comes next. */
  readonly onSwitch: (onAir: PollId | null, before: PollId | null) => void;
  /** The key was revoked or the show is gone, and the `error` message is sent. */
  readonly onRefused: (event: CloseEvent) => void;
}

/** A crowd follows one show: its message is encoded once. */
let newest: { readonly show: string; readonly id: PollId | null; readonly frame: Frame } | undefined;

/** A show that one connection follows. */
export class FollowedShow {
  readonly #name: string;
  readonly #following: ShowFollowing;
  #unfollow: (() => void) | undefined;
  #onAir: PollId | null | undefined;
  #isOver = false;

  constructor(name: string, following: ShowFollowing) {
    this.#name = name;
    this.#following = following;
  }

  /** The poll on air; undefined until that is known. */
  get onAir(): PollId | null | undefined {
    return this.#onAir;
  }

  /** To be called once. */
  begin(): void {
    const { shows, access } = this.#following;
    const unfollow = access
      ? shows.followShow(this.#name, found => this.#sendRundown(found, access))
      : shows.follow(this.#name, id => this.#send(id, frameFor(this.#name, id)));
    // A show that is known already calls back before this returns, and may be the end.
    if (this.#isOver) unfollow();
    else this.#unfollow = unfollow;
  }

  end(): void {
    this.#isOver = true;
    this.#unfollow?.();
  }

  #sendRundown(found: StoredShow | undefined, access: ShowAccess): void {
    if (this.#isOver) return;
    if (found && opensShow(found, access, 'read')) {
      const { onAir: id, title, rundown, own, place, version } = found;
      this.#send(id, Frame.of({ ...aboutAir(this.#name, id), title, rundown, own, place, version }));
    } else this.#refuse(found ? KeyRejected : ShowNotFound);
  }

  #send(id: PollId | null, frame: Frame): void {
    if (this.#isOver) return;
    const { connection, onSwitch } = this.#following;
    const before = this.#onAir ?? null;
    this.#onAir = id;
    connection.queue(`show:${this.#name}`, frame);
    if (before !== id) onSwitch(id, before);
  }

  #refuse(event: CloseEvent): void {
    this.end();
    const frame = errorFrame(event, { show: this.#name }, event === KeyRejected ? KEY_REJECTED : undefined);
    if (frame) this.#following.connection.queue(`show:${this.#name}`, frame);
    this.#following.onRefused(event);
  }
}

const KEY_REJECTED = 'This key does not open this show. Where the show has a new key, ask whoever made it.';

function frameFor(show: string, id: PollId | null): Frame {
  if (newest?.show !== show || newest.id !== id) newest = { show, id, frame: Frame.of(aboutAir(show, id)) };
  return newest.frame;
}

function aboutAir(show: string, id: PollId | null) {
  return { type: 'show', show, id, ...(id !== null && { subscribed: true as const }) } as const;
}
