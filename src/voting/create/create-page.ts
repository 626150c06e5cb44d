import { deadlineField } from '../page/deadline-field.ts';
import { type Fragment, html, type Markup } from '../page/html.ts';
import { noticeBox } from '../page/notice.ts';
import { type Page, SITE_NAME } from '../page/page.ts';
import type { Faults, FilledPoll, Switch } from './create-form.ts';

export interface CreateView {
  readonly filled: FilledPoll;
  readonly faults: Faults;
  /** Sealed, and different in each form: the same form sent twice makes one poll. */
  readonly token: string;
  readonly asksForKey: boolean;
  readonly signInReady: boolean;
}

const FEWEST_ROWS = 2;
const SWITCH_WORDS: Record<Switch, readonly [label: string, meaning: string]> = {
  ma: ['Several answers', 'A voter may choose more than one.'],
  mip: [
    'Several votes from one network',
    'Turn this on where voters share a connection: a home, a school, a hall. Off: one vote from each network.',
  ],
  enter_name: ['Ask for a name', 'Every voter gives one. Only you see the names.'],
  only_reg: ['Signed-in voters only', 'One vote for each account.'],
  vpn: ['Allow votes over a VPN', 'Off: addresses on the list of whoever runs this site are refused.'],
  co: ['Comments', 'Visitors may write under the poll. You can remove what they write.'],
  priv: ['Private', 'Listed nowhere, and kept from search engines. Whoever has the link can vote.'],
};
const VISIBILITY_WORDS = [
  ['always', 'Everybody, at any time'],
  ['after_deadline', 'Everybody, once voting has ended'],
  ['hidden', 'Only you, until you show them'],
] as const;

export function createPage(view: CreateView): Page {
  return {
    title: `Create a poll - ${SITE_NAME}`,
    scripts: ['create.js'],
    body: html`<h1>Create a poll</h1>
${view.faults.size > 0 && noticeBox({ tone: 'problem', title: 'Something needs another look', text: faultList(view.faults) })}
<form method="post" action="/new" data-create>
<input type="hidden" name="once" value="${view.token}">
${textField(view, 'title', 'Question', 300)}
${answerRows(view)}
${folds(view)}
${
  view.asksForKey &&
  html`<label class="field"><span>Operator's key</span>
<input type="password" name="key" required autocomplete="off"${invalid(view.faults, 'key')}>${fault(view.faults, 'key')}
<small>Only whoever runs this site can create polls here.</small></label>`
}
<div class="cast"><button type="submit">Create the poll</button></div>
</form>`,
  };
}

function answerRows({ filled, faults }: CreateView): Markup {
  const rows = [
    ...filled.answers,
    ...Array(Math.max(0, FEWEST_ROWS - filled.answers.length)).fill(''),
  ] as string[];
  return html`<fieldset data-answers>
<legend class="field"><span>Answers</span></legend>
${rows.map(
  (text, index) => html`<label class="field row"><span class="visually-hidden">Answer ${index + 1}</span>
<input name="answer" value="${text}" placeholder="Answer ${index + 1}" maxlength="200" dir="auto" autocomplete="off"${invalid(faults, `answers.${index}`)}>${fault(faults, `answers.${index}`)}</label>`,
)}
${fault(faults, 'answers')}
<button type="submit" class="quiet" name="more" value="1" formnovalidate data-more>Add an answer</button>
</fieldset>`;
}

function folds(view: CreateView): Markup {
  const { filled, faults } = view;
  const touched = (...names: string[]) => names.some(name => faults.has(name));
  return html`${fold(
    'More to say',
    filled.description !== '' || filled.image !== '' || touched('description', 'image'),
    html`<label class="field"><span>Description</span>
<textarea name="description" rows="4" maxlength="5000" dir="auto"${invalid(faults, 'description')}>${filled.description}</textarea>${fault(faults, 'description')}</label>
<label class="field"><span>Picture</span>
<input name="image" type="url" inputmode="url" placeholder="https://" value="${filled.image}" maxlength="2048"${invalid(faults, 'image')}>${fault(faults, 'image')}
<small>The address of a picture. Voters' browsers load it from there.</small></label>`,
  )}
${fold(
  'Who may vote, and how',
  filled.switches.size > 0,
  html`${(Object.keys(SWITCH_WORDS) as Switch[]).map(name => switchRow(view, name))}`,
)}
${fold(
  'When it ends, and who sees the results',
  filled.deadline !== '' || filled.visibility !== 'always' || touched('deadline', 'results_visibility'),
  html`${deadlineField({ value: filled.deadline, offset: filled.offset, fault: faults.get('deadline') })}
<fieldset><legend class="field"><span>Who sees the results</span></legend>
${VISIBILITY_WORDS.map(
  ([value, label]) =>
    html`<label class="switch"><input type="radio" name="results_visibility" value="${value}"${
      filled.visibility === value && html` checked`
    }><span>${label}</span></label>`,
)}${fault(faults, 'results_visibility')}</fieldset>`,
)}`;
}

function fold(title: string, open: boolean, body: Markup): Markup {
  return html`<details class="fold"${open && html` open`}><summary>${title}</summary>${body}</details>`;
}

function switchRow({ filled, signInReady }: CreateView, name: Switch): Markup {
  const [label, meaning] = SWITCH_WORDS[name];
  const warning =
    name === 'only_reg' && !signInReady && ' Sign-in is not set up on this site, so nobody could vote yet.';
  return html`<label class="switch"><input type="checkbox" name="${name}" value="1"${filled.switches.has(name) && html` checked`}>
<span>${label}<small>${meaning}${warning}</small></span></label>`;
}

function textField({ filled, faults }: CreateView, name: 'title', label: string, maxLength: number): Markup {
  return html`<label class="field"><span>${label}</span>
<input name="${name}" value="${filled[name]}" required maxlength="${maxLength}" dir="auto" autocomplete="off"${invalid(faults, name)}>${fault(faults, name)}</label>`;
}

function faultList(faults: Faults): Fragment {
  return html`Nothing was created yet. ${[...faults.values()].join(' ')}`;
}

function fault(faults: Faults, name: string): Markup | undefined {
  const text = faults.get(name);
  return text === undefined ? undefined : html`<small class="fault">${text}</small>`;
}

function invalid(faults: Faults, name: string): Markup | false {
  return faults.has(name) && html` aria-invalid="true"`;
}
