import { basePath } from './base-path.ts';
import { find } from './dom.ts';
import { readStoredJson, store } from './stored.ts';

/** The polls that this browser remembers for their creator. */

export interface DevicePoll {
  readonly id: string;
  readonly title: string;
  /** Manages the poll. */
  readonly key: string;
}

/** Belongs to this site alone: another one may be on the same host, below another path. */
const SLOT = `tallycast-polls${basePath}`;
const MAX_POLLS = 50;
const ID = /^[0-9A-Za-z]{12}$/;

/** Returns the polls, newest first; none without storage, or where the slot has something else. */
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

/** Lets the box beside a manage link remember the poll, or forget it. */
export function prepareRememberBox(): void {
  const label = find(document, 'remember');
  const box = label?.querySelector('input');
  if (!label || !box) return;
  const { remember: id = '', title = '', key = '' } = label.dataset;
  const others = () => devicePolls().filter(poll => poll.id !== id);
  const update = () => {
    box.checked = devicePolls().some(poll => poll.id === id);
  };
  const remember = (isWanted: boolean) => {
    storeDevicePolls([...(isWanted ? [{ id, title, key }] : []), ...others()]);
    update();
  };
  update();
  // The link may be new.
  if (box.checked) remember(true);
  box.addEventListener('change', () => remember(box.checked));
  addEventListener('storage', update);
  label.hidden = false;
}
