/** A strict parser of OpenMetrics text. */

export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = '[a-z_][a-z0-9_]*';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{((?:${NAME}="(?:[^"\\\\\\n]|\\\\.)*",?)*)\\})? (\\S+)$`);
const LABEL = new RegExp(`(${NAME})="((?:[^"\\\\\\n]|\\\\.)*)"`, 'g');
const META = new RegExp(`^# (HELP|TYPE|UNIT) (${NAME}) (.+)$`);
/** Endings of the samples of a metric. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

export function parseOpenMetrics(text: string): ParsedSample[] {
  if (!text.endsWith('\n# EOF\n')) throw new Error('does not end with # EOF');
  const samples: ParsedSample[] = [];
  const types = new Map<string, string>();
  let family = '';
  for (const line of text.slice(0, -'# EOF\n'.length).trimEnd().split('\n')) {
    const meta = META.exec(line);
    if (meta) {
      const [, kind, name = '', rest = ''] = meta;
      if (kind === 'HELP' && types.has(name)) throw new Error(`${name} is duplicate`);
      if (kind === 'TYPE') types.set(name, rest);
      family = name;
      continue;
    }
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
    if (name === undefined) throw new Error(`not OpenMetrics: ${line}`);
    const endings = ENDINGS[types.get(family) ?? ''] ?? [];
    if (!endings.some(ending => name === family + ending))
      throw new Error(`${name} is not a sample of ${family}`);
    const pairs = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text] as const);
    const key = `${name} ${JSON.stringify(pairs)}`;
    if (wasSeen(samples, key)) throw new Error(`${line} is duplicate`);
    samples.push({ name, labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return samples;
}

const keys = new WeakMap<ParsedSample[], Set<string>>();

function wasSeen(samples: ParsedSample[], key: string): boolean {
  const known = keys.get(samples) ?? new Set<string>();
  keys.set(samples, known);
  if (known.has(key)) return true;
  known.add(key);
  return false;
}

/** Returns the sum of all samples of a name that have these labels. */
export function sumOf(
  samples: readonly ParsedSample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return samples
    .filter(sample => sample.name === name)
    .filter(sample => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
