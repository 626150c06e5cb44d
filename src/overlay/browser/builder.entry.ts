import {
  formatOverlayAddress,
  type NamedTarget,
  type OverlayTarget,
  parseOverlayAddress,
  readLink,
} from '../parameter/overlay-address.ts';
import { type ParameterIssue, readParameters } from '../parameter/read-parameters.ts';
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
const embed = find<HTMLInputElement>('embed');
const missing = find('missing');
const needAddress = [url, embed, ...['copy', 'copy-embed', 'loader'].map(find<HTMLButtonElement>)];
const paste = find<HTMLInputElement>('paste');
const screen = find<HTMLSelectElement>('screen');
const backdrop = find<HTMLSelectElement>('backdrop');
const ONLY_FOR_REHEARSALS = ['moment', 'cast'];
/** Where the loader file keeps the address that it waits for. */
const LOADER_PLACE = 'data-overlay=""';

const parameterForm = new ParameterForm(form);
const preview = new Preview(find('scene'), find<HTMLIFrameElement>('preview'), status => {
  find('status').textContent = status;
});

function chosenSource(): OverlayTarget['kind'] {
  return (new FormData(form).get('source') ?? 'rehearsal') as OverlayTarget['kind'];
}

/** Undefined while the poll or show has no name yet. */
function target(): OverlayTarget | undefined {
  const source = chosenSource();
  if (source === 'rehearsal') return { kind: 'rehearsal' };
  const name = fields[source].value.trim();
  if (name === '') return undefined;
  return source === 'poll' ? { kind: 'poll', id: name } : { kind: 'show', name };
}

function update(): void {
  const chosen = target();
  const drawn = chosen ?? { kind: 'rehearsal' };
  const query = parameterForm.read();
  if (drawn.kind === 'rehearsal') query.set('rehearsal', '1');
  else for (const name of ONLY_FOR_REHEARSALS) query.delete(name);
  const address = formatOverlayAddress(location.origin, drawn, query, fields.key.value.trim() || undefined);
  preview.show(address);
  offer(chosen && address);
  showIssues(readParameters(query).issues);
  for (const field of form.querySelectorAll<HTMLElement>('[data-for]')) {
    field.hidden = !field.dataset['for']?.split(' ').includes(chosenSource());
  }
  for (const group of form.querySelectorAll<HTMLElement>('[data-group="Rehearsal"]')) {
    group.hidden = drawn.kind !== 'rehearsal';
  }
}

/** What is to be copied; without an address there is nothing, and the page says what it waits for. */
function offer(address: string | undefined): void {
  url.value = address ?? '';
  embed.value = address === undefined ? '' : embedCode(address);
  for (const control of needAddress) control.disabled = address === undefined;
  const name = chosenSource() === 'poll' ? 'the id of the poll' : 'the name of the show';
  missing.textContent =
    address === undefined ? `Enter ${name}, or paste any link to it. Until then the preview rehearses.` : '';
}

/** A frame is see-through only where its colour scheme is that of the overlay. */
function embedCode(address: string): string {
  return `<iframe src="${escapeAttribute(address)}" style="border:0;width:100%;aspect-ratio:16/9;color-scheme:light"></iframe>`;
}

/** The loader file with an address in it. The file stays on this machine: the key in the address goes nowhere. */
async function downloadLoader(url: string): Promise<void> {
  const reply = await fetch('/overlay/loader.html');
  const page = (await reply.text()).replace(LOADER_PLACE, () => `data-overlay="${escapeAttribute(url)}"`);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([page], { type: 'text/html' }));
  link.download = 'tallycast-loader.html';
  link.click();
  URL.revokeObjectURL(link.href);
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function showIssues(issues: readonly ParameterIssue[]): void {
  const lines = issues.map(({ parameter, message }) => {
    const line = document.createElement('li');
    line.textContent = `${parameter}: ${message}`;
    return line;
  });
  find('issues').replaceChildren(...lines);
}

function choose(named: OverlayTarget, key: string | undefined): void {
  const radio = form.querySelector<HTMLInputElement>(`input[name="source"][value="${named.kind}"]`);
  if (radio) radio.checked = true;
  fields.poll.value = named.kind === 'poll' ? named.id : '';
  fields.show.value = named.kind === 'show' ? named.name : '';
  fields.key.value = key ?? '';
}

/** @throws TypeError where the text is neither the address of an overlay nor another link of ours */
function takeAddress(text: string): void {
  if (!/\/overlay\//.test(text)) {
    const named = readLink(text);
    if (!named) throw new TypeError(`This is no link of ours: ${text}`);
    takeLink(named);
    return;
  }
  const { target: named, key, issues } = parseOverlayAddress(text);
  choose(named, key);
  parameterForm.write(new URL(text).searchParams);
  update();
  showIssues(issues);
}

/** A link that is no overlay's says what to show, and nothing about how. */
function takeLink({ target: named, key }: NamedTarget): void {
  choose(named, key ?? fields.key.value);
  update();
}

form.addEventListener('input', event => {
  if (event.target === paste) return;
  const pasted = event.target === fields.poll || event.target === fields.show;
  const named = pasted ? readLink((event.target as HTMLInputElement).value) : undefined;
  if (named) takeLink(named);
  else update();
});
form.addEventListener('submit', event => event.preventDefault());
paste.addEventListener('change', () => {
  try {
    takeAddress(paste.value.trim());
    paste.value = '';
  } catch {
    showIssues([
      {
        parameter: 'address',
        message: 'This is no address of an overlay, and no other link to a poll or a show.',
      },
    ]);
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
for (const [button, field] of [
  [find<HTMLButtonElement>('copy'), url],
  [find<HTMLButtonElement>('copy-embed'), embed],
] as const)
  button.addEventListener('click', async () => {
    field.select();
    // Outside a secure context there is no clipboard, and the selection is there to be copied by hand.
    await navigator.clipboard?.writeText(field.value);
    button.textContent = navigator.clipboard ? 'Copied' : 'Press Ctrl+C';
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
