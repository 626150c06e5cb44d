import { FIGURES, type Figure, RULES } from './figures.ts';
import { type Crowd, type Sizing, sizeFor } from './sizing.ts';

/** The tables of the page on scale. */

const STEPS: readonly (Crowd & { readonly setUp: string })[] = [
  { viewers: 1_000, votersPerMinute: 100, hz: 10, setUp: '`npm start`, no proxy', isProxied: false },
  { viewers: 20_000, votersPerMinute: 10_000, hz: 1, setUp: 'compose, one host' },
  { viewers: 100_000, votersPerMinute: 50_000, hz: 1, setUp: 'a few hosts' },
  { viewers: 1_000_000, votersPerMinute: 200_000, hz: 1, setUp: 'many hosts' },
  { viewers: 10_000_000, votersPerMinute: 1_000_000, hz: 1, setUp: 'a fleet' },
];
const VIEWERS = [1_000, 20_000, 100_000, 1_000_000, 10_000_000];
const VOTERS = [100, 10_000, 100_000, 1_000_000];

/** By the names that the page's markers have. */
export const TABLES: Readonly<Record<string, () => string>> = {
  figures: () => figureTable(FIGURES),
  rules: () => figureTable(RULES),
  steps: () =>
    table(
      [
        'viewers',
        'voters a minute',
        '`hz`',
        'as',
        'hosts',
        'relays',
        'proxy workers',
        'front ends',
        'line',
        'sent in two hours',
        'Redis’ core',
        'fullest',
      ],
      STEPS.map(step => {
        const sizing = sizeFor(step);
        return [
          ...[
            count(step.viewers),
            count(step.votersPerMinute),
            count(step.hz),
            step.setUp,
            count(sizing.hosts),
          ],
          ...[count(sizing.relays), count(sizing.proxies), count(sizing.frontEnds)],
          ...[
            line(sizing.gbits),
            `${figure(sizing.egressTb)} TB`,
            percent(100 * sizing.redis.cores),
            fullest(sizing),
          ],
        ];
      }),
    ),
  viewers: () =>
    table(
      [
        'viewers',
        '`hz`',
        'relays',
        'their cores',
        'their memory',
        'their cores while all come within a minute',
        'proxy workers',
        'their cores',
        'their memory',
        'their cores while all come within a minute',
        'line',
        'sent in two hours',
        'reads of Redis',
        'hints',
      ],
      VIEWERS.flatMap(viewers => [1, 10].map(hz => ({ viewers, hz, votersPerMinute: 1_000_000 }))).map(
        crowd => {
          const { relays, relayCores, relayGb, arrivalCores, redis } = sizeFor(crowd);
          // The proxy's share and the line of voters are in their own table.
          const { proxies, proxyCores, proxyGb, handshakeCores, gbits, egressTb } = sizeFor({
            ...crowd,
            votersPerMinute: 0,
          });
          return [
            ...[count(crowd.viewers), count(crowd.hz), count(relays), figure(relayCores), memory(relayGb)],
            ...[figure(arrivalCores), count(proxies), figure(proxyCores), memory(proxyGb)],
            ...[figure(handshakeCores), line(gbits), `${figure(egressTb)} TB`],
            ...[`${count(redis.readsPerSecond)}/s`, `${count(redis.hintsPerSecond)}/s`],
          ];
        },
      ),
    ),
  voters: () =>
    table(
      [
        ...['voters a minute', 'front ends', 'their cores', 'cores of proxies', 'line', 'ballots'],
        ...['Redis’ core', 'Redis’ memory, an hour'],
      ],
      VOTERS.map(votersPerMinute => {
        const { frontEnds, frontEndCores, voterProxyCores, voterGbits, redis } = sizeFor({
          ...{ viewers: 20_000, hz: 1, votersPerMinute },
        });
        return [
          ...[count(votersPerMinute), count(frontEnds), figure(frontEndCores)],
          ...[figure(voterProxyCores), line(voterGbits)],
          ...[`${figure(redis.ballotsPerSecond)}/s`, percent(100 * redis.cores), memory(redis.gbAnHour)],
        ];
      }),
    ),
};

/** @returns the page, with recomputed tables */
export function withTables(page: string): string {
  return page.replace(/(<!-- (\w+) -->\n)[\s\S]*?(<!-- \/\2 -->)/g, (_, begin, name, end) => {
    const render = TABLES[name];
    if (!render) throw new Error(`The page asks for an unknown table: ${name}`);
    return `${begin}${render()}\n${end}`;
  });
}

function figureTable(figures: Readonly<Record<string, Figure>>): string {
  return table(
    ['what', 'figure', 'from'],
    Object.values(figures).map(({ what, value, unit, source }) => [
      what,
      `${count(value)} ${unit}`.trim(),
      source,
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

function memory(gb: number): string {
  return gb < 1 ? `${figure(gb * 1_024)} MB` : `${figure(gb)} GB`;
}

function line(gbits: number): string {
  return gbits < 1 ? `${figure(gbits * 1_000)} Mbit/s` : `${figure(gbits)} Gbit/s`;
}

function fullest({ fullest: { what, percent: share, mend } }: Sizing): string {
  return `${what}, ${percent(share)}: ${mend}`;
}

function percent(value: number): string {
  return `${figure(value)} %`;
}

function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

/** Two digits that count. */
function figure(value: number): string {
  return value >= 100 ? count(Math.round(value)) : String(Number(value.toPrecision(2)));
}
