import { adoptStyleSheet } from './drawing/style-sheet.ts';
import { Overlay } from './live/overlay.ts';
import { readAddress } from './live/playout.ts';

interface ReturnPayload {
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly currentStep?: number | undefined;
}

interface PlayParameters {
  readonly delta?: number;
  readonly goto?: number;
  readonly skipAnimation?: boolean;
}

const OK: ReturnPayload = { statusCode: 200, statusMessage: 'OK' };
const NO_ADDRESS: ReturnPayload = { statusCode: 400, statusMessage: '"url" is not the URL of an overlay' };

/** The graphic of the OGraf package (v1): one step, real time, fed by the relay itself. */
class TallycastGraphic extends HTMLElement {
  readonly #root = this.attachShadow({ mode: 'open' });
  #overlay: Overlay | undefined;
  #playing = false;

  async load({ data }: { data?: unknown }): Promise<ReturnPayload> {
    adoptStyleSheet(this.#root);
    return this.#show(data);
  }

  async dispose(): Promise<ReturnPayload> {
    this.#overlay?.close();
    this.#overlay = undefined;
    this.#root.replaceChildren();
    return OK;
  }

  async playAction(parameters: PlayParameters = {}): Promise<ReturnPayload> {
    const step = parameters.goto ?? (this.#playing ? 0 : -1) + (parameters.delta ?? 1);
    this.#playing = step < 1;
    if (this.#playing) this.#overlay?.play(parameters.skipAnimation);
    else this.#overlay?.stop(parameters.skipAnimation);
    return { ...OK, currentStep: this.#playing ? 0 : undefined };
  }

  async stopAction({ skipAnimation }: PlayParameters = {}): Promise<ReturnPayload> {
    this.#playing = false;
    this.#overlay?.stop(skipAnimation);
    return OK;
  }

  async updateAction({ data }: { data?: unknown }): Promise<ReturnPayload> {
    return this.#show(data);
  }

  async customAction(): Promise<ReturnPayload> {
    return { statusCode: 404, statusMessage: 'There are no custom actions' };
  }

  #show(data: unknown): ReturnPayload {
    const url = readAddress(data);
    if (url === undefined) return this.#overlay ? OK : NO_ADDRESS;
    try {
      const next = new Overlay(this.#root, url);
      this.#overlay?.close();
      this.#overlay = next;
    } catch {
      return NO_ADDRESS;
    }
    if (!this.#playing) this.#overlay.stop(true);
    return OK;
  }
}

// biome-ignore lint/style/noDefaultExport: the OGraf specification demands a default export.
export default TallycastGraphic;
