import { addressOf, type GraphicData, readGraphicData } from './graphic-data.ts';
import { Overlay, RevealGate } from './overlay.ts';

/** On air with what may be seen. Each further step reveals one place, the last one all; then the graphic leaves. */
const IN = 0;
/** Longest wait for the first scene of a relay that does not answer. */
const PATIENCE_MS = 2000;

/**
 * An overlay that a playout server steps through: off, `IN`, the steps of the reveal, off. Another
 * poll or round starts at `IN`. Steps may be requested at any time; promises resolve when the
 * transition has ended.
 */
export class Graphic {
  readonly #root: ParentNode;
  readonly #gate = new RevealGate();
  #data: GraphicData = {};
  #address = '';
  #overlay: Overlay | undefined;
  /** Replaced overlays, removed once the latest can be drawn. */
  readonly #past = new Set<Overlay>();
  #playing = false;

  constructor(root: ParentNode) {
    this.#root = root;
  }

  /** Undefined while off. */
  get step(): number | undefined {
    return this.#playing ? this.#gate.stepOf(this.#overlay?.scene) : undefined;
  }

  /** Goes to a step, or to the last one. A number that no step has stops. */
  async goTo(wanted: number | 'last', still = false): Promise<void> {
    if (wanted !== 'last' && !(wanted >= IN)) return this.stop(still);
    const wasOff = !this.#playing;
    this.#playing = true;
    const overlay = this.#overlay;
    await (overlay && isDrawn(overlay));
    if (!this.#playing || !overlay || overlay !== this.#overlay) return;
    // Only the scene says how many steps there are.
    const last = this.#gate.lastStepOf(overlay.scene);
    const step = wanted === 'last' ? last : wanted;
    if (step > last) return this.stop(still);
    if (step === last && !wasOff) overlay.reveal(still);
    else {
      this.#gate.goTo(step, overlay.scene);
      overlay.draw(still || wasOff);
    }
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
    this.#gate.close();
    this.#overlay?.draw(true);
  }

  /**
   * Merges the fields. Another overlay replaces the one on air once it can be drawn. Returns false
   * if the fields name none.
   */
  async update(data: unknown, still = false): Promise<boolean> {
    const read = readGraphicData(data);
    if (!read) return this.#overlay !== undefined;
    const asked = { ...this.#data, ...read };
    let next: Overlay | undefined;
    try {
      const address = addressOf(asked);
      if (address === undefined) return false;
      this.#gate.holdsAll = asked.hold ?? false;
      if (address !== this.#address) next = new Overlay(this.#root, address, { gate: this.#gate });
      this.#address = address;
    } catch {
      return false;
    }
    this.#data = asked;
    if (next) await this.#replace(next, still);
    else this.#overlay?.draw(still);
    await this.#overlay?.settle();
    return true;
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
    const isCut = still || before?.hasTargetOf(next);
    const past = [...this.#past];
    if (!isCut) {
      for (const overlay of past) overlay.stop();
      await Promise.all(past.map(overlay => overlay.settle()));
    }
    for (const overlay of past) overlay.close();
    this.#past.clear();
    if (this.#overlay !== next || !this.#playing) return;
    next.play(isCut);
  }
}

async function isDrawn(overlay: Overlay): Promise<void> {
  await Promise.race([overlay.drawn, new Promise(done => setTimeout(done, PATIENCE_MS))]);
}
