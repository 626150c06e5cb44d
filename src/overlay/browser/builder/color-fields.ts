import { paletteColors } from '../../../row/palette.ts';
import { resolveTheme, type ThemeVariable, themes, themeTones } from '../../look/themes.ts';
import { MOST_COLORS, type Parameter } from '../../parameter/parameter.ts';
import type { ParameterName } from '../../parameter/parameters.ts';
import { addElement } from '../drawing/element.ts';
import { createRow, endRow, type Field, inputValue } from './field.ts';
import { texts } from './texts.ts';

/** Of an answer for which the palette has none; to be changed. */
const NEW_COLOR = '888888';
const HEX = /^#?([0-9a-f]{6})([0-9a-f]{2})?$/i;

/** A colour of the theme: the browser's picker, how opaque it is, and its digits for those who have them. */
export function createColorField(name: ParameterName, parameter: Parameter): Field {
  const row = createRow(name, parameter, 'fieldset');
  const line = addElement(row.element, 'div', 'line');
  const { swatch, digits } = addColorInputs(line, name, parameter.label);
  const opacity = addInput(line, 'range', texts.opacity(parameter.label));
  Object.assign(opacity, { min: '0', max: '100', step: '1' });
  const reset = addButton(line, texts.asTheme);
  reset.setAttribute('aria-label', texts.asThemeFor(parameter.label));
  endRow(row, parameter.about.replace(/ Else as the theme has it\.$/, ''));
  digits.setAttribute('aria-describedby', row.aboutId);
  const mix = () => {
    const alpha = Math.round((Number(opacity.value) / 100) * 255);
    const end = alpha === 255 ? '' : alpha.toString(16).padStart(2, '0');
    digits.value = `${swatch.value.slice(1)}${end}`;
  };
  swatch.addEventListener('input', mix);
  opacity.addEventListener('input', mix);
  reset.addEventListener('click', () => {
    digits.value = '';
    digits.dispatchEvent(new Event('input', { bubbles: true }));
    digits.focus();
  });
  return {
    element: row.element,
    names: [name],
    ...inputValue(digits, parameter),
    follow: ({ settings }) => {
      const shown = longHex(`${resolveTheme(settings)[name as ThemeVariable]}`);
      const [, color = '000000', alpha = 'ff'] = HEX.exec(shown) ?? [];
      swatch.value = `#${color}`;
      opacity.value = `${Math.round((Number.parseInt(alpha, 16) / 255) * 100)}`;
      digits.placeholder = longHex(`${themes[settings.theme][name as ThemeVariable]}`).slice(1);
      reset.hidden = digits.value === '';
    },
  };
}

/** The colours of the answers: a picker each, in the order of the poll. */
export function createColorsField(name: ParameterName, parameter: Parameter): Field {
  const row = createRow(name, parameter, 'fieldset');
  const swatches = addElement(row.element, 'div', 'line swatches');
  const line = addElement(row.element, 'div', 'line');
  const list = addInput(line, 'text', texts.colorList);
  Object.assign(list, { id: name, name, spellcheck: false });
  const more = addButton(line, texts.moreColors);
  const reset = addButton(line, texts.asPalette);
  endRow(row, parameter.about);
  list.setAttribute('aria-describedby', row.aboutId);
  let palette: readonly string[] = [];
  let shown = 0;
  const given = () => list.value.split(',').flatMap(part => part.trim() || []);
  /** As the overlay draws it: what was given, over and over; else the palette. */
  const colorAt = (place: number) => {
    const colors = given();
    return colors[place % colors.length] ?? paletteAt(palette, place);
  };
  const shownColors = () => Array.from({ length: shown }, (_, place) => colorAt(place));
  const change = (value: string) => {
    list.value = value;
    list.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const take = (at: number, color: string) => {
    const colors = shownColors();
    colors[at] = color.slice(1);
    list.value = colors.join(',');
  };
  more.addEventListener('click', () => {
    change([...shownColors(), NEW_COLOR].join(','));
    swatches.lastElementChild?.querySelector('input')?.focus();
  });
  reset.addEventListener('click', () => {
    change('');
    list.focus();
  });
  return {
    element: row.element,
    names: [name],
    ...inputValue(list, parameter),
    follow: ({ settings, answers }) => {
      palette = paletteColors(themeTones[settings.theme]);
      const colors = given();
      shown = Math.min(MOST_COLORS, Math.max(colors.length, answers.length || palette.length));
      while (swatches.childElementCount > shown) swatches.lastElementChild?.remove();
      while (swatches.childElementCount < shown) addSwatch(swatches, take);
      for (const [at, swatch] of [...swatches.querySelectorAll('input')].entries()) {
        swatch.value = longHex(colorAt(at)).slice(0, 7);
        const label = texts.answerColor(at + 1, answers[at]);
        swatch.setAttribute('aria-label', label);
        swatch.title = label;
      }
      list.placeholder = texts.paletteInUse;
      more.hidden = shown >= MOST_COLORS;
      reset.hidden = list.value === '';
    },
  };
}

function addSwatch(parent: HTMLElement, take: (at: number, color: string) => void): void {
  const at = parent.childElementCount;
  const cell = addElement(parent, 'span', '');
  const swatch = addInput(cell, 'color', '');
  swatch.addEventListener('input', () => take(at, swatch.value));
}

function paletteAt(palette: readonly string[], at: number): string {
  return (palette[at % palette.length] ?? '#888888').slice(1);
}

function addColorInputs(line: HTMLElement, name: string, label: string) {
  const swatch = addInput(line, 'color', texts.pick(label));
  const digits = addInput(line, 'text', texts.digits(label));
  Object.assign(digits, { id: name, name, spellcheck: false, className: 'digits' });
  return { swatch, digits };
}

function addInput(parent: HTMLElement, type: string, label: string): HTMLInputElement {
  const input = document.createElement('input');
  input.type = type;
  if (label) input.setAttribute('aria-label', label);
  parent.append(input);
  return input;
}

function addButton(parent: HTMLElement, text: string): HTMLButtonElement {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', textContent: text, className: 'quiet' });
  parent.append(button);
  return button;
}

/** `#rgb` and `#rgba` as the browser's picker wants them. */
function longHex(color: string): string {
  const digits = color.replace('#', '');
  return digits.length > 4 ? `#${digits}` : `#${[...digits].map(digit => digit + digit).join('')}`;
}
