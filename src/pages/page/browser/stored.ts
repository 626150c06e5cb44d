type Storage = 'localStorage' | 'sessionStorage';

/** Reads what this browser keeps under a name; null for nothing, also without storage. */
export function readStored(storage: Storage, slot: string): string | null {
  try {
    return globalThis[storage].getItem(slot);
  } catch {
    return null;
  }
}

/** The same as JSON. Undefined for nothing, or for anything else. */
export function readStoredJson(storage: Storage, slot: string): unknown {
  try {
    return JSON.parse(readStored(storage, slot) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a text; undefined removes it. Without storage, or where it is full, nothing changes. */
export function store(storage: Storage, slot: string, text: string | undefined): void {
  try {
    if (text === undefined) globalThis[storage].removeItem(slot);
    else globalThis[storage].setItem(slot, text);
  } catch {}
}
