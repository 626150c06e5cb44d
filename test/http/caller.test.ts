import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { addressGroup, networkOf, rawCaller, trustedProxies } from '../../src/http/caller.ts';

/**
 * The spellings of 192.0.2.33 and 192.0.2.34 by RFC 4291, 2765 and 6052 (each section 2), and by
 * tunnels (RFC 3056, 4380).
 */
const EMBEDDED: readonly (readonly [string, string, string])[] = [
  ['mapped', '::ffff:192.0.2.33', '::ffff:c000:222'],
  ['compatible', '::192.0.2.33', '::c000:222'],
  ['translated (SIIT)', '::ffff:0:192.0.2.33', '::ffff:0:c000:222'],
  ['NAT64', '64:ff9b::192.0.2.33', '64:ff9b::c000:222'],
  ['6to4', '2002:c000:221:7::1', '2002:c000:222:8::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdde', '2001:0:4136:e378:8000:63bf:3fff:fddd'],
];

describe('whose limits an address counts for', () => {
  it.each(EMBEDDED)('is the IPv4 address that is embedded as %s', (_, one, other) => {
    expect([one, other].map(addressGroup)).toEqual(['192.0.2.33', '192.0.2.34']);
    expect([one, other].map(networkOf)).toEqual(['192.0.2', '192.0.2']);
  });

  // RFC 6052, section 2.4, with the prefix of RFC 8215.
  it.each([
    ['64:ff9b:1:c000:2:2100::', '64:ff9b:1:c000:2:2200::'],
    ['64:ff9b:1:c0:0:221::', '64:ff9b:1:c0:0:222::'],
    ['64:ff9b:1:0:c0:2:2100::', '64:ff9b:1:0:c0:2:2200::'],
    ['64:ff9b:1:fffe::192.0.2.33', '64:ff9b:1:fffe::192.0.2.34'],
  ])('differs for two people behind a local NAT64, as in %s', (one, other) => {
    expect(addressGroup(one)).not.toBe(addressGroup(other));
  });

  it('is the network of 64 bits of any other IPv6 address', () => {
    expect(['2001:db8:1:2::1', '2001:db8:1:2:ffff::', '2001:db8:1:3::1'].map(addressGroup)).toEqual([
      '2001:db8:1:2::',
      '2001:db8:1:2::',
      '2001:db8:1:3::',
    ]);
    expect(networkOf('2001:db8:1:2::1')).toBe('2001:db8:1::');
    expect(['::1', '::', 'unknown'].map(addressGroup)).toEqual(['::', '::', 'unknown']);
  });
});

describe('the caller of a request that Fastify has not seen', () => {
  const isTrusted = trustedProxies(['10.0.0.0/8']);
  const callerOf = (remoteAddress: string, forwarded?: string) =>
    rawCaller(
      { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } as unknown as IncomingMessage,
      isTrusted,
    ).ip;

  it('is named by trusted proxies alone', () => {
    expect(callerOf('192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
    expect(callerOf('10.0.0.1', '198.51.100.7, 192.0.2.1')).toBe('192.0.2.1');
    expect(callerOf('10.0.0.1', '198.51.100.7, 192.0.2.1, 10.0.0.2')).toBe('192.0.2.1');
    expect([callerOf('10.0.0.1'), callerOf('10.0.0.1', ' ')]).toEqual(['10.0.0.1', '10.0.0.1']);
  });
});
