import { type OverlayAddress, parseOverlayAddress } from '../../parameter/overlay-address.ts';
import { type Scene, Stage } from '../drawing/stage.ts';
import { linkFonts } from '../drawing/style-sheet.ts';
import { type FollowListener, followOverlay } from './follow-overlay.ts';
import { faultOfCode, loadVoteCode } from './vote-code.ts';

/** One overlay in one place: what its address names, drawn as its address says. */
export class Overlay {
  readonly address: OverlayAddress;
  readonly #stage: Stage;
  readonly #listener: Partial<FollowListener>;
  readonly #unfollow: () => void;
  readonly #unload: () => void;
  #status = '';
  /** What is wrong with the code, for people. */
  #fault = '';

  /** @throws TypeError where `url` is no URL of an overlay */
  constructor(root: ParentNode, url: string, listener: Partial<FollowListener> = {}) {
    this.address = parseOverlayAddress(url);
    this.#listener = listener;
    linkFonts(this.address.relay);
    this.#stage = new Stage(root, this.address.settings, navigator.language);
    this.#unfollow = followOverlay(this.address, {
      onScene: (scene: Scene) => {
        this.#stage.show(scene);
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
      this.#fault = faultOfCode(code) ?? '';
      this.#tell();
    });
  }

  #tell(): void {
    this.#listener.onStatus?.([this.#status, this.#fault].filter(Boolean).join(' '));
  }
}
