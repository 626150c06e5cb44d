import { hasEffect } from '../../parameter/effect.ts';
import { parameters } from '../../parameter/parameters.ts';
import { addElement } from '../drawing/element.ts';
import { createRow, endRow, type Field } from './field.ts';
import { texts } from './texts.ts';

const { align, valign } = parameters;

/** Where on screen, both ways at once: nine places to point at. */
export function createPlaceField(): Field {
  const row = createRow('align valign', { ...align, label: texts.place }, 'fieldset');
  const grid = addElement(row.element, 'div', 'places');
  const radios = valign.choices.flatMap(down =>
    align.choices.map(across => {
      const label = addElement(grid, 'label', '');
      const radio = document.createElement('input');
      Object.assign(radio, { type: 'radio', name: 'place', value: `${across} ${down}` });
      radio.setAttribute('aria-label', `${valign.words[down]}, ${align.words[across]}`);
      label.title = `${valign.words[down]}, ${align.words[across]}`;
      label.append(radio, document.createElement('span'));
      return radio;
    }),
  );
  endRow(row, '');
  const chosen = () => {
    const [across = '', down = ''] = radios.find(radio => radio.checked)?.value.split(' ') ?? [];
    return { align: across, valign: down };
  };
  const choose = (across: string, down: string) => {
    for (const radio of radios) radio.checked = radio.value === `${across} ${down}`;
  };
  choose(align.fallback, valign.fallback);
  return {
    element: row.element,
    names: ['align', 'valign'],
    read: name => {
      const value = chosen()[name as 'align' | 'valign'];
      return value === parameters[name as 'align' | 'valign'].fallback ? '' : value;
    },
    write: (name, asked) => {
      const { choices, fallback } = parameters[name as 'align' | 'valign'];
      const value = (choices as readonly string[]).includes(asked) ? asked : fallback;
      const now = chosen();
      if (name === 'align') choose(value, now.valign);
      else choose(now.align, value);
    },
    follow: ({ settings }) => {
      const both = hasEffect('align', settings);
      grid.classList.toggle('rows', !both);
      for (const radio of radios) {
        radio.parentElement!.hidden = !both && !radio.value.startsWith(settings.align);
      }
    },
  };
}
