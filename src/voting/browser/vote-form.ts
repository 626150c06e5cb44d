import { HumanProof } from './human-proof.ts';
import { find } from './page-manners.ts';

/** Sends the form once, when the human check is done. Without this script the server refuses it in words. */
export function prepareVoteForm(form: HTMLFormElement): void {
  const button = find<HTMLButtonElement>(form, 'submit');
  const box = find(form, 'proof');
  const field = form.querySelector<HTMLInputElement>('input[name=proof]');
  const proof = box && field ? new HumanProof(box, field) : undefined;
  const label = button?.textContent ?? '';
  let underWay = false;

  const say = (text: string, busy: boolean) => {
    if (!button) return;
    button.textContent = text;
    // Not `disabled`: that would take the focus away.
    button.setAttribute('aria-disabled', String(busy));
  };

  form.addEventListener('submit', event => {
    if (underWay) return event.preventDefault();
    underWay = true;
    if (!proof || proof.isReady) return say('Sending...', true);
    event.preventDefault();
    say('One moment...', true);
    proof.ready().then(
      () => {
        say('Sending...', true);
        form.submit();
      },
      () => {
        underWay = false;
        say('Try again', false);
      },
    );
  });

  // Back from the next page, or from an error of the network: the button works again.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    underWay = false;
    say(label, false);
  });
}
