import { qrCode, qrSvg } from '../../http/qr-code.ts';
import type { Phrases } from '../../web/phrases.ts';
import { html, Markup } from './html.ts';

/** The code of a voting address, large enough to point a camera at across a table. */
export function votingQr({ create: { share } }: Phrases, voteUrl: string): Markup {
  return html`<div class="qr" role="img" aria-label="${share.qrCode}">${new Markup(qrSvg(qrCode(voteUrl)))}</div>`;
}
