import type { ResultsMessage } from '../../../client/watch-state.ts';
import { device } from '../../../locales/en.json';
import { basePath } from '../../../pages/page/browser/base-path.ts';
import { type DevicePoll, devicePolls, storeDevicePolls } from '../../../pages/page/browser/device-polls.ts';
import { create, element, find, quietButton } from '../../../pages/page/browser/dom.ts';
import { phrases, wording } from '../../../pages/page/browser/i18n.ts';
import { GONE_STATUS, type StateMessage } from '../../../pages/page/messages.ts';

/** Lists the polls of this device, with their states and votes as everyone may see them. */
export function showDevicePolls(): void {
  const section = find(document, 'device');
  const list = find(document, 'device-polls');
  const all = find<HTMLButtonElement>(document, 'forget-all');
  if (!section || !list || !all) return;
  const undo = element(section, '[data-undo]', HTMLButtonElement);
  const words = JSON.parse(section.dataset['device'] ?? '') as Words;

  const show = () => {
    const polls = devicePolls();
    list.replaceChildren(
      ...polls.map(poll => item(poll, words, section.dataset['relay'] ?? '', () => forget(poll))),
    );
    all.hidden = polls.length === 0;
    undo.hidden = true;
    section.hidden = polls.length === 0;
  };
  /** @param poll undefined for all */
  const forget = (poll?: DevicePoll) => {
    const earlier = devicePolls();
    storeDevicePolls(poll ? earlier.filter(({ id }) => id !== poll.id) : []);
    for (const { id } of poll ? [poll] : earlier) endSession(id);
    show();
    section.hidden = false;
    undo.hidden = false;
    undo.focus();
    undo.onclick = () => {
      storeDevicePolls(earlier);
      show();
      section.focus();
    };
  };
  all.addEventListener('click', () => forget());
  // Another tab has changed them, so there is nothing to undo.
  addEventListener('storage', show);
  show();
}

type Words = Readonly<Record<StateMessage['status'], string>>;

function item(poll: DevicePoll, words: Words, relay: string, forget: () => void): HTMLElement {
  const state = create('small', { class: 'state' });
  const link = manageLink(poll);
  link.append(create('bdi', {}, poll.title), ' ', state);
  const button = quietButton(`${device.forget} `, forget);
  button.append(create('bdi', { class: 'visually-hidden' }, poll.title));
  void describe(poll, words, relay).then(text => {
    state.textContent = text;
  });
  return create('li', {}, link, button);
}

/** A desk has no session. Undoing keeps the key, which opens a new one. */
function endSession(id: string): void {
  if (!isShow(id)) void fetch(`${basePath}/${id}/manage/forget`, { method: 'POST' }).catch(() => {});
}

function isShow(id: string): boolean {
  return id.includes('/');
}

/** Has the key only while it is followed, so that neither the status bar nor a copied link shows it. */
function manageLink({ id, key }: DevicePoll): HTMLAnchorElement {
  const address = `${basePath}/${id}${isShow(id) ? '' : '/manage'}`;
  const link = create('a', { href: address });
  const addKey = ({ button }: MouseEvent) => {
    // The right button opens a menu, which copies links.
    if (button > 1) return;
    link.href = `${address}#key=${key}`;
    setTimeout(() => {
      link.href = address;
    });
  };
  link.addEventListener('click', addKey);
  link.addEventListener('auxclick', addKey);
  return link;
}

/** @returns '' without a reply */
async function describe({ id }: DevicePoll, words: Words, relay: string): Promise<string> {
  const path = isShow(id) ? id.replace('desk', 'show') : `poll/${id}`;
  const reply = await fetch(`${relay}/api/${path}`).catch(() => undefined);
  if (reply && [404, GONE_STATUS].includes(reply.status)) return device.gone;
  if (isShow(id)) return device.show;
  const results = await read<ResultsMessage>(reply);
  // Results may be hidden; the state never is, and may be a second old.
  const state = results ?? read<StateMessage>(await fetch(`${basePath}/${id}/state`).catch(() => undefined));
  const { status } = (await state) ?? {};
  const votes = results && wording.plural(phrases, 'votes', results.total_votes);
  return [status && words[status], votes].filter(Boolean).join(' · ');
}

async function read<Body>(reply: Response | undefined): Promise<Body | undefined> {
  return reply?.ok ? reply.json().catch(() => undefined) : undefined;
}
