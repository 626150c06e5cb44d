import { Graphic } from './graphic.ts';

/** The functions that CasparCG, SPX and others call on a template's window. */
export interface Playout {
  /** Comes in. */
  play(): Promise<void>;
  /** Tells the results; once more, and it goes. */
  next(): Promise<void>;
  /** Goes. */
  stop(): Promise<void>;
  /** JSON, CasparCG's XML, or an object; fields that are not in it stay as they are. */
  update(data: unknown): Promise<void>;
}

/** Gives a page the playout functions. `url` is what is drawn until an update names another. */
export function installPlayout(root: ParentNode, url: string | undefined): Playout {
  const graphic = new Graphic(root);
  const playout: Playout = {
    play: async () => {
      if (graphic.step === undefined) await graphic.next();
    },
    next: () => graphic.next(),
    stop: () => graphic.stop(),
    update: async data => {
      await graphic.update(data);
    },
  };
  if (url !== undefined) void graphic.update({ url });
  return Object.assign(globalThis, playout);
}
