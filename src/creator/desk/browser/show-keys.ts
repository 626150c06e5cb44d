import { linkKey } from '../../../pages/page/browser/link-key.ts';
import { readStored, store } from '../../../pages/page/browser/stored.ts';

const NEW = ' new';

/** Without storage, the desk works until it is reloaded. @param isNew the desk then shows the key, once */
export function storeKey(name: string, key: string, isNew = false): void {
  store('sessionStorage', slotOf(name), key + (isNew ? NEW : ''));
}

/**
 * Reads the key from the address bar or the store. It leaves the address bar at once, because a
 * shared screen or a copied address would reveal it.
 */
export function readKey(name: string): { readonly key: string; readonly isNew: boolean } {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given) history.replaceState(history.state, '', location.pathname);
  const text = given ? linkKey(given) : (readStored('sessionStorage', slotOf(name)) ?? '');
  const key = text.replace(NEW, '');
  storeKey(name, key);
  return { key, isNew: text !== key };
}

function slotOf(name: string): string {
  return `tallycast-show:${name}`;
}
