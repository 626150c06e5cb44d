import { fill } from '../../locales/i18n.ts';
import type { Phrases } from '../../locales/phrases.ts';
import { noticeBox } from '../../pages/page/components.ts';
import { deadlineField } from '../../pages/page/deadline-field.ts';
import { html, type Markup } from '../../pages/page/html.ts';
import { type Page, SITE_NAME } from '../../pages/page/page.ts';
import { relaySources } from '../../pages/page/security-headers.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import { palettes } from '../../picture/row-look.ts';
import { VISIBILITIES } from '../../poll/poll.ts';
import { type Choice, choiceRow, pictureField, ruleRows } from '../editor/edit-form.ts';
import { defaultColor } from '../editor/edit-poll.ts';
import { type Faults, faultText } from '../editor/faults.ts';
import { type FilledPoll, SWITCHES } from './create-form.ts';
import { TEMPLATES, templateAnswers, templateLabel } from './templates.ts';

export interface CreateView extends Pick<PageDependencies, 'signInReady' | 'relayUrl' | 'createRequiresKey'> {
  readonly phrases: Phrases;
  readonly filled: FilledPoll;
  readonly faults: Faults;
  /** Sealed and unique for each form, so that a form that is sent twice creates one poll. */
  readonly token: string;
}

const FEWEST_ROWS = 2;

export function createPage(view: CreateView): Page {
  const { phrases, filled, faults, createRequiresKey } = view;
  const { create: words } = phrases;
  const { listing } = words;
  const isPrivate = filled.rules.on.has('priv');
  return {
    phrases,
    title: `${words.title} - ${SITE_NAME}`,
    scripts: ['create.js'],
    styles: ['creator.css'],
    sources: { connect: relaySources(view.relayUrl) },
    body: html`<h1>${words.title}</h1>
${faults.size > 0 && noticeBox({ tone: 'problem', title: words.refused, text: faultList(view) })}
<form method="post" action="/new" data-create data-relay="${view.relayUrl}">
<input type="hidden" name="once" value="${view.token}">
<div>
<label class="field"><span>${words.question}</span>
<input name="title" value="${filled.title}" required maxlength="300" dir="auto" autocomplete="off"${faults.size === 0 && html` autofocus`}${invalid(view, 'title')}>${fault(view, 'title')}</label>
${answerRows(view)}
</div>
<div>
<fieldset class="question pair"><legend class="field"><span>${listing.title}</span></legend>
${choiceRow('radio', 'priv', '1', listing.private, isPrivate)}${choiceRow('radio', 'priv', '', listing.public, !isPrivate)}</fieldset>
${folds(view)}
${
  createRequiresKey &&
  html`<label class="field"><span>${words.key}</span>
<input type="password" name="key" required autocomplete="off"${invalid(view, 'key')}>${fault(view, 'key')}
<small>${words.keyHint}</small></label>`
}
${choiceRow('checkbox', 'forget', '1', { label: phrases.device.skip }, filled.isForgotten)}
${roomQuestion(view)}
</div>
</form>`,
  };
}

function answerRows(view: CreateView): Markup {
  const { phrases, filled } = view;
  const { answerList, create, faces, wording } = phrases;
  const blank = Array(Math.max(0, FEWEST_ROWS - filled.rows.length)).fill({ answer: '', color: '' });
  const hasColor = filled.rows.some(({ color }) => color);
  return html`<fieldset data-answers data-colors="${palettes.light.join(' ')}">
<legend class="field"><span>${create.answers}</span></legend>
<details class="fold faces-fold"${hasColor && html` open`}><summary>${faces.title}</summary><p class="quiet" data-script hidden>${faces.hint}</p></details>
${[...filled.rows, ...blank].map(({ answer, color }, index) => {
  const number = wording.number(index + 1);
  const name = fill(answerList.answer, { number });
  return html`<div class="field row"><label><span class="visually-hidden">${name}</span>
<input name="answer" value="${answer}" placeholder="${name}" maxlength="200" dir="auto" autocomplete="off"${invalid(view, `answers.${index}`)}>${fault(view, `answers.${index}`)}</label>
<span class="face-fields"><input type="color" name="color" value="${color || defaultColor(index)}" aria-label="${fill(faces.color, { answer: number })}" data-label="color">${pictureField(phrases, name, number)}</span>
<button type="button" class="quiet handle" data-handle aria-label="${fill(answerList.move, { number })}" hidden>↕</button></div>`;
})}
${fault(view, 'answers')}
<div class="actions"><button type="submit" class="quiet" name="more" value="1" formnovalidate data-more>${create.addAnswer}</button></div>
<div class="actions"><span class="quiet">${create.templates.label}</span>
${TEMPLATES.map(
  template =>
    html`<button type="submit" class="quiet" name="template" value="${template}" formnovalidate data-fill="${JSON.stringify(templateAnswers(phrases, template))}">${templateLabel(phrases, template)}</button>`,
)}<button type="button" class="quiet" data-again hidden>${create.templates.again}</button></div>
<p class="quiet" role="status" data-answers-note></p>
<p class="quiet hint" data-list-hint hidden>${answerList.hint} <span class="keys">${answerList.keys}</span></p>
</fieldset>`;
}

/** The answer creates the poll: without a preselected one, because it decides which votes count. */
function roomQuestion(view: CreateView): Markup {
  const { room, create } = view.phrases.create;
  const button = (value: string, { label, meaning }: Choice) =>
    html`<button type="submit" name="mip" value="${value}"><b>${create}</b> <span>${label}</span> <small>${meaning}</small></button>`;
  return html`<fieldset class="pair room cast"${invalid(view, 'mip')}><legend class="field"><span>${room.title}</span></legend>
${fault(view, 'mip')}${button('0', room.no)}${button('1', room.yes)}</fieldset>`;
}

function folds(view: CreateView): Markup {
  const { phrases, filled, faults } = view;
  const words = phrases.create;
  const touched = (...names: string[]) => names.some(name => faults.has(name));
  return html`${fold(
    words.more,
    filled.description !== '' || filled.image !== '' || touched('description', 'image'),
    html`<label class="field"><span>${words.description}</span>
<textarea name="description" rows="4" maxlength="5000" dir="auto"${invalid(view, 'description')}>${filled.description}</textarea>${fault(view, 'description')}</label>
<div class="field"><label><span class="label">${words.picture}</span>
<input name="image" type="url" inputmode="url" dir="ltr" placeholder="https://" value="${filled.image}" maxlength="2048"${invalid(view, 'image')}>${fault(view, 'image')}
<small>${words.pictureHint}</small></label>
<div class="face-fields" data-question>${pictureField(phrases, words.question, words.question)}</div></div>`,
  )}
${fold(
  words.rules,
  RULES.some(name => filled.rules.on.has(name)) ||
    filled.rules.isShuffled ||
    touched('min_choices', 'max_choices'),
  ruleRows(words, filled.rules, {
    names: RULES,
    signInReady: view.signInReady,
    fault: name => fault(view, name),
    invalid: name => invalid(view, name),
  }),
)}
${fold(
  words.when,
  filled.isLater ||
    filled.deadline !== '' ||
    filled.visibility !== 'always' ||
    touched('deadline', 'results_visibility'),
  html`${choiceRow('checkbox', 'later', '1', words.later, filled.isLater)}
${deadlineField(phrases, {
  value: filled.deadline,
  offset: filled.offset,
  fault: faults.has('deadline') ? faultText(phrases, faults, 'deadline') : undefined,
  label: words.deadline,
  hint: words.deadlineHint,
})}
<fieldset><legend class="field"><span>${words.seenBy}</span></legend>
${VISIBILITIES.map(value =>
  choiceRow(
    'radio',
    'results_visibility',
    value,
    { label: words.visibility[value] },
    filled.visibility === value,
  ),
)}${fault(view, 'results_visibility')}</fieldset>`,
)}`;
}

/** `priv` and `mip` have places of their own. */
const RULES = SWITCHES.filter(name => name !== 'priv' && name !== 'mip');

function fold(title: string, open: boolean, body: Markup): Markup {
  return html`<details class="fold"${open && html` open`}><summary>${title}</summary>${body}</details>`;
}

function faultList({ phrases, faults }: CreateView): string {
  const words = [...faults.keys()].map(name => faultText(phrases, faults, name));
  return [phrases.create.nothingYet, ...words].join(' ');
}

function fault({ phrases, faults }: CreateView, name: string): Markup | false {
  return faults.has(name) && html`<small class="fault">${faultText(phrases, faults, name)}</small>`;
}

function invalid({ faults }: CreateView, name: string): Markup | false {
  return faults.has(name) && html` aria-invalid="true"`;
}
