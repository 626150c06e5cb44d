import type { ChoiceParameter } from '../../parameter/parameter.ts';
import type { ParameterName } from '../../parameter/parameters.ts';
import { addElement } from '../drawing/element.ts';
import { createRow, endRow, type Field, radioField } from './field.ts';
import { SmallPicture } from './small-picture.ts';

export interface PictureField extends Field {
  /** Draws every choice as it would look beside all else that is asked for. */
  draw(query: URLSearchParams): void;
}

/** A choice of which each is shown as a picture. */
export function createPictureField(name: ParameterName, parameter: ChoiceParameter): PictureField {
  const row = createRow(name, parameter, 'fieldset');
  const cards = addElement(row.element, 'div', 'cards');
  const pictures = new Map<string, SmallPicture>();
  const radios = parameter.choices.map(choice => {
    const card = addElement(cards, 'label', 'card');
    const radio = document.createElement('input');
    Object.assign(radio, { type: 'radio', name, value: choice, checked: choice === parameter.fallback });
    card.append(radio);
    pictures.set(choice, new SmallPicture(card));
    addElement(card, 'span', 'words').textContent = parameter.words[choice] ?? choice;
    return radio;
  });
  endRow(row, '');
  return {
    ...radioField(row.element, name, radios, parameter.fallback),
    draw: query => {
      for (const [choice, picture] of pictures) {
        const asked = new URLSearchParams(query);
        asked.set(name, choice);
        picture.draw(asked);
      }
    },
  };
}

export function isPictureField(field: Field): field is PictureField {
  return 'draw' in field;
}
