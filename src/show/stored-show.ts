import type { PollId, PollOwner } from '../poll/poll.ts';

/** A show as an engine's records hold it. */
export interface StoredShow {
  readonly title: string;
  readonly onAir: PollId | null;
  /** SHA-256, hex. */
  readonly keyHash: string;
  /** Tells it from a show that takes the name later; empty until it owns a poll, in a show from before there were such. */
  readonly id: string;
  /** Grows with every change. */
  readonly version: number;
  /** Of the newest change, UNIX time in milliseconds; absent in a show from before this was noted. */
  readonly changedAtMs?: number | undefined;
  /** An operator's key took the name: it never expires. */
  readonly isKept?: true | undefined;
  /** In order, none twice. */
  readonly rundown: readonly PollId[];
  /** Those of the run-down that were created in this show. */
  readonly own: readonly PollId[];
  /** The poll that is or was on air last. */
  readonly last: PollId | null;
  /** The poll of the run-down that is or was on air last: where its buttons go on from. */
  readonly place: PollId | null;
  /** The newest presses that came with a key of their own, so that none of them is carried out twice. Oldest first. */
  readonly presses: readonly Press[];
}

/** A request that may come twice. */
export interface Press {
  /** Digest of its `Idempotency-Key`. */
  readonly key: string;
  /** Digest of what it asks for. */
  readonly what: string;
}

/** Under which a show's record is stored, and its changes are hinted. */
export function showTopic(name: string): string {
  return `show:${name}`;
}

export function newShow(
  show: Pick<StoredShow, 'title' | 'keyHash' | 'id' | 'changedAtMs' | 'isKept'>,
): StoredShow {
  return {
    ...{ onAir: null, version: 1, rundown: [], own: [], last: null, place: null, presses: [] },
    ...show,
  };
}

/** Before shows had owners, a record was the bare id of a poll. Nobody's key opens such a show but an operator's. */
export function parseShow(text: string): StoredShow {
  const stored: Partial<StoredShow> = text.startsWith('{') ? JSON.parse(text) : { onAir: text };
  return { ...newShow({ title: '', keyHash: '', id: '' }), last: stored.onAir ?? null, ...stored };
}

/** Whether a poll was created in this show, and not in one that had the name before. */
export function ownsPoll({ id }: StoredShow, owner: PollOwner | undefined): boolean {
  return id !== '' && id === owner?.id;
}
