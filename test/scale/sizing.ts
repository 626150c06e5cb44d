import { FIGURES, RULES } from './figures.ts';

/** How much of everything a crowd on one poll takes, by arithmetic from the figures. */

export interface Crowd {
  readonly viewers: number;
  readonly votersPerMinute: number;
  /** Updates a second that a viewer is sent. */
  readonly hz: number;
  /** Default true: a proxy in front of the relays ends TLS and spreads viewers. */
  readonly isProxied?: boolean;
}

export interface Sizing {
  readonly relays: number;
  readonly relayCores: number;
  readonly relayGb: number;
  /** Cores of all relays together while all viewers connect within one minute. */
  readonly arrivalCores: number;
  /** Cores for frames, and for handshakes and requests of voters. */
  readonly proxyCores: number;
  /** Of these, for voters. */
  readonly voterProxyCores: number;
  readonly proxies: number;
  readonly proxyGb: number;
  /** Cores of all proxies together for the handshakes of viewers who connect within one minute. */
  readonly handshakeCores: number;
  readonly frontEnds: number;
  readonly frontEndCores: number;
  /** To viewers and voters. */
  readonly gbits: number;
  /** Of these, pages of voters. */
  readonly voterGbits: number;
  /** Sent in a show, in TB. */
  readonly egressTb: number;
  readonly redis: Redis;
  /** With the spare. */
  readonly hosts: number;
  /** What is closest to its bound, how close in per cent, and what mends it. */
  readonly fullest: { readonly what: string; readonly percent: number; readonly mend: string };
}

export interface Redis {
  readonly readsPerSecond: number;
  readonly hintsPerSecond: number;
  readonly ballotsPerSecond: number;
  /** Of the one core on which a poll's commands are run. */
  readonly cores: number;
  /** Of an hour of voting. */
  readonly gbAnHour: number;
}

const US = 1e-6;
const busy = RULES.busy.value / 100;
const GB = 2 ** 30;

export function sizeFor(crowd: Crowd): Sizing {
  const { viewers, votersPerMinute, hz, isProxied = true } = crowd;
  const framesPerSecond = viewers * (hz + 2 / FIGURES.pingSeconds.value);
  const relayCores = framesPerSecond * FIGURES.frameUs.value * US;
  const relays = Math.max(Math.ceil(viewers / RULES.viewersPerRelay.value), Math.ceil(relayCores / busy));
  const votersPerSecond = votersPerMinute / 60;
  const requestsUs = FIGURES.handshakeUs.value + FIGURES.voterRequests.value * FIGURES.requestUs.value;
  const voterProxyCores = isProxied ? votersPerSecond * requestsUs * US : 0;
  const proxyCores = isProxied ? framesPerSecond * FIGURES.proxyFrameUs.value * US + voterProxyCores : 0;
  const proxyGb = isProxied ? (viewers * FIGURES.proxyViewerKb.value * 1_024) / GB : 0;
  const handshakeCores = isProxied ? (viewers / 60) * FIGURES.handshakeUs.value * US : 0;
  // Two descriptors for each viewer: one to them, one to the relay.
  const proxyDescriptors = isProxied ? 2 * viewers : 0;
  const proxies = Math.max(
    Math.ceil(proxyCores / busy),
    Math.ceil(proxyDescriptors / busy / RULES.descriptors.value),
  );
  const frontEndCores = votersPerSecond * FIGURES.voterUs.value * US;
  const frontEnds = Math.ceil(frontEndCores / busy);
  const voterGbits = (votersPerSecond * FIGURES.voterKb.value * 1_024 * 8) / 1e9;
  const gbits = (viewers * hz * (FIGURES.countsBytes.value + FIGURES.wrapBytes.value) * 8) / 1e9 + voterGbits;
  const egressTb = (gbits / 8 / 1_000) * RULES.showHours.value * 3_600;
  const redis = sizeRedis(crowd, relays);
  const cores = relayCores + proxyCores + frontEndCores;
  const relayGb = (viewers * (FIGURES.viewerKb.value + FIGURES.socketKb.value) * 1_024) / GB;
  const needed = Math.max(
    Math.ceil((cores + redis.cores) / busy / RULES.hostCores.value),
    Math.ceil((relayGb + proxyGb + redis.gbAnHour) / busy / RULES.hostGb.value),
    Math.ceil(gbits / busy / RULES.hostGbits.value),
  );
  const hosts = needed === 1 ? 1 : needed + RULES.spareHosts.value;
  return {
    ...{ relays, relayCores, relayGb, proxyCores, voterProxyCores, proxies, proxyGb, handshakeCores },
    ...{ frontEnds, frontEndCores, gbits, voterGbits, egressTb, redis, hosts },
    arrivalCores: (viewers / 60) * FIGURES.upgradeUs.value * US,
    fullest: findFullest(crowd, {
      relays,
      relayCores,
      proxies,
      proxyCores,
      frontEnds,
      frontEndCores,
      gbits,
      hosts: needed,
      redis,
    }),
  };
}

function sizeRedis({ votersPerMinute, hz }: Crowd, relays: number): Redis {
  const ballotsPerSecond = votersPerMinute / 60;
  const readsPerSecond = Math.min(relays * hz, relays * ballotsPerSecond);
  // Each ballot gives a hint, and the contract bounds them.
  const hintsPerSecond = relays * Math.min(RULES.hintsPerSecond.value, ballotsPerSecond);
  const cores =
    (ballotsPerSecond * FIGURES.ballotUs.value +
      readsPerSecond * FIGURES.readUs.value +
      hintsPerSecond * FIGURES.hintUs.value) *
    US;
  const gbAnHour = (votersPerMinute * 60 * FIGURES.ballotBytes.value) / GB;
  return { readsPerSecond, hintsPerSecond, ballotsPerSecond, cores, gbAnHour };
}

type Parts = Pick<
  Sizing,
  | 'relays'
  | 'relayCores'
  | 'proxies'
  | 'proxyCores'
  | 'frontEnds'
  | 'frontEndCores'
  | 'gbits'
  | 'hosts'
  | 'redis'
>;

function findFullest({ viewers }: Crowd, parts: Parts): Sizing['fullest'] {
  const { relays, relayCores, proxies, proxyCores, frontEnds, frontEndCores, gbits, hosts, redis } = parts;
  const uses = [
    { what: 'CPU of a relay', use: relayCores / relays, mend: 'another relay, or `hz=1`' },
    {
      what: 'descriptors of a relay',
      use: viewers / relays / RULES.descriptors.value,
      mend: 'another relay',
    },
    { what: 'CPU of a proxy', use: share(proxyCores, proxies), mend: 'another proxy' },
    {
      what: 'descriptors of a proxy',
      use: share(2 * viewers, proxies) / RULES.descriptors.value,
      mend: 'another proxy',
    },
    { what: 'CPU of a front end', use: frontEndCores / frontEnds, mend: 'another front end' },
    { what: 'lines', use: gbits / hosts / RULES.hostGbits.value, mend: 'another host' },
    { what: 'Redis’ core', use: redis.cores, mend: 'nothing for one poll; a shard for others' },
  ];
  const { what, use, mend } = uses.reduce((most, next) => (next.use > most.use ? next : most));
  return { what, percent: 100 * use, mend };
}

function share(all: number, parts: number): number {
  return parts === 0 ? 0 : all / parts;
}
