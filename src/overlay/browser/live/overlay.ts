import { fetchBounded } from '../../../client/bounded-reply.ts';
import { withoutCounts } from '../../../client/watch-state.ts';
import { fill } from '../../../locales/i18n.ts';
import type { VoteCode } from '../../../picture/draw/code.ts';
import {
  nameOf,
  type OverlayAddress,
  type OverlayTarget,
  parseOverlayAddress,
} from '../../../picture/overlay-address.ts';
import { readParameters, type Settings } from '../../../picture/parameters.ts';
import { hasResults, isSecret, type PollSnapshot } from '../../../picture/picture.ts';
import { lookQuery, withLook } from '../../../picture/show-look.ts';
import { linkFonts } from '../page-style.ts';
import { type Scene, Stage } from '../stage.ts';
import { followScenes, type SceneLook, statusPhrases } from './scenes.ts';

export interface OverlayOptions {
  readonly gate?: RevealGate | undefined;
  /** Gets sentences about connection and QR code. */
  readonly onStatus?: ((status: string) => void) | undefined;
}

/** One overlay: follows what its URL names, and draws it on a stage of its own. */
export class Overlay {
  readonly address: OverlayAddress;
  readonly drawn: Promise<void>;
  readonly #query: URLSearchParams;
  #settings: Settings;
  #stage: Stage;
  readonly #gate: RevealGate | undefined;
  readonly #onStatus: OverlayOptions['onStatus'];
  readonly #unfollow: () => void;
  readonly #stopLoading: () => void;
  #scene: Scene | undefined;
  /** URL of the logo that is shown or loading. */
  #logo: string | undefined;
  #status = '';
  #codeFault = '';

  /** @throws TypeError for a URL that is not an overlay's */
  constructor(root: ParentNode, url: string, { gate, onStatus }: OverlayOptions = {}) {
    this.address = parseOverlayAddress(url);
    const { rehearsal, moment } = this.address.settings;
    this.#gate = gate ?? (rehearsal && moment === 'hidden' ? new RevealGate() : undefined);
    this.#onStatus = onStatus;
    let onDrawn = () => {};
    this.drawn = new Promise(done => {
      onDrawn = done;
    });
    linkFonts(this.address.relay);
    this.#query = new URL(url).searchParams;
    this.#settings = this.address.settings;
    this.#stage = new Stage(root, this.#settings, navigator.language);
    this.#unfollow = followScenes(this.address, {
      onScene: scene => {
        this.#scene = scene;
        this.draw();
        onDrawn();
      },
      onLook: look => this.#showLook(look),
      onStatus: status => {
        this.#status = status;
        this.#report();
      },
    });
    this.#stopLoading = this.#loadCode();
  }

  play(still = false): void {
    this.#stage.play(still);
  }

  stop(still = false): void {
    this.#stage.stop(still);
  }

  get scene(): Scene | undefined {
    return this.#scene;
  }

  /** Draws the latest scene again, for example after the gate changed. */
  draw(still = false): void {
    if (this.#scene) this.#stage.show(this.#gate?.filter(this.#scene) ?? this.#scene, still);
  }

  /** Reveals results that are held back, or repeats the reveal of visible ones. */
  reveal(still = false): void {
    const isHeld = this.#scene !== undefined && this.#gate?.holds(this.#scene.poll);
    this.#gate?.open(this.#scene);
    if (isHeld) this.draw(still);
    else if (!still) this.#stage.reveal();
  }

  async settle(): Promise<void> {
    while (this.#stage.restMs > 0) await new Promise(done => setTimeout(done, this.#stage.restMs));
  }

  hasTargetOf({ address: { relay, target } }: Overlay): boolean {
    return relay === this.address.relay && JSON.stringify(target) === JSON.stringify(this.address.target);
  }

  close(): void {
    this.#unfollow();
    this.#stopLoading();
    this.#logo = undefined;
    this.#stage.close();
  }

  /** The look of the show, where the overlay's own URL has nothing else. */
  #showLook({ look, logo }: SceneLook): void {
    const { settings } = readParameters(withLook(this.#query, lookQuery(look)));
    if (JSON.stringify(settings) !== JSON.stringify(this.#settings)) {
      this.#settings = settings;
      this.#stage = this.#stage.replaceBy(settings, navigator.language);
      this.draw(true);
    }
    void this.#loadLogo(settings.logo ? logo : undefined);
  }

  /** A logo that cannot be loaded is left out, and tried again with the next message about the show. */
  async #loadLogo(url: string | undefined): Promise<void> {
    if (url === this.#logo) return;
    this.#logo = url;
    const image = url === undefined ? undefined : await decodeImage(url);
    if (this.#logo !== url) return;
    if (!image) this.#logo = undefined;
    this.#stage.showLogo(image);
  }

  #showCode(code: VoteCode): void {
    this.#stage.showCode(code, this.address.target.kind === 'show');
  }

  #loadCode(): () => void {
    const { relay, target, settings } = this.address;
    if (settings.qr === 'none' && settings.style !== 'code') return () => {};
    return loadVoteCode(relay, target, code => {
      this.#showCode(code);
      const { host, hostname } = new URL(code.address);
      this.#codeFault = OWN_HOST.test(hostname) ? fill(statusPhrases().localCode, { host }) : '';
      this.#report();
    });
  }

  #report(): void {
    this.#onStatus?.([this.#status, this.#codeFault].filter(Boolean).join(' '));
  }
}

const LOGO_TIMEOUT_MS = 10_000;

async function decodeImage(src: string): Promise<HTMLImageElement | undefined> {
  const image = Object.assign(new Image(), { src });
  const timeout = new Promise<undefined>(done => setTimeout(() => done(undefined), LOGO_TIMEOUT_MS));
  const decoded = image.decode().then(
    () => image,
    () => undefined,
  );
  return Promise.race([decoded, timeout]);
}

/** Holds results back until they are revealed: those that only a view key may read, or all. Another poll closes it again. */
export class RevealGate {
  holdsAll = false;
  /** The revealed poll; null for a show without a poll, undefined while closed. */
  #openFor: string | null | undefined;

  /** Returns the scene, without its counts while they are held back. */
  filter(scene: Scene): Scene {
    const { poll } = scene;
    return poll && this.holds(poll) ? { ...scene, poll: withoutCounts(poll) } : scene;
  }

  holds(poll: PollSnapshot | undefined): boolean {
    if (!poll || !hasResults(poll) || this.#openFor === poll.id) return false;
    return this.holdsAll || isSecret(poll);
  }

  isOpenFor(scene: Scene | undefined): boolean {
    return this.#openFor === (scene?.poll?.id ?? null);
  }

  open(scene: Scene | undefined): void {
    this.#openFor = scene?.poll?.id ?? null;
  }

  close(): void {
    this.#openFor = undefined;
  }
}

/** A starting relay is asked again soon, for an unknown poll or show less often. */
const PAUSES_MS = { away: 2_000, unknown: 15_000 } as const;

const OWN_HOST = /^(?:localhost|.+\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/;

/** Loads the QR code from the relay, which knows the URL of the vote, and retries. Returns a function that stops. */
export function loadVoteCode(
  relay: string,
  target: OverlayTarget,
  onCode: (code: VoteCode) => void,
): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const path = `${target.kind === 'show' ? 'show' : 'poll'}/${encodeURIComponent(nameOf(target))}`;
  const load = async () => {
    const reply = await fetchBounded(`${relay}/api/${path}/qr.svg`, signal).catch(() => undefined);
    const code = reply?.ok ? parseCode(await reply.body.text()) : undefined;
    if (signal.aborted) return;
    if (code) onCode(code);
    else timer = setTimeout(() => void load(), reply?.status === 404 ? PAUSES_MS.unknown : PAUSES_MS.away);
  };
  void load();
  return () => {
    abort.abort();
    clearTimeout(timer);
  };
}

/** Of the relay's drawing: a run of dark modules in one row. */
const DARK_RUN = /M(\d+) (\d+)h(\d+)/g;

function parseCode(svg: string): VoteCode | undefined {
  const drawing = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  const address = drawing.querySelector('title')?.textContent ?? '';
  const modules = Number(drawing.getAttribute('viewBox')?.split(' ').at(-1));
  const path = drawing.querySelector('path:last-of-type')?.getAttribute('d') ?? '';
  const dark = [...path.matchAll(DARK_RUN)].map(
    ([, x, y, width]) => [Number(x), Number(y), Number(width)] as const,
  );
  return dark.length > 0 && modules > 0 && /^https?:\/\/\S/.test(address)
    ? { address, modules, dark }
    : undefined;
}
