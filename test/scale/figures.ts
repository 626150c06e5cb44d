/**
 * What one of anything costs, measured on one core of a server of 2026 (Intel Xeon, AMD EPYC) or read where it says so. The page on scale
 * computes everything from these; a row of `npm run bench` measures them again.
 */

export interface Figure {
  readonly value: number;
  readonly unit: string;
  readonly what: string;
  readonly source: string;
}

export const FIGURES = {
  frameUs: {
    ...{ value: 4.7, unit: 'µs', what: 'relay CPU for a frame' },
    source: 'bench `fan-out`, 10,000 subscribers',
  },
  upgradeUs: {
    ...{ value: 108, unit: 'µs', what: 'relay CPU for a new viewer, first frame included' },
    source: 'benches `upgrades`, `crowd`',
  },
  viewerKb: {
    ...{ value: 5, unit: 'KB', what: 'relay memory of a viewer' },
    source: 'bench `crowd`, `hundred-thousand`',
  },
  socketKb: {
    ...{ value: 4, unit: 'KB', what: 'kernel memory of an idle connection' },
    source: 'centrifugal.dev, August 2026',
  },
  countsBytes: {
    ...{ value: 125, unit: 'bytes', what: 'one update with `compact=1`, 4 answers' },
    source: 'bench `bytes`',
  },
  wrapBytes: {
    ...{ value: 100, unit: 'bytes', what: 'TLS record, TCP, IP and Ethernet around it' },
    source: 'their headers: 29 + 32 + 20 + 18',
  },
  proxyFrameUs: {
    ...{ value: 25.7, unit: 'µs', what: 'nginx CPU for a frame, with TLS' },
    source:
      '1,000 viewers on one machine; Caddy 26.2, HAProxy 33, the shipped nginx without TLS 9.5, a bare Node TLS server 26 with its relay’s work',
  },
  proxyViewerKb: {
    ...{ value: 46, unit: 'KB', what: 'nginx memory of a viewer, with TLS' },
    source: 'the same run; Caddy 104, HAProxy 20, a bare Node TLS server 41',
  },
  handshakeUs: {
    ...{ value: 300, unit: 'µs', what: 'nginx CPU for a TLS handshake' },
    source: 'nginx 1.22, TLS 1.3, a P-256 certificate, none resumed: 293 to 307 of 3,000',
  },
  requestUs: {
    ...{ value: 50, unit: 'µs', what: 'nginx CPU for a proxied request with TLS' },
    source: 'the same: 43 to 57 of 6,000, replies of 5.5 KB',
  },
  voterRequests: {
    ...{ value: 8, unit: '', what: 'requests of a voter, from the page to the results' },
    source: 'page, style, script, icon, ballot, and states of the poll',
  },
  voterKb: {
    ...{ value: 40, unit: 'KB', what: 'what a voter without a cache loads' },
    source:
      'page, style, script and icons with Brotli 25 KB; with room for handshake, ballot, receipt and states',
  },
  pingSeconds: {
    ...{ value: 25, unit: 's', what: 'between two pings of a viewer, each about two frames’ worth' },
    source: '`src/live/connection.ts`',
  },
  voterUs: {
    ...{ value: 600, unit: 'µs', what: 'front end CPU of a voter, from the page to the receipt' },
    source: 'bench `voters`: 310 on Redis, 335 embedded; with room for a slower machine',
  },
  ballotUs: {
    ...{
      value: 35,
      unit: 'µs',
      what: 'Redis CPU of a ballot that comes in groups of four, ten relays listening',
    },
    source: 'bench `hints`',
  },
  ballotBytes: {
    ...{ value: 335, unit: 'bytes', what: 'Redis memory of a ballot' },
    source: 'bench `ballots`',
  },
  readUs: {
    ...{ value: 11, unit: 'µs', what: 'Redis CPU of a relay’s read' },
    source: 'bench `read`',
  },
  hintUs: {
    ...{ value: 5, unit: 'µs', what: 'Redis CPU of a hint to one relay' },
    source: '4.5 to 6.4 where 100 connections hear 40 a second, 2.7 where they hear 185',
  },
} as const satisfies Record<string, Figure>;

/** What is decided, not measured. */
export const RULES = {
  viewersPerRelay: {
    ...{ value: 20_000, unit: '', what: 'viewers of a relay process' },
    source: 'so that one that dies sends few around; 65,536 descriptors would hold more',
  },
  descriptors: {
    ...{ value: 65_536, unit: '', what: 'descriptors of a process' },
    source: '`ulimit -n`, as in the compose file',
  },
  busy: {
    ...{ value: 50, unit: '%', what: 'of a core or a line that is planned with' },
    source: 'the other half is for a crowd that comes at once',
  },
  hostCores: {
    ...{ value: 8, unit: 'cores', what: 'of a host' },
    source: 'a common size',
  },
  hostGb: {
    ...{ value: 32, unit: 'GB', what: 'memory of a host' },
    source: 'a common size',
  },
  spareHosts: {
    ...{ value: 1, unit: '', what: 'spare host, wherever there is more than one' },
    source: 'so that one may fail, or be replaced',
  },
  showHours: {
    ...{ value: 2, unit: 'h', what: 'of a show' },
    source: 'an evening; egress is computed as if its busiest second lasted as long',
  },
  hostGbits: {
    ...{ value: 10, unit: 'Gbit/s', what: 'of a host’s line' },
    source: 'a common size',
  },
  hintsPerSecond: {
    ...{ value: 40, unit: '/s', what: 'hints of a poll to each relay, at most' },
    source: '`src/engine/engine.ts`, held by the simulation',
  },
  ports: {
    ...{ value: 28_232, unit: '', what: 'connections from a proxy’s address to one port of a relay' },
    source: '`net.ipv4.ip_local_port_range`',
  },
} as const satisfies Record<string, Figure>;
