import { find } from './page-manners.ts';
import { phrases } from './spoken.ts';

/** A date field holds local time; the server is told how far that is from UTC on that very day. */
export function prepareMomentFields(root: ParentNode): void {
  for (const box of root.querySelectorAll<HTMLElement>('[data-moment]')) {
    const field = box.querySelector<HTMLInputElement>('input[name=deadline]');
    const offset = box.querySelector<HTMLInputElement>('input[name=offset]');
    if (field && offset) prepare(box, field, offset);
  }
}

function prepare(box: HTMLElement, field: HTMLInputElement, offset: HTMLInputElement): void {
  if (field.value !== '' && offset.value === '') field.value = toLocal(new Date(`${field.value}Z`));
  const zone = find(box, 'zone');
  if (zone) zone.textContent = phrases.ownTime;
  const tell = () => {
    const moment = new Date(field.value);
    offset.value = Number.isNaN(moment.getTime()) ? '' : String(-moment.getTimezoneOffset());
  };
  tell();
  field.addEventListener('input', tell);
}

function toLocal(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
