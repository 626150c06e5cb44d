import {
  formatOverlayAddress,
  type OverlayTarget,
  parseOverlayAddress,
} from '../parameter/overlay-address.ts';
import { type ParameterIssue, readParameters } from '../parameter/read-parameters.ts';
import { downloadLoader } from './builder/loader-file.ts';
import { ParameterForm } from './builder/parameter-form.ts';
import { Preview } from './builder/preview.ts';

/** The builder: every parameter as a field, the overlay itself as a preview, and the address of both to copy. */

const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E;
const form = find<HTMLFormElement>('form');
const fields = {
  poll: find<HTMLInputElement>('poll'),
  show: find<HTMLInputElement>('show'),
  key: find<HTMLInputElement>('key'),
};
const url = find<HTMLInputElement>('url');
const copy = find<HTMLButtonElement>('copy');
const paste = find<HTMLInputElement>('paste');
const screen = find<HTMLSelectElement>('screen');
const backdrop = find<HTMLSelectElement>('backdrop');
const ONLY_FOR_REHEARSALS = ['moment', 'cast'];

const parameterForm = new ParameterForm(form);
const preview = new Preview(find('scene'), find<HTMLIFrameElement>('preview'), status => {
  find('status').textContent = status;
});

function chosenSource(): OverlayTarget['kind'] {
  return (new FormData(form).get('source') ?? 'rehearsal') as OverlayTarget['kind'];
}

/** A poll or show without a name yet is rehearsed. */
function target(): OverlayTarget {
  const source = chosenSource();
  const id = fields.poll.value.trim();
  const name = fields.show.value.trim();
  if (source === 'poll' && id) return { kind: 'poll', id };
  return source === 'show' && name ? { kind: 'show', name } : { kind: 'rehearsal' };
}

function update(): void {
  const chosen = target();
  const query = parameterForm.read();
  if (chosen.kind === 'rehearsal') query.set('rehearsal', '1');
  else for (const name of ONLY_FOR_REHEARSALS) query.delete(name);
  const address = formatOverlayAddress(location.origin, chosen, query, fields.key.value.trim() || undefined);
  url.value = address;
  preview.show(address);
  showIssues(readParameters(query).issues);
  for (const field of form.querySelectorAll<HTMLElement>('[data-for]')) {
    field.hidden = !field.dataset['for']?.split(' ').includes(chosenSource());
  }
  for (const group of form.querySelectorAll<HTMLElement>('[data-group="Rehearsal"]')) {
    group.hidden = chosen.kind !== 'rehearsal';
  }
}

function showIssues(issues: readonly ParameterIssue[]): void {
  const lines = issues.map(({ parameter, message }) => {
    const line = document.createElement('li');
    line.textContent = `${parameter}: ${message}`;
    return line;
  });
  find('issues').replaceChildren(...lines);
}

function takeAddress(address: string): void {
  const { target: named, key, issues } = parseOverlayAddress(address);
  const radio = form.querySelector<HTMLInputElement>(`input[name="source"][value="${named.kind}"]`);
  if (radio) radio.checked = true;
  fields.poll.value = named.kind === 'poll' ? named.id : '';
  fields.show.value = named.kind === 'show' ? named.name : '';
  fields.key.value = key ?? '';
  parameterForm.write(new URL(address).searchParams);
  update();
  showIssues(issues);
}

form.addEventListener('input', event => {
  if (event.target !== paste) update();
});
form.addEventListener('submit', event => event.preventDefault());
paste.addEventListener('change', () => {
  try {
    takeAddress(paste.value.trim());
    paste.value = '';
  } catch {
    showIssues([{ parameter: 'address', message: 'This is not the address of an overlay.' }]);
  }
});
screen.addEventListener('change', () => {
  const [width = 1920, height = 1080] = screen.value.split('x').map(Number);
  preview.setScreen(width, height);
  find('size-hint').textContent = `Set the source to ${width} × ${height}.`;
});
backdrop.addEventListener('change', () => {
  find('scene').className = `scene ${backdrop.value}`;
});
copy.addEventListener('click', async () => {
  url.select();
  // Outside a secure context there is no clipboard, and the selection is there to be copied by hand.
  await navigator.clipboard?.writeText(url.value);
  copy.textContent = navigator.clipboard ? 'Copied' : 'Press Ctrl+C';
});
find('loader').addEventListener('click', () => void downloadLoader(url.value));

const asked = new URLSearchParams(location.search);
const poll = asked.get('poll');
asked.delete('poll');
if (poll) {
  fields.poll.value = poll;
  form.querySelector<HTMLInputElement>('input[value="poll"]')?.click();
  fields.key.value = new URLSearchParams(location.hash.slice(1)).get('key') ?? '';
}
parameterForm.write(asked);
screen.dispatchEvent(new Event('change'));
update();
// Said once the form has dropped what it could not take.
showIssues(readParameters(asked).issues);
