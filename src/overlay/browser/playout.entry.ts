import { adoptStyleSheet } from './drawing/style-sheet.ts';
import { installPlayout } from './live/playout.ts';

/** The template for SPX and CasparCG: one file with everything in it, told by `update()` which overlay to draw. */

interface SpxWindow {
  readonly SPXGCTemplateDefinition?: { readonly DataFields: readonly { field?: string; value?: string }[] };
}

adoptStyleSheet(document);
const fields = (globalThis as SpxWindow).SPXGCTemplateDefinition?.DataFields;
const inTheFile = fields?.find(({ field }) => field === 'f0')?.value;
installPlayout(document.body, inTheFile);
