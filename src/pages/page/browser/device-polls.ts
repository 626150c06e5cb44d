import { basePath } from './base-path.ts';
import { readStoredJson, store } from './stored.ts';

/** The polls and shows that this browser remembers for their creator. */

export interface DevicePoll {
  /** `desk/<name>` for a show. */
  readonly id: string;
  readonly title: string;
  /** Manages the poll, or opens the desk. */
  readonly key: string;
}

/** Belongs to this site alone: another one may be on the same host, below another path. */
const SLOT = `tallycast-polls${basePath}`;
const MAX_POLLS = 50;
const ID = /^(?:[0-9A-Za-z]{12}|desk\/[\w-]{3,40})$/;

/** Returns them, the last one opened first; none without storage, or where the slot has something else. */
export function devicePolls(): DevicePoll[] {
  const stored = readStoredJson('localStorage', SLOT);
  return Array.isArray(stored) ? stored.filter(isDevicePoll) : [];
}

/** Keeps the first 50 polls; without storage, or where it is full, what was stored before. */
export function storeDevicePolls(polls: readonly DevicePoll[]): void {
  const text = polls.length > 0 ? JSON.stringify(polls.slice(0, MAX_POLLS)) : undefined;
  store('localStorage', SLOT, text);
}

function isDevicePoll(entry: Partial<DevicePoll> | null): boolean {
  return ID.test(`${entry?.id}`) && [entry?.title, entry?.key].every(text => typeof text === 'string');
}

/** Puts a poll or show first, or removes it without a key. @returns whether the list has it now */
export function rememberOnDevice(entry: Pick<DevicePoll, 'id'> & Partial<DevicePoll>): boolean {
  const { id, title, key } = entry;
  const others = devicePolls().filter(poll => poll.id !== id);
  storeDevicePolls(title === undefined || key === undefined ? others : [{ id, title, key }, ...others]);
  return devicePolls().some(poll => poll.id === id);
}
