import { desk as words } from '../../../locales/en.json';
import { basePath } from '../../../pages/page/browser/base-path.ts';
import { element } from '../../../pages/page/browser/dom.ts';
import { failureText, nameFaultOf } from './commands.ts';
import { ask, newIdempotencyKey, type ShowBody } from './desk-connection.ts';
import { field } from './rundown-view.ts';
import { storeKey } from './show-keys.ts';
import { nameFrom } from './show-name.ts';

/** The page on which a show is set up, and on which its owner opens the desk of an existing one. */
export function prepareSetUpPage(page: HTMLElement): void {
  const relay = page.dataset['relay'] ?? '';
  const form = element(page, '[data-set-up-form]', HTMLFormElement);
  prepareForm(form, () => setUpShow(form, relay));
  proposeName(form);
  prepareForm(element(page, '[data-open-form]', HTMLFormElement), form => openDesk(form, relay));
}

/** Until the operator writes a name, it follows the title. */
function proposeName(form: HTMLFormElement): void {
  const title = field(form, 'title');
  const name = field(form, 'name');
  let proposed = '';
  title.addEventListener('input', () => {
    if (name.value !== proposed) return;
    proposed = nameFrom(title.value);
    name.value = proposed;
  });
  name.addEventListener('input', () => showNameFault(form, undefined));
}

/** Explains a rejected name beside its field. */
function showNameFault(form: HTMLFormElement, text: string | undefined): void {
  const name = field(form, 'name');
  const fault = element(form, '[data-name-fault]', HTMLElement);
  fault.textContent = text ?? '';
  fault.hidden = text === undefined;
  name.setAttribute('aria-invalid', String(text !== undefined));
  name.setAttribute('aria-describedby', fault.id);
  if (text !== undefined) name.focus();
}

/** A form that is sent again after a lost reply gets the key of the same show. */
const attempts = new Map<string, string>();

async function setUpShow(form: HTMLFormElement, relay: string): Promise<string | undefined> {
  const { name, title, operator_key: key, join_code: joins, forget } = fieldsOf(form);
  const body = { show: { name, ...(title && { title }), ...(joins && { join_code: true }) } };
  const content = JSON.stringify(body);
  const idempotencyKey = attempts.get(content) ?? newIdempotencyKey();
  attempts.set(content, idempotencyKey);
  const answer = await ask<ShowBody & { show_key: string }>(`${relay}/api/show`, {
    method: 'POST',
    key,
    body,
    idempotencyKey,
  });
  if (answer.kind === 'done') {
    storeKey(answer.body.name, answer.body.show_key, { isNew: true, isBrief: forget !== undefined });
    location.assign(`${basePath}/desk/${answer.body.name}`);
    return undefined;
  }
  const isTaken = answer.kind === 'rejected' && answer.code === 'show_name_taken';
  const nameFault = isTaken ? words.taken : nameFaultOf(answer, name ?? '');
  showNameFault(form, nameFault);
  if (nameFault !== undefined) return undefined;
  if (answer.kind === 'lost' || !answer.code.startsWith('api_key')) return failureText(answer);
  element(form, '[data-operator]', HTMLElement).hidden = false;
  return answer.code === 'api_key_required' ? words.needsKey : words.wrongKey;
}

async function openDesk(form: HTMLFormElement, relay: string): Promise<string | undefined> {
  const { name = '', show_key: key = '' } = fieldsOf(form);
  const answer = await ask<ShowBody>(`${relay}/api/show/${encodeURIComponent(name)}`, { key });
  if (answer.kind === 'lost') return failureText(answer);
  if (answer.kind === 'rejected')
    return answer.code.startsWith('api_key') ? words.notThisKey : words.showGone;
  storeKey(answer.body.name, key);
  location.assign(`${basePath}/desk/${answer.body.name}`);
  return undefined;
}

/** @param send resolves to an error text, which is shown in the form; while it runs, the form is not sent again */
function prepareForm(
  form: HTMLFormElement,
  send: (form: HTMLFormElement) => Promise<string | undefined>,
): void {
  const fault = element(form, '[data-fault]', HTMLElement);
  let isSending = false;
  form.addEventListener('submit', async event => {
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    fault.hidden = true;
    const text = await send(form);
    isSending = false;
    fault.hidden = text === undefined;
    fault.textContent = text ?? '';
  });
}

function fieldsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
}
