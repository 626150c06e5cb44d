import { lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { parseAddress } from '../http/caller.ts';

/** One request to a webhook's URL: to a public address only, without redirects, bounded in time and bytes. */

const TIMEOUT_MS = 15_000;
const MAX_REPLY_BYTES = 16 * 1024;

class PrivateAddress extends Error {
  constructor() {
    super('the address is private: set WEBHOOK_PRIVATE_ADDRESSES=true to allow it');
  }
}

/**
 * Everything but ordinary public unicast: loopback, private, link-local (metadata of clouds),
 * shared, reserved, tunnels. An embedded IPv4 address decides.
 */
export function isPublicAddress(address: string): boolean {
  return parseAddress(address)?.range() === 'unicast';
}

/**
 * Rejects a host with any private address, and connects to an address that was checked: no second
 * look-up can differ.
 */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '');
    if (!addresses.every(({ address }) => isPublicAddress(address)))
      return callback(new PrivateAddress(), '');
    if (options.all) callback(null, addresses);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  });
};

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
}

/** @returns the status of the reply @throws Error without a reply in time @throws PrivateAddress */
export function postOnce({ url, headers, body, allowPrivate, signal }: Post): Promise<number> {
  const target = new URL(url);
  const host = target.hostname.replace(/^\[(.*)\]$/, '$1');
  // No look-up happens for an address.
  if (!allowPrivate && isIP(host) && !isPublicAddress(host)) return Promise.reject(new PrivateAddress());
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(target, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      ...(!allowPrivate && { lookup: lookupPublic }),
    });
    let hasResponse = false;
    // A combined AbortSignal for each request would take a fifth of its CPU.
    const abort = () => request.destroy(new Error(signal.aborted ? 'aborted' : 'no reply in time'));
    const timer = setTimeout(abort, TIMEOUT_MS);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    request.on('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      // Nothing else reports a reply of 101, which closes the request without a response.
      if (!hasResponse) reject(new Error('no response'));
    });
    request.on('error', reject);
    request.on('response', response => {
      hasResponse = true;
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_REPLY_BYTES) response.destroy();
      });
      response.on('error', () => {});
      // The status decides, whatever becomes of the body.
      response.on('close', () => resolve(response.statusCode ?? 0));
    });
    request.end(body);
  });
}
