import { html, nothing, type TemplateResult } from 'lit-html';
import { keyed } from 'lit-html/directives/keyed.js';
import { live } from 'lit-html/directives/live.js';
import { ref } from 'lit-html/directives/ref.js';
import { device, managed, present, desk as words } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { rejectedText } from '../../../pages/page/ballots-text.ts';
import { basePath } from '../../../pages/page/browser/base-path.ts';
import { phrases, wording } from '../../../pages/page/browser/i18n.ts';
import { type ChatLink, MAX_CHAT_LINKS } from '../../../poll/chat-link.ts';
import { CHAT_NAMES, CHAT_PLATFORMS } from '../../../poll/chat-platform.ts';
import { addressInWords, formatJoinCode } from '../../../poll/join-code.ts';
import { renewViewKey, type ShowOption } from './commands.ts';
import type { Desk } from './desk.ts';
import type { ChatState, ConnectionState, DeskConnection, ShowBody } from './desk-connection.ts';
import { drawer, field, onSubmit, rundownList } from './rundown-view.ts';
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
  const { connection } = desk;
  const { state, show, name, polls } = connection;
  const needsKey = state === 'keyless' || state === 'rejected';
  const isClosed = needsKey || state === 'gone' || state === 'malformed';
  const isAtWork = !isClosed && show !== undefined;
  const text = CONNECTION_TEXTS[state];
  const position = show && positionOf(show, polls);
  const isLive = position?.onAir !== undefined && !position.isRehearsing;
  const answer = needsKey ? keyForm(desk) : isClosed ? setUpLink(name) : nothing;
  return html`<header class="bar"><h1 dir="auto">${show?.title || name}</h1>${gauges(connection)}
      ${links(desk, isAtWork)}</header>
    ${isAtWork ? nothing : html`<section class="notice"><p role="status">${text}</p>${answer}</section>`}
    <div data-work ?hidden=${!isAtWork} ?data-live-air=${isLive} ?data-rehearsing=${position?.isRehearsing} ?data-settling=${desk.isSettling}>
      ${isAtWork && position ? showView(desk, show, position) : nothing}
    </div>`;
}

function gauges({ counts, rate }: DeskConnection) {
  const gauge = (label: string, count: number | undefined) =>
    html`<div><dt>${label}</dt><dd>${count === undefined ? '–' : wording.number(count)}</dd></div>`;
  return html`<dl class="gauges">${gauge(words.overlays, counts?.screens)}${gauge(words.phones, counts?.phones)}${gauge(
    words.votersPerMinute,
    rate.read(),
  )}</dl>`;
}

function keyForm(desk: Desk) {
  return html`<form data-key-form @submit=${onSubmit(form => desk.enterKey(field(form, 'show_key').value.trim()))}>
    <input name="name" value=${desk.connection.name} autocomplete="username" hidden>
    <label class="field"><span>${words.key}</span><input type="password" name="show_key" required
      autocomplete="current-password" spellcheck="false"><small>${words.keyHint}</small></label>
    <button type="submit">${words.open}</button></form>`;
}

function setUpLink(name: string) {
  const href = `${basePath}/desk?name=${encodeURIComponent(name)}`;
  return html`<p class="actions"><a class="button quiet" href=${href}>${words.take}</a></p>`;
}

function showView(desk: Desk, show: ShowBody, position: Position) {
  const { connection, chosen } = desk;
  const { relay } = connection;
  const { onAir, isRehearsing } = position;
  const next = chosen ?? position.next;
  const onAirTitle = onAir ? titleOf(connection, onAir) : words.nothingOnAir;
  return html`<div class="stage">
    ${picture(desk, {
      place: 'air',
      label: isRehearsing ? words.rehearsal : words.onAir,
      caption: html`${caption(onAirTitle)} ${clock(connection, position)}`,
      url: `${relay}/overlay/show/${show.name}#preview`,
    })}
    <div class="side">${picture(desk, {
      place: 'next',
      label: chosen ? words.chosen : words.next,
      caption: caption(next ? titleOf(connection, next) : words.nothingNext),
      previewOf: next,
      url: next && `${relay}/overlay/show/${show.name}#preview=${wireId(next, position)}`,
    })}
      <p class="word"><span role="status">${desk.message}</span>
        <span data-connection role="status" ?hidden=${desk.saysLost}>${CONNECTION_TEXTS[connection.state]}</span> ${rejectedBallots(connection)}</p></div>
    <div class="steps">${stepsOf(connection, position, chosen).map(step => stepButton(desk, step))}</div></div>
    ${rundownList(desk, show.rundown, position)}${drawer(desk, position)}`;
}

function rejectedBallots({ counts, show }: DeskConnection) {
  const rejected = counts?.on_air === show?.on_air && counts?.rejected;
  const text = rejected ? rejectedText(managed, wording, rejected) : '';
  return html`<span class="quiet" data-rejected>${text}</span>`;
}

function caption(text: string) {
  return html`<span class="caption" dir="auto">${text}</span>`;
}

/** The time until viewers see the vote end, and how long theirs count after it. */
function clock({ polls, clock, show }: DeskConnection, position: Position) {
  const poll = position.onAir && polls.get(wireId(position.onAir, position));
  const deadline = poll && poll !== 'gone' && poll.status === 'open' ? poll.deadline : null;
  const leftMs = deadline === null ? 0 : Date.parse(deadline) - clock.now();
  const lateMs = Math.min(leftMs, (show?.delay ?? 0) * 1_000);
  const airMs = leftMs - lateMs;
  const late = fill(words.lateVotes, { seconds: wording.number(Math.ceil(lateMs / 1_000)) });
  return html`<span class="clock" ?hidden=${airMs <= 0}>${words.closesIn} <b data-clock role="timer">${
    airMs > 0 ? wording.timeLeft(airMs) : ''
  }</b></span> <span class="clock" data-late ?hidden=${lateMs <= 0}>${lateMs > 0 ? late : ''}</span>`;
}

interface Picture {
  readonly place: 'air' | 'next';
  readonly label: string;
  readonly caption: TemplateResult;
  /** The id of the poll that it always shows. */
  readonly previewOf?: string | undefined;
  readonly url: string | undefined;
}

/** A new address gets a new frame: in the old one it would become an entry in the page's history. */
function picture(desk: Desk, { place, label, caption, previewOf, url }: Picture) {
  const frame =
    url &&
    html`<iframe title=${words[place === 'air' ? 'onAir' : 'next']} tabindex="-1"
      data-preview=${previewOf ?? nothing} @load=${() => desk.cut.delete(previewOf ?? '')} src=${url}></iframe>`;
  return html`<figure class="picture" data-picture=${place}><figcaption><b class="lamp">${label}</b>
    ${caption}</figcaption><div class="frame" ${ref(frame => desk.watchFrame(frame))}>${keyed(url, frame)}</div></figure>`;
}

/** A step with nothing to send keeps its button, which then shows the reason. */
function stepButton(desk: Desk, step: Step) {
  const { name, key, label, detail = '', subject, command } = step;
  return html`<button type="button" data-step=${name} data-key=${key.toLowerCase()} aria-keyshortcuts=${key}
    aria-disabled=${typeof command === 'string'} ?data-sent=${desk.isPending(subject)} @click=${() => desk.press(step)}><span
    class="label">${label}</span><kbd aria-hidden="true">${key}</kbd><span class="detail" dir="auto">${detail}</span></button>`;
}

/** Opens over the desk, so that nothing moves. */
function links(desk: Desk, isAtWork: boolean) {
  const { connection, voteUrl, code, hasNewKey } = desk;
  const { relay, name, key } = connection;
  const voteLink = `${voteUrl}/show/${name}`;
  const joinCode = connection.show?.join_code;
  return html`<details class="links" ?hidden=${!isAtWork} ?open=${hasNewKey}><summary>${words.addresses}</summary><div class="sheet">
    ${hasNewKey ? html`<section class="notice good"><h2>${words.keep}</h2><p>${words.keepHint}</p>${deskLink(desk)}</section>` : nothing}
    ${code}
    ${option(desk, 'join_code', words.joinCode, joinCode !== undefined)}
    ${joinCode === undefined ? nothing : html`<p class="join-code" dir="ltr">${addressInWords(voteUrl)}/join <b>${formatJoinCode(joinCode)}</b></p>`}
    ${copyField('vote-link', words.voteLabel, voteLink)}
    ${copyField('overlay-link', words.overlayLabel, `${relay}/overlay/show/${name}`)}
    ${hostLink(desk)}
    ${hasNewKey ? nothing : deskLink(desk)}
    <p class="remembered"><span>${desk.isRemembered ? device.rememberedShow : `${device.notRememberedShow} ${words.keep}.`}</span>
      ${desk.isRemembered ? html`<button type="button" class="quiet" @click=${() => desk.forget()}>${device.forget}</button>` : nothing}</p>
    <p class="actions"><a class="button quiet" href=${`${voteLink}/present`} target="_blank">${present.link}</a>
      <a class="button quiet" href=${`${voteLink}/share`} target="_blank">${words.share}</a>
      <a class="button quiet" href=${`${relay}/overlay?show=${name}#key=${key}`}>${words.builder}</a></p>
    ${option(desk, 'final_two', words.finalTwo, connection.show?.final_two)}${option(desk, 'close_before_next', words.closeBeforeNext, connection.show?.close_before_next)}${option(desk, 'winner', words.winnerOnPress, connection.show?.winner === 'press')}
    <form data-delay @submit=${onSubmit(form => desk.setDelay(field(form, 'delay').valueAsNumber))}>
      <label class="field"><span>${words.delay}</span><input type="number" name="delay" min="0" max="60" step="any" required
        autocomplete="off" .value=${`${connection.show?.delay ?? 0}`}><small>${words.delayHint}</small></label>
      <button type="submit" class="quiet">${words.edit.save}</button></form>
    ${chats(desk)}
    ${afterShow(desk)}
    <form @submit=${onSubmit(form => desk.renewKey(field(form, 'confirmation').value.trim()))}>${confirmation(words.handOverHint)}
      <button type="submit" class="quiet">${words.handOver}</button></form>
    <form @submit=${onSubmit(form => desk.deleteShow(field(form, 'confirmation').value.trim()))}>${confirmation(words.deleteShowHint)}
      <button type="submit" class="quiet">${words.deleteShow}</button></form>
    <label class="switch" data-shortcuts hidden><input type="checkbox" checked autocomplete="off"><span>${words.shortcuts}</span></label>
    <p class="said" aria-hidden="true" ?hidden=${desk.message === ''}>${desk.message}</p></div></details>`;
}

/** The name of the show, for what can't be undone. */
function confirmation(hint: string) {
  return html`<label class="field"><span>${words.confirmName}</span>
    <input name="confirmation" autocomplete="off" autocapitalize="none" spellcheck="false"><small>${hint}</small></label>`;
}

/** An option of the show. It changes only when the relay has changed it. */
function option(desk: Desk, name: ShowOption, label: string, isOn = false) {
  const press = (event: Event) => {
    event.preventDefault();
    void desk.setOption(name, !isOn);
  };
  return html`<label class="switch"><input type="checkbox" data-option=${name} autocomplete="off" .checked=${live(isOn)}
    @click=${press}><span>${label}</span></label>`;
}

/** The linked chats with their state, and a form that links another one. */
function chats(desk: Desk) {
  const { show, counts } = desk.connection;
  const { chat: links = [] } = show ?? {};
  const item = (link: ChatLink) => {
    const { platform, channel } = link;
    const name = `${CHAT_NAMES[platform]} ${channel}`;
    const known = counts?.chat_state?.find(one => one.platform === platform && one.channel === channel);
    return html`<li data-chat=${`${platform} ${channel}`}><span><b dir="auto">${name}</b><span data-state=${known?.state ?? ''}>${known ? chatText(known) : ''}</span></span>
      <button type="button" class="quiet" @click=${() => desk.unlinkChat(link)}>${fill(words.chat.unlink, { chat: name })}</button></li>`;
  };
  const add = (form: HTMLFormElement) =>
    desk.linkChat(form, {
      platform: (form.elements.namedItem('platform') as HTMLSelectElement).value as ChatLink['platform'],
      channel: field(form, 'channel').value.trim(),
    });
  return html`<section data-chats aria-labelledby="chats"><h2 id="chats">${words.chat.title}</h2><p class="quiet">${words.chat.how}</p>
    ${links.length > 0 ? html`<ul class="chats">${links.map(item)}</ul>` : nothing}
    <form data-link-chat ?hidden=${links.length >= MAX_CHAT_LINKS} @submit=${onSubmit(add)}>
      <label class="field"><span>${words.chat.platform}</span><select name="platform">${CHAT_PLATFORMS.map(
        platform => html`<option value=${platform}>${CHAT_NAMES[platform]}</option>`,
      )}</select></label>
      <label class="field"><span>${words.chat.channel}</span><input name="channel" required maxlength="300" dir="ltr"
        autocomplete="off" autocapitalize="none" spellcheck="false"></label>
      <button type="submit" class="quiet">${words.chat.link}</button></form></section>`;
}

function chatText({ state, fault, messages_per_second, votes, lost, early, late }: ChatState): string {
  const figures = { messages: wording.number(messages_per_second), votes: wording.number(votes) };
  return [
    words.chat.states[state] + (fault ? ` (${fault})` : ''),
    state === 'connected' || votes > 0 ? fill(words.chat.figures, figures) : '',
    lost > 0 ? fill(words.chat.lost, { count: wording.number(lost) }) : '',
    early > 0 ? wording.plural(words.chat, 'early', early) : '',
    late !== null ? fill(words.chat.late, { seconds: wording.number(late) }) : '',
  ]
    .filter(text => text !== '')
    .join(' · ');
}

function afterShow(desk: Desk) {
  const { copiedShow, needsOperatorKey } = desk;
  const download = (format: 'csv' | 'json') =>
    html`<button type="button" class="quiet" data-download=${format} @click=${() =>
      desk.downloadResults(format)}>${fill(words.resultsAs, { format: format.toUpperCase() })}</button>`;
  const copy = (form: HTMLFormElement) =>
    desk.copyShow(field(form, 'name').value.trim(), field(form, 'operator_key').value.trim());
  const notice =
    copiedShow &&
    html`<section class="notice good"><h3>${words.keep}</h3><p>${words.keepHint}</p>
      ${copyField('copy-link', words.deskLabel, copiedShow.link)}
      ${copiedShow.leftOut > 0 ? html`<p>${fill(words.copyShow.leftOut, { count: wording.number(copiedShow.leftOut) })}</p>` : nothing}
      <p class="actions"><a class="button quiet" target="_blank" rel="noopener" href=${copiedShow.link}>${words.open}</a></p></section>`;
  return html`<h2>${words.afterShow}</h2><p class="actions">${download('csv')}${download('json')}</p>
    <form data-copy-show @submit=${onSubmit(copy)}><label class="field"><span>${words.copyShow.name}</span>
      <input name="name" required dir="ltr" autocomplete="off" autocapitalize="none" spellcheck="false"><small>${words.copyShow.hint}</small></label>
      <label class="field" ?hidden=${!needsOperatorKey}><span>${words.operatorKey}</span>
        <input type="password" name="operator_key" autocomplete="off" spellcheck="false"></label>
      <button type="submit" class="quiet">${words.copyShow.copy}</button></form>${notice ?? nothing}`;
}

function deskLink({ voteUrl, connection: { name, key } }: Desk) {
  return copyField('desk-link', words.deskLabel, `${voteUrl}/desk/${name}#key=${key}`);
}

/** Its key only reads. A reply to a desk's read has it. */
function hostLink(desk: Desk) {
  const { relay, name, show } = desk.connection;
  if (!show?.view_key) return nothing;
  const step = { name: 'view-key', subject: 'key', confirm: words.confirmHostLink };
  return html`${copyField('host-link', words.hostLabel, `${relay}/overlay/show/${name}?style=host#key=${show.view_key}`)}
    <p class="actions"><button type="button" class="quiet" @click=${() =>
      desk.press({ ...step, command: renewViewKey(desk.connection) })}>${words.newHostLink}</button></p>`;
}

function copyField(id: string, label: string, text: string) {
  return html`<div class="field copy" data-copy><label class="label" for=${id}>${label}</label>
    <input id=${id} dir="ltr" readonly spellcheck="false" .value=${text}><button type="button" class="quiet"
      data-copy-button hidden .textContent=${phrases.copy}></button></div>`;
}
