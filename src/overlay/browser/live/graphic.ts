import { Curtain } from './curtain.ts';
import { addressOf, type GraphicData, readGraphicData } from './graphic-data.ts';
import { Overlay } from './overlay.ts';

/** In: what one may vote for, and the results as far as nothing keeps them back. */
const IN = 0;
/** Told: all results, from the last place to the first. */
const TOLD = 1;
/** A relay that does not answer for so long has nothing to wait for. */
const PATIENCE_MS = 2000;

/** What an update came to. */
export type UpdateOutcome = 'done' | 'no-address';

/**
 * An overlay that somebody plays in steps: out, `IN`, `TOLD`, and out again. A show that puts another poll on air is at `IN`
 * again. Every step may be asked for at any time; the promises end when its motion has.
 */
export class Graphic {
  readonly #root: ParentNode;
  readonly #curtain = new Curtain();
  #data: GraphicData = {};
  #address = '';
  #overlay: Overlay | undefined;
  /** Those that an update takes off once the newest can be drawn. */
  readonly #past = new Set<Overlay>();
  #playing = false;

  constructor(root: ParentNode) {
    this.#root = root;
  }

  /** Undefined while it is off. */
  get step(): number | undefined {
    if (!this.#playing) return undefined;
    return this.#curtain.isTold(this.#overlay?.scene) ? TOLD : IN;
  }

  /** Beyond the last step, and before the first, it goes. */
  async goTo(step: number, still = false): Promise<void> {
    if (step !== IN && step !== TOLD) return this.stop(still);
    const wasOff = !this.#playing;
    this.#playing = true;
    const overlay = this.#overlay;
    await (overlay && isDrawn(overlay));
    // Whoever asked for something else meanwhile has it.
    if (!this.#playing || !overlay || overlay !== this.#overlay) return;
    if (step === IN) this.#curtain.fall();
    else if (wasOff) this.#curtain.tell(overlay.scene);
    else overlay.tell(still);
    if (step === IN || wasOff) overlay.draw(still || wasOff);
    if (wasOff) overlay.play(still);
    await overlay.settle();
  }

  async next(still = false): Promise<void> {
    await this.goTo((this.step ?? IN - 1) + 1, still);
  }

  async stop(still = false): Promise<void> {
    this.#playing = false;
    const all = [...this.#past, ...(this.#overlay ? [this.#overlay] : [])];
    for (const overlay of all) overlay.stop(still);
    await Promise.all(all.map(overlay => overlay.settle()));
    if (this.#playing) return;
    this.#curtain.fall();
    this.#overlay?.draw(true);
  }

  /**
   * Takes over the fields that are there. Another overlay takes the place of the one on air once it can be drawn; what is none
   * leaves on air what is there.
   */
  async update(data: unknown, still = false): Promise<UpdateOutcome> {
    const read = readGraphicData(data);
    if (!read) return this.#overlay ? 'done' : 'no-address';
    const asked = { ...this.#data, ...read };
    let next: Overlay | undefined;
    try {
      const address = addressOf(asked);
      if (address === undefined) return 'no-address';
      this.#curtain.holdsAll = asked.hold ?? false;
      if (address !== this.#address) next = new Overlay(this.#root, address, { curtain: this.#curtain });
      this.#address = address;
    } catch {
      return 'no-address';
    }
    this.#data = asked;
    if (next) await this.#replace(next, still);
    else this.#overlay?.draw(still);
    await this.#overlay?.settle();
    return 'done';
  }

  close(): void {
    for (const overlay of this.#past) overlay.close();
    this.#past.clear();
    this.#overlay?.close();
    this.#overlay = undefined;
    this.#address = '';
  }

  async #replace(next: Overlay, still: boolean): Promise<void> {
    const before = this.#overlay;
    next.stop(true);
    this.#overlay = next;
    if (before) this.#past.add(before);
    await isDrawn(next);
    if (this.#overlay !== next) return;
    const cuts = still || before?.names(next);
    const past = [...this.#past];
    if (!cuts) {
      for (const overlay of past) overlay.stop();
      await Promise.all(past.map(overlay => overlay.settle()));
    }
    for (const overlay of past) overlay.close();
    this.#past.clear();
    if (this.#overlay !== next || !this.#playing) return;
    next.play(cuts);
  }
}

async function isDrawn(overlay: Overlay): Promise<void> {
  await Promise.race([overlay.drawn, new Promise(done => setTimeout(done, PATIENCE_MS))]);
}
