import { find } from '../../../pages/page/browser/dom.ts';
import { prepareCopyFields } from '../../../pages/page/browser/fields.ts';

/** Links of an earlier version have the key of the show. */
function removeKey(): void {
  if (location.hash) history.replaceState(null, '', location.pathname);
}

removeKey();
addEventListener('hashchange', removeKey);

prepareCopyFields(document);

const print = find<HTMLButtonElement>(document, 'print');
print?.addEventListener('click', () => window.print());
if (print) print.hidden = false;
