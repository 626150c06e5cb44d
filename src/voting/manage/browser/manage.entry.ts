import { find, focusNotice, localizeTimes } from '../../page/browser/dom.ts';
import { prepareCopyFields, prepareTimeFields } from '../../page/browser/fields.ts';
import { LiveManagePage } from './live-manage.ts';

const KEY = /^#key=(.+)$/;

localizeTimes(document);
focusNotice();
prepareTimeFields(document);
prepareCopyFields(document);

const page = find(document, 'manage');
if (page) new LiveManagePage(page);
submitKey();

/** Removes the key from the address bar first, because a shared screen or a copied address would reveal it. */
function submitKey(): void {
  const key = KEY.exec(location.hash)?.[1];
  if (key === undefined) return;
  history.replaceState(null, '', location.pathname);
  const form = find<HTMLFormElement>(document, 'key-form');
  const field = form?.querySelector<HTMLInputElement>('input[name=key]');
  if (!form || !field) return;
  field.value = key;
  form.submit();
}
