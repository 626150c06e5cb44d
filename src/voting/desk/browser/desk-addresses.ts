import { desk as words } from '../../../locales/en.json';
import { find } from '../../page/browser/dom.ts';
import { wordsOfRefusal } from './commands.ts';
import type { DeskRelay } from './desk-relay.ts';
import type { DeskState } from './desk-state.ts';
import { deskLink, keepKey, takeNews } from './show-keys.ts';

/** The links of the show, a new key, and giving the name back. */
export function prepareAddresses(
  box: HTMLElement,
  state: DeskState,
  say: (text: string) => void,
): () => void {
  const voteUrl = box.dataset['vote'] ?? '';
  const { relay } = state;
  const write = () => {
    const link = deskLink(voteUrl, relay.name, relay.key);
    box.querySelector<HTMLInputElement>('#desk-link')!.value = link;
    find<HTMLAnchorElement>(box, 'share')!.href = `${voteUrl}/show/${relay.name}/share#key=${relay.key}`;
    if (takeNews(relay.name)) tellOnce(box);
  };
  write();
  onSubmit(box, 'new-key-form', () => renew(relay, say).then(write));
  onSubmit(box, 'give-back-form', form => giveBack(form, relay, state, say));
  return write;
}

function tellOnce(box: HTMLElement): void {
  const notice = find(box, 'keep')!;
  notice.hidden = false;
  notice.append(find(box, 'desk-link')!);
}

async function renew(relay: DeskRelay, say: (text: string) => void): Promise<void> {
  const answer = await relay.askShow<{ show_key: string }>('/show_key', { method: 'POST' });
  if (answer.kind !== 'done') return say(answer.kind === 'lost' ? words.relayAway : wordsOfRefusal(answer));
  relay.key = answer.body.show_key;
  keepKey(relay.name, relay.key, true);
  say(words.newKey);
}

async function giveBack(
  form: HTMLFormElement,
  relay: DeskRelay,
  state: DeskState,
  say: (text: string) => void,
): Promise<void> {
  const typed = (form.elements.namedItem('confirmation') as HTMLInputElement).value.trim();
  if (typed !== relay.name) return say(words.confirmName);
  const answer = await relay.askShow('', { method: 'DELETE' });
  if (answer.kind !== 'done') say(answer.kind === 'lost' ? words.relayAway : wordsOfRefusal(answer));
  await state.look();
}

function onSubmit(box: HTMLElement, name: string, act: (form: HTMLFormElement) => Promise<void>): void {
  const form = find<HTMLFormElement>(box, name)!;
  form.addEventListener('submit', event => {
    event.preventDefault();
    void act(form);
  });
}
