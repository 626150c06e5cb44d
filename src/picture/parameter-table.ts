import { catalogues } from '../locales/catalogues.ts';
import { describeValue, type Parameter, parameters } from './parameters.ts';

const words = catalogues.en.builder;
/** Has a column of its own in the table. */
const BY_THEME = / Default: set by the theme\.$/;

export function parameterTable(): string {
  const rows = Object.entries(words.parameters).map(([name, { about }]) => {
    const parameter = parameters[name as keyof typeof parameters];
    const fallback = BY_THEME.test(about) ? 'by theme' : shortFallback(parameter);
    return `| \`${name}\` | ${shortValue(parameter)} | ${fallback} | ${about.replace(BY_THEME, '')} |`;
  });
  return ['| parameter | value | default | what it does |', '|---|---|---|---|', ...rows].join('\n');
}

function shortValue(parameter: Parameter): string {
  if (parameter.kind === 'number') return `${parameter.min} to ${parameter.max}`;
  return parameter.kind === 'color' ? 'a color' : describeValue(parameter, words.values);
}

function shortFallback({ fallback }: Parameter): string {
  if (typeof fallback === 'boolean') return fallback ? '`1`' : '`0`';
  return fallback === null ? '' : `\`${fallback}\``;
}
