import { html, nothing, type TemplateResult } from 'lit-html';
import { keyed } from 'lit-html/directives/keyed.js';
import { repeat } from 'lit-html/directives/repeat.js';
import { desk as words } from '../../../locales/en.json';
import { fill } from '../../../web/i18n.ts';
import { phrases, wording } from '../../page/browser/i18n.ts';
import type { Desk } from './desk.ts';
import { type ConnectionState, type DeskConnection, isShown, type ShowBody } from './desk-connection.ts';
import { type Position, positionOf, type Step, stepsOf, titleOf, wireId } from './steps.ts';

const CONNECTION_TEXTS: Record<ConnectionState, string> = {
  keyless: words.noKey,
  connecting: words.connecting,
  live: '',
  away: words.away,
  engine: words.engineAway,
  rejected: words.keyRejected,
  gone: words.showGone,
  malformed: words.malformed,
};

/** The whole page, rendered from what `desk` knows. */
export function deskView(desk: Desk): TemplateResult {
  const { connection, hasNewKey, message } = desk;
  const { state, show, name, polls } = connection;
  const needsKey = state === 'keyless' || state === 'rejected';
  const isClosed = needsKey || state === 'gone' || state === 'malformed';
  const text = CONNECTION_TEXTS[state];
  const position = show && positionOf(show, polls);
  const isLive = position?.onAir !== undefined && !position.isRehearsing;
  return html`<header class="bar"><h1 dir="auto">${show?.title || name}</h1>${gauges(connection, position)}</header>
    <p class="word"><span data-connection role="status">${isClosed ? '' : text}</span>
      <span role="status">${isClosed ? '' : message}</span></p>
    ${isClosed ? html`<section class="notice"><p>${text}</p>${needsKey ? keyForm(desk) : setUpLink(name)}</section>` : nothing}
    ${hasNewKey ? html`<section class="notice good"><h2>${words.keep}</h2><p>${words.keepHint}</p>${deskLink(desk)}</section>` : nothing}
    <div data-work ?hidden=${isClosed || !show} ?data-live-air=${isLive} ?data-rehearsing=${position?.isRehearsing}>
      ${show && position ? showView(desk, show, position) : nothing}
      <label class="switch" data-shortcuts hidden><input type="checkbox" checked autocomplete="off"><span>${phrases.shortcuts}</span></label>
      ${addresses(desk)}
    </div>`;
}

function gauges({ polls, clock, screens, rate }: DeskConnection, position: Position | undefined) {
  const poll = position?.onAir && polls.get(wireId(position.onAir, position));
  const deadline = poll && poll !== 'gone' && poll.status === 'open' ? poll.deadline : null;
  const leftMs = deadline === null ? 0 : Date.parse(deadline) - clock.now();
  const { voters, seconds } = rate.read();
  const span =
    seconds < 60 ? fill(words.lastSeconds, { seconds: wording.number(seconds) }) : words.lastMinute;
  return html`<dl class="gauges"><div ?hidden=${leftMs <= 0}><dt>${words.closesIn}</dt><dd data-clock
      role="timer">${leftMs > 0 ? wording.timeLeft(leftMs) : ''}</dd></div>
    <div><dt>${words.screens}</dt><dd>${screens === undefined ? '–' : wording.number(screens)}</dd></div>
    <div><dt>${words.voters} ${span}</dt><dd>${wording.number(voters)}</dd></div></dl>`;
}

function keyForm(desk: Desk) {
  return html`<form data-key-form @submit=${onSubmit(form => desk.enterKey(field(form, 'show_key').value.trim()))}>
    <input name="name" value=${desk.connection.name} autocomplete="username" hidden>
    <label class="field"><span>${words.key}</span><input type="password" name="show_key" required
      autocomplete="current-password" spellcheck="false"><small>${words.keyHint}</small></label>
    <button type="submit">${words.open}</button></form>`;
}

function setUpLink(name: string) {
  const href = `/desk?name=${encodeURIComponent(name)}`;
  return html`<p class="actions"><a class="button quiet" href=${href}>${words.take}</a></p>`;
}

function showView(desk: Desk, show: ShowBody, position: Position) {
  const { connection, chosen, rundownBefore } = desk;
  const { relay } = connection;
  const { onAir, isRehearsing } = position;
  const next = chosen ?? position.next;
  return html`<div class="pictures">
      ${picture(
        'air',
        isRehearsing ? words.rehearsal : words.onAir,
        onAir ? titleOf(connection, onAir) : words.nothingOnAir,
        `${relay}/overlay/show/${show.name}#preview`,
      )}
      ${picture(
        'next',
        chosen ? words.chosen : words.next,
        next ? titleOf(connection, next) : words.nothingNext,
        next && `${relay}/overlay/${wireId(next, position)}#preview`,
      )}</div>
    <div class="steps">${stepsOf(connection, position, chosen, rundownBefore).map(step => stepButton(desk, step))}</div>
    <section class="rundown" aria-labelledby="rundown-title"><h2 id="rundown-title">${words.runDown}</h2>
      ${show.rundown.length === 0 ? html`<p class="quiet">${words.emptyRunDown}</p>` : nothing}
      ${rundownList(desk, show.rundown, position)}
      <form class="add" @submit=${onSubmit(form => desk.addLine(field(form, 'line')))}>
        <label for="add-line">${words.add}</label>
        <input id="add-line" name="line" maxlength="20000" dir="auto" autocomplete="off"
          placeholder=${words.addLabel} aria-describedby="add-hint">
        <button type="submit" data-key="a" aria-keyshortcuts="A">${words.add} <kbd aria-hidden="true">A</kbd></button>
        <small id="add-hint">${words.addHint} <b>${words.escape}</b></small></form></section>`;
}

/** A new address gets a new frame: in the old one it would become an entry in the page's history. */
function picture(place: 'air' | 'next', label: string, caption: string, url: string | undefined) {
  const frame =
    url &&
    html`<iframe title=${words[place === 'air' ? 'onAir' : 'next']} tabindex="-1" src=${url}></iframe>`;
  return html`<figure class="picture" data-picture=${place}><figcaption><b class="lamp">${label}</b>
    <span class="caption" dir="auto">${caption}</span></figcaption><div class="frame">${keyed(url, frame)}</div></figure>`;
}

/** A step with nothing to send keeps its button, which then shows the reason. */
function stepButton(desk: Desk, step: Step) {
  const { name, key, label, detail = '', subject, command } = step;
  return html`<button type="button" data-step=${name} data-key=${key.toLowerCase()} aria-keyshortcuts=${key}
    aria-disabled=${typeof command === 'string'} ?data-sent=${desk.isPending(subject)} @click=${() => desk.press(step)}><span
    class="label">${label}</span><kbd aria-hidden="true">${key}</kbd><span class="detail" dir="auto">${detail}</span></button>`;
}

function rundownList(desk: Desk, rundown: readonly string[], position: Position) {
  const { drag, connection, chosen } = desk;
  const others = rundown.filter(id => id !== drag?.id);
  const isDragged = others.length < rundown.length;
  const dropBefore = isDragged ? others[drag!.index] : undefined;
  const dropAfter = isDragged && dropBefore === undefined ? others.at(-1) : undefined;
  const more = (label: string, name: string, onClick: () => void) =>
    html`<button type="button" title=${name} aria-label=${name} @click=${onClick}>${label}</button>`;
  const row = (id: string, index: number) => {
    const isOnAir = position.onAir === id;
    const onAirTag = position.isRehearsing ? words.rehearsal : words.onAir;
    const tag = isOnAir ? onAirTag : position.next === id ? words.next : '';
    return html`<li data-poll=${id} ?data-chosen=${id === chosen} ?data-on-air=${isOnAir}
      ?data-gone=${connection.polls.get(id) === 'gone'} ?data-dragged=${id === drag?.id}
      ?data-drop-before=${id === dropBefore} ?data-drop-after=${id === dropAfter}>
      ${handle(desk, id, index)}<button type="button" class="choose" aria-pressed=${id === chosen}
        @click=${() => desk.choose(id)}><span class="number">${wording.number(index + 1)}</span><span class="question"
        dir="auto">${titleOf(connection, id)}</span><span class="tag">${tag}</span><span
        class="status">${statusOf(connection, isOnAir ? wireId(id, position) : id)}</span></button><span
        class="tools"><span class="more">${more('↑', words.steps.up, () => desk.move(id, index - 1))}${more(
          '↓',
          words.steps.down,
          () => desk.move(id, index + 1),
        )}${more('×', words.steps.remove, () => desk.remove(id))}</span><button
        type="button" @click=${() => desk.take(id)}>${words.steps.take}</button></span></li>`;
  };
  return html`<ol data-rundown ?data-sent=${desk.isPending('show')}>${repeat(rundown, id => id, row)}</ol>`;
}

function statusOf({ polls }: DeskConnection, id: string): string {
  const poll = polls.get(id);
  if (poll === 'gone') return words.goneHint;
  if (!poll) return words.loading;
  const { status, total_votes: votes, closes_in: seconds } = poll;
  return [
    words.status[status],
    votes !== undefined && wording.plural(phrases, 'votes', votes),
    seconds !== undefined && fill(phrases.closesAfter, { time: wording.timeLeft(seconds * 1_000) }),
    !isShown(poll) && words.hidden,
  ]
    .filter(Boolean)
    .join(' · ');
}

function handle(desk: Desk, id: string, index: number) {
  const isDragged = () => desk.drag?.id === id;
  const start = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.preventDefault();
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    desk.setDrag({ id, index });
  };
  const move = (event: PointerEvent) => isDragged() && desk.setDrag({ id, index: dropIndex(event) });
  const drop = (event: PointerEvent) => {
    if (isDragged() && dropIndex(event) !== index) void desk.move(id, dropIndex(event));
  };
  const end = () => isDragged() && desk.setDrag(undefined);
  return html`<span class="handle" data-handle aria-hidden="true" @pointerdown=${start} @pointermove=${move}
    @pointerup=${drop} @lostpointercapture=${end}>⋮⋮</span>`;
}

function dropIndex({ currentTarget, clientY }: PointerEvent): number {
  const row = (currentTarget as Element).closest('li')!;
  const others = [...row.parentElement!.children].filter(other => other !== row);
  return others.filter(other => {
    const { top, height } = other.getBoundingClientRect();
    return clientY >= top + height / 2;
  }).length;
}

function addresses(desk: Desk) {
  const { connection, voteUrl, code, hasNewKey } = desk;
  const { relay, name, key } = connection;
  const voteLink = `${voteUrl}/show/${name}`;
  return html`<details class="fold addresses"><summary>${words.addresses}</summary>
    ${code}
    ${copyField('vote-link', words.voteLabel, voteLink)}
    ${copyField('overlay-link', words.overlayLabel, `${relay}/overlay/show/${name}`)}
    ${hasNewKey ? nothing : deskLink(desk)}
    <p class="actions"><a class="button quiet" href=${`${voteLink}/share#key=${key}`}>${words.share}</a>
      <a class="button quiet" href=${`${relay}/overlay?show=${name}`}>${words.builder}</a></p>
    <form @submit=${onSubmit(() => desk.renewKey())}><button type="submit" class="quiet">${words.handOver}</button>
      <p class="quiet">${words.handOverHint}</p></form>
    <form @submit=${onSubmit(form => desk.deleteShow(field(form, 'confirmation').value.trim()))}><label class="field"><span>${words.confirmName}</span>
      <input name="confirmation" autocomplete="off" autocapitalize="none" spellcheck="false"><small>${words.deleteShowHint}</small></label>
      <button type="submit" class="quiet">${words.deleteShow}</button></form></details>`;
}

function deskLink({ voteUrl, connection: { name, key } }: Desk) {
  return copyField('desk-link', words.deskLabel, `${voteUrl}/desk/${name}#key=${key}`);
}

function copyField(id: string, label: string, text: string) {
  return html`<div class="field copy" data-copy><label class="label" for=${id}>${label}</label>
    <input id=${id} dir="ltr" readonly spellcheck="false" .value=${text}><button type="button" class="quiet"
      data-copy-button hidden .textContent=${phrases.copy}></button></div>`;
}

function onSubmit(act: (form: HTMLFormElement) => void): (event: SubmitEvent) => void {
  return event => {
    event.preventDefault();
    act(event.currentTarget as HTMLFormElement);
  };
}

function field(form: HTMLFormElement, name: string): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement;
}
