import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';
import ipaddr from 'ipaddr.js';
import { parseAddress } from '../../http/caller.ts';

/** Longest delay until a change of the file takes effect. */
const CHECK_EVERY_MS = 1_000;
const MAPPED_IPV4 = 0xffff_0000_0000n;

export type IsVpn = (ip: string) => Promise<boolean>;

/** By their number of host bits, which the addresses lack; IPv4 is mapped into IPv6. */
type Networks = ReadonlyMap<bigint, ReadonlySet<bigint>>;

/**
 * Opens the operator's list of addresses that may not vote in polls that exclude VPNs.
 *
 * @returns whether an address is in it
 * @throws if the file cannot be read, so that a wrong path never admits VPNs unnoticed
 */
export function openVpnList(file: string, log: FastifyBaseLogger, clock: () => number): IsVpn {
  let networks = read();
  let stamp = '';
  let checkedAtMs = Number.NEGATIVE_INFINITY;

  function read(): Networks {
    const { networks, faulty } = parseNetworks(readFileSync(file, 'utf8'));
    if (faulty.length > 0) log.warn({ lines: faulty.slice(0, 10) }, 'invalid lines in VPN list');
    return networks;
  }

  async function refresh(): Promise<void> {
    if (clock() - checkedAtMs < CHECK_EVERY_MS) return;
    checkedAtMs = clock();
    try {
      const { mtimeMs, size, ino } = await stat(file);
      const newest = `${mtimeMs} ${size} ${ino}`;
      if (newest === stamp) return;
      networks = read();
      stamp = newest;
    } catch (error) {
      log.error({ err: error }, 'VPN list unreadable');
    }
  }

  return async ip => {
    await refresh();
    const address = parseAddress(ip);
    if (!address) return false;
    const number = toNumber(address);
    return [...networks].some(([hostBits, known]) => known.has(number >> hostBits));
  };
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
