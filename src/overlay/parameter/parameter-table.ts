import type { Parameter } from './parameter.ts';
import { parameters } from './parameters.ts';
import { describeValue } from './read-parameters.ts';

/** All parameters of an overlay's URL as a Markdown table, for the README. */
export function parameterTable(): string {
  const rows = Object.entries<Parameter>(parameters).map(([name, parameter]) =>
    [`\`${name}\``, describeValue(parameter), describeFallback(parameter), parameter.about].join(' | '),
  );
  return [
    '| parameter | value | default | what it does |',
    '|---|---|---|---|',
    ...rows.map(row => `| ${row} |`),
  ].join('\n');
}

function describeFallback({ fallback }: Parameter): string {
  if (typeof fallback === 'boolean') return fallback ? '`1`' : '`0`';
  return fallback === null ? '' : `\`${fallback}\``;
}
