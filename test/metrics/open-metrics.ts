/** OpenMetrics text, read as strictly as a scraper may: a line that is none ends the test. */

export interface Told {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = '[a-z_][a-z0-9_]*';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{((?:${NAME}="(?:[^"\\\\\\n]|\\\\.)*",?)*)\\})? (\\S+)$`);
const LABEL = new RegExp(`(${NAME})="((?:[^"\\\\\\n]|\\\\.)*)"`, 'g');
const META = new RegExp(`^# (HELP|TYPE|UNIT) (${NAME}) (.+)$`);
/** What a family's samples may be called. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

export function parseOpenMetrics(text: string): Told[] {
  if (!text.endsWith('\n# EOF\n')) throw new Error('does not end with # EOF');
  const told: Told[] = [];
  const types = new Map<string, string>();
  let family = '';
  for (const line of text.slice(0, -'# EOF\n'.length).trimEnd().split('\n')) {
    const meta = META.exec(line);
    if (meta) {
      const [, kind, name = '', rest = ''] = meta;
      if (kind === 'HELP' && types.has(name)) throw new Error(`${name} comes twice`);
      if (kind === 'TYPE') types.set(name, rest);
      family = name;
      continue;
    }
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
    if (name === undefined) throw new Error(`no line of OpenMetrics: ${line}`);
    const endings = ENDINGS[types.get(family) ?? ''] ?? [];
    if (!endings.some(ending => name === family + ending))
      throw new Error(`${name} is no sample of ${family}`);
    const pairs = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text] as const);
    const key = `${name} ${JSON.stringify(pairs)}`;
    if (seen(told, key)) throw new Error(`${line} comes twice`);
    told.push({ name, labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return told;
}

const keys = new WeakMap<Told[], Set<string>>();

function seen(told: Told[], key: string): boolean {
  const known = keys.get(told) ?? new Set<string>();
  keys.set(told, known);
  if (known.has(key)) return true;
  known.add(key);
  return false;
}

/** The sum of all samples of a name that have these labels. */
export function sumOf(
  told: readonly Told[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return told
    .filter(sample => sample.name === name)
    .filter(sample => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
