import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** One household or phone owns a /64, and may use any address of it. */
const IPV6_PREFIX_BITS = 64;

/** The address that counts as one voter's or one caller's. */
export function callerAddress(request: FastifyRequest): string {
  return addressGroup(request.ip);
}

/**
 * What counts as one address: an IPv4 address, or an IPv6 network of 64 bits.
 *
 * @returns the text itself where it is no address
 */
export function addressGroup(ip: string): string {
  const address = parseAddress(ip);
  if (!address) return ip;
  if (address.kind() === 'ipv4') return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_PREFIX_BITS}`).toString();
}

/** Without the zone of a link-local address; IPv4 written as IPv6 (::ffff:192.0.2.1) is IPv4. */
export function parseAddress(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = ip.replace(/%.*$/, '');
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
}
