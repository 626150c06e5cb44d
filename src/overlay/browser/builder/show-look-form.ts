import { fill } from '../../../locales/i18n.ts';
import type { Look } from '../../../picture/show-look.ts';
import { type FoundShow, find, relay, words } from './source.ts';

const { saving } = words;
const TEXTS: Readonly<Record<number, string>> = {
  400: saving.logoLarge,
  401: saving.keyMissing,
  403: saving.keyRejected,
  404: saving.noShow,
  413: saving.logoLarge,
  415: saving.logoKind,
};

interface ShowLookOptions {
  readonly getLook: () => Look;
  readonly onSaved: (show: FoundShow) => void;
}

/** Saves the settings and a logo to a show. The key is sent in a header, and is in no URL. */
export class ShowLookForm {
  readonly #options: ShowLookOptions;
  readonly #key = find<HTMLInputElement>('show-key');
  readonly #file = find<HTMLInputElement>('logo-file');
  readonly #logo = find<HTMLImageElement>('show-logo');
  #show = '';

  constructor(options: ShowLookOptions) {
    this.#options = options;
    find('save').addEventListener('click', () => void this.#saveLook());
    this.#file.addEventListener('change', () => void this.#saveLogo());
    find('remove-logo').addEventListener('click', () => void this.#send('/logo', { method: 'DELETE' }));
    this.#logo.addEventListener('error', () => {
      this.#logo.hidden = true;
    });
  }

  /** @param name undefined hides the form @param found undefined while it is looked up */
  follow(name: string | undefined, found: FoundShow | undefined): void {
    find('show-look').hidden = name === undefined;
    if (name !== this.#show) this.report('');
    this.#show = name ?? '';
    const url = found?.logo ? relay + found.logo : '';
    this.#logo.hidden = url === '';
    find('remove-logo').hidden = url === '';
    if (url === '') this.#logo.removeAttribute('src');
    else if (this.#logo.src !== url) this.#logo.src = url;
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

  async #saveLogo(): Promise<void> {
    const [file] = this.#file.files ?? [];
    if (file) await this.#send('/logo', { method: 'PUT', body: file });
    // The same file may be chosen again.
    this.#file.value = '';
  }

  async #send(path: string, { headers, ...init }: RequestInit): Promise<void> {
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
    this.report(saved ? saving.saved : describeFault(reply), !saved);
  }
}

function describeFault(reply: Response | undefined): string {
  const seconds = reply?.headers.get('retry-after') ?? '60';
  if (reply?.status === 429) return fill(saving.tooMany, { seconds });
  return TEXTS[reply?.status ?? 0] ?? saving.away;
}
