import { themes } from '../../look/themes.ts';
import { describeValue, type Parameter } from '../../parameter/parameter.ts';
import type { ParameterName } from '../../parameter/parameters.ts';
import type { Settings } from '../../parameter/read-parameters.ts';
import { addElement } from '../drawing/element.ts';
import { texts } from './texts.ts';

/** What the form knows beside its own fields. */
export interface FormState {
  readonly settings: Settings;
  /** Of the poll that is looked at, as far as they are known. */
  readonly answers: readonly string[];
}

/** The control of one parameter, or of a few that are chosen together. */
export interface Field {
  readonly element: HTMLElement;
  readonly names: readonly ParameterName[];
  /** The value as a URL has it; empty for the default. */
  read(name: ParameterName): string;
  /** Takes a value over as it is: a faulty one stays, for its fault to be seen. Empty for the default. */
  write(name: ParameterName, value: string): void;
  /** Called after every change of anything. */
  follow?(state: FormState): void;
}

/** A row with its name in plain words, the parameter's own beside it, and what it does below. */
export interface Row {
  readonly element: HTMLElement;
  /** For `aria-describedby`. */
  readonly aboutId: string;
  readonly labelId: string;
}

/** @param tag `fieldset` where the row holds several controls, which it then names together */
export function createRow(name: string, parameter: Parameter, tag: 'div' | 'fieldset' = 'div'): Row {
  const element = document.createElement(tag);
  element.className = `field ${parameter.kind}`;
  element.dataset['name'] = name;
  const head = addElement(element, tag === 'div' ? 'div' : 'legend', 'head');
  const label = addElement(head, tag === 'div' ? 'label' : 'span', 'label');
  label.textContent = parameter.label;
  label.id = `${name}-label`;
  if (label instanceof HTMLLabelElement) label.htmlFor = name;
  addElement(head, 'code', 'name').textContent = name;
  return { element, aboutId: `${name}-about`, labelId: label.id };
}

/** Below the control: what it does, and room for what is wrong with it. */
export function endRow({ element, aboutId }: Row, about: string): void {
  const line = addElement(element, 'p', 'about');
  line.id = aboutId;
  line.textContent = about;
  const fault = addElement(element, 'p', 'fault');
  fault.setAttribute('role', 'status');
}

/** The field for any parameter that has no control of its own. */
export function createField(name: ParameterName, parameter: Parameter): Field {
  if (parameter.kind === 'choice') {
    const few = parameter.choices.length <= 3;
    return few ? createSegments(name, parameter) : createSelect(name, parameter);
  }
  return parameter.kind === 'flag' ? createCheckbox(name, parameter) : createInput(name, parameter);
}

type Kind<K extends Parameter['kind']> = Extract<Parameter, { kind: K }>;

function createSelect(name: ParameterName, parameter: Kind<'choice'>): Field {
  const row = createRow(name, parameter);
  const select = document.createElement('select');
  Object.assign(select, { id: name, name });
  for (const choice of parameter.choices) select.add(new Option(parameter.words[choice], choice));
  row.element.append(select);
  endRow(row, parameter.about);
  select.setAttribute('aria-describedby', row.aboutId);
  const { fallback } = parameter;
  return {
    element: row.element,
    names: [name],
    read: () => (select.value === fallback ? '' : select.value),
    write: (_, value) => {
      select.value = parameter.choices.includes(value) ? value : fallback;
    },
  };
}

function createSegments(name: ParameterName, parameter: Kind<'choice'>): Field {
  const row = createRow(name, parameter, 'fieldset');
  const line = addElement(row.element, 'div', 'segments');
  const radios = parameter.choices.map(choice => {
    const label = addElement(line, 'label', '');
    const radio = document.createElement('input');
    Object.assign(radio, { type: 'radio', name, value: choice, checked: choice === parameter.fallback });
    label.append(
      radio,
      Object.assign(document.createElement('span'), { textContent: parameter.words[choice] }),
    );
    return radio;
  });
  endRow(row, '');
  return radioField(row.element, name, radios, parameter.fallback);
}

export function radioField(
  element: HTMLElement,
  name: ParameterName,
  radios: readonly HTMLInputElement[],
  fallback: string,
): Field {
  return {
    element,
    names: [name],
    read: () => {
      const value = radios.find(radio => radio.checked)?.value ?? fallback;
      return value === fallback ? '' : value;
    },
    write: (_, value) => {
      const known = radios.some(radio => radio.value === value) ? value : fallback;
      for (const radio of radios) radio.checked = radio.value === known;
    },
  };
}

function createCheckbox(name: ParameterName, parameter: Kind<'flag'>): Field {
  const row = createRow(name, parameter);
  const box = document.createElement('input');
  Object.assign(box, { type: 'checkbox', id: name, name, checked: parameter.fallback });
  row.element.firstElementChild?.prepend(box);
  // Its name says it.
  endRow(row, '');
  box.title = parameter.about;
  return {
    element: row.element,
    names: [name],
    read: () => (box.checked === parameter.fallback ? '' : box.checked ? '1' : '0'),
    write: (_, value) => {
      const asked = value === '' ? parameter.fallback : !['0', 'false', 'off', 'no'].includes(value);
      box.checked = asked;
    },
  };
}

function createInput(name: ParameterName, parameter: Exclude<Parameter, Kind<'choice' | 'flag'>>): Field {
  const row = createRow(name, parameter);
  const line = addElement(row.element, 'div', 'line');
  const input = document.createElement('input');
  Object.assign(input, { id: name, name, spellcheck: false });
  line.append(input);
  if (parameter.kind === 'number') {
    const { min, max, step, unit, fallback } = parameter;
    Object.assign(input, { type: 'number', min, max, step, placeholder: `${fallback ?? texts.automatic}` });
    addElement(line, 'span', 'unit').textContent = unit;
  } else input.placeholder = describeValue(parameter);
  endRow(row, parameter.about);
  input.setAttribute('aria-describedby', row.aboutId);
  return {
    element: row.element,
    names: [name],
    ...inputValue(input, parameter),
    follow: ({ settings }) => {
      const ofTheme: Readonly<Record<string, unknown>> = { ...themes[settings.theme] };
      if (parameter.kind === 'number' && name in ofTheme) input.placeholder = `${ofTheme[name]}`;
    },
  };
}

/** Reads and writes one input; a value that is the default is none. */
export function inputValue(input: HTMLInputElement, { fallback }: Parameter): Pick<Field, 'read' | 'write'> {
  return {
    read: () => {
      const value = input.value.trim();
      return value === `${fallback}` ? '' : value;
    },
    write: (_, value) => {
      input.value = value;
    },
  };
}
