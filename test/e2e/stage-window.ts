import { adoptStyleSheet } from '../../src/overlay/browser/page-style.ts';
import { type Scene, Stage } from '../../src/overlay/browser/stage.ts';
import type { VoteCode } from '../../src/picture/draw/look.ts';
import { readParameters } from '../../src/picture/parameters.ts';

/** What the page of a stage offers to `page.evaluate`: the drawing code, for scenes that no live stream has. */
export interface StageWindow {
  /** Draws a scene on the whole page; the first one, or one with another query, on a new stage. */
  show(query: string, scene: Scene): void;
  /** Shows this code on every stage. */
  showCode(code: VoteCode): void;
  /** Shows an image behind a full picture. */
  showGround(src: string): Promise<void>;
  /** Leaves the air, and enters again. */
  stop(): void;
  play(): void;
}

let stage: Stage | undefined;
let drawn: string | undefined;
let shownCode: VoteCode | undefined;

const offered: StageWindow = {
  show(query, scene) {
    if (query !== drawn) {
      stage?.close();
      stage = new Stage(
        document.body,
        readParameters(new URLSearchParams(query)).settings,
        'en',
        location.origin,
      );
      if (shownCode) stage.showCode(shownCode);
    }
    drawn = query;
    stage!.show(scene);
  },
  showCode(code) {
    shownCode = code;
    stage?.showCode(code);
  },
  async showGround(src) {
    const image = Object.assign(new Image(), { src });
    await image.decode();
    stage?.showGround(image);
  },
  stop: () => stage?.stop(true),
  play: () => stage?.play(true),
};

adoptStyleSheet(document);
Object.assign(globalThis, offered);
