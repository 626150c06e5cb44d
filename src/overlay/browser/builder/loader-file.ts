/** Where the loader file keeps the address that it waits for. */
const PLACE = 'data-overlay=""';

/** The loader file with an address in it. The file stays on this machine: the key in the address goes nowhere. */
export async function downloadLoader(url: string): Promise<void> {
  const reply = await fetch('/overlay/loader.html');
  const page = (await reply.text()).replace(PLACE, () => `data-overlay="${escapeAttribute(url)}"`);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([page], { type: 'text/html' }));
  link.download = 'tallycast-loader.html';
  link.click();
  URL.revokeObjectURL(link.href);
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
