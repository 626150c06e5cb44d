import { desk as words } from '../../../locales/en.json';
import { find } from '../../page/browser/dom.ts';
import { wordsOfRefusal } from './commands.ts';
import { type Answer, ask, type ShowBody } from './desk-relay.ts';
import { keepKey } from './show-keys.ts';

/** The place where a name is taken, and the way in for whoever has one. */
export function prepareTaking(box: HTMLElement): void {
  const relay = box.dataset['relay'] ?? '';
  const [taking, opening] = [
    find<HTMLFormElement>(box, 'take-form')!,
    find<HTMLFormElement>(box, 'open-form')!,
  ];
  whenSent(taking, () => take(taking, relay));
  whenSent(opening, () => open(opening, relay));
}

async function take(form: HTMLFormElement, relay: string): Promise<string | undefined> {
  const { name, title, operator_key } = fieldsOf(form);
  const answer = await ask<ShowBody & { show_key: string }>(`${relay}/api/show`, {
    method: 'POST',
    key: operator_key || undefined,
    body: { show: { name, ...(title && { title }) } },
  });
  if (answer.kind !== 'done') return takeFault(form, answer);
  keepKey(answer.body.name, answer.body.show_key, true);
  location.assign(`/desk/${answer.body.name}`);
  return undefined;
}

function takeFault(form: HTMLFormElement, answer: Exclude<Answer<unknown>, { kind: 'done' }>): string {
  if (answer.kind === 'lost') return words.relayAway;
  const { code } = answer;
  if (code === 'api_key_required' || code === 'api_key_rejected') {
    find(form, 'operator')!.hidden = false;
    return code === 'api_key_required' ? words.needsKey : words.wrongKey;
  }
  return wordsOfRefusal(answer);
}

async function open(form: HTMLFormElement, relay: string): Promise<string | undefined> {
  const { name = '', show_key = '' } = fieldsOf(form);
  const answer = await ask<ShowBody>(`${relay}/api/show/${encodeURIComponent(name)}`, { key: show_key });
  if (answer.kind === 'lost') return words.relayAway;
  if (answer.kind === 'refused') return answer.code.startsWith('api_key') ? words.notThisKey : words.showGone;
  keepKey(answer.body.name, show_key);
  location.assign(`/desk/${answer.body.name}`);
  return undefined;
}

/** One at a time; the fault stands where it happened. @param send resolves to the words of what went wrong */
function whenSent(form: HTMLFormElement, send: () => Promise<string | undefined>): void {
  const fault = find(form, 'fault')!;
  let isSending = false;
  form.addEventListener('submit', event => {
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    fault.hidden = true;
    void send().then(words => {
      isSending = false;
      fault.hidden = words === undefined;
      fault.textContent = words ?? '';
    });
  });
}

function fieldsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
}
