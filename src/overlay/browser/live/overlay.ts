import { fetchBounded } from '../../../client/bounded-reply.ts';
import { withoutCounts } from '../../../client/watch-state.ts';
import { fill } from '../../../locales/i18n.ts';
import type { VoteCode } from '../../../picture/draw/look.ts';
import {
  nameOf,
  type OverlayAddress,
  type OverlayTarget,
  parseOverlayAddress,
} from '../../../picture/overlay-address.ts';
import { drawsGround, isFull, readParameters, type Settings } from '../../../picture/parameters.ts';
import { hasResults, isSecret, type PollSnapshot } from '../../../picture/picture.ts';
import { lookQuery, withLook } from '../../../picture/show-look.ts';
import { placesOf } from '../../../poll/ranking.ts';
import type { HiddenMessage, ResultsBody, ShowLook } from '../../../protocol/messages.ts';
import { linkFonts } from '../page-style.ts';
import { type Scene, Stage } from '../stage.ts';
import {
  followScenes,
  type Presentation,
  type SceneListener,
  type SceneLook,
  statusPhrases,
} from './scenes.ts';

export interface OverlayOptions {
  readonly gate?: RevealGate | undefined;
  /** Gets sentences about connection and QR code. */
  readonly onStatus?: ((status: string) => void) | undefined;
  readonly presentation?: Presentation | undefined;
}

/** One overlay: follows what its URL names, and draws it on a stage of its own. */
export class Overlay {
  readonly address: OverlayAddress;
  readonly drawn: Promise<void>;
  readonly #query: URLSearchParams;
  #settings: Settings;
  readonly #stage: Stage;
  readonly #gate: RevealGate | undefined;
  readonly #onStatus: OverlayOptions['onStatus'];
  readonly #presentation: Presentation | undefined;
  readonly #language: string;
  readonly #unfollow: () => void;
  readonly #stopLoading: () => void;
  #scene: Scene | undefined;
  /** URLs of the images that are shown or loading. */
  readonly #images: { logo?: string | undefined; ground?: string | undefined } = {};
  #status = '';
  #codeFault = '';

  /** @throws TypeError for a URL that is not an overlay's */
  constructor(root: ParentNode, url: string, { gate, onStatus, presentation }: OverlayOptions = {}) {
    this.address = parseOverlayAddress(url);
    const { rehearsal, moment } = this.address.settings;
    this.#gate = gate ?? (rehearsal && moment === 'hidden' ? new RevealGate() : undefined);
    this.#onStatus = onStatus;
    this.#presentation = presentation;
    this.#language = presentation?.language ?? navigator.language;
    let onDrawn = () => {};
    this.drawn = new Promise(done => {
      onDrawn = done;
    });
    // The page of a presentation has its own.
    if (!presentation) linkFonts(this.address.relay);
    this.#query = new URL(url).searchParams;
    this.#settings = this.#settingsWith({});
    this.#stage = new Stage(root, this.#settings, this.#language, this.address.relay);
    const listener: SceneListener = {
      onScene: (scene, look) => {
        // What leaves was drawn in the look before.
        if (look) this.#restyle(look);
        this.#scene = scene;
        this.draw();
        if (look) this.#loadImages(look);
        onDrawn();
      },
      onLook: look => {
        // A picture that leaves goes on.
        if (this.#restyle(look) && this.#scene?.poll) this.draw(true);
        this.#loadImages(look);
      },
      onStatus: status => {
        this.#status = status;
        this.#report();
      },
    };
    this.#unfollow = followScenes(this.address, listener, presentation);
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
    if (!this.#scene) return;
    const scene = this.#gate?.filter(this.#scene) ?? this.#scene;
    this.#stage.show({ ...scene, isCodePermanent: this.#isCodePermanent }, still);
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
    Object.assign(this.#images, { logo: undefined, ground: undefined });
    this.#stage.close();
  }

  #settingsWith(look: ShowLook): Settings {
    const { settings } = readParameters(withLook(this.#query, lookQuery(look)));
    // A strip would leave the screen empty.
    return this.#presentation && !isFull(settings) ? { ...settings, style: 'bars' } : settings;
  }

  /** Takes the look of the show, where the overlay's own URL has nothing else. @returns whether it changes anything */
  #restyle({ look }: SceneLook): boolean {
    const settings = this.#settingsWith(look);
    if (JSON.stringify(settings) === JSON.stringify(this.#settings)) return false;
    this.#settings = settings;
    this.#stage.restyle(settings, this.#language);
    return true;
  }

  #loadImages({ logo, ground }: SceneLook): void {
    const settings = this.#settings;
    void this.#loadImage('logo', settings.logo ? logo : undefined);
    void this.#loadImage('ground', drawsGround(settings) ? ground : undefined);
  }

  /** An image that cannot be loaded is left out, and tried again with the next message about the show. */
  async #loadImage(kind: 'logo' | 'ground', url: string | undefined): Promise<void> {
    if (url === this.#images[kind]) return;
    this.#images[kind] = url;
    const image = url === undefined ? undefined : await decodeImage(url);
    if (this.#images[kind] !== url) return;
    if (!image) this.#images[kind] = undefined;
    if (kind === 'logo') this.#stage.showLogo(image);
    else this.#stage.showGround(image);
  }

  /** A presentation has the code before the opening, too, and none after the close or without a poll. */
  get #isCodePermanent(): boolean {
    const { id = '', status } = this.#scene?.poll ?? {};
    if (this.#presentation) return id !== '' && status !== 'closed';
    return this.address.target.kind === 'show';
  }

  #loadCode(): () => void {
    const { relay, target, settings } = this.address;
    const isDrawn = settings.qr !== 'none' || settings.style === 'code';
    // A presenter reads the address out.
    if (!isDrawn && settings.style !== 'host') return () => {};
    return loadVoteCode(relay, target, code => {
      this.#stage.showCode({ ...code, note: this.#presentation?.note });
      if (!isDrawn) return;
      const { host, hostname } = new URL(code.address);
      this.#codeFault = OWN_HOST.test(hostname) ? fill(statusPhrases().localCode, { host }) : '';
      this.#report();
    });
  }

  #report(): void {
    this.#onStatus?.([this.#status, this.#codeFault].filter(Boolean).join(' '));
  }
}

const IMAGE_TIMEOUT_MS = 10_000;

async function decodeImage(src: string): Promise<HTMLImageElement | undefined> {
  const image = Object.assign(new Image(), { src });
  const timeout = new Promise<undefined>(done => setTimeout(() => done(undefined), IMAGE_TIMEOUT_MS));
  const decoded = image.decode().then(
    () => image,
    () => undefined,
  );
  return Promise.race([decoded, timeout]);
}

/** The best place, and all others with it. */
const ALL = 1;

/**
 * Holds results back until they are revealed: those that only a view key may read, or all. Once the
 * poll is closed, steps reveal one place after the other, from the last one. Another poll or
 * round closes the gate again.
 */
export class RevealGate {
  holdsAll = false;
  /** The poll and round whose results are revealed; undefined while closed. */
  #openFor: string | undefined;
  /** The best place that is revealed of it. */
  #from = ALL;

  /** Returns the scene, without the counts that are held back. */
  filter(scene: Scene): Scene {
    const { poll } = scene;
    if (!poll || !this.#isHeld(poll)) return scene;
    const from = this.#fromOf(poll);
    if (from === ALL) return scene;
    const isStepped = poll.status === 'closed' && from < Number.POSITIVE_INFINITY;
    return { ...scene, poll: isStepped ? revealedDownTo(poll, from) : withoutCounts(poll) };
  }

  holds(poll: PollSnapshot | undefined): boolean {
    return poll !== undefined && this.#isHeld(poll) && this.#fromOf(poll) !== ALL;
  }

  /** Returns how many steps of a scene are revealed. */
  stepOf(scene: Scene | undefined): number {
    const from = this.#fromOf(scene?.poll);
    const places = this.#stepsOf(scene);
    return from === ALL ? places.length : places.filter(place => place >= from).length;
  }

  /** Returns how many steps reveal all of a scene. */
  lastStepOf(scene: Scene | undefined): number {
    return this.#stepsOf(scene).length;
  }

  goTo(step: number, scene: Scene | undefined): void {
    const places = this.#stepsOf(scene);
    this.#openFor = step === 0 ? undefined : roundOf(scene?.poll);
    this.#from = step < places.length ? places[step - 1]! : ALL;
  }

  open(scene: Scene | undefined): void {
    this.goTo(this.lastStepOf(scene), scene);
  }

  close(): void {
    this.#openFor = undefined;
  }

  #isHeld(poll: PollSnapshot): poll is ResultsBody {
    return hasResults(poll) && (this.holdsAll || isSecret(poll));
  }

  /** The places that steps reveal, from the last one. Places of an open poll may still change, so it has one step. */
  #stepsOf(scene: Scene | undefined): readonly number[] {
    const poll = scene?.poll;
    if (!poll || !this.#isHeld(poll) || poll.status !== 'closed') return [ALL];
    return [...new Set(placesOf(poll.poll_answers.map(({ votes }) => votes)))].sort((a, b) => b - a);
  }

  /** The best place that is revealed, here or by the poll's show; infinite for none. */
  #fromOf(poll: PollSnapshot | undefined): number {
    const from = this.#openFor === roundOf(poll) ? this.#from : Number.POSITIVE_INFINITY;
    return Math.min(from, poll?.revealed_from ?? Number.POSITIVE_INFINITY);
  }
}

/** Tells a round of a poll from all others, and from a show without a poll. */
function roundOf(poll: PollSnapshot | undefined): string {
  return poll ? `${poll.id} ${poll.round ?? 1}` : '';
}

/** The poll as steps of a reveal show it. */
function revealedDownTo(poll: ResultsBody, from: number): HiddenMessage {
  const { poll_answers, total_votes, total_voters } = poll;
  const places = placesOf(poll_answers.map(({ votes }) => votes));
  const hidden = withoutCounts(poll);
  return {
    ...hidden,
    poll_answers: hidden.poll_answers.map((answer, index) => {
      const [{ votes }, place] = [poll_answers[index]!, places[index]!];
      return place >= from ? { ...answer, votes, place } : answer;
    }),
    revealed_from: from,
    total_votes,
    total_voters,
  };
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
    const reply = await fetchBounded(`${relay}/api/${path}/qr.json`, signal).catch(() => undefined);
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

/** Returns undefined for anything else, such as the page of a proxy. */
function parseCode(text: string): VoteCode | undefined {
  try {
    const { address, modules, dark } = JSON.parse(text);
    return /^https?:\/\/\S/.test(address) && dark.length > 0 ? { address, modules, dark } : undefined;
  } catch {
    return undefined;
  }
}
