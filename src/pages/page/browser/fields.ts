import { fill } from '../../../locales/i18n.ts';
import { offsetOf } from '../wall-time.ts';
import { find } from './dom.ts';
import { phrases } from './i18n.ts';
import { shareButton } from './share.ts';

const CONFIRMATION_MS = 2_000;

/**
 * Adds a copy button to read-only fields that have none yet, and a share button beside a copied
 * link where the system has a sheet. Elsewhere it would copy the same link again.
 */
export function prepareCopyFields(root: ParentNode): void {
  for (const box of root.querySelectorAll<HTMLElement>('[data-copy]')) {
    const field = box.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea');
    const button = find<HTMLButtonElement>(box, 'copy-button');
    if (!field || !button?.hidden) continue;
    const label = field.labels?.[0]?.textContent?.trim() ?? '';
    field.addEventListener('focus', () => field.select());
    button.hidden = false;
    button.setAttribute('aria-label', fill(phrases.copyThis, { label }));
    button.addEventListener('click', async () => {
      button.textContent = (await copy(field)) ? phrases.copied : phrases.copyByHand;
      setTimeout(() => {
        button.textContent = phrases.copy;
      }, CONFIRMATION_MS);
    });
  }
  if ('share' in navigator)
    for (const row of root.querySelectorAll<HTMLElement>('[data-share]'))
      row.prepend(shareButton(row.dataset['share'] ?? ''));
}

/** On plain HTTP scripts have no clipboard, so the text is selected for the user to copy. */
async function copy(field: HTMLInputElement | HTMLTextAreaElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand?.('copy') ?? false;
  }
}

/** Converts date fields to local time, and sends the offset from UTC on that day. */
export function prepareTimeFields(root: ParentNode): void {
  for (const box of root.querySelectorAll<HTMLElement>('[data-time-field]')) {
    const field = box.querySelector<HTMLInputElement>('input[type=datetime-local]');
    const offset = box.querySelector<HTMLInputElement>('input[type=hidden]');
    if (!field || !offset) continue;
    if (field.value !== '' && offset.value === '') {
      const time = new Date(`${field.value}Z`);
      field.value = toLocal(time).slice(0, field.value.length);
      // From the time in UTC: when clocks go back, one local time stands for two times.
      offset.value = String(-time.getTimezoneOffset());
    }
    const zone = find(box, 'zone');
    if (zone) zone.textContent = phrases.ownTime;
    field.addEventListener('input', () => {
      offset.value = offsetOf(field.value);
    });
  }
}

function toLocal(time: Date): string {
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString();
}
