import { html, nothing, render, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { LANGUAGES } from '../../../locales/catalogues.ts';
import { directionOf, fill } from '../../../locales/i18n.ts';
import {
  type ChoiceParameter,
  describeValue,
  type FlagParameter,
  hasEffect,
  MOST_COLORS,
  type Parameter,
  type ParameterName,
  parameters,
  readParameters,
  type Settings,
} from '../../../picture/parameters.ts';
import { palettes } from '../../../picture/row-look.ts';
import { resolveTheme, type Theme, themes, themeTones } from '../../../picture/themes.ts';
import { SmallPicture } from './pictures.ts';
import { words } from './source.ts';

/** The most common parameters, always visible and in this order. All others are folded, by group. */
const IN_SIGHT: readonly ParameterName[] = ['style', 'theme', 'align', 'size', 'values', 'colors'];
const ELSEWHERE: readonly ParameterName[] = ['rehearsal', 'moment', 'cast'];
const NAMES = (Object.keys(parameters) as ParameterName[]).filter(name => !ELSEWHERE.includes(name));
const FOLDED = NAMES.filter(name => !IN_SIGHT.includes(name) && name !== 'valign');
const GROUPS = [...new Set(FOLDED.map(name => parameters[name].group))];
/** Typed here, so that every parameter of the table has its texts. */
const TEXTS: Readonly<Record<ParameterName, Text>> = words.parameters;
/** Small pictures are drawn once changes pause. */
const PAUSE_MS = 250;
const SLIDER_STEP = 5;
const LONGEST_VALUE = 40;
const NEW_COLOR = '888888';
const HEX = /^#?([0-9a-f]{6})([0-9a-f]{2})?$/i;
const FONTS = [
  'Arial',
  'Arial Black',
  'Arial Narrow',
  'Bahnschrift',
  'Barlow',
  'Bebas Neue',
  'Calibri',
  'Cambria',
  'Candara',
  'DejaVu Sans',
  'Fira Sans',
  'Franklin Gothic Medium',
  'Futura',
  'Georgia',
  'Gill Sans',
  'Helvetica Neue',
  'IBM Plex Sans',
  'Impact',
  'Lato',
  'Liberation Sans',
  'Montserrat',
  'Noto Sans',
  'Open Sans',
  'Optima',
  'Oswald',
  'Poppins',
  'Roboto',
  'Roboto Condensed',
  'Segoe UI',
  'Source Sans 3',
  'Tahoma',
  'Times New Roman',
  'Trebuchet MS',
  'Ubuntu',
  'Verdana',
  'Work Sans',
];
const FONT_SAMPLE = 'mmmmmmmmmmlliWQ@';

type Values = Partial<Record<ParameterName, string>>;

interface Text {
  readonly label: string;
  readonly about: string;
  readonly choices?: Readonly<Record<string, string>>;
}

interface Field<P extends Parameter = Parameter> {
  readonly name: ParameterName;
  readonly parameter: P;
  readonly text: Text;
  /** As entered; empty for the default. */
  readonly value: string;
  readonly fault: string;
  readonly hidden: boolean;
  /** All settings, with defaults for invalid values. */
  readonly settings: Settings;
  readonly answers: readonly string[];
  readonly set: (values: Values) => void;
}

/** The form for all parameters, rendered from their table. Parameters without effect are hidden. */
export class SettingsForm {
  readonly #parent: HTMLElement;
  readonly #onChange: () => void;
  readonly #pictures = new Map<string, SmallPicture>();
  /** As entered, including invalid values. */
  #values: Values = {};
  /** Faults of pasted values that their control cannot show. */
  #refused: Values = {};
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parent: HTMLElement, onChange: () => void) {
    this.#parent = parent;
    this.#onChange = onChange;
  }

  /** Replaces all values by those of an overlay's URL. */
  write(query: URLSearchParams): void {
    const { settings, invalid } = readParameters(query);
    this.#values = {};
    this.#refused = {};
    for (const name of NAMES) {
      const { kind, fallback } = parameters[name];
      const setting = settings[name];
      const value =
        kind === 'flag'
          ? flagValue(setting === true, fallback)
          : kind === 'choice'
            ? `${setting}`
            : (query.get(name)?.trim() ?? '');
      this.#values[name] = value === `${fallback}` ? '' : value;
      if (invalid.includes(name) && this.#values[name] === '')
        this.#refused[name] = describeFault(name, query.get(name));
    }
  }

  /** Renders the form and returns the valid values that have an effect and differ from the defaults. */
  render(answers: readonly string[]): URLSearchParams {
    const query = new URLSearchParams();
    for (const name of NAMES) {
      const value = this.#values[name]?.trim() ?? '';
      if (value !== '' && value !== `${parameters[name].fallback}`) query.set(name, value);
    }
    const { settings, invalid } = readParameters(query);
    const set = (values: Values) => {
      Object.assign(this.#values, values);
      for (const name in values) delete this.#refused[name as ParameterName];
      this.#onChange();
    };
    const isIdle = (name: ParameterName) => name !== 'align' && !hasEffect(name, settings);
    const faultOf = (name: ParameterName) =>
      invalid.includes(name) ? describeFault(name, query.get(name)) : (this.#refused[name] ?? '');
    const row = (name: ParameterName) => {
      const fault = faultOf(name) || (name === 'align' ? faultOf('valign') : '');
      const value = this.#values[name] ?? '';
      const parameter = parameters[name];
      const text = TEXTS[name];
      return this.#row({ name, parameter, text, value, fault, hidden: isIdle(name), settings, answers, set });
    };

    const good = new URLSearchParams(query);
    for (const name of NAMES) if (isIdle(name)) good.delete(name);
    for (const name of invalid) good.delete(name);

    const fold = (group: (typeof GROUPS)[number]) => {
      const names = FOLDED.filter(name => parameters[name].group === group);
      const title = words.groups[group];
      const changed = names.filter(name => good.has(name)).length;
      return html`<details class="fold" ?hidden=${names.every(isIdle)}>
        <summary>${changed === 0 ? title : `${title} (${changed})`}</summary>${names.map(row)}
      </details>`;
    };
    render([IN_SIGHT.map(row), GROUPS.map(fold)], this.#parent);
    for (const fault of this.#parent.querySelectorAll('.fault')) {
      const details = fault.closest('details');
      if (details && fault.textContent !== '') details.open = true;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#drawPictures(good), PAUSE_MS);
    return good;
  }

  #row(field: Field): TemplateResult {
    const { name, parameter } = field;
    if (name === 'align') return placeRow(field);
    switch (parameter.kind) {
      case 'choice':
        if (parameter.group === 'look') return this.#pictureRow({ ...field, parameter });
        return parameter.choices.length <= 3
          ? segmentsRow({ ...field, parameter })
          : selectRow({ ...field, parameter });
      case 'flag':
        return checkboxRow({ ...field, parameter });
      case 'color':
        return colorRow(field);
      case 'colors':
        return colorsRow(field);
      case 'font':
        return inputRow(field, { options: FONTS.map(font => html`<option value=${font}>${font}</option>`) });
      case 'language':
        return languageRow(field);
      default:
        return name === 'size' ? sizeRow(field) : inputRow(field);
    }
  }

  #pictureRow(field: Field<ChoiceParameter>): TemplateResult {
    const { name, parameter, text } = field;
    const card = (choice: string) => {
      const key = `${name} ${choice}`;
      const picture = this.#pictures.get(key) ?? new SmallPicture();
      this.#pictures.set(key, picture);
      return html`<label class="card">${radio(field, choice)}${picture.element}<span class="words">${text.choices?.[choice]}</span></label>`;
    };
    return groupRow(field, html`<div class="cards">${parameter.choices.map(card)}</div>`);
  }

  #drawPictures(query: URLSearchParams): void {
    for (const [key, picture] of this.#pictures) {
      const [name = '', choice = ''] = key.split(' ');
      const asked = new URLSearchParams(query);
      asked.set(name, choice);
      picture.draw(asked);
    }
  }
}

/** One control with its label, the parameter's name and a description. */
function plainRow(
  { name, parameter, text, fault, hidden }: Field,
  control: TemplateResult,
  { about = text.about, box = nothing as unknown, after = nothing as unknown } = {},
): TemplateResult {
  return html`<div class="field ${parameter.kind}" data-name=${name} ?hidden=${hidden}>
    <div class="head">${box}<label class="label" id="${name}-label" for=${name}>${text.label}</label><code class="name">${name}</code></div>
    ${control}${foot(name, about, fault)}${after}
  </div>`;
}

function groupRow(
  { name, parameter, text, fault, hidden }: Field,
  controls: TemplateResult,
  { about = '', label = text.label, names = name as string } = {},
): TemplateResult {
  return html`<fieldset class="field ${parameter.kind}" data-name=${names} ?hidden=${hidden}>
    <legend class="head"><span class="label" id="${name}-label">${label}</span><code class="name">${names}</code></legend>
    ${controls}${foot(name, about, fault)}
  </fieldset>`;
}

function foot(name: string, about: string, fault: string): TemplateResult {
  return html`<p class="about" id="${name}-about" .textContent=${about}></p>
    <p class="fault" role="status" .textContent=${fault}></p>`;
}

function radio({ name, parameter, value, set }: Field<ChoiceParameter>, choice: string): TemplateResult {
  const isChosen = choice === (value || parameter.fallback);
  return html`<input type="radio" name=${name} value=${choice} .checked=${live(isChosen)} @input=${() => set({ [name]: choice })}>`;
}

function segmentsRow(field: Field<ChoiceParameter>): TemplateResult {
  const { parameter, text } = field;
  return groupRow(
    field,
    html`<div class="segments">${parameter.choices.map(
      choice => html`<label>${radio(field, choice)}<span>${text.choices?.[choice]}</span></label>`,
    )}</div>`,
  );
}

function selectRow(field: Field<ChoiceParameter>): TemplateResult {
  const { name, parameter, text, value, set } = field;
  const chosen = value || parameter.fallback;
  return plainRow(
    field,
    html`<select id=${name} name=${name} aria-describedby="${name}-about" @input=${(event: Event) => set({ [name]: textOf(event) })}>${parameter.choices.map(
      choice =>
        html`<option value=${choice} .selected=${live(choice === chosen)}>${text.choices?.[choice]}</option>`,
    )}</select>`,
  );
}

function checkboxRow(field: Field<FlagParameter>): TemplateResult {
  const { name, parameter, text, settings, set } = field;
  const toggle = (event: Event) =>
    set({ [name]: flagValue((event.target as HTMLInputElement).checked, parameter.fallback) });
  return plainRow(field, html``, {
    about: '',
    box: html`<input type="checkbox" id=${name} name=${name} title=${text.about} .checked=${live(settings[name] === true)} @input=${toggle}>`,
  });
}

function inputRow(field: Field, { before = nothing as unknown, options = undefined as unknown } = {}) {
  const { name, parameter, value, settings, set } = field;
  const theme: Readonly<Record<string, unknown>> = { ...themes[settings.theme] };
  const range = parameter.kind === 'number' ? parameter : undefined;
  const placeholder = range
    ? `${theme[name] ?? range.fallback ?? words.automatic}`
    : describeValue(parameter, words.values);
  const list = `${name}-list`;
  return plainRow(
    field,
    html`<div class="line">${before}<input type=${range ? 'number' : nothing} id=${name} name=${name} spellcheck="false"
      min=${range?.min ?? nothing} max=${range?.max ?? nothing} step=${range?.step ?? nothing}
      placeholder=${placeholder} aria-describedby="${name}-about" list=${options ? list : nothing}
      .value=${live(value)} @input=${(event: Event) => set({ [name]: textOf(event) })}>${
        range && html`<span class="unit">${range.unit}</span>`
      }</div>`,
    { after: options ? html`<datalist id=${list}>${options}</datalist>${fontNote(field)}` : nothing },
  );
}

function sizeRow(field: Field): TemplateResult {
  const { text, settings, set } = field;
  const { min, max } = parameters.size;
  const before = html`<input type="range" min=${min} max=${max} step=${SLIDER_STEP} aria-label=${text.label}
    .value=${live(`${settings.size}`)} @input=${(event: Event) => set({ size: textOf(event) })}>`;
  return inputRow(field, { before });
}

function languageRow(field: Field): TemplateResult {
  const options = LANGUAGES.map(language => {
    const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
    return html`<option value=${language} dir=${directionOf(language)}>${name}</option>`;
  });
  return inputRow(field, { options });
}

function fontNote({ parameter, settings: { font } }: Field): unknown {
  if (parameter.kind !== 'font') return nothing;
  const note = font === null || isInstalled(font) ? '' : fill(words.fontMissing, { font });
  return html`<p class="note" role="status" .textContent=${note}></p>`;
}

/** A missing font has the widths of each fallback. */
function isInstalled(font: string): boolean {
  const paint = document.createElement('canvas').getContext('2d');
  if (!paint) return true;
  const widthIn = (family: string) => {
    paint.font = `40px ${family}`;
    return paint.measureText(FONT_SAMPLE).width;
  };
  return ['monospace', 'serif'].some(other => widthIn(`"${font}", ${other}`) !== widthIn(other));
}

function placeRow(field: Field): TemplateResult {
  const { settings, set } = field;
  const { align, valign } = parameters;
  const both = hasEffect('align', settings);
  const places = valign.choices.flatMap(down =>
    align.choices.map(across => {
      const label = `${words.parameters.valign.choices[down]}, ${words.parameters.align.choices[across]}`;
      const isChosen = settings.align === across && settings.valign === down;
      return html`<label title=${label} ?hidden=${!both && settings.align !== across}><input type="radio" name="place"
        value="${across} ${down}" aria-label=${label} .checked=${live(isChosen)} @input=${() => set({ align: across, valign: down })}><span></span></label>`;
    }),
  );
  const grid = html`<div class="places ${both ? '' : 'rows'}">${places}</div>`;
  return groupRow(field, grid, { label: words.place, names: 'align valign' });
}

/** A theme color: the browser's picker, hexadecimal digits, and opacity. */
function colorRow(field: Field): TemplateResult {
  const { name, value, settings, set } = field;
  const { label, about } = field.text;
  const [, color = '000000', alpha = 'ff'] =
    HEX.exec(longHex(`${resolveTheme(settings)[name as keyof Theme]}`)) ?? [];
  const percent = Math.round((Number.parseInt(alpha, 16) / 255) * 100);
  const mix = (digits: string, opacity: number) => {
    const end = Math.round((opacity / 100) * 255).toString(16);
    set({ [name]: end === 'ff' ? digits : digits + end.padStart(2, '0') });
  };
  const reset = () => {
    set({ [name]: '' });
    document.getElementById(name)?.focus();
  };
  return groupRow(
    field,
    html`<div class="line">
      <input type="color" aria-label=${fill(words.pick, { label })} .value=${live(`#${color}`)} @input=${(event: Event) => mix(textOf(event).slice(1), percent)}>
      <input type="text" class="digits" dir="ltr" id=${name} name=${name} spellcheck="false" aria-label=${fill(words.digits, { label })} aria-describedby="${name}-about"
        placeholder=${longHex(`${themes[settings.theme][name as keyof Theme]}`).slice(1)} .value=${live(value)} @input=${(event: Event) => set({ [name]: textOf(event) })}>
      <input type="range" min="0" max="100" step="1" aria-label=${fill(words.opacity, { label })} .value=${live(`${percent}`)} @input=${(event: Event) => mix(color, Number(textOf(event)))}>
      <button type="button" class="quiet" aria-label=${fill(words.asThemeFor, { label })} ?hidden=${value === ''} @click=${reset}>${words.asTheme}</button>
    </div>`,
    { about },
  );
}

/** Colors of the answers: a picker for each, and all as digits. */
function colorsRow(field: Field): TemplateResult {
  const { name, text, value, settings, answers, set } = field;
  const given = value.split(',').flatMap(part => part.trim() || []);
  const palette = palettes[themeTones[settings.theme]].map(color => color.slice(1));
  const count = Math.min(MOST_COLORS, Math.max(given.length, answers.length || palette.length));
  const cycle = given.length > 0 ? given : palette;
  const shown = Array.from({ length: count }, (_, at) => cycle[at % cycle.length] ?? NEW_COLOR);
  const change = (colors: readonly string[]) => set({ [name]: colors.join(',') });
  const swatches = shown.map((color, at) => {
    const answer = answers[at];
    const number = `${at + 1}`;
    const label =
      answer === undefined
        ? fill(words.answerColor, { number })
        : fill(words.answerColorOf, { number, answer });
    const pick = (event: Event) =>
      change(shown.map((other, place) => (place === at ? textOf(event).slice(1) : other)));
    return html`<span><input type="color" aria-label=${label} title=${label} .value=${live(longHex(color).slice(0, 7))} @input=${pick}></span>`;
  });
  const addColor = () => {
    change([...shown, NEW_COLOR]);
    document.querySelector<HTMLElement>('.swatches > :last-child > input')?.focus();
  };
  const reset = () => {
    change([]);
    document.getElementById(name)?.focus();
  };
  return groupRow(
    field,
    html`<div class="line swatches">${swatches}</div><div class="line">
      <input type="text" id=${name} name=${name} spellcheck="false" aria-label=${words.colorList} aria-describedby="${name}-about"
        placeholder=${words.paletteInUse} .value=${live(value)} @input=${(event: Event) => set({ [name]: textOf(event) })}>
      <button type="button" class="quiet" ?hidden=${count >= MOST_COLORS} @click=${addColor}>${words.addColor}</button>
      <button type="button" class="quiet" ?hidden=${value === ''} @click=${reset}>${words.asPalette}</button>
    </div>`,
    { about: text.about },
  );
}

function describeFault(name: ParameterName, value: string | null): string {
  const expected = describeValue(parameters[name], words.values);
  return fill(words.invalid, { value: (value ?? '').slice(0, LONGEST_VALUE), expected });
}

function textOf({ target }: Event): string {
  return (target as HTMLInputElement | HTMLSelectElement).value;
}

function flagValue(isOn: boolean, fallback: unknown): string {
  if (isOn === fallback) return '';
  return isOn ? '1' : '0';
}

/** Converts `#rgb` and `#rgba` to the long form that the browser's picker needs. */
function longHex(color: string): string {
  const digits = color.replace('#', '');
  return digits.length > 4 ? `#${digits}` : `#${[...digits].map(digit => digit + digit).join('')}`;
}
