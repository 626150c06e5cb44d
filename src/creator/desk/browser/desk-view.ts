import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { device, managed, present, desk as words } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { rejectedText } from '../../../pages/page/ballots-text.ts';
import { basePath } from '../../../pages/page/browser/base-path.ts';
import { phrases, wording } from '../../../pages/page/browser/i18n.ts';
import { type ChatLink, MAX_CHAT_LINKS, otherLinks } from '../../../poll/chat-link.ts';
import { CHAT_NAMES, CHAT_PLATFORMS } from '../../../poll/chat-platform.ts';
import { addressInWords, formatJoinCode } from '../../../poll/join-code.ts';
import { changeShow, renewViewKey, showCommand } from './commands.ts';
import type { Desk } from './desk.ts';
import { type ChatState, CONNECTION_TEXTS, type DeskConnection, type ShowBody } from './desk-connection.ts';
import {
  drawer,
  field,
  hiddenFigures,
  hiddenText,
  isSent,
  onSubmit,
  picture,
  rundownList,
} from './rundown-view.ts';
import { cueOf, findAired, type Position, type Step, stepsOf, timeLeft, titleOf } from './steps.ts';

/** A countdown is marked from here on. */
const ENDING_MS = 10_000;

/** The whole page, rendered from what `desk` knows. */
export function deskView(desk: Desk): TemplateResult {
  const { connection } = desk;
  const { state, show, name } = connection;
  const needsKey = state === 'keyless' || state === 'rejected';
  const isClosed = needsKey || state === 'gone' || state === 'malformed';
  const isAtWork = !isClosed && show !== undefined;
  const text = CONNECTION_TEXTS[state];
  const { position } = desk;
  const isLive = position?.onAir !== undefined && !position.isRehearsing;
  const answer = needsKey ? keyForm(desk) : isClosed ? setUpLink(name) : nothing;
  return html`<header class="bar"><h1 dir="auto">${show?.title || name}</h1>${gauges(connection)}
      ${chats(desk, isAtWork)}${links(desk, isAtWork)}</header>
    ${isAtWork ? nothing : html`<section class="notice"><p role="status">${text}</p>${answer}</section>`}
    <div data-work ?hidden=${!isAtWork} ?data-live-air=${isLive} ?data-rehearsing=${position?.isRehearsing} ?data-settling=${desk.isSettling} ?data-away=${state !== 'live'}>
      ${isAtWork && position ? showView(desk, show, position) : nothing}
    </div>`;
}

function gauges({ counts, rate }: DeskConnection) {
  const gauge = (label: string, count: number | undefined) =>
    html`<div><dt>${label}</dt><dd>${count === undefined ? '–' : wording.number(count)}</dd></div>`;
  const unread = counts?.chat_state?.filter(({ state }) => state !== 'connected') ?? [];
  const chat = ({ platform, state }: ChatState) =>
    html`<div data-unread=${state}><dt>${CHAT_NAMES[platform]}</dt><dd>${words.chat.states[state]}</dd></div>`;
  return html`<dl class="gauges">${gauge(words.overlays, counts?.screens)}${gauge(words.phones, counts?.phones)}${gauge(
    words.votersPerMinute,
    rate.read(),
  )}${unread.map(chat)}</dl>`;
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
  const { next } = position;
  const steps = stepsOf(connection, position, chosen);
  const nextTitle = next === undefined ? words.nothingNext : titleOf(connection, next);
  const nextHeading = html`<b class="lamp">${words.next}</b> <span class="caption" dir="auto" title=${nextTitle}>${nextTitle}</span>`;
  return html`<div class="stage">
    ${picture(desk, 'air', tally(connection, position))}
    <div class="side">${picture(desk, 'next', nextHeading, next)}
      <div class="notes" tabindex="0"><p class="word"><span role="status">${desk.message}</span>
        <span data-connection role="status" ?hidden=${desk.saysLost}>${CONNECTION_TEXTS[connection.state]}</span>
        <span class="typing">${words.keysAway}</span> ${earlyVotes(connection)} ${rejectedBallots(connection)}</p>
        ${hiddenFigures(findAired(connection, position))}<p class="visually-hidden" role="status">${desk.heard}</p></div></div>
    <div class="steps">${steps.map(step => stepButton(desk, step, step.name === cueOf(connection, position)))}</div></div>
    ${rundownList(desk, show.rundown, position)}${drawer(desk, position)}`;
}

function rejectedBallots({ counts, show }: DeskConnection) {
  const rejected = counts?.on_air === show?.on_air && counts?.rejected;
  const text = rejected ? rejectedText(managed, wording, rejected) : '';
  return html`<span class="quiet" data-rejected>${text}</span>`;
}

/** Votes in chat that wait for the opening. */
function earlyVotes({ counts }: DeskConnection) {
  const early = counts?.chat_state?.reduce((sum, { early }) => sum + early, 0) ?? 0;
  return early > 0 ? html`<span data-early>${wording.plural(words.chat, 'early', early)}</span>` : nothing;
}

/** What viewers have, in one line, and beside it the time until they see the vote end. */
function tally(connection: DeskConnection, position: Position) {
  const { onAir, isRehearsing } = position;
  const poll = findAired(connection, position);
  const title = onAir && titleOf(connection, onAir);
  const { airMs, lateText } = poll ? timeLeft(connection, poll) : { airMs: 0, lateText: undefined };
  const lamp = isRehearsing ? words.rehearsalOnScreens : words.onAir;
  const parts = poll && [
    { ...managed.status, ...words.phases }[lateText && airMs <= 0 ? 'closed' : poll.status],
    poll.total_votes !== undefined && wording.plural(phrases, 'votes', poll.total_votes),
    hiddenText(poll),
  ];
  return html`<div class="tally"><p class="state"><b class="lamp">${onAir ? lamp : words.nothingOnAir}</b>${parts
    ?.filter(Boolean)
    .map(
      part => html` <span>· ${part}</span>`,
    )}${lateText ? html` <span>· <span data-late>${lateText}</span></span>` : nothing}</p>
    <p class="caption" dir="auto" title=${title ?? nothing}>${title}</p></div>
    <span class="clock" ?hidden=${airMs <= 0} ?data-ending=${airMs <= ENDING_MS}>${words.closesIn} <b data-clock role="timer">${
      airMs > 0 ? wording.timeLeft(airMs) : ''
    }</b></span>`;
}

/** A step with nothing to send keeps its button, which then shows the reason. */
function stepButton(desk: Desk, step: Step, isCue: boolean) {
  const { name, key, label, detail = '', command } = step;
  return html`<button type="button" data-step=${name} data-key=${key.toLowerCase()} aria-keyshortcuts=${key} ?data-cue=${isCue}
    aria-disabled=${typeof command === 'string'} ?data-sent=${isSent(desk, step)} @click=${() => desk.press(step)}><span
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
    <form data-delay @submit=${onSubmit(form => desk.run(changeShow(connection, 'delay', field(form, 'delay').valueAsNumber)))}>
      <label class="field"><span>${words.delay}</span><input type="number" name="delay" min="0" max="60" step="any" required
        autocomplete="off" .value=${`${connection.show?.delay ?? 0}`}><small>${words.delayHint}</small></label>
      <button type="submit" class="quiet">${words.edit.save}</button></form>
    ${afterShow(desk)}
    <form @submit=${onSubmit(form => desk.renewKey(field(form, 'confirmation').value.trim()))}>${confirmation(words.handOverHint)}
      <button type="submit" class="quiet">${words.handOver}</button></form>
    <form @submit=${onSubmit(form => desk.deleteShow(field(form, 'confirmation').value.trim()))}>${confirmation(words.deleteShowHint)}
      <button type="submit" class="quiet">${words.deleteShow}</button></form>
    <label class="switch" data-shortcuts hidden><input type="checkbox" checked autocomplete="off"><span>${words.shortcuts}</span></label>
    <label class="switch" data-system-scheme hidden><input type="checkbox" autocomplete="off"><span>${words.systemScheme}</span></label>
    ${said(desk)}</div></details>`;
}

/** The message of the desk, which a sheet covers. */
function said({ message }: Desk) {
  return html`<p class="said" aria-hidden="true" ?hidden=${message === ''}>${message}</p>`;
}

/** The name of the show, for what can't be undone. */
function confirmation(hint: string) {
  return html`<label class="field"><span>${words.confirmName}</span>
    <input name="confirmation" autocomplete="off" autocapitalize="none" spellcheck="false"><small>${hint}</small></label>`;
}

type ShowOption = 'final_two' | 'close_before_next' | 'join_code' | 'winner';

/** An option of the show. It changes only when the relay has changed it. */
function option(desk: Desk, name: ShowOption, label: string, isOn = false) {
  const press = (event: Event) => {
    event.preventDefault();
    const value = name === 'winner' ? (isOn ? 'close' : 'press') : !isOn;
    void desk.run(showCommand(desk.connection, { [name]: value }));
  };
  return html`<label class="switch"><input type="checkbox" data-option=${name} autocomplete="off" .checked=${live(isOn)}
    @click=${press}><span>${label}</span></label>`;
}

/** The linked chats with their state, and a form that links another one. */
function chats(desk: Desk, isAtWork: boolean) {
  const { show, counts } = desk.connection;
  const { chat: links = [] } = show ?? {};
  const item = (link: ChatLink) => {
    const { platform, channel } = link;
    const name = `${CHAT_NAMES[platform]} ${channel}`;
    const known = counts?.chat_state?.find(one => one.platform === platform && one.channel === channel);
    return html`<li data-chat=${`${platform} ${channel}`}><span><b dir="auto">${name}</b><span data-state=${known?.state ?? ''}>${known ? chatText(known) : ''}</span></span>
      <button type="button" class="quiet" @click=${() => desk.run(changeShow(desk.connection, 'chat', otherLinks(links, link)))}>${fill(words.chat.unlink, { chat: name })}</button></li>`;
  };
  const add = (form: HTMLFormElement) =>
    desk.linkChat(form, Object.fromEntries(new FormData(form)) as unknown as ChatLink);
  return html`<details class="chat" data-chats ?hidden=${!isAtWork}><summary>${words.chat.title}</summary><div class="sheet"><p class="quiet">${words.chat.how}</p>
    ${links.length > 0 ? html`<ul class="chats">${links.map(item)}</ul>` : nothing}
    <form data-link-chat ?hidden=${links.length >= MAX_CHAT_LINKS} @submit=${onSubmit(add)}>
      <label class="field"><span>${words.chat.platform}</span><select name="platform">${CHAT_PLATFORMS.map(
        platform => html`<option value=${platform}>${CHAT_NAMES[platform]}</option>`,
      )}</select></label>
      <label class="field"><span>${words.chat.channel}</span><input name="channel" required maxlength="300" dir="ltr"
        autocomplete="off" autocapitalize="none" spellcheck="false"></label>
      <button type="submit" class="quiet">${words.chat.link}</button></form>${said(desk)}</div></details>`;
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
