import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const PAGE = readFileSync(new URL('../../src/live/SCALE.md', import.meta.url), 'utf8');
const GB = 2 ** 30;

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map(cell => cell.trim());
const numberOf = (cell: string) => Number.parseFloat(cell.replaceAll(',', ''));

/** The figure of a name, in its own unit. */
function figure(name: string): number {
  const line = PAGE.split('\n').find(text => text.startsWith(`| \`${name}\` |`));
  if (!line) throw new Error(`SCALE.md has no figure \`${name}\``);
  return numberOf(cellsOf(line)[2] as string);
}

/** In cores, bytes and bits. */
function sizeFor({
  viewers,
  ballots,
  hz,
  isProxied,
}: Record<'viewers' | 'ballots' | 'hz', number> & { isProxied: boolean }) {
  const [us, kb, half] = [1e-6, 1_024, figure('half') / 100];
  const frames = viewers * (hz + 2 / figure('ping'));
  const relayCores = frames * figure('frame') * us;
  const relays = Math.ceil(Math.max(viewers / figure('full'), relayCores / half));
  const voterUs = figure('handshake') + figure('requests') * figure('request');
  const proxyCores = isProxied ? (frames * figure('proxy frame') + ballots * voterUs) * us : 0;
  const descriptors = isProxied ? 2 * viewers : 0;
  const proxies = Math.max(
    Math.ceil(proxyCores / half),
    Math.ceil(descriptors / half / figure('descriptors')),
  );
  const frontEndCores = ballots * figure('voter') * us;
  const line = 8 * (viewers * hz * (figure('update') + figure('wrap')) + ballots * figure('load') * kb);
  const reads = relays * Math.min(hz, ballots) * figure('read');
  const hints = relays * Math.min(figure('hints'), ballots) * figure('hint');
  const redisCores = (ballots * figure('ballot') + reads + hints) * us;
  const perViewer = figure('viewer') + figure('socket') + (isProxied ? figure('proxy viewer') : 0);
  const memory = (viewers * perViewer * kb + ballots * 3_600 * figure('ballot bytes')) / GB;
  const needed = Math.max(
    Math.ceil((relayCores + proxyCores + frontEndCores + redisCores) / half / figure('host cores')),
    Math.ceil(memory / half / figure('host memory')),
    Math.ceil(line / 1e9 / half / figure('host line')),
  );
  return {
    relays,
    proxies,
    frontEnds: Math.ceil(frontEndCores / half),
    line,
    redisPercent: 100 * redisCores,
    hosts: needed === 1 ? 1 : needed + figure('spare'),
  };
}

const STEPS = PAGE.split('\n')
  .filter(line => /^\| [\d,]+ \|/.test(line))
  .map(cellsOf);

it.each(STEPS)('the page on scale has the sums of %s viewers and %s voters a minute', (...cells) => {
  const [viewers, voters, hz, , hosts, relays, proxies, frontEnds, line, redis] = cells as string[];
  const sizing = sizeFor({
    viewers: numberOf(viewers as string),
    ballots: numberOf(voters as string) / 60,
    hz: numberOf(hz as string),
    isProxied: numberOf(proxies as string) > 0,
  });
  const written = [hosts, relays, proxies, frontEnds].map(cell => numberOf(cell as string));
  expect([sizing.hosts, sizing.relays, sizing.proxies, sizing.frontEnds]).toEqual(written);
  const bits = numberOf(line as string) * ((line as string).includes('Gbit') ? 1e9 : 1e6);
  expect(sizing.line / bits).toBeCloseTo(1, 1);
  expect(sizing.redisPercent / numberOf(redis as string)).toBeCloseTo(1, 1);
});

it('the page on scale has a row for each step', () => {
  expect(STEPS).toHaveLength(5);
});
