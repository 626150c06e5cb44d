import { html, nothing, type TemplateResult } from 'lit-html';
import { keyed } from 'lit-html/directives/keyed.js';
import { live } from 'lit-html/directives/live.js';
import { ref } from 'lit-html/directives/ref.js';
import { repeat } from 'lit-html/directives/repeat.js';
import { unsafeHTML } from 'lit-html/directives/unsafe-html.js';
import { answerList, builder, create, faces, managed, desk as words } from '../../../locales/en.json';
import { fill, fillParts } from '../../../locales/i18n.ts';
import { phrases, wording } from '../../../pages/page/browser/i18n.ts';
import type { ChoiceParameter } from '../../../picture/parameters.ts';
import { lookParameters, lookQuery } from '../../../picture/show-look.ts';
import { formatJoinCode } from '../../../poll/join-code.ts';
import { placesOf } from '../../../poll/ranking.ts';
import { originOfTwin } from '../../../poll/rehearsal.ts';
import { editFields } from '../../editor/edit-form.ts';
import { editorOf, readEditor } from '../../editor/edit-poll.ts';
import { changeLook, copyPoll, putOnAir } from './commands.ts';
import type { Desk } from './desk.ts';
import { type DeskConnection, type DeskPoll, findPoll, hasVotes, isShown } from './desk-connection.ts';
import {
  closingStep,
  findOwnPoll,
  keepOpenStep,
  lateText,
  type Position,
  pollSteps,
  type Step,
  settingSteps,
  titleOf,
  wireId,
} from './steps.ts';

/** Offered for closing, in seconds. */
const CLOSE_S = [15, 30, 60, 90];
/** Parts of a look that a poll can have of its own. */
const LOOKS = ['style', 'scene'] as const;

/**
 * What is on air, or a poll as it would be. A new address gets a new frame: in the old one it would
 * become an entry in the page's history.
 */
export function picture(desk: Desk, place: 'air' | 'next' | 'chosen', heading: TemplateResult, id?: string) {
  const { relay, name } = desk.connection;
  const shown = id && desk.position ? `=${wireId(id, desk.position)}` : '';
  // The show has the look of a poll only while it is on air.
  const own = lookQuery((shown && id && desk.connection.show?.looks?.[id]) || {});
  const query = own.size > 0 ? `?${own}` : '';
  const url = place === 'air' || shown ? `${relay}/overlay/show/${name}${query}#preview${shown}` : undefined;
  const frame =
    url &&
    html`<iframe title=${words[place === 'air' ? 'onAir' : place]} tabindex="-1" data-preview=${id ?? nothing}
      @load=${() => desk.cut.delete(id ?? '')} src=${url}></iframe>`;
  return html`<figure class="picture" data-picture=${place}><figcaption>${heading}</figcaption><div class="frame" ${ref(
    frame => desk.watchFrame(frame),
  )}>${keyed(url, frame)}</div></figure>`;
}

/** One stop of the Tab key: arrows lead from row to row, and Tab on to what belongs to the selected one. */
export function rundownList(desk: Desk, rundown: readonly string[], position: Position) {
  const { drag, connection, chosen } = desk;
  const others = rundown.filter(id => id !== drag?.id);
  const isDragged = others.length < rundown.length;
  const dropBefore = isDragged ? others[drag!.index] : undefined;
  const dropAfter = isDragged && dropBefore === undefined ? others.at(-1) : undefined;
  const stop = [chosen, position.onAir].find(id => id && rundown.includes(id)) ?? rundown[0];
  const row = (id: string, index: number) => {
    const isOnAir = position.onAir === id;
    const onAirTag = position.isRehearsing ? words.rehearsal : words.onAir;
    const wire = isOnAir ? wireId(id, position) : id;
    const poll = findPoll(connection, wire);
    const tag = isOnAir ? onAirTag : position.next === id ? words.next : '';
    return html`<li data-poll=${id} ?data-chosen=${id === chosen} ?data-on-air=${isOnAir} ?data-next=${position.next === id}
      ?data-open=${!isOnAir && poll?.status === 'open'} ?data-gone=${connection.polls.get(id) === 'gone'} ?data-dragged=${id === drag?.id}
      ?data-drop-before=${id === dropBefore} ?data-drop-after=${id === dropAfter}>
      ${handle(desk, id, index)}<button type="button" class="choose" aria-pressed=${id === chosen}
        tabindex=${id === stop ? 0 : -1} @click=${() => desk.choose(id === chosen ? undefined : id)}><span
        class="number">${wording.number(index + 1)}</span><span class="question"
        dir="auto" title=${titleOf(connection, id)}>${titleOf(connection, id)}</span><span class="state"><span class="tag">${tag}</span>${
          desk.cut.has(id) ? html`<span class="cut">⚠ ${words.textCut}</span>` : nothing
        }<span class="status">${statusOf(connection, wire)}</span></span></button></li>`;
  };
  return html`<section class="rundown" aria-labelledby="rundown-title"><h2 id="rundown-title">${words.runDown}</h2>
    <ol data-rundown ?data-sent=${desk.isPending('show')} @scroll=${(event: Event) => desk.noteScroll(event)}>${repeat(rundown, id => id, row)}</ol>${removedPolls(desk)}</section>`;
}

function removedPolls(desk: Desk) {
  const { removed } = desk.connection;
  const item = ({ id, title }: (typeof removed)[number]) =>
    html`<li><bdi>${title}</bdi> <button type="button" aria-label=${nameOf(words.putBack, title)}
      @click=${() => desk.putBack(id)}>${words.putBack}</button></li>`;
  return removed.length === 0
    ? nothing
    : html`<details class="removed"><summary>${words.removedPolls}</summary><ul>${removed.map(item)}</ul></details>`;
}

function statusOf(connection: DeskConnection, id: string) {
  const { polls, settings } = connection;
  const poll = polls.get(id);
  if (poll === 'gone') return words.goneHint;
  if (!poll) return words.loading;
  const { status, total_votes: votes, closes_in: seconds, join_code: joinCode } = poll;
  const { mip, verifiable } = settings.get(originOfTwin(id) ?? id) ?? {};
  const details = [
    votes !== undefined && wording.plural(phrases, 'votes', votes),
    seconds !== undefined && fill(managed.closesAfter, { time: wording.timeLeft(seconds * 1_000) }),
    mip === false && words.networksOnce,
    verifiable && words.verifiable,
    joinCode !== undefined && `${words.joinCode} ${formatJoinCode(joinCode)}`,
    hiddenText(poll),
  ].filter(Boolean);
  const phase = lateText(connection, poll) ?? managed.status[status];
  return html`<span class="phase">${phase}</span>${details.map(detail => ` · ${detail}`)}`;
}

/** What viewers have of results that are not shown; undefined for shown ones. */
export function hiddenText(poll: DeskPoll): string | undefined {
  if (isShown(poll)) return undefined;
  const { results_visibility: visibility, revealed_from: revealedFrom, poll_answers: answers } = poll;
  if (revealedFrom === undefined) return visibility === 'after_vote' ? words.shownToVoters : words.hidden;
  const shown = placesOf(answers.map(({ votes = 0 }) => votes)).filter(place => place >= revealedFrom);
  return fill(words.placesShown, {
    shown: wording.number(shown.length),
    count: wording.number(answers.length),
  });
}

/** The counts that viewers do not see, ranked, with a tick for those that they do. */
export function hiddenFigures(poll: DeskPoll | undefined) {
  if (poll?.version === undefined || isShown(poll) || !poll.total_votes) return nothing;
  const { poll_answers: answers, revealed_from: revealedFrom = Number.POSITIVE_INFINITY } = poll;
  const places = placesOf(answers.map(({ votes = 0 }) => votes));
  const ranked = answers
    .map((answer, at) => ({ ...answer, place: places[at]! }))
    .sort((a, b) => a.place - b.place);
  const row = ({ answer, votes = 0, place }: (typeof ranked)[number]) =>
    html`<li><span class="number">${wording.number(place)}</span><bdi>${answer}</bdi><progress max=${ranked[0]!.votes ?? 1} value=${votes} aria-hidden="true"></progress><b>${wording.number(votes)}</b><span
      class="seen">${place >= revealedFrom ? html`<span aria-hidden="true">✓</span><span class="visually-hidden">${words.seen}</span>` : nothing}</span></li>`;
  return html`<section class="figures" aria-label=${words.figuresHere}><b>${words.figuresHere}</b><ol>${ranked.map(row)}</ol></section>`;
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

/** The place for all that is about one poll: the selected one, or a new one. */
export function drawer(desk: Desk, position: Position) {
  const { chosen, editing } = desk;
  const content = editing
    ? editForm(desk, editing)
    : chosen
      ? rowTools(desk, chosen, position)
      : addForm(desk);
  // Another one begins at its top.
  return keyed(editing ?? chosen, html`<section class="drawer" data-drawer>${content}</section>`);
}

function addForm(desk: Desk) {
  const settingsOf = (form: HTMLFormElement) => {
    const isChecked = (name: string) => field(form, name).checked;
    const closesIn = field(form, 'closes_in').valueAsNumber;
    return {
      mip: !isChecked('one_per_network'),
      change_vote: isChecked('change_vote'),
      join_code: isChecked('join_code'),
      ...(isChecked('hidden') && {
        results_visibility: 'hidden',
        show_total_while_hidden: isChecked('show_total_while_hidden'),
      }),
      ...(isChecked('verifiable') && { verifiable: true, show_log_size: isChecked('show_log_size') }),
      ...(!Number.isNaN(closesIn) && { closes_in: closesIn }),
    };
  };
  const add = (form: HTMLFormElement, lines: readonly string[]) =>
    desk.addLines(field(form, 'line'), lines, settingsOf(form));
  const send = (form: HTMLFormElement) => add(form, [field(form, 'line').value]);
  const paste = (event: ClipboardEvent) => {
    const lines = (event.clipboardData?.getData('text') ?? '').split(/[\r\n]+/).filter(line => line.trim());
    if (lines.length < 2) return;
    event.preventDefault();
    void add((event.currentTarget as HTMLInputElement).form!, lines);
  };
  const check = (name: string, label: string) =>
    html`<label><input type="checkbox" name=${name} autocomplete="off">${label}</label>`;
  const seconds = secondsField('closes_in');
  const isEmpty = desk.connection.show?.rundown.length === 0;
  return html`<form class="add" @submit=${onSubmit(send)}>
    <header><h2><label for="add-line">${words.add}</label></h2>
      <small id="add-hint">${isEmpty ? words.emptyRunDown : words.addHint} <b>${words.escape}</b></small></header>
    <input id="add-line" class="text" name="line" maxlength="20000" dir="auto" autocomplete="off"
      placeholder=${words.addLabel} aria-describedby="add-hint" @paste=${paste}>
    <button type="submit" data-key="a" aria-keyshortcuts="A">${addLabel}</button>
    <div class="line">${check('hidden', words.hiddenUntilShown)}${check('show_total_while_hidden', words.showTotal)}${check('one_per_network', words.onePerNetwork)}${check('change_vote', words.changeVote)}
      <label>${fillParts(words.closesAfter, { seconds })}</label>
      ${check('join_code', words.joinCode)}${check('verifiable', words.verifiable)}${check('show_log_size', words.showLogSize)}</div></form>`;
}

/** A label for screen readers and two signs for the eye. */
const addLabel = html`<span class="visually-hidden">${words.add}</span><span aria-hidden="true">+ <kbd>A</kbd></span>`;

/** @param poll as it was when the operator began */
function editForm(desk: Desk, poll: NonNullable<Desk['editing']>) {
  const { connection } = desk;
  const { id, title } = poll;
  const now = findPoll(connection, id) ?? poll;
  const textsOf = (of: DeskPoll) => JSON.stringify([of.title, of.poll_answers.map(({ answer }) => answer)]);
  const save = (form: HTMLFormElement) => {
    const filled = new FormData(form);
    return desk.saveEdit(
      poll,
      readEditor(name => filled.getAll(name).map(String)),
    );
  };
  const [hint, className] =
    textsOf(now) === textsOf(poll)
      ? [hasVotes(now) ? words.edit.isPublic : words.edit.isFree, '']
      : [words.edit.otherWording, 'warning'];
  const fields = editFields(
    { answerList, create, desk: words, faces, wording },
    {
      poll,
      filled: editorOf(poll),
      hasVotes: hasVotes(poll),
      // Whether it is set up, the relay says.
      signInReady: true,
      relayUrl: connection.relay,
    },
  );
  return html`<form class="edit" @submit=${onSubmit(save)}>
    <p id="edit-hint" class=${className} role="status">${hint}</p>
    <div class="fields">${unsafeHTML(fields.text)}</div>
    <div class="line" ${ref(line => desk.prepareEdit(line?.closest('form'), poll))}><button type="submit" aria-label=${nameOf(words.edit.save, title)}
        ?data-sent=${desk.isPending(id)}>${words.edit.save}</button>
      <button type="button" aria-label=${nameOf(words.edit.cancel, title)}
        @click=${() => desk.leaveEdit()}>${words.edit.cancel}</button>
      <kbd aria-hidden="true">Esc</kbd></div></form>`;
}

/** The settings of the selected poll, and what can be done with it. */
function rowTools(desk: Desk, id: string, position: Position) {
  const { connection } = desk;
  const wire = position.onAir === id ? wireId(id, position) : id;
  const title = titleOf(connection, id);
  const index = connection.show?.rundown.indexOf(id) ?? -1;
  const button = (label: string, name: string, onClick: () => void) =>
    html`<button type="button" title=${name} aria-label=${name} @click=${onClick}>${label}</button>`;
  const act = (label: string, onClick: () => void) => button(label, nameOf(label, title), onClick);
  const step = (found: Step, text?: string, isCurrent = false) =>
    stepButton(desk, found, title, text, isCurrent);
  const [open, results] = pollSteps(connection, wire) as [Step, Step];
  const poll = findPoll(connection, wire);
  const closeIn = (seconds: number) => closingStep(connection, wire, seconds);
  const own = findOwnPoll(connection, id);
  return html`<div class="tools"><header><h2 dir="auto">${title}</h2><span class="status">${statusOf(connection, wire)}</span>
      <button type="button" data-key="a" aria-keyshortcuts="A"
        @click=${() => desk.beginAdding()}>${addLabel}</button></header>
    <div class="line state">${act(words.steps.take, () => desk.press({ name: 'take', command: putOnAir(connection, wireId(id, position)) }))}${step(open)}${step(keepOpenStep(connection, wire))}</div>
    <div class="line">${stepBox(desk, { ...results, label: words.hiddenUntilShown }, title, !!poll && !isShown(poll))}
      ${settingSteps(connection, id).map(setting => stepBox(desk, setting, title, setting.isOn))}</div>
    <form class="line" @submit=${onSubmit(form => desk.press(closeIn(field(form, 'seconds').valueAsNumber)))}>
      <label><span class="closing">${words.closeIn}</span>${secondsField('seconds', nameOf(words.closeIn, title))}</label>
      <button type="submit" aria-label=${nameOf(words.closeIn, title)}>✓</button>
      ${CLOSE_S.map(seconds => step(closeIn(seconds), fill(words.inSeconds, { seconds: wording.number(seconds) }), poll?.closes_in === seconds))}</form>
    <div class="line">${button('↑', fill(words.moveUp, { title }), () => desk.move(id, index - 1))}
      ${button('↓', fill(words.moveDown, { title }), () => desk.move(id, index + 1))}
      <button type="button" data-edit aria-label=${nameOf(words.edit.edit, title)}
        @click=${() => desk.edit(id)}>${words.edit.edit}</button>
      ${act(phrases.copy, () => desk.press({ name: 'copy', command: typeof own === 'string' ? own : copyPoll(connection, id) }))}
      <a class="button" target="_blank" rel="noopener" aria-label=${nameOf(words.manage, title)}
        href=${`${desk.voteUrl}/${id}/manage${connection.isOwn(id) ? `#key=${connection.key}` : ''}`}>${words.manage}</a>
      ${act(words.steps.remove, () => desk.remove(id))}</div>
    <div class="line">${LOOKS.map(name => lookField(desk, id, name, title))}</div>
    ${position.onAir === id ? nothing : hiddenFigures(poll)}</div>${picture(desk, 'chosen', html`<b>${words.chosen}</b>`, id)}`;
}

/** A part of the poll's own look; empty for that of the show. */
function lookField(desk: Desk, id: string, name: (typeof LOOKS)[number], title: string) {
  const { label, choices } = builder.parameters[name];
  const parameter = lookParameters[name] as ChoiceParameter;
  const value = `${desk.connection.show?.looks?.[id]?.[name] ?? ''}`;
  const change = ({ currentTarget }: Event) => {
    const chosen = (currentTarget as HTMLSelectElement).value;
    void desk.run(changeLook(desk.connection, id, name, chosen || null));
  };
  const option = (of: string, text: string) =>
    html`<option value=${of} ?selected=${of === value}>${text}</option>`;
  return html`<label>${label} <select data-look=${name} autocomplete="off" aria-label=${nameOf(label, title)} .value=${live(value)}
    @change=${change}>${option('', words.lookOfShow)}${parameter.choices.map(of =>
      option(of, choices[of as keyof typeof choices]),
    )}</select></label>`;
}

/** A setting. It changes only when the relay has changed it. */
function stepBox(desk: Desk, step: Step, title: string, isChecked: boolean) {
  const { name, label, command } = step;
  const press = (event: Event) => {
    event.preventDefault();
    desk.press(step);
  };
  return html`<label ?data-sent=${isSent(desk, step)}><input type="checkbox" data-do=${name} autocomplete="off"
    aria-label=${nameOf(label, title)} aria-disabled=${typeof command === 'string'} .checked=${live(isChecked)}
    @click=${press}>${label}</label>`;
}

export function isSent(desk: Desk, { command }: Step): boolean {
  return typeof command !== 'string' && desk.isPending(command.subject);
}

/** @param text if the label is longer than the button */
function stepButton(desk: Desk, step: Step, title: string, text = step.label, isCurrent = false) {
  const { name, label, command } = step;
  return html`<button type="button" data-do=${name} aria-label=${nameOf(label, title)} aria-disabled=${typeof command === 'string'}
    aria-current=${isCurrent || nothing} ?data-sent=${isSent(desk, step)}
    @click=${() => desk.press(step)}>${text}</button>`;
}

function secondsField(name: string, label?: string) {
  return html`<input class="seconds" type="number" name=${name} min="5" max="86400" ?required=${label} inputmode="numeric"
    autocomplete="off" aria-label=${label ?? nothing}>`;
}

/** The name of a button for screen readers, which hear no row around it. */
function nameOf(action: string, title: string): string {
  return fill(words.actionOn, { action, title });
}

export function onSubmit(act: (form: HTMLFormElement) => void): (event: SubmitEvent) => void {
  return event => {
    event.preventDefault();
    act(event.currentTarget as HTMLFormElement);
  };
}

export function field(form: HTMLFormElement, name: string): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement;
}
