import ipaddr from 'ipaddr.js';

/** One household or phone owns a /64, and may use any address of it. */
const IPV6_PREFIX_BITS = 64;

/**
 * What counts as one address: an IPv4 address, or an IPv6 network of 64 bits. IPv4 written as IPv6 counts as IPv4.
 *
 * @returns the text itself where it is no address
 */
export function addressGroup(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_PREFIX_BITS}`).toString();
}
