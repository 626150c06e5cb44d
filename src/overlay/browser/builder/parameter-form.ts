import { hasEffect } from '../../parameter/effect.ts';
import type { Group, Parameter } from '../../parameter/parameter.ts';
import { type ParameterName, parameters } from '../../parameter/parameters.ts';
import { readParameters } from '../../parameter/read-parameters.ts';
import { addElement } from '../drawing/element.ts';
import { createColorField, createColorsField } from './color-fields.ts';
import { createField, type Field } from './field.ts';
import { createFontField, createLanguageField } from './list-fields.ts';
import { createPictureField, isPictureField } from './picture-field.ts';
import { createPlaceField } from './place-field.ts';
import { createSizeField } from './size-field.ts';

/** What most people want to choose, in this order. Everything else is folded, by group. */
const IN_SIGHT: readonly ParameterName[] = ['style', 'theme', 'align', 'size', 'values', 'colors'];
/** Chosen beside the picture: they say what to look at, not how it looks. */
const ELSEWHERE: readonly ParameterName[] = ['rehearsal', 'moment', 'cast', 'valign'];
/** Small pictures are drawn once nothing was changed for so long. */
const PAUSE_MS = 250;

/** The form for all parameters, drawn from their table. What has no effect as things stand is not there. */
export class ParameterForm {
  readonly #fields: readonly Field[];
  readonly #folds = new Map<Group, HTMLElement>();
  /** Faults of what was pasted that no field could take, until something else is chosen there. */
  readonly #refused = new Map<ParameterName, string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parent: HTMLElement) {
    const names = Object.keys(parameters) as ParameterName[];
    const folded = names.filter(name => !IN_SIGHT.includes(name) && !ELSEWHERE.includes(name));
    this.#fields = [...IN_SIGHT, ...folded].map(name => {
      const parameter: Parameter = parameters[name];
      const field = createFieldFor(name, parameter);
      const place = IN_SIGHT.includes(name) ? parent : this.#foldOf(parameter.group, parent);
      place.append(field.element);
      field.element.addEventListener('input', () => this.#refused.delete(name));
      return field;
    });
  }

  /** What differs from the defaults, as a query, in the order of the table. */
  read(): URLSearchParams {
    const query = new URLSearchParams();
    for (const name of Object.keys(parameters) as ParameterName[]) {
      const value = this.#fields.find(({ names }) => names.includes(name))?.read(name) ?? '';
      if (value !== '') query.set(name, value);
    }
    return query;
  }

  write(query: URLSearchParams): void {
    this.#refused.clear();
    const { issues } = readParameters(query);
    for (const field of this.#fields)
      for (const name of field.names) {
        field.write(name, query.get(name)?.trim() ?? '');
        const issue = issues.find(({ parameter }) => parameter === name);
        if (issue && field.read(name) === '') this.#refused.set(name, issue.message);
      }
  }

  /**
   * Hides what has no effect, says at its field what is wrong, and draws the small pictures.
   *
   * @returns what is good of the query: what the picture shows, and nothing else
   */
  follow(query: URLSearchParams, answers: readonly string[]): URLSearchParams {
    const { settings, issues } = readParameters(query);
    const good = new URLSearchParams(query);
    for (const field of this.#fields) {
      field.follow?.({ settings, answers });
      const [name] = field.names;
      const idle = field.names.length === 1 && name !== undefined && !hasEffect(name, settings);
      field.element.hidden = idle;
      const issue = issues.find(({ parameter }) => field.names.some(own => own === parameter));
      const refused = field.names.map(own => this.#refused.get(own)).find(Boolean);
      sayFault(field.element, issue?.message ?? refused ?? '');
      if (idle && name !== undefined) good.delete(name);
    }
    for (const { parameter } of issues) good.delete(parameter);
    for (const [group, fold] of this.#folds) summarise(fold, group, good);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(good), PAUSE_MS);
    return good;
  }

  #draw(query: URLSearchParams): void {
    for (const field of this.#fields) if (isPictureField(field)) field.draw(query);
  }

  #foldOf(group: Group, parent: HTMLElement): HTMLElement {
    const known = this.#folds.get(group);
    if (known) return known;
    const fold = addElement(parent, 'details', 'fold');
    addElement(fold, 'summary', '');
    this.#folds.set(group, fold);
    return fold;
  }
}

/** What is wrong is not folded away. */
function sayFault(element: HTMLElement, words: string): void {
  const line = element.querySelector('.fault');
  if (line) line.textContent = words;
  const fold = element.closest('details');
  if (fold && words !== '') fold.open = true;
}

/** A fold says how much in it was changed, so that nothing is lost from sight; one with nothing to choose is not there. */
function summarise(fold: HTMLElement, group: Group, query: URLSearchParams): void {
  const fields = [...fold.querySelectorAll<HTMLElement>('[data-name]')];
  fold.hidden = fields.every(({ hidden }) => hidden);
  const changed = fields.filter(({ dataset }) => query.has(dataset['name'] ?? '')).length;
  const summary = fold.querySelector('summary');
  if (summary) summary.textContent = changed === 0 ? group : `${group} (${changed})`;
}

function createFieldFor(name: ParameterName, parameter: Parameter): Field {
  if (name === 'align') return createPlaceField();
  if (name === 'size') return createSizeField();
  if (parameter.kind === 'choice' && parameter.group === 'Picture')
    return createPictureField(name, parameter);
  switch (parameter.kind) {
    case 'color':
      return createColorField(name, parameter);
    case 'colors':
      return createColorsField(name, parameter);
    case 'font':
      return createFontField(name, parameter);
    case 'language':
      return createLanguageField(name, parameter);
    default:
      return createField(name, parameter);
  }
}
