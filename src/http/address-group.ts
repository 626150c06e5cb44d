import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** One household or phone owns a /64, and may use any address of it. */
const IPV6_PREFIX_BITS = 64;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Caller = Pick<FastifyRequest, 'ip' | 'socket'>;

/**
 * Whom a request comes from: what the last trusted proxy says, without a port; where it says no address, the connection's own.
 * What is no address would otherwise count as a new one each time.
 */
export function callerIp(caller: Caller): string {
  // Node knows no address of a connection that was reset.
  const { ip = '', socket } = caller as { ip?: string; socket: Caller['socket'] };
  // Nearly every caller's, and written in one way only.
  if (isIPv4(ip)) return ip;
  const address = parseAddress(ip) ?? parseAddress(socket.remoteAddress ?? '');
  return address?.toString() ?? ip;
}

/** The address that counts as one voter's or one caller's. */
export function callerAddress(caller: Caller): string {
  return addressGroup(callerIp(caller));
}

/** Finds the caller of a request that Fastify has not seen yet, as its `request.ip` would. */
export function rawCaller(
  { socket, headers }: IncomingMessage,
  isTrusted: (text: string) => boolean,
): Caller {
  let ip = socket.remoteAddress ?? '';
  const hops = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
  for (let hop = hops.pop(); hop?.trim() && isTrusted(ip); hop = hops.pop()) ip = hop.trim();
  return { ip, socket };
}

/**
 * What counts as one address: an IPv4 address, or an IPv6 network of 64 bits.
 *
 * @returns the text itself where it is no address
 */
export function addressGroup(ip: string): string {
  if (isIPv4(ip)) return ip;
  const address = parseAddress(ip);
  if (!address) return ip;
  if (address.kind() === 'ipv4') return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_PREFIX_BITS}`).toString();
}

/**
 * Without the zone of a link-local address, and without the port that some proxies add (192.0.2.1:4711, [2001:db8::1]:4711);
 * IPv4 written as IPv6 (::ffff:192.0.2.1) is IPv4.
 */
export function parseAddress(text: string): Address | undefined {
  const bare = text.replace(/^\[(.*)\](?::\d+)?$|^(\d+(?:\.\d+){3}):\d+$/, '$1$2').replace(/%.*$/, '');
  return isIP(bare) ? ipaddr.process(bare) : undefined;
}

/** @param networks addresses or CIDR ranges of our proxies @returns tells whether an address, as proxies write it, is one of them */
export function trustedProxies(networks: readonly string[]): (text: string) => boolean {
  const ranges = networks.map(parseNetwork);
  const isTrusted = (text: string) => {
    const address = parseAddress(text);
    return address !== undefined && ranges.some(([first, bits]) => isWithin(address, first, bits));
  };
  // The same few proxies stand in front of every request.
  let last = { text: '', isTrusted: false };
  return text => {
    if (text !== last.text) last = { text, isTrusted: isTrusted(text) };
    return last.isTrusted;
  };
}

function parseNetwork(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function isWithin(address: Address, first: Address, bits: number): boolean {
  return address.kind() === first.kind() && (address as ipaddr.IPv4).match(first as ipaddr.IPv4, bits);
}
