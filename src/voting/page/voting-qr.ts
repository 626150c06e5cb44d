import { qrCode, qrSvg } from '../../http/qr-code.ts';
import { html, Markup } from './html.ts';

/** The code of a voting address, large enough to point a camera at across a table. */
export function votingQr(voteUrl: string): Markup {
  return html`<div class="qr" role="img" aria-label="QR code of the voting link">${new Markup(qrSvg(qrCode(voteUrl)))}</div>`;
}
