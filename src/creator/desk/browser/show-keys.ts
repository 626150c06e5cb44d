import { devicePolls } from '../../../pages/page/browser/device-polls.ts';
import { linkKey } from '../../../pages/page/browser/link-key.ts';
import { readStored, store } from '../../../pages/page/browser/stored.ts';

const NEW = ' new';
const BRIEF = ' brief';

interface KeyMarks {
  /** The desk then shows the key, once. */
  readonly isNew: boolean;
  /** This device shall not remember the show. */
  readonly isBrief: boolean;
}

/** Keeps the key in this tab. Without storage, the desk works until it is reloaded. */
export function storeKey(name: string, key: string, { isNew, isBrief }: Partial<KeyMarks> = {}): void {
  store('sessionStorage', slotOf(name), `${key}${isNew ? NEW : ''}${isBrief ? BRIEF : ''}`);
}

/**
 * Reads the key from the address bar, this tab or this device. It leaves the address bar at once,
 * because a shared screen or a copied address would reveal it.
 */
export function readKey(name: string): KeyMarks & { readonly key: string } {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given) history.replaceState(history.state, '', location.pathname);
  const kept = readStored('sessionStorage', slotOf(name)) ?? '';
  const remembered = devicePolls().find(({ id }) => id === deviceId(name))?.key ?? '';
  const key = given ? linkKey(given) : kept.replace(/ .*/, '') || remembered;
  const isBrief = kept.includes(BRIEF);
  storeKey(name, key, { isBrief });
  return { key, isNew: !given && kept.includes(NEW), isBrief };
}

/** The show among the polls of this device. */
export function deviceId(name: string): string {
  return `desk/${name}`;
}

function slotOf(name: string): string {
  return `tallycast-show:${name}`;
}
