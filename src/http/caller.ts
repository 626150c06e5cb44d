import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { keepNewest } from '../poll/keep-newest.ts';
import { type PresentedKey, presentKey } from '../poll/poll-key.ts';

/** A household or phone has a /64 and can use any address in it. */
const IPV6_PREFIX_BITS = 64;
/** A provider gives a site this much. */
const IPV6_SITE_BITS = 48;

/** Prefixes of 96 bits before an embedded IPv4 address: RFC 4291 (compatible), RFC 2765 (SIIT), RFC 6052 (NAT64). */
const EMBEDDING = ['::', '::ffff:0:0:0', '64:ff9b::'].map(prefix => ipaddr.IPv6.parse(prefix));
/** RFC 8215: NAT64 with a prefix of 48 to 96 bits, which only its network knows. */
const LOCAL_NAT64 = ipaddr.IPv6.parse('64:ff9b:1::');
/** The network of an IPv4 address that ends such an address. */
const LOCAL_NAT64_NETWORK_BITS = 120;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** Whether an address is that of a trusted proxy. */
type IsTrusted = (address: string) => boolean;
type Caller = Pick<FastifyRequest, 'ip' | 'socket'>;

/**
 * Returns the client's address as the last trusted proxy names it, without a port; the connection's
 * own if that is invalid.
 */
export function callerIp(caller: Caller): string {
  // Undefined for a connection that was reset.
  const { ip = '', socket } = caller as { ip?: string; socket: Caller['socket'] };
  // The common case, which has only one spelling.
  if (isIPv4(ip)) return ip;
  const address = parseAddress(ip) ?? parseAddress(socket.remoteAddress ?? '');
  return address?.toString() ?? ip;
}

export function callerAddress(caller: Caller): string {
  return addressGroup(callerIp(caller));
}

/** Finds the caller of a request that Fastify has not seen yet, as its `request.ip` would. */
export function rawCaller({ socket, headers }: IncomingMessage, isTrusted: IsTrusted): Caller {
  let ip = socket.remoteAddress ?? '';
  const hops = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
  for (let hop = hops.pop(); hop?.trim() && isTrusted(ip); hop = hops.pop()) ip = hop.trim();
  return { ip, socket };
}

/**
 * Returns whose limits an address counts for: the IPv4 address, also if it is embedded in IPv6 or
 * has a tunnel (6to4, Teredo), else the IPv6 network of 64 bits. Returns the text if it is no
 * address.
 */
export function addressGroup(ip: string): string {
  if (isIPv4(ip)) return ip;
  const address = parseAddress(ip);
  if (!address) return ip;
  const sender = tunnelled(address) ?? address;
  if (sender instanceof ipaddr.IPv4 || isLocalNat64(sender)) return sender.toString();
  return firstBits(sender, IPV6_PREFIX_BITS).toString();
}

/** Returns the first 24 bits of an IPv4 address or 48 of an IPv6 address, or the text if it is neither. */
export function networkOf(ip: string): string {
  if (isIPv4(ip)) return ip.slice(0, ip.lastIndexOf('.'));
  const address = parseAddress(ip);
  if (!address) return ip;
  const sender = tunnelled(address) ?? address;
  if (sender instanceof ipaddr.IPv4) return networkOf(sender.toString());
  return firstBits(sender, isLocalNat64(sender) ? LOCAL_NAT64_NETWORK_BITS : IPV6_SITE_BITS).toString();
}

/**
 * Parses an address without its zone or port (192.0.2.1:4711, [2001:db8::1]:4711). An IPv4 address
 * that is embedded in IPv6 (mapped, compatible, SIIT, NAT64) becomes IPv4.
 */
export function parseAddress(text: string): Address | undefined {
  const bare = text.replace(/^\[(.*)\](?::\d+)?$|^(\d+(?:\.\d+){3}):\d+$/, '$1$2').replace(/%.*$/, '');
  if (!isIP(bare)) return undefined;
  const address = ipaddr.process(bare);
  if (address instanceof ipaddr.IPv4 || !EMBEDDING.some(prefix => address.match(prefix, 96))) return address;
  const bytes = address.toByteArray().slice(12);
  // :: and ::1 are addresses of their own, and 0.0.0.0/16 names no host.
  return bytes[0] || bytes[1] ? new ipaddr.IPv4(bytes) : address;
}

/** The IPv4 address of the sender, where all senders of a tunnel share a network or each has many. */
function tunnelled(address: Address): ipaddr.IPv4 | undefined {
  if (address instanceof ipaddr.IPv4) return address;
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));
  return range === 'teredo' ? new ipaddr.IPv4(bytes.slice(12).map(byte => byte ^ 0xff)) : undefined;
}

function firstBits(address: ipaddr.IPv6, bits: number): ipaddr.IPv6 {
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${bits}`);
}

function isLocalNat64(address: ipaddr.IPv6): boolean {
  return address.match(LOCAL_NAT64, 48);
}

/** @param networks addresses or CIDR ranges of trusted proxies @returns whether an address is one of them */
export function trustedProxies(networks: readonly string[]): IsTrusted {
  const ranges = networks.map(parseNetwork);
  // Most requests come from the same proxy.
  return keepNewest((text: string) => {
    const address = parseAddress(text);
    return address !== undefined && ranges.some(([first, bits]) => isWithin(address, first, bits));
  });
}

function parseNetwork(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function isWithin(address: Address, first: Address, bits: number): boolean {
  return address.kind() === first.kind() && (address as ipaddr.IPv4).match(first as ipaddr.IPv4, bits);
}

/** Returns the first key of a request: `X-API-Key`, `Authorization: Bearer`, `api-key`, then the URL. */
export function keyOfRequest(request: FastifyRequest): PresentedKey | undefined {
  const { key } = request.query as Record<string, unknown>;
  return (
    presentKey(keyInHeader(request), 'header') ??
    presentKey(typeof key === 'string' ? key : undefined, 'query')
  );
}

/** Returns the key itself. Not for storing. */
export function keyInHeader({ headers }: FastifyRequest): string | undefined {
  return single(headers['x-api-key']) || bearer(headers.authorization) || single(headers['api-key']);
}

/** Returns whether a request presents a key, even an invalid one, so that its reply must not be cached. */
export function hasKey({ headers, query }: FastifyRequest): boolean {
  const inUrl = (query as Record<string, unknown>)['key'];
  return (headers['x-api-key'] ?? headers.authorization ?? headers['api-key'] ?? inUrl) !== undefined;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header?.trim();
}

function bearer(header: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(header ?? '')?.[1];
}

/** False once the connection is closed, and for a response that is pipelined behind another. */
export function emitsClose({ raw }: FastifyReply): boolean {
  return raw.socket?.destroyed === false;
}
