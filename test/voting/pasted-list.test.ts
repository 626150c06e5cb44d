import { expect, it } from 'vitest';
import { pastedList } from '../../src/creator/create/browser/pasted-list.ts';

it.each<[string, string, readonly string[]]>([
  ['lines', ' Soup \r\n\r\nSalad\nBread  and   butter\n', ['Soup', 'Salad', 'Bread and butter']],
  ['bullets', '- Soup\n• Salad\n* Bread\n[x] Tea\n☐ Milk', ['Soup', 'Salad', 'Bread', 'Tea', 'Milk']],
  ['a negative number', '-5 °C\n- 3 °C', ['-5 °C', '3 °C']],
  ['numbering', '1. Soup\n2) Salad\n(3) Bread\n10.Tea', ['Soup', 'Salad', 'Bread', 'Tea']],
  ['numbering in other scripts', '١. شاي\n٢. قهوة', ['شاي', 'قهوة']],
  ['wide numbering', '１、紅茶\n２、緑茶', ['紅茶', '緑茶']],
  ['a numbered table', '1\tSoup\n2\tSalad', ['Soup', 'Salad']],
  ['names with the same number', '1. FC Köln\n1. FC Nürnberg', ['1. FC Köln', '1. FC Nürnberg']],
  ['numbers that only some lines have', '7 Seconds\n1. Song', ['7 Seconds', '1. Song']],
  ['numbers alone', '1\n2\n3', ['1', '2', '3']],
  ['a row of cells', 'Soup\tSalad\tBread', ['Soup', 'Salad', 'Bread']],
  ['one line', 'Soup, salad', ['Soup, salad']],
  ['blank lines', ' \n\t\n', []],
])('a pasted list of %s', (_, text, entries) => {
  expect(pastedList(text)).toEqual(entries);
});
