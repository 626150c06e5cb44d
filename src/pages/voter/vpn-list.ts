import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';
import ipaddr from 'ipaddr.js';
import { parseAddress } from '../../http/caller.ts';

/** Longest delay until a change of the file takes effect. */
const CHECK_EVERY_MS = 1_000;
const MAPPED_IPV4 = 0xffff_0000_0000n;

/** First and last address of each range, sorted and without overlap; IPv4 addresses are mapped into IPv6. */
type Ranges = readonly (readonly [first: bigint, last: bigint])[];

/** The operator's list of addresses that may not vote in polls that exclude VPNs. */
export class VpnList {
  readonly #file: string;
  readonly #log: FastifyBaseLogger;
  readonly #clock: () => number;
  #ranges: Ranges;
  #stamp = '';
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  /** @throws if the file cannot be read, so that a wrong path never admits VPNs unnoticed */
  constructor(file: string, log: FastifyBaseLogger, clock: () => number) {
    this.#file = file;
    this.#log = log;
    this.#clock = clock;
    this.#ranges = this.#read();
  }

  async has(ip: string): Promise<boolean> {
    await this.#refresh();
    const address = parseAddress(ip);
    return address !== undefined && isInside(this.#ranges, toNumber(address));
  }

  async #refresh(): Promise<void> {
    if (this.#clock() - this.#checkedAtMs < CHECK_EVERY_MS) return;
    this.#checkedAtMs = this.#clock();
    try {
      const { mtimeMs, size, ino } = await stat(this.#file);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      if (stamp === this.#stamp) return;
      this.#ranges = this.#read();
      this.#stamp = stamp;
    } catch (error) {
      this.#log.error({ err: error }, 'VPN list unreadable');
    }
  }

  #read(): Ranges {
    const { ranges, faulty } = parseRanges(readFileSync(this.#file, 'utf8'));
    if (faulty.length > 0) this.#log.warn({ lines: faulty.slice(0, 10) }, 'invalid lines in VPN list');
    return ranges;
  }
}

function parseRanges(text: string): { ranges: Ranges; faulty: number[] } {
  const faulty: number[] = [];
  const found: [bigint, bigint][] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const entry = line.replace(/#.*/, '').trim();
    if (entry === '') continue;
    const range = parseRange(entry);
    if (range) found.push(range);
    else faulty.push(index + 1);
  }
  found.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const ranges: [bigint, bigint][] = [];
  for (const range of found) {
    const before = ranges.at(-1);
    if (!before || range[0] > before[1]) ranges.push(range);
    else if (range[1] > before[1]) before[1] = range[1];
  }
  return { ranges, faulty };
}

function parseRange(entry: string): [bigint, bigint] | undefined {
  const single = parseAddress(entry);
  if (single) return [toNumber(single), toNumber(single)];
  if (!ipaddr.isValidCIDR(entry)) return undefined;
  const [address, bits] = ipaddr.parseCIDR(entry);
  const hostBits = BigInt((address.kind() === 'ipv4' ? 32 : 128) - bits);
  const first = (toNumber(address) >> hostBits) << hostBits;
  return [first, first + (1n << hostBits) - 1n];
}

function toNumber(address: ipaddr.IPv4 | ipaddr.IPv6): bigint {
  const bytes = address.toByteArray().reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
  return address.kind() === 'ipv4' ? MAPPED_IPV4 | bytes : bytes;
}

function isInside(ranges: Ranges, address: bigint): boolean {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (!range) return false;
    if (address < range[0]) high = middle - 1;
    else if (address > range[1]) low = middle + 1;
    else return true;
  }
  return false;
}
