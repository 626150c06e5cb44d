import { texts } from './texts.ts';

/** Where the loader file keeps the address that it waits for. */
const LOADER_PLACE = 'data-overlay=""';

/** A frame is see-through only where its colour scheme is that of the overlay. */
export function embedCode(address: string): string {
  return `<iframe src="${escapeAttribute(address)}" style="border:0;width:100%;aspect-ratio:16/9;color-scheme:light"></iframe>`;
}

/** Copies a field, by the clipboard or, on a page without https, as one does by hand; and says what came of it. */
export async function copyField(field: HTMLInputElement, button: HTMLButtonElement): Promise<void> {
  field.select();
  const done = navigator.clipboard
    ? await navigator.clipboard.writeText(field.value).then(
        () => true,
        () => document.execCommand('copy'),
      )
    : document.execCommand('copy');
  button.textContent = done ? texts.copied : texts.copyByHand;
}

/** The loader file with an address in it. The file stays on this machine: the key in the address goes nowhere. */
export async function downloadLoader(relay: string, address: string): Promise<void> {
  const reply = await fetch(`${relay}/overlay/loader.html`);
  const page = (await reply.text()).replace(LOADER_PLACE, () => `data-overlay="${escapeAttribute(address)}"`);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([page], { type: 'text/html' }));
  link.download = 'tallycast-loader.html';
  link.click();
  URL.revokeObjectURL(link.href);
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
