import { create } from '../../../pages/page/browser/dom.ts';

/** Says what is wrong below the field, in sight with its label: a browser's bubble covers the next one. */
export function prepareFaults(form: HTMLFormElement): void {
  form.addEventListener(
    'invalid',
    event => {
      event.preventDefault();
      const field = event.target as HTMLInputElement;
      markFault(field, field.validationMessage);
      if (form.querySelector(':invalid:not(fieldset)') !== field) return;
      field.closest('details')?.setAttribute('open', '');
      field.focus({ preventScroll: true });
      field.closest('.field')?.scrollIntoView({ block: 'center' });
    },
    // These events do not bubble.
    true,
  );
  form.addEventListener('input', ({ target }) => markFault(target as HTMLInputElement, ''));
}

/** @param text empty for none */
export function markFault(field: HTMLInputElement, text: string): void {
  const shown = field.closest('.field')?.querySelector('.fault');
  if (text === '') {
    field.removeAttribute('aria-invalid');
    shown?.remove();
    return;
  }
  field.setAttribute('aria-invalid', 'true');
  if (shown) shown.textContent = text;
  else field.after(create('small', { class: 'fault', role: 'alert' }, text));
}
