import { fill } from '../../../web/i18n.ts';
import { type OverlayAddress, parseOverlayAddress } from '../../parameter/overlay-address.ts';
import { type Scene, Stage } from '../drawing/stage.ts';
import { linkFonts } from '../drawing/style-sheet.ts';
import { Curtain } from './curtain.ts';
import { type FollowListener, followOverlay, statusPhrases } from './follow-overlay.ts';
import { loadVoteCode, localHostOf } from './vote-code.ts';

/** One overlay in one place: what its address names, drawn as its address says, as far as a curtain lets it be seen. */
export class Overlay {
  readonly address: OverlayAddress;
  /** Ends with the first scene. */
  readonly drawn: Promise<void>;
  readonly #stage: Stage;
  readonly #listener: Partial<FollowListener>;
  readonly #curtain: Curtain | undefined;
  readonly #unfollow: () => void;
  readonly #unload: () => void;
  #scene: Scene | undefined;
  #status = '';
  /** What is wrong with the code, for people. */
  #fault = '';

  /** @throws TypeError where `url` is no URL of an overlay */
  constructor(
    root: ParentNode,
    url: string,
    { listener = {}, curtain }: { listener?: Partial<FollowListener>; curtain?: Curtain } = {},
  ) {
    this.address = parseOverlayAddress(url);
    this.#listener = listener;
    const { rehearsal, moment } = this.address.settings;
    this.#curtain = curtain ?? (rehearsal && moment === 'hidden' ? new Curtain() : undefined);
    let onDrawn = () => {};
    this.drawn = new Promise(done => {
      onDrawn = done;
    });
    linkFonts(this.address.relay);
    this.#stage = new Stage(root, this.address.settings, navigator.language);
    this.#unfollow = followOverlay(this.address, {
      onScene: (scene: Scene) => {
        this.#scene = scene;
        this.draw();
        onDrawn();
        listener.onScene?.(scene);
      },
      onStatus: status => {
        this.#status = status;
        this.#tell();
      },
    });
    this.#unload = this.#loadCode();
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

  /** Draws what is known once more, as much of it as may be seen by now. */
  draw(still = false): void {
    if (this.#scene) this.#stage.show(this.#curtain?.cover(this.#scene) ?? this.#scene, still);
  }

  /** Tells the results, from the last place to the first: those that were kept back, or those that are on air once more. */
  tell(still = false): void {
    const keptBack = this.#scene !== undefined && this.#curtain?.covers(this.#scene);
    this.#curtain?.tell(this.#scene);
    if (keptBack) this.draw(still);
    else if (!still) this.#stage.reveal();
  }

  /** Ends when nothing comes, goes or is told any more. */
  async settle(): Promise<void> {
    while (this.#stage.restMs > 0) await new Promise(done => setTimeout(done, this.#stage.restMs));
  }

  /** Whether another overlay shows the same, however it looks. */
  names({ address: { relay, target } }: Overlay): boolean {
    return relay === this.address.relay && JSON.stringify(target) === JSON.stringify(this.address.target);
  }

  close(): void {
    this.#unfollow();
    this.#unload();
    this.#stage.close();
  }

  #loadCode(): () => void {
    const { relay, target, settings } = this.address;
    if (settings.qr === 'none' && settings.style !== 'code') return () => {};
    return loadVoteCode(relay, target, code => {
      this.#stage.showCode(code, target.kind === 'show');
      const host = localHostOf(code);
      this.#fault = host === undefined ? '' : fill(statusPhrases().localCode, { host });
      this.#tell();
    });
  }

  #tell(): void {
    this.#listener.onStatus?.([this.#status, this.#fault].filter(Boolean).join(' '));
  }
}
