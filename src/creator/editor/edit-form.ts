import { fill, type Wording } from '../../locales/i18n.ts';
import type { Phrases } from '../../locales/phrases.ts';
import { type Fragment, html, type Markup } from '../../pages/page/html.ts';
import { palettes } from '../../picture/row-look.ts';
import { ANSWER_SIDES, MAX_ANSWER_IMAGE_BYTES } from '../../poll/image-size.ts';
import type { FlagWireName, ImageFocus } from '../../poll/poll.ts';
import {
  defaultColor,
  type EditablePoll,
  type EditedRules,
  QUESTION,
  RULES,
  type ShownEditor,
} from './edit-poll.ts';

/** The fields of the editor. The desk and the manage page put them into a form of their own. */

export interface EditorPhrases extends Pick<Phrases, 'answerList' | 'create' | 'faces'> {
  readonly desk: Pick<Phrases['desk'], 'edit'>;
  readonly wording: Pick<Wording, 'number'>;
}

export interface EditorView {
  readonly poll: EditablePoll;
  readonly filled: ShownEditor;
  /** Only texts, colors and pictures can change. */
  readonly hasVotes: boolean;
  readonly signInReady: boolean;
  readonly relayUrl: string;
}

/** Only scripts make pictures smaller. */
const STORED_PICTURE = `PNG, JPEG, WebP ≤ ${MAX_ANSWER_IMAGE_BYTES / 1024} KB, ≤ ${ANSWER_SIDES[0]} px`;
/** Without a script, as many answers can be added at once. */
const SPARE_ROWS = 3;

export function editFields(phrases: EditorPhrases, view: EditorView): Markup {
  const { poll, filled, hasVotes, relayUrl } = view;
  const { edit: words } = phrases.desk;
  const { picture } = phrases.create;
  const url = poll.image?.startsWith('/') ? relayUrl + poll.image : poll.image;
  // The Enter key presses the first button of a form.
  return html`<button type="submit" hidden></button><label class="field"><span>${words.question}</span><input name="title" value="${filled.title}" required maxlength="300" dir="auto" autocomplete="off" aria-describedby="edit-hint"></label>
<label class="field description"><span>${words.description}</span><textarea name="description" rows="2" maxlength="5000" dir="auto">${filled.description}</textarea></label>
<div class="field"><span>${picture}</span>
<div class="face-fields"><noscript><input type="file" name="picture" accept="image/png,image/jpeg,image/webp" aria-label="${picture}" aria-describedby="picture-limits"><small id="picture-limits" dir="ltr">${STORED_PICTURE}</small></noscript>${pictureField(phrases, words.question, words.question, QUESTION, url, filled.focus)}</div></div>
${answerFields(phrases, view)}
${!hasVotes && ruleFields(phrases, view)}`;
}

function answerFields(phrases: EditorPhrases, view: EditorView): Markup {
  const { answerList, create, faces, wording } = phrases;
  const { poll, filled, hasVotes, relayUrl } = view;
  const images = new Map(poll.poll_answers.map(({ id, image }) => [id, image && relayUrl + image]));
  const colors = new Set(poll.poll_answers.filter(({ color }) => color).map(({ id }) => id));
  const hasFaces = colors.size > 0 || poll.poll_answers.some(({ image }) => image);
  const row = ({ id, answer, color, focus }: ShownEditor['rows'][number], index: number) => {
    const number = wording.number(index + 1);
    const name = fill(answerList.answer, { number });
    return html`<div class="field row"><label><span class="visually-hidden">${name}</span>
<input name="answer" value="${answer}" placeholder="${name}" maxlength="200" dir="auto" autocomplete="off"${hasVotes && html` required`}></label>
<input type="hidden" name="answer_id" value="${id}"><span class="face-fields"><input type="color" name="color" value="${color}" aria-label="${fill(faces.color, { answer: number })}" data-label="color">${
      colors.has(id) &&
      html`<button type="button" class="quiet" data-chosen data-no-color="${defaultColor(index)}" aria-label="${fill(faces.noColor, { answer: number })}" hidden>×</button>`
    }${pictureField(phrases, name, number, id || undefined, images.get(id), focus)}</span>${
      !hasVotes &&
      html`<button type="button" class="quiet handle" data-handle aria-label="${fill(answerList.move, { number })}" hidden>↕</button>
${index < filled.rows.length && html`<noscript>${place(index)}</noscript>`}`
    }</div>`;
  };
  const place = (index: number) =>
    html`<input class="place" name="place" type="number" min="1" max="100" value="${index + 1}" aria-label="${fill(answerList.move, { number: wording.number(index + 1) })}">`;
  const spare = Array.from({ length: SPARE_ROWS }, (_, at) => {
    const index = filled.rows.length + at;
    return row({ id: '', answer: '', color: defaultColor(index) }, index);
  });
  return html`<fieldset class="answers" data-answers data-colors="${palettes.light.join(' ')}">
<legend class="field"><span>${create.answers}</span></legend>
<details class="fold faces-fold"${hasFaces && html` open`}><summary>${faces.title}</summary><p class="quiet">${faces.hint}</p></details>
${filled.rows.map(row)}${!hasVotes && html`<noscript>${spare}</noscript>`}
<div class="actions"><button type="button" class="quiet" data-more hidden>${create.addAnswer}</button></div>
<p class="quiet" role="status" data-answers-note></p>
</fieldset>`;
}

/**
 * Shown by the script, which uploads the file.
 *
 * @param owner names whose it is in errors, and `short` in labels
 * @param id undefined before there is one
 * @param url of what is stored
 * @param focus the point that its crop keeps
 */
export function pictureField(
  { faces }: Pick<Phrases, 'faces'>,
  owner: string,
  short: string,
  id?: string,
  url?: string | null,
  focus?: ImageFocus,
): Markup {
  const point = (name: 'focusX' | 'focusY', sign: string, value?: number) =>
    html`<label>${sign} <input type="number" name="focus:${id}" value="${value}" min="0" max="100" step="any" aria-label="${fill(faces[name], { answer: short })}" data-label="${name}"></label>`;
  return html`<input type="file" accept="image/*" aria-label="${fill(faces.picture, { answer: short })}" data-label="picture" data-owner="${owner}" data-short="${short}"${id && html` data-picture="${id}"`} hidden>${
    id &&
    html`<span data-chosen data-shown${!url && html` hidden`}><img${url && html` src="${url}"`} alt="" title="${faces.focus}" width="44" height="44">${point('focusX', '↔', focus?.[0])}${point('focusY', '↕', focus?.[1])}<button type="submit" class="quiet" name="no_picture" value="${id}" aria-label="${fill(faces.noPicture, { answer: short })}" data-label="noPicture">×</button></span>`
  }`;
}

function ruleFields({ create: words }: EditorPhrases, { poll, filled, signInReady }: EditorView): Markup {
  const { rules } = filled;
  const { on } = rules;
  const shown = RULES.filter(name => name !== 'priv' && name !== 'mip');
  const pair = (name: 'mip' | 'priv', title: string, off: Choice, isOn: Choice) =>
    html`<fieldset class="question pair"><legend class="field"><span>${title}</span></legend>
${choiceRow('radio', name, '0', off, !on.has(name))}${choiceRow('radio', name, '1', isOn, on.has(name))}</fieldset>`;
  return html`<details class="fold rules"><summary>${words.rules}</summary><input type="hidden" name="rules" value="1">
${ruleRows(words, rules, { names: shown, signInReady })}
${pair('mip', words.room.title, words.room.no, words.room.yes)}
${poll.show === null ? pair('priv', words.listing.title, words.listing.public, words.listing.private) : html`<input type="hidden" name="priv" value="1">`}</details>`;
}

interface RuleRows {
  readonly names: readonly Exclude<FlagWireName, 'priv' | 'mip' | 'has_image' | 'chat_words'>[];
  readonly signInReady: boolean;
  /** What is wrong with a field, and the attribute that says so. */
  readonly fault?: (name: string) => Fragment;
  readonly invalid?: (name: string) => Fragment;
}

/** Rules that are on or off, with the limits below several answers, and the order. */
export function ruleRows(
  words: Phrases['create'],
  { on, least, most, isShuffled }: Omit<EditedRules, 'on'> & { readonly on: ReadonlySet<string> },
  { names, signInReady, fault = () => false, invalid = () => false }: RuleRows,
): Markup {
  const limit = (name: string, label: string, value: string) =>
    html`<label class="field"><span>${label}</span>
<input name="${name}" type="number" inputmode="numeric" min="1" max="100" placeholder=" " value="${value}" aria-describedby="choices-hint"${invalid(name)}>${fault(name)}</label>`;
  // Its style hides the fields while they are empty and voters choose one answer.
  const limits = html`<div class="limits">${limit('min_choices', words.choices.least, least)}${limit('max_choices', words.choices.most, most)}
<p class="quiet hint" id="choices-hint">${words.choices.hint}</p></div>`;
  const row = (name: RuleRows['names'][number]) => {
    if (name === 'only_reg' && !signInReady && !on.has(name)) return false;
    const { label, meaning } = words.switches[name];
    const notes = { join_code: words.room.code, only_reg: signInReady ? '' : words.signInMissing };
    const note = notes[name as keyof typeof notes] ?? '';
    return choiceRow('checkbox', name, '1', { label, meaning: `${meaning} ${note}`.trim() }, on.has(name));
  };
  return html`${names.map(name => [row(name), name === 'ma' && limits])}
${choiceRow('checkbox', 'answer_order', 'random', words.shuffle, isShuffled)}`;
}

export interface Choice {
  readonly label: string;
  readonly meaning?: string | undefined;
}

export function choiceRow(
  kind: 'radio' | 'checkbox',
  name: string,
  value: string,
  { label, meaning }: Choice,
  chosen: boolean,
): Markup {
  return html`<label class="switch"><input type="${kind}" name="${name}" value="${value}"${chosen && html` checked`}>
<span>${label}${meaning && html`<small>${meaning}</small>`}</span></label>`;
}
