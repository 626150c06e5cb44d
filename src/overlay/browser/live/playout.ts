import { Overlay } from './overlay.ts';

/** The functions that CasparCG, SPX and others call on a template's window. */
export interface Playout {
  play(): void;
  stop(): void;
  /** JSON or CasparCG's XML; a field `url` or `f0` is the address of an overlay. */
  update(data: string): void;
  /** There is one step only: it goes as it came. */
  next(): void;
}

/** Gives a page the playout functions. `url` is what is drawn until an update names another. */
export function installPlayout(root: ParentNode, url: string | undefined, startsPlaying: boolean): Playout {
  let overlay: Overlay | undefined;
  let drawn = '';
  let playing = startsPlaying;
  const show = (address: string) => {
    if (address === drawn) return;
    const next = open(root, address);
    if (!next) return;
    overlay?.close();
    overlay = next;
    drawn = address;
    if (!playing) overlay.stop(true);
  };
  const playout: Playout = {
    play() {
      playing = true;
      overlay?.play();
    },
    stop() {
      playing = false;
      overlay?.stop();
    },
    update(data) {
      const address = readAddress(data);
      if (address !== undefined) show(address);
    },
    next: () => playout.stop(),
  };
  if (url !== undefined) show(url);
  return Object.assign(globalThis, playout);
}

/** An address that is none leaves on air what is there. */
function open(root: ParentNode, address: string): Overlay | undefined {
  try {
    return new Overlay(root, address);
  } catch {
    return undefined;
  }
}

/** Undefined where the data names no address: what is on air stays. */
export function readAddress(data: unknown): string | undefined {
  const fields = typeof data === 'string' ? (parseJson(data) ?? parseXml(data)) : data;
  if (typeof fields !== 'object' || fields === null) return undefined;
  const { url, f0 } = fields as { url?: unknown; f0?: unknown };
  const address = url ?? f0;
  return typeof address === 'string' && address !== '' ? address : undefined;
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** `<templateData><componentData id="f0"><data id="text" value="…"/></componentData></templateData>` */
function parseXml(data: string): Record<string, string> {
  const components = new DOMParser().parseFromString(data, 'text/xml').querySelectorAll('componentData');
  const fields = [...components].map(component => [
    component.id,
    component.querySelector('data')?.getAttribute('value') ?? '',
  ]);
  return Object.fromEntries(fields);
}
