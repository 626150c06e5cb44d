import { type ManageMessage, STATUS_WORDS } from '../page/manage-message.ts';
import { prepareCopyFields } from './copy-field.ts';
import { followEvents } from './event-feed.ts';
import { prepareMomentFields } from './moment-field.ts';
import { find, focusNotice, formatMoment, localizeTimes } from './page-manners.ts';
import { paintResults } from './results-list.ts';

const KEY = /^#key=(.+)$/;

localizeTimes(document);
focusNotice();
prepareMomentFields(document);
prepareCopyFields(document);

const page = find(document, 'manage');
if (page) follow(page);
handInKey();

/** The key leaves the address bar before anything else: a shared screen or a copied address would give it away. */
function handInKey(): void {
  const key = KEY.exec(location.hash)?.[1];
  if (key === undefined) return;
  history.replaceState(null, '', location.pathname);
  const form = find<HTMLFormElement>(document, 'key-form');
  const field = form?.querySelector<HTMLInputElement>('input[name=key]');
  if (!form || !field) return;
  field.value = key;
  form.submit();
}

function follow(box: HTMLElement): void {
  const connection = find(box, 'connection');
  const say = (text: string) => {
    if (connection) connection.textContent = text;
  };
  followEvents<ManageMessage>(box.dataset['manage'] ?? '', {
    onMessage: message => {
      say('');
      draw(box, message);
    },
    onLost: () => say('Connection lost. These numbers may be old; they catch up by themselves.'),
  });
}

function draw(box: HTMLElement, { votes, voters, status, deadlineMs }: ManageMessage): void {
  const results = find(box, 'results');
  if (results)
    paintResults(results, { votes, voters, closed: status === 'closed' }, box.dataset['multiple'] === '1');
  write(box, 'voters', String(voters));
  write(box, 'all-votes', String(votes.reduce((sum, answer) => sum + answer.votes, 0)));
  write(box, 'status-word', STATUS_WORDS[status]);
  find(box, 'deadline-word')?.replaceChildren(
    deadlineMs === null ? 'When you close it' : formatMoment(deadlineMs),
  );
}

function write(box: HTMLElement, name: string, text: string): void {
  const element = find(box, name);
  if (element) element.textContent = text;
}
