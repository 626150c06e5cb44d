import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { addressGroup } from '../../http/address-group.ts';

/** The address that counts as one voter's or one caller's: IPv4 as it is, IPv6 by /64. */
export function callerAddress(request: FastifyRequest): string {
  return addressGroup(request.ip.replace(/%.*$/, ''));
}

/** Without the zone of a link-local address; IPv4 written as IPv6 (::ffff:192.0.2.1) is IPv4. */
export function parseAddress(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = ip.replace(/%.*$/, '');
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
}
