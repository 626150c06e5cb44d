import { prepareCopyFields } from '../../page/browser/copy-field.ts';
import { find } from '../../page/browser/dom.ts';

prepareCopyFields(document);

const print = find<HTMLButtonElement>(document, 'print');
print?.addEventListener('click', () => window.print());
if (print) print.hidden = false;

/** Whoever opens the page with the key of the show goes on to the desk with it. */
const key = new URLSearchParams(location.hash.slice(1)).get('key');
const desk = find<HTMLAnchorElement>(document, 'desk');
const field = document.querySelector<HTMLInputElement>('#copy-desk');
if (key && desk && field) {
  const fragment = `#${new URLSearchParams({ key })}`;
  desk.href += fragment;
  field.value += fragment;
}
