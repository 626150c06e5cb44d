import { parameters } from '../../parameter/parameters.ts';
import { addElement } from '../drawing/element.ts';
import { createRow, endRow, type Field, inputValue } from './field.ts';

const { size } = parameters;
const STEP = 5;

/** The size as a slider, which is moved by eye, and its figure beside it. */
export function createSizeField(): Field {
  const row = createRow('size', size);
  const line = addElement(row.element, 'div', 'line');
  const slider = document.createElement('input');
  Object.assign(slider, { type: 'range', min: size.min, max: size.max, step: STEP });
  slider.setAttribute('aria-label', size.label);
  const figure = document.createElement('input');
  Object.assign(figure, { type: 'number', id: 'size', name: 'size', min: size.min, max: size.max });
  figure.placeholder = `${size.fallback}`;
  line.append(slider, figure);
  addElement(line, 'span', 'unit').textContent = size.unit;
  endRow(row, size.about);
  figure.setAttribute('aria-describedby', row.aboutId);
  slider.addEventListener('input', () => {
    figure.value = slider.value;
  });
  return {
    element: row.element,
    names: ['size'],
    ...inputValue(figure, size),
    follow: ({ settings }) => {
      slider.value = `${settings.size}`;
    },
  };
}
