import '../../../pages/page/browser/page.entry.ts';
import { find, runEach } from '../../../pages/page/browser/dom.ts';
import { HumanProof, TIMEOUT_MS } from './vote-form.ts';

runEach(sendWithProof);

/** Without a proof the server says so in words. Turnstile and hCaptcha run by themselves. */
function sendWithProof(): void {
  const form = find<HTMLFormElement>(document, 'join');
  const box = find(document, 'proof');
  const field = box?.querySelector<HTMLInputElement>('[name=proof]');
  if (!form || !box || !field) return;
  const proof = new HumanProof(box, field);
  form.addEventListener('submit', async event => {
    event.preventDefault();
    await proof.ready(AbortSignal.timeout(TIMEOUT_MS)).catch(() => {});
    form.submit();
  });
  // Where the server has rejected one, the next is sent by hand.
  if (!find(document, 'focus')) form.requestSubmit();
}
