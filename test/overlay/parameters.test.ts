import { expect, it } from 'vitest';
import { parameterTable } from '../../src/overlay/parameter/parameter.ts';
import { parameters } from '../../src/overlay/parameter/parameters.ts';

it('documents every parameter in a row of four cells', () => {
  const rows = parameterTable(parameters).split('\n').slice(2);
  expect(rows.map(row => row.split('`')[1])).toEqual(Object.keys(parameters));
  for (const row of rows) expect(row.split(' | '), row).toHaveLength(4);
  expect(parameterTable(parameters)).toContain(
    '| `style` | one of bars, columns, donut, versus, ticker, big-number, code | `bars` |',
  );
});
