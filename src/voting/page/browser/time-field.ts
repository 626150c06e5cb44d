import { find } from './dom.ts';
import { phrases } from './i18n.ts';

/** A date field holds local time; the server is told how far that is from UTC on that very day. */
export function prepareTimeFields(root: ParentNode): void {
  for (const box of root.querySelectorAll<HTMLElement>('[data-moment]')) {
    const field = box.querySelector<HTMLInputElement>('input[name=deadline]');
    const offset = box.querySelector<HTMLInputElement>('input[name=offset]');
    if (field && offset) prepare(box, field, offset);
  }
}

function prepare(box: HTMLElement, field: HTMLInputElement, offset: HTMLInputElement): void {
  if (field.value !== '' && offset.value === '') {
    const moment = new Date(`${field.value}Z`);
    field.value = toLocal(moment);
    // Of the moment itself: on the night that clocks go back, local time names two.
    offset.value = offsetOf(moment);
  }
  const zone = find(box, 'zone');
  if (zone) zone.textContent = phrases.ownTime;
  field.addEventListener('input', () => {
    offset.value = offsetOf(new Date(field.value));
  });
}

function offsetOf(moment: Date): string {
  return Number.isNaN(moment.getTime()) ? '' : String(-moment.getTimezoneOffset());
}

function toLocal(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
