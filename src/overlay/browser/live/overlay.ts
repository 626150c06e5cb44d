import { type OverlayAddress, parseOverlayAddress } from '../../parameter/overlay-address.ts';
import { type Scene, Stage } from '../drawing/stage.ts';
import { linkFonts } from '../drawing/style-sheet.ts';
import { type FollowListener, followOverlay } from './follow-overlay.ts';

/** One overlay in one place: what its address names, drawn as its address says. */
export class Overlay {
  readonly address: OverlayAddress;
  readonly #stage: Stage;
  readonly #unfollow: () => void;

  /** @throws TypeError where `url` is no URL of an overlay */
  constructor(root: ParentNode, url: string, listener: Partial<FollowListener> = {}) {
    this.address = parseOverlayAddress(url);
    linkFonts(this.address.relay);
    this.#stage = new Stage(root, this.address.settings, navigator.language);
    this.#unfollow = followOverlay(this.address, {
      onScene: (scene: Scene) => {
        this.#stage.show(scene);
        listener.onScene?.(scene);
      },
      onStatus: status => listener.onStatus?.(status),
    });
  }

  play(still = false): void {
    this.#stage.play(still);
  }

  stop(still = false): void {
    this.#stage.stop(still);
  }

  close(): void {
    this.#unfollow();
    this.#stage.close();
  }
}
