import { Graphic } from './live/graphic.ts';
import { adoptStyleSheet } from './page-style.ts';

/**
 * The template for SPX and CasparCG, in one file. `update()` names the overlay; SPX also writes a
 * default into the page.
 */

interface SpxWindow {
  readonly SPXGCTemplateDefinition?: { readonly DataFields: readonly { field?: string; value?: string }[] };
}

adoptStyleSheet(document);
const graphic = new Graphic(document.body);

// Playout servers call these on the template's window.
Object.assign(globalThis, {
  play: async () => {
    if (graphic.step === undefined) await graphic.next();
  },
  next: () => graphic.next(),
  stop: () => graphic.stop(),
  /** Takes JSON, CasparCG's XML, or an object. */
  update: async (data: unknown) => {
    await graphic.update(data);
  },
});

const fields = (globalThis as SpxWindow).SPXGCTemplateDefinition?.DataFields;
const url = fields?.find(({ field }) => field === 'f0')?.value;
if (url !== undefined) void graphic.update({ url });
