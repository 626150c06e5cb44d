import { expect, it } from 'vitest';
import { catalogues } from '../../src/locales/catalogues.ts';
import { parameterTable } from '../../src/overlay/parameter/parameter-table.ts';
import { type Parameter, parameters } from '../../src/overlay/parameter/parameters.ts';

it('documents every parameter in a row of four cells', () => {
  const rows = parameterTable().split('\n').slice(2);
  expect(rows.map(row => row.split('`')[1])).toEqual(Object.keys(parameters));
  for (const row of rows) expect(row.split(' | '), row).toHaveLength(4);
  expect(parameterTable()).toContain(
    '| `style` | one of bars, columns, donut, versus, ticker, big-number, code | `bars` |',
  );
});

it.each(Object.entries<Parameter>(parameters))('has a text for each choice of %s', (name, parameter) => {
  const texts = catalogues.en.builder.parameters[name as keyof typeof parameters];
  const choices = 'choices' in texts ? Object.keys(texts.choices) : [];
  expect(choices).toEqual(parameter.kind === 'choice' ? parameter.choices : []);
});
