import { momentFormatter } from '../../../locales/i18n.ts';
import { rememberOnDevice } from '../../../pages/page/browser/device-polls.ts';
import { basics, find, runEach } from '../../../pages/page/browser/dom.ts';
import { prepareCopyFields, prepareTimeFields } from '../../../pages/page/browser/fields.ts';
import { locale } from '../../../pages/page/browser/i18n.ts';
import { linkKey } from '../../../pages/page/browser/link-key.ts';
import { LiveManagePage } from './live-manage.ts';

const KEY = /^#key=(.+)$/;

runEach(
  // First, because a shared screen shows the address bar.
  submitKey,
  // A link that is pasted into its own page loads nothing.
  () => addEventListener('hashchange', submitKey),
  () => prepareTimeFields(document),
  () => {
    const page = find(document, 'manage');
    if (page) new LiveManagePage(page);
  },
  ...basics,
  localizeSeconds,
  () => prepareCopyFields(document),
  rememberPoll,
);

/** The times of single ballots, which have seconds, and a date if they cover more than a day. */
function localizeSeconds(): void {
  const writers = {
    '': momentFormatter(locale, { timeStyle: 'medium' }),
    date: momentFormatter(locale, { dateStyle: 'medium', timeStyle: 'medium' }),
  };
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-seconds]'))
    element.textContent = writers[element.dataset['seconds'] as keyof typeof writers](
      Date.parse(element.dateTime),
    );
}

/** Removes the key from the address bar first, because a shared screen or a copied address would reveal it. */
function submitKey(): void {
  const key = KEY.exec(location.hash)?.[1];
  if (key === undefined) return;
  history.replaceState(null, '', location.pathname);
  const form = find<HTMLFormElement>(document, 'key-form');
  const field = form?.querySelector<HTMLInputElement>('input[name=key]');
  if (!form || !field) return;
  field.value = linkKey(key);
  form.submit();
}

/** Lists the poll on the home page of this browser, unless the session that opened it is a brief one. */
function rememberPoll(): void {
  const form = find(document, 'created');
  const { created: id = '', title = '', key, brief } = form?.dataset ?? {};
  if (!form || !key || brief) return;
  form.addEventListener('submit', () => rememberOnDevice({ id }));
  if (rememberOnDevice({ id, title, key })) return;
  const text = find(form, 'remembered');
  if (text) text.textContent = text.dataset['remembered'] ?? '';
  form.nextElementSibling?.setAttribute('open', '');
}
