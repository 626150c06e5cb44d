import { find } from '../../../pages/page/browser/dom.ts';
import { prepareCopyFields } from '../../../pages/page/browser/fields.ts';
import { linkKey } from '../../../pages/page/browser/link-key.ts';

prepareCopyFields(document);

const print = find<HTMLButtonElement>(document, 'print');
print?.addEventListener('click', () => window.print());
if (print) print.hidden = false;

// The show's key in the fragment is passed on to the desk.
const key = new URLSearchParams(location.hash.slice(1)).get('key');
const desk = find<HTMLAnchorElement>(document, 'desk');
const field = document.querySelector<HTMLInputElement>('#copy-desk');
if (key && desk && field) {
  const fragment = `#${new URLSearchParams({ key: linkKey(key) })}`;
  desk.href += fragment;
  field.value += fragment;
}
