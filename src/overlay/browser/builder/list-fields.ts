import { LANGUAGES } from '../../../locales/catalogues.ts';
import { directionOf } from '../../../web/i18n.ts';
import type { Parameter } from '../../parameter/parameter.ts';
import type { ParameterName } from '../../parameter/parameters.ts';
import { addElement } from '../drawing/element.ts';
import { createField, type Field } from './field.ts';
import { texts } from './texts.ts';

/** Fonts that many machines have, and some that broadcasters install. Any other may be typed. */
const FONTS = [
  ...['Arial', 'Arial Black', 'Arial Narrow', 'Bahnschrift', 'Barlow', 'Bebas Neue', 'Calibri', 'Cambria'],
  ...['Candara', 'DejaVu Sans', 'Fira Sans', 'Franklin Gothic Medium', 'Futura', 'Georgia', 'Gill Sans'],
  ...['Helvetica Neue', 'IBM Plex Sans', 'Impact', 'Lato', 'Liberation Sans', 'Montserrat', 'Noto Sans'],
  ...['Open Sans', 'Optima', 'Oswald', 'Poppins', 'Roboto', 'Roboto Condensed', 'Segoe UI', 'Source Sans 3'],
  ...['Tahoma', 'Times New Roman', 'Trebuchet MS', 'Ubuntu', 'Verdana', 'Work Sans'],
];
const SAMPLE = 'mmmmmmmmmmlliWQ@';

/** The name of a font, with a list to choose from, and whether this machine has it. */
export function createFontField(name: ParameterName, parameter: Parameter): Field {
  const field = createField(name, parameter);
  addList(
    field,
    name,
    FONTS.map(font => new Option(font, font)),
  );
  const note = addElement(field.element, 'p', 'note');
  note.setAttribute('role', 'status');
  return {
    ...field,
    follow: ({ settings: { font } }) => {
      note.textContent = font === null || isInstalled(font) ? '' : texts.fontMissing(font);
    },
  };
}

/** A language by its own name. */
export function createLanguageField(name: ParameterName, parameter: Parameter): Field {
  const field = createField(name, parameter);
  const options = LANGUAGES.map(language => new Option(nameOf(language), language));
  for (const option of options) option.dir = directionOf(option.value);
  addList(field, name, options);
  return field;
}

function addList({ element }: Field, name: string, options: readonly HTMLOptionElement[]): void {
  const list = addElement(element, 'datalist', '');
  list.id = `${name}-list`;
  list.append(...options);
  element.querySelector('input')?.setAttribute('list', list.id);
}

function nameOf(language: string): string {
  return new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
}

/** A font that is not there is drawn as the one named after it, whichever that is. */
function isInstalled(font: string): boolean {
  const paint = document.createElement('canvas').getContext('2d');
  if (!paint) return true;
  const widthIn = (family: string) => {
    paint.font = `40px ${family}`;
    return paint.measureText(SAMPLE).width;
  };
  return ['monospace', 'serif'].some(other => widthIn(`"${font}", ${other}`) !== widthIn(other));
}
