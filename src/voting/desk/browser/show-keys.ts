/** Keys of shows, for as long as this tab is open: a desk that is reloaded is the same desk. */

/** The key leaves the address bar before anything else: a shared screen or a copied address would give it away. */
export function takeKeyFromAddress(name: string): void {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (!key) return;
  keepKey(name, key);
  history.replaceState(history.state, '', location.pathname);
}

export function keyOf(name: string): string {
  return read(slotOf(name)) ?? '';
}

/** @param isNew it was told this one time, and the desk says so */
export function keepKey(name: string, key: string, isNew = false): void {
  write(slotOf(name), key);
  if (isNew) write(`${slotOf(name)}:new`, '1');
}

/** Whether the key is new, said once. */
export function takeNews(name: string): boolean {
  const isNew = read(`${slotOf(name)}:new`) === '1';
  write(`${slotOf(name)}:new`, '');
  return isNew;
}

export function deskLink(voteUrl: string, name: string, key: string): string {
  return `${voteUrl}/desk/${name}#key=${key}`;
}

function slotOf(name: string): string {
  return `tallycast-show:${name}`;
}

/** Where the browser keeps nothing, the desk works until it is reloaded. */
const forgetful = new Map<string, string>();

function read(slot: string): string | undefined {
  try {
    return sessionStorage.getItem(slot) ?? forgetful.get(slot);
  } catch {
    return forgetful.get(slot);
  }
}

function write(slot: string, text: string): void {
  forgetful.set(slot, text);
  try {
    sessionStorage.setItem(slot, text);
  } catch {
    // Kept in this page alone.
  }
}
