import { hasEffect } from '../parameter/effect.ts';
import { formatOverlayAddress, type OverlayTarget } from '../parameter/overlay-address.ts';
import { parameters } from '../parameter/parameters.ts';
import { readParameters } from '../parameter/read-parameters.ts';
import { relay } from './builder/here.ts';
import { ParameterForm } from './builder/parameter-form.ts';
import { Preview } from './builder/preview.ts';
import { SourceField } from './builder/source.ts';
import { copyField, downloadLoader, embedCode } from './builder/take-away.ts';
import { texts } from './builder/texts.ts';
import { linkFonts } from './drawing/style-sheet.ts';

/** The builder: what to show, how it looks, the overlay itself as a preview, and its address to copy. */

const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E;
/** Moments at which there is nothing to tell. */
const WITHOUT_RESULTS = ['waiting', 'upcoming'];
const url = find<HTMLInputElement>('url');
const embed = find<HTMLInputElement>('embed');
const needAddress = [url, embed, ...['copy', 'copy-embed', 'loader'].map(find<HTMLButtonElement>)];
const moment = find<HTMLSelectElement>('moment');
const cast = find<HTMLSelectElement>('cast');
const screen = find<HTMLSelectElement>('screen');
const backdrop = find<HTMLSelectElement>('backdrop');

linkFonts(relay);
for (const [select, { words }] of [
  [moment, parameters.moment],
  [cast, parameters.cast],
] as const)
  for (const [choice, text] of Object.entries(words)) select.add(new Option(text, choice));
/** In place of a rehearsed moment, where there is something real to look at. */
const now = new Option('', '');
moment.add(now, 0);

const preview = new Preview(find('scene'), find<HTMLIFrameElement>('preview'), status => {
  find('status').textContent = status;
});
const parameterForm = new ParameterForm(find('settings'));
const source = new SourceField(
  relay,
  {
    link: find<HTMLInputElement>('link'),
    key: find<HTMLInputElement>('key'),
    keyField: find('key-field'),
    said: find('said'),
    other: find<HTMLButtonElement>('other'),
  },
  look => {
    if (look) takeLook(look);
    update();
  },
);

function takeLook(look: URLSearchParams): void {
  parameterForm.write(look);
  moment.value = look.get('moment') ?? '';
  cast.value = look.get('cast') ?? parameters.cast.fallback;
}

function update(): void {
  const { target, key, fault, answers, hidden } = source.get();
  offerMoments(target);
  const look = parameterForm.follow(parameterForm.read(), answers);
  find<HTMLButtonElement>('next').disabled = !hasResultsToTell(look, hidden);
  const address = formatOverlayAddress(relay, target, withRehearsal(look, target), key);
  const isElsewhere = target.kind !== 'rehearsal' && moment.value !== '';
  const rehearsal = { kind: 'rehearsal' } as const;
  preview.show(
    isElsewhere || fault !== undefined
      ? formatOverlayAddress(relay, rehearsal, withRehearsal(look, rehearsal), undefined)
      : address,
  );
  offer(fault === undefined ? address : undefined, fault ?? (isElsewhere ? texts.otherMoment : ''));
  find('address-label').textContent = texts.addressOf[target.kind];
  remember(target, look, key);
}

/** What rehearses says so in its address, and which moment of which poll. */
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
  if (isReal) now.textContent = texts.now[kind];
  // What was just named is looked at itself.
  const isNew = isReal && now.hidden;
  now.hidden = !isReal;
  now.disabled = !isReal;
  if (isNew) moment.value = '';
  if (!isReal && moment.value === '') moment.value = parameters.moment.fallback;
  find('cast-field').hidden = moment.value === '';
}

/** Whether "Reveal" does anything at what is looked at. */
function hasResultsToTell(look: URLSearchParams, hidden: boolean): boolean {
  if (moment.value === 'hidden') return true;
  if (WITHOUT_RESULTS.includes(moment.value) || (moment.value === '' && hidden)) return false;
  const { settings } = readParameters(look);
  return settings.reveal === 'rise' && settings.speed > 0 && hasEffect('reveal', settings);
}

/** What is to be copied; without an address there is nothing, and the page says why. */
function offer(address: string | undefined, said: string): void {
  url.value = address ?? '';
  embed.value = address === undefined ? '' : embedCode(address);
  for (const control of needAddress) control.disabled = address === undefined;
  find('missing').textContent = said;
  for (const id of ['copy', 'copy-embed']) find(id).textContent = 'Copy';
}

/** Loaded again, the builder goes on where it was. The key stays in the fragment. */
function remember(target: OverlayTarget, look: URLSearchParams, key: string | undefined): void {
  const query = new URLSearchParams();
  if (target.kind === 'poll') query.set('poll', target.id);
  if (target.kind === 'show') query.set('show', target.name);
  for (const [name, value] of look) query.set(name, value);
  const search = query.size > 0 ? `?${query}` : '';
  history.replaceState(
    null,
    '',
    location.pathname + search + (key ? `#${new URLSearchParams({ key })}` : ''),
  );
}

/** Copies what is seen: the real thing comes back into the picture. */
async function copy(field: HTMLInputElement, button: HTMLButtonElement): Promise<void> {
  if (source.get().target.kind !== 'rehearsal' && moment.value !== '') {
    moment.value = '';
    update();
  }
  await copyField(field, button);
}

function fitScreen(): void {
  const [width = 1920, height = 1080] = screen.value.split('x').map(Number);
  preview.setScreen(width, height);
  find('size-hint').textContent = texts.size(width, height);
}

const form = find<HTMLFormElement>('form');
form.addEventListener('submit', event => event.preventDefault());
find('settings').addEventListener('input', update);
for (const select of [moment, cast]) select.addEventListener('change', update);
screen.addEventListener('change', fitScreen);
backdrop.addEventListener('change', () => {
  form.dataset['backdrop'] = backdrop.value;
});
for (const action of ['play', 'next', 'stop'] as const)
  find(action).addEventListener('click', () => preview.act(action));
for (const [button, field] of [
  [find<HTMLButtonElement>('copy'), url],
  [find<HTMLButtonElement>('copy-embed'), embed],
] as const)
  button.addEventListener('click', () => void copy(field, button));
find('loader').addEventListener('click', () => void downloadLoader(relay, url.value));

fitScreen();
if (location.search === '' && location.hash === '') update();
else source.take(location.href);
