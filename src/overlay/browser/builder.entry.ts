import { fill } from '../../locales/i18n.ts';
import { formatOverlayAddress, type OverlayTarget } from '../../picture/overlay-address.ts';
import { hasEffect, parameters, readParameters } from '../../picture/parameters.ts';
import { lookOf, lookQuery, withLook, withoutLook } from '../../picture/show-look.ts';
import { Preview } from './builder/pictures.ts';
import { SettingsForm } from './builder/settings-form.ts';
import { ShowLookForm } from './builder/show-look-form.ts';
import { type FoundShow, find, relay, SourceField, words } from './builder/source.ts';
import { linkFonts } from './page-style.ts';

/** The builder's page: source, design, a live preview, and the URL to copy. */

const WITHOUT_RESULTS = ['waiting', 'upcoming'];
/** Where the loader file stores the overlay's URL. */
const LOADER_PLACE = 'data-overlay=""';

const url = find<HTMLInputElement>('url');
const embed = find<HTMLInputElement>('embed');
const needAddress = [url, embed, ...['copy', 'copy-embed', 'loader'].map(find<HTMLButtonElement>)];
const moment = find<HTMLSelectElement>('moment');
const cast = find<HTMLSelectElement>('cast');
const screen = find<HTMLSelectElement>('screen');
const backdrop = find<HTMLSelectElement>('backdrop');
const form = find<HTMLFormElement>('form');

linkFonts(relay);
for (const [select, { choices }] of [
  [moment, words.parameters.moment],
  [cast, words.parameters.cast],
] as const)
  for (const [choice, text] of Object.entries(choices)) select.add(new Option(text, choice));
/** Shows the poll or show itself instead of a rehearsed moment. */
const now = new Option('', '');
moment.add(now, 0);

const preview = new Preview(find('scene'), find<HTMLIFrameElement>('preview'), status => {
  find('status').textContent = status;
});
const settings = new SettingsForm(find('settings'), () => {
  pasted = undefined;
  update();
});
/** The parameters of the link, until they are joined with the look of its show or changed. */
let pasted: URLSearchParams | undefined;
/**
 * The show that was looked up last, and the parameters of its look: the form starts with them, and
 * addresses leave them out.
 */
let known: FoundShow | undefined;
let shared = new URLSearchParams();
const showLook = new ShowLookForm({
  getLook: () => lookOf(settings.render(source.get().answers)),
  onSaved: show => {
    source.replaceShow(show);
    update();
  },
});
const source = new SourceField(look => {
  pasted = look ?? pasted;
  if (look) {
    settings.write(look);
    moment.value = look.get('moment') ?? '';
    cast.value = look.get('cast') ?? parameters.cast.fallback;
  }
  update();
});

function update(): void {
  const { target, key, fault, answers, hidden, show } = source.get();
  offerMoments(target);
  joinLook(show);
  showLook.follow(target.kind === 'show' ? target.name : undefined, show);
  const look = settings.render(answers);
  const own = show ? withoutLook(look, shared) : look;
  find<HTMLButtonElement>('next').disabled = !hasResultsToReveal(look, hidden);
  const address = formatOverlayAddress(relay, target, withRehearsal(own, target), key);
  const isElsewhere = target.kind !== 'rehearsal' && moment.value !== '';
  // A moment of a show that was found has its logo, too.
  const rehearsal = {
    kind: 'rehearsal',
    show: show && target.kind === 'show' ? target.name : undefined,
  } as const;
  const rehearsed = withRehearsal(rehearsal.show === undefined ? look : own, rehearsal);
  preview.show(
    isElsewhere || fault !== undefined
      ? formatOverlayAddress(relay, rehearsal, rehearsed, undefined)
      : address,
  );
  offer(fault === undefined ? address : undefined, fault ?? (isElsewhere ? words.otherMoment : ''));
  remember(target, own, key);
}

/** Replaces the look of the show before by that of a show that was found. What differs from it stays. */
function joinLook(show: FoundShow | undefined): void {
  if (!show || show === known) return;
  known = show;
  const look = lookQuery(show.look ?? {});
  const own = pasted ?? withoutLook(settings.render([]), shared);
  const before = `${shared}`;
  shared = look;
  pasted = undefined;
  if (before === '' && `${look}` === '') return;
  settings.write(withLook(own, look));
  if (before !== `${look}`) showLook.report(words.saving.loaded);
}

function withRehearsal(look: URLSearchParams, { kind }: OverlayTarget): URLSearchParams {
  if (kind !== 'rehearsal') return look;
  const query = new URLSearchParams(look);
  query.set('rehearsal', '1');
  if (moment.value && moment.value !== parameters.moment.fallback) query.set('moment', moment.value);
  if (cast.value !== parameters.cast.fallback) query.set('cast', cast.value);
  return query;
}

function offerMoments({ kind }: OverlayTarget): void {
  const isReal = kind !== 'rehearsal';
  if (isReal) now.textContent = words.now[kind];
  if (isReal && now.hidden) moment.value = '';
  now.hidden = !isReal;
  now.disabled = !isReal;
  if (!isReal && moment.value === '') moment.value = parameters.moment.fallback;
  find('cast-field').hidden = moment.value === '';
}

function hasResultsToReveal(look: URLSearchParams, hidden: boolean): boolean {
  if (moment.value === 'hidden') return true;
  if (WITHOUT_RESULTS.includes(moment.value) || (moment.value === '' && hidden)) return false;
  const read = readParameters(look).settings;
  return read.reveal === 'rise' && read.speed > 0 && hasEffect('reveal', read);
}

/** Fills the fields to copy. Without an address they are disabled and show the reason. */
function offer(address: string | undefined, note: string): void {
  url.value = address ?? '';
  embed.value = address === undefined ? '' : embedCode(address);
  for (const control of needAddress) control.disabled = address === undefined;
  find('missing').textContent = note;
  for (const id of ['copy', 'copy-embed']) find(id).textContent = words.page.copy;
}

/** Stores the state in the page's URL for a reload. The key is in the fragment. */
function remember(target: OverlayTarget, look: URLSearchParams, key: string | undefined): void {
  const query = new URLSearchParams();
  if (target.kind === 'poll') query.set('poll', target.id);
  if (target.kind === 'show') query.set('show', target.name);
  for (const [name, value] of look) query.set(name, value);
  const search = `${query}` && `?${query}`;
  const fragment = key ? `#${new URLSearchParams({ key })}` : '';
  history.replaceState(null, '', location.pathname + search + fragment);
}

/** Copies a field and reports the result. The preview returns from a rehearsed moment to the poll itself. */
async function copy(field: HTMLInputElement, button: HTMLElement): Promise<void> {
  if (source.get().target.kind !== 'rehearsal' && moment.value !== '') {
    moment.value = '';
    update();
  }
  field.select();
  // Pages without HTTPS have no clipboard.
  const isCopied = await (navigator.clipboard?.writeText(field.value) ?? Promise.reject()).then(
    () => true,
    () => document.execCommand('copy'),
  );
  button.textContent = isCopied ? words.copied : words.copyByHand;
}

/** A frame is only transparent if its color scheme is that of the overlay. */
function embedCode(address: string): string {
  return `<iframe src="${escapeAttribute(address)}" style="border:0;width:100%;aspect-ratio:16/9;color-scheme:light"></iframe>`;
}

/** Downloads the loader file with the URL in it. It is written here, so that the key is never sent. */
async function downloadLoader(): Promise<void> {
  const reply = await fetch(`${relay}/overlay/loader.html`);
  const page = (await reply.text()).replace(
    LOADER_PLACE,
    () => `data-overlay="${escapeAttribute(url.value)}"`,
  );
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([page], { type: 'text/html' }));
  link.download = 'tallycast-loader.html';
  link.click();
  URL.revokeObjectURL(link.href);
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function fitScreen(): void {
  const [width = 1920, height = 1080] = screen.value.split('x').map(Number);
  preview.setScreen(width, height);
  find('size-hint').textContent = fill(words.size, { size: `\u2066${width} × ${height}\u2069` });
}

form.addEventListener('submit', event => event.preventDefault());
moment.addEventListener('change', update);
cast.addEventListener('change', update);
screen.addEventListener('change', fitScreen);
backdrop.addEventListener('change', () => {
  form.dataset['backdrop'] = backdrop.value;
});
for (const action of ['play', 'next', 'stop'] as const)
  find(action).addEventListener('click', () => preview.act(action));
find('copy').addEventListener('click', () => void copy(url, find('copy')));
find('copy-embed').addEventListener('click', () => void copy(embed, find('copy-embed')));
find('loader').addEventListener('click', () => void downloadLoader());

fitScreen();
if (location.search === '' && location.hash === '') update();
else source.take(location.href);
