import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';
import ipaddr from 'ipaddr.js';
import { parseAddress } from '../../http/caller.ts';

/** Longest delay until a change of the file takes effect. */
const CHECK_EVERY_MS = 1_000;
const MAPPED_IPV4 = 0xffff_0000_0000n;

/** By their number of host bits, which the addresses lack; IPv4 is mapped into IPv6. */
type Networks = ReadonlyMap<bigint, ReadonlySet<bigint>>;

/** The operator's list of addresses that may not vote in polls that exclude VPNs. */
export class VpnList {
  readonly #file: string;
  readonly #log: FastifyBaseLogger;
  readonly #clock: () => number;
  #networks: Networks;
  #stamp = '';
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  /** @throws if the file cannot be read, so that a wrong path never admits VPNs unnoticed */
  constructor(file: string, log: FastifyBaseLogger, clock: () => number) {
    this.#file = file;
    this.#log = log;
    this.#clock = clock;
    this.#networks = this.#read();
  }

  async has(ip: string): Promise<boolean> {
    await this.#refresh();
    const address = parseAddress(ip);
    if (!address) return false;
    const number = toNumber(address);
    return [...this.#networks].some(([hostBits, known]) => known.has(number >> hostBits));
  }

  async #refresh(): Promise<void> {
    if (this.#clock() - this.#checkedAtMs < CHECK_EVERY_MS) return;
    this.#checkedAtMs = this.#clock();
    try {
      const { mtimeMs, size, ino } = await stat(this.#file);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      if (stamp === this.#stamp) return;
      this.#networks = this.#read();
      this.#stamp = stamp;
    } catch (error) {
      this.#log.error({ err: error }, 'VPN list unreadable');
    }
  }

  #read(): Networks {
    const { networks, faulty } = parseNetworks(readFileSync(this.#file, 'utf8'));
    if (faulty.length > 0) this.#log.warn({ lines: faulty.slice(0, 10) }, 'invalid lines in VPN list');
    return networks;
  }
}

function parseNetworks(text: string): { networks: Networks; faulty: number[] } {
  const faulty: number[] = [];
  const networks = new Map<bigint, Set<bigint>>();
  for (const [index, line] of text.split('\n').entries()) {
    const entry = line.replace(/#.*/, '').trim();
    if (entry === '') continue;
    const network = parseNetwork(entry);
    if (!network) {
      faulty.push(index + 1);
      continue;
    }
    const { number, hostBits } = network;
    networks.set(hostBits, (networks.get(hostBits) ?? new Set()).add(number >> hostBits));
  }
  return { networks, faulty };
}

function parseNetwork(entry: string): { readonly number: bigint; readonly hostBits: bigint } | undefined {
  const single = parseAddress(entry);
  if (single) return { number: toNumber(single), hostBits: 0n };
  if (!ipaddr.isValidCIDR(entry)) return undefined;
  const [address, bits] = ipaddr.parseCIDR(entry);
  return { number: toNumber(address), hostBits: BigInt((address.kind() === 'ipv4' ? 32 : 128) - bits) };
}

function toNumber(address: ipaddr.IPv4 | ipaddr.IPv6): bigint {
  const bytes = address.toByteArray().reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
  return address.kind() === 'ipv4' ? MAPPED_IPV4 | bytes : bytes;
}
