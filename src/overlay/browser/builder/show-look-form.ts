import { fill } from '../../../locales/i18n.ts';
import type { Look } from '../../../picture/show-look.ts';
import { type FoundShow, find, relay, words } from './source.ts';

const { saving } = words;
const IMAGES = ['logo', 'ground'] as const;
type Kind = (typeof IMAGES)[number];
const TOO_LARGE: Readonly<Record<Kind, string>> = { logo: saving.logoLarge, ground: saving.groundLarge };
const TEXTS: Readonly<Record<number, string>> = {
  401: saving.keyMissing,
  403: saving.keyRejected,
  404: saving.noShow,
  415: saving.logoKind,
};

interface ShowLookOptions {
  readonly getLook: () => Look;
  readonly onSaved: (show: FoundShow) => void;
}

/** Saves the settings and the images of a show. The key is sent in a header, and is in no URL. */
export class ShowLookForm {
  readonly #options: ShowLookOptions;
  readonly #key = find<HTMLInputElement>('show-key');
  #show = '';

  constructor(options: ShowLookOptions) {
    this.#options = options;
    find('save').addEventListener('click', () => void this.#saveLook());
    for (const kind of IMAGES) {
      fileOf(kind).addEventListener('change', () => void this.#saveImage(kind));
      find(`remove-${kind}`).addEventListener(
        'click',
        () => void this.#send(`/${kind}`, { method: 'DELETE' }),
      );
      imageOf(kind).addEventListener('error', () => {
        imageOf(kind).hidden = true;
      });
    }
  }

  /** @param name undefined hides the form @param found undefined while it is looked up */
  follow(name: string | undefined, found: FoundShow | undefined): void {
    find('show-look').hidden = name === undefined;
    if (name !== this.#show) this.report('');
    this.#show = name ?? '';
    for (const kind of IMAGES) {
      const url = found?.[kind] ? relay + found[kind] : '';
      const image = imageOf(kind);
      image.hidden = url === '';
      find(`remove-${kind}`).hidden = url === '';
      if (url === '') image.removeAttribute('src');
      else if (image.src !== url) image.src = url;
    }
  }

  report(text: string, isFault = false): void {
    find('saved').textContent = text;
    find('saved').classList.toggle('bad', isFault);
  }

  async #saveLook(): Promise<void> {
    const look = this.#options.getLook();
    const body = JSON.stringify({ show: { look } });
    await this.#send('', { method: 'PATCH', headers: { 'content-type': 'application/json' }, body });
  }

  async #saveImage(kind: Kind): Promise<void> {
    const [file] = fileOf(kind).files ?? [];
    if (file) await this.#send(`/${kind}`, { method: 'PUT', body: file }, TOO_LARGE[kind]);
    // The same file may be chosen again.
    fileOf(kind).value = '';
  }

  async #send(path: string, { headers, ...init }: RequestInit, tooLarge = saving.away): Promise<void> {
    const key = this.#key.value.trim();
    if (key === '') {
      this.report(saving.keyMissing, true);
      return this.#key.focus();
    }
    const show = this.#show;
    const url = `${relay}/api/show/${encodeURIComponent(show)}${path}`;
    const reply = await fetch(url, { ...init, headers: { ...headers, 'x-api-key': key } }).catch(
      () => undefined,
    );
    const saved: FoundShow | undefined = reply?.ok ? await reply.json().catch(() => undefined) : undefined;
    if (show !== this.#show) return;
    if (saved) this.#options.onSaved(saved);
    this.report(saved ? saving.saved : describeFault(reply, tooLarge), !saved);
  }
}

function fileOf(kind: Kind): HTMLInputElement {
  return find(`${kind}-file`);
}

function imageOf(kind: Kind): HTMLImageElement {
  return find(`show-${kind}`);
}

/** @param tooLarge what a rejected body means */
function describeFault(reply: Response | undefined, tooLarge: string): string {
  const seconds = reply?.headers.get('retry-after') ?? '60';
  if (reply?.status === 429) return fill(saving.tooMany, { seconds });
  if (reply?.status === 400 || reply?.status === 413) return tooLarge;
  return TEXTS[reply?.status ?? 0] ?? saving.away;
}
