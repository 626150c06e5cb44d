import { describeValue, type Parameter } from '../../parameter/parameter.ts';
import { parameters } from '../../parameter/parameters.ts';
import { addElement } from '../drawing/element.ts';

type Control = HTMLInputElement | HTMLSelectElement;

/** The form for all parameters, drawn from their table. An empty control means the default. */
export class ParameterForm {
  readonly #controls = new Map<string, Control>();

  constructor(form: HTMLFormElement) {
    const groups = new Map<string, HTMLElement>();
    for (const [name, parameter] of Object.entries<Parameter>(parameters)) {
      if (name === 'rehearsal') continue;
      const group = groups.get(parameter.group) ?? addGroup(form, parameter.group);
      groups.set(parameter.group, group);
      this.#controls.set(name, addControl(group, name, parameter));
    }
  }

  /** What differs from the defaults, as a query. */
  read(): URLSearchParams {
    const query = new URLSearchParams();
    for (const [name, control] of this.#controls) {
      const value = readControl(control);
      if (value !== control.dataset['fallback'] && value !== '') query.set(name, value);
    }
    return query;
  }

  /** Takes over a query as it is: a faulty value stays in its field, for its fault to be seen. */
  write(query: URLSearchParams): void {
    for (const [name, control] of this.#controls) {
      const value = query.get(name) ?? control.dataset['fallback'] ?? '';
      if (control instanceof HTMLInputElement && control.type === 'checkbox') {
        control.checked = ['1', 'true', 'on', 'yes', ''].includes(value);
      } else control.value = value;
      // A choice that does not exist would leave the field empty.
      if (control.value === '') control.value = control.dataset['fallback'] ?? '';
    }
  }
}

function addGroup(form: HTMLFormElement, name: string): HTMLElement {
  const group = addElement(form, 'fieldset', '');
  addElement(group, 'legend', '').textContent = name;
  group.dataset['group'] = name;
  return group;
}

function addControl(group: HTMLElement, name: string, parameter: Parameter): Control {
  const label = addElement(group, 'label', `field ${parameter.kind}`);
  const control = createControl(parameter);
  control.name = name;
  control.dataset['fallback'] = formatFallback(parameter);
  const unit = parameter.kind === 'number' && parameter.unit ? ` (${parameter.unit})` : '';
  const words = document.createElement('span');
  words.textContent = `${name}${unit}`;
  if (parameter.kind === 'flag') label.append(control, words);
  else label.append(words, control);
  addElement(group, 'p', 'about').textContent = parameter.about;
  if (control instanceof HTMLInputElement && control.type === 'text')
    control.placeholder = describeValue(parameter);
  return control;
}

function createControl(parameter: Parameter): Control {
  if (parameter.kind === 'choice') {
    const select = document.createElement('select');
    for (const choice of parameter.choices) select.add(new Option(choice, choice));
    select.value = parameter.fallback;
    return select;
  }
  const input = document.createElement('input');
  input.spellcheck = false;
  if (parameter.kind === 'flag') {
    input.type = 'checkbox';
    input.checked = parameter.fallback;
  } else if (parameter.kind === 'number') {
    Object.assign(input, { type: 'number', min: parameter.min, max: parameter.max, step: parameter.step });
    input.placeholder = parameter.fallback === null ? 'default' : `${parameter.fallback}`;
  }
  return input;
}

function formatFallback(parameter: Parameter): string {
  if (parameter.kind === 'flag') return parameter.fallback ? '1' : '0';
  return parameter.kind === 'choice' ? parameter.fallback : '';
}

function readControl(control: Control): string {
  if (control instanceof HTMLInputElement && control.type === 'checkbox') return control.checked ? '1' : '0';
  return control.value.trim();
}
