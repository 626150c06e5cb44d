import { catalogues } from '../locales/catalogues.ts';
import { describeValue, type Parameter, parameters } from './parameters.ts';

export function parameterTable(): string {
  const words = catalogues.en.builder;
  const rows = Object.entries(words.parameters).map(([name, { about }]) => {
    const parameter = parameters[name as keyof typeof parameters];
    return `| \`${name}\` | ${describeValue(parameter, words.values)} | ${describeFallback(parameter)} | ${about} |`;
  });
  return ['| parameter | value | default | what it does |', '|---|---|---|---|', ...rows].join('\n');
}

function describeFallback({ fallback }: Parameter): string {
  if (typeof fallback === 'boolean') return fallback ? '`1`' : '`0`';
  return fallback === null ? '' : `\`${fallback}\``;
}
