import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogues } from '../../src/locales/catalogues.ts';
import { type Parameter, parameters, readParameters } from '../../src/picture/parameters.ts';
import { anyText } from '../support/any-text.ts';

const read = (query: string) => readParameters(new URLSearchParams(query));
const table = Object.entries<Parameter>(parameters);

it('the catalogue says what each parameter does, and of no other', () => {
  expect(Object.keys(catalogues.en.builder.parameters)).toEqual(Object.keys(parameters));
});

it.each(table)('the catalogue has a text for each choice of %s', (name, parameter) => {
  const texts = catalogues.en.builder.parameters[name as keyof typeof parameters];
  const choices = 'choices' in texts ? Object.keys(texts.choices) : [];
  expect(choices).toEqual(parameter.kind === 'choice' ? parameter.choices : []);
});

describe('readParameters', () => {
  it('parses valid values of every kind', () => {
    const { settings, invalid } = read(
      'style=donut&away=1&title=off&size=150&margin=2.5&colors=1e90ff,%23F80&text=ffffffcc&font=Open%20Sans&lang=pt_br',
    );
    expect(invalid).toEqual([]);
    expect(settings).toMatchObject({
      style: 'donut',
      away: true,
      title: false,
      size: 150,
      margin: 2.5,
      colors: ['#1e90ff', '#ff8800'],
      text: '#ffffffcc',
      font: 'Open Sans',
      lang: 'pt-BR',
    });
  });

  it('turns on a flag without a value', () => {
    expect(read('away').settings.away).toBe(true);
  });

  it.each(table)('falls back to the default of %s and reports it', (name, { fallback }) => {
    const { settings, invalid } = readParameters(new URLSearchParams({ [name]: 'url(//evil);}*{' }));
    expect(settings[name as keyof typeof settings]).toEqual(fallback);
    expect(invalid).toEqual([name]);
  });

  it.each([
    ['size=49'],
    ['size=1e2'],
    ['size=-5'],
    ['size='],
    ['hz=21'],
    ['colors=fff,zzz'],
    ['text=rgb(0,0,0)'],
    ['font=a;b'],
    ['font='],
    ['lang=zz-zz-zz-zz'],
    ['lang=xx'],
  ])('rejects %s', query => {
    const { settings, invalid } = read(query);
    expect(invalid).toHaveLength(1);
    expect(settings).toEqual(read('').settings);
  });

  it('reports unknown parameters, and a key that would end up in logs', () => {
    expect(read('color=fff&key=secret').invalid).toEqual(['color', 'key']);
  });

  it('uses the first of repeated parameters', () => {
    expect(read('style=columns&style=donut').settings.style).toBe('columns');
  });

  it('returns a default or a value of the right kind for any query', () => {
    const name = fc.constantFrom(...Object.keys(parameters));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, anyText())), pairs => {
        const { settings } = readParameters(new URLSearchParams(pairs));
        for (const [key, parameter] of table) expectValue(parameter, settings[key as keyof typeof settings]);
      }),
    );
  });
});

function expectValue(parameter: Parameter, value: unknown): void {
  if (value === null) expect(parameter.fallback).toBeNull();
  else if (parameter.kind === 'choice') expect(parameter.choices).toContain(value);
  else if (parameter.kind === 'flag') expect(value).toBeTypeOf('boolean');
  else if (parameter.kind === 'number') expect(value).toBeTypeOf('number');
  else if (parameter.kind === 'color') expect(value).toMatch(/^#[0-9a-f]{3,8}$/);
  else if (parameter.kind === 'font') expect(value).not.toMatch(/["'\\;{}()<>]/);
}
