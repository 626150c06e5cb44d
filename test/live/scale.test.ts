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

const US = 1e-6;
const KB = 1_024;
/** Plan with half of a core or a line: the other half is for a crowd that comes at once. */
const HALF = 0.5;

/** CPU of a relay for a frame: bench `fan-out`, 10,000 subscribers. */
const FRAME_S = 4.7 * US;
/** Memory of a viewer: bench `crowd`, and the kernel's for an idle connection (centrifugal.dev, August 2026). */
const VIEWER_BYTES = (5 + 4) * KB;
/** One update with `compact=1` and 4 answers, in its TLS record, TCP, IP and Ethernet (29 + 32 + 20 + 18 bytes). */
const UPDATE_BYTES = 125 + 100;
/** Between two pings of a viewer, each about two frames' worth: `src/live/connection-registry.ts`. */
const PING_S = 25;
/** Viewers of a relay process, so that one that dies sends few around. */
const FULL_RELAY = 20_000;

/** nginx with TLS: 1,000 viewers on one machine. Caddy takes 26.2, HAProxy 33, nginx without TLS 9.5 µs. */
const PROXY_FRAME_S = 25.7 * US;
/** The same run. Caddy takes 104, HAProxy 20 KB. */
const PROXY_VIEWER_BYTES = 46 * KB;
/** nginx 1.22, TLS 1.3, a P-256 certificate, none resumed: 293 to 307 µs of 3,000. */
const HANDSHAKE_S = 300 * US;
/** The same: 43 to 57 µs of 6,000, replies of 5.5 KB. */
const REQUEST_S = 50 * US;
/** Page, style, script, icon, ballot, and states of the poll. */
const REQUESTS_OF_VOTER = 8;
/** A viewer takes two: to the client and to the relay. The limit is that of the compose file. */
const DESCRIPTORS_OF_VIEWER = 2;
const DESCRIPTORS = 65_536;

/** CPU of the front end from the page to the receipt: 310 µs on Redis, 335 embedded, with room for slower machines. */
const VOTER_S = 600 * US;
/** A voter without a cache: page, style, script and icons with Brotli are 25 KB, with room for the rest. */
const LOAD_BYTES = 40 * KB;

/** CPU of Redis for a ballot in groups of four, with ten relays listening. */
const BALLOT_S = 35 * US;
/** Memory of Redis: bench `ballots`. */
const BALLOT_BYTES = 335;
/** CPU of Redis for the read of a relay. */
const READ_S = 11 * US;
/** CPU of Redis for a hint to one relay: 4.5 to 6.4 µs. */
const HINT_S = 5 * US;
/** Hints of a poll to each relay at most: `src/engine/engine.ts`. */
const HINTS_PER_SECOND = 40;

/** A common size of a host. */
const HOST_CORES = 8;
const HOST_BYTES = 32 * GB;
const HOST_LINE_BITS = 10e9;
/** Wherever there is more than one host, so that one may fail or be replaced. */
const SPARE_HOSTS = 1;

/** In cores, bytes and bits. */
function sizeFor({
  viewers,
  ballots,
  hz,
  isProxied,
}: Record<'viewers' | 'ballots' | 'hz', number> & { isProxied: boolean }) {
  const frames = viewers * (hz + 2 / PING_S);
  const relayCores = frames * FRAME_S;
  const relays = Math.ceil(Math.max(viewers / FULL_RELAY, relayCores / HALF));
  const proxiedVoter = HANDSHAKE_S + REQUESTS_OF_VOTER * REQUEST_S;
  const proxyCores = isProxied ? frames * PROXY_FRAME_S + ballots * proxiedVoter : 0;
  const descriptors = isProxied ? DESCRIPTORS_OF_VIEWER * viewers : 0;
  const proxies = Math.max(Math.ceil(proxyCores / HALF), Math.ceil(descriptors / HALF / DESCRIPTORS));
  const frontEndCores = ballots * VOTER_S;
  const line = 8 * (viewers * hz * UPDATE_BYTES + ballots * LOAD_BYTES);
  const reads = relays * Math.min(hz, ballots) * READ_S;
  const hints = relays * Math.min(HINTS_PER_SECOND, ballots) * HINT_S;
  const redisCores = ballots * BALLOT_S + reads + hints;
  const perViewer = VIEWER_BYTES + (isProxied ? PROXY_VIEWER_BYTES : 0);
  // Ballots of an hour.
  const memory = viewers * perViewer + ballots * 3_600 * BALLOT_BYTES;
  const needed = Math.max(
    Math.ceil((relayCores + proxyCores + frontEndCores + redisCores) / HALF / HOST_CORES),
    Math.ceil(memory / HALF / HOST_BYTES),
    Math.ceil(line / HALF / HOST_LINE_BITS),
  );
  return {
    relays,
    proxies,
    frontEnds: Math.ceil(frontEndCores / HALF),
    line,
    redisPercent: 100 * redisCores,
    hosts: needed === 1 ? 1 : needed + SPARE_HOSTS,
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
