import type { ActionInvokeParams, GraphicsAPI, PlayActionReturnPayload, ReturnPayload } from 'ograf';
import { Graphic } from './live/graphic.ts';
import { adoptStyleSheet } from './page-style.ts';

type Parameters<A extends keyof GraphicsAPI.Graphic> = globalThis.Parameters<GraphicsAPI.Graphic[A]>[0];

const OK: ReturnPayload = { statusCode: 200, statusMessage: 'OK' };
const NO_ADDRESS: ReturnPayload = { statusCode: 400, statusMessage: '"url" is not the URL of an overlay' };
const NO_ACTION: ReturnPayload = { statusCode: 404, statusMessage: 'There is no such custom action' };
const REAL_TIME_ONLY: ReturnPayload = {
  statusCode: 400,
  statusMessage: 'This graphic is rendered in real time only',
};
const ACTIONS: Readonly<Record<string, 0 | 'last'>> = { cover: 0, reveal: 'last' };

/** The graphic of the OGraf package (v1): as many steps as its poll has, real time, connected to the relay. */
class TallycastGraphic extends HTMLElement implements GraphicsAPI.Graphic {
  readonly #root = this.attachShadow({ mode: 'open' });
  readonly #graphic = new Graphic(this.#root);

  async load({ data, renderType }: Partial<Parameters<'load'>>): Promise<ReturnPayload> {
    if (renderType === 'non-realtime') return REAL_TIME_ONLY;
    adoptStyleSheet(this.#root);
    return this.#update(data, true);
  }

  async dispose(): Promise<ReturnPayload> {
    this.#graphic.close();
    this.#root.replaceChildren();
    return OK;
  }

  async playAction({
    delta = 1,
    goto,
    skipAnimation,
  }: Parameters<'playAction'> = {}): Promise<PlayActionReturnPayload> {
    await this.#graphic.goTo(goto ?? (this.#graphic.step ?? -1) + delta, skipAnimation);
    // The specification has undefined after the last step, its types do not.
    return { ...OK, currentStep: this.#graphic.step as number };
  }

  async stopAction({ skipAnimation }: Parameters<'stopAction'> = {}): Promise<ReturnPayload> {
    await this.#graphic.stop(skipAnimation);
    return OK;
  }

  async updateAction({ data, skipAnimation }: Parameters<'updateAction'>): Promise<ReturnPayload> {
    return this.#update(data, skipAnimation);
  }

  async customAction({ id, skipAnimation }: ActionInvokeParams): Promise<ReturnPayload> {
    const step = Object.hasOwn(ACTIONS, id) ? ACTIONS[id] : undefined;
    if (step === undefined) return NO_ACTION;
    await this.#graphic.goTo(step, skipAnimation);
    return OK;
  }

  async goToTime(): Promise<ReturnPayload> {
    return REAL_TIME_ONLY;
  }

  async setActionsSchedule(): Promise<ReturnPayload> {
    return REAL_TIME_ONLY;
  }

  async #update(data: unknown, still = false): Promise<ReturnPayload> {
    return (await this.#graphic.update(data, still)) ? OK : NO_ADDRESS;
  }
}

// biome-ignore lint/style/noDefaultExport: the OGraf specification demands a default export.
export default TallycastGraphic;
