import ipaddr from 'ipaddr.js';

/** Whether only this computer reaches the host, an address or a name as in a URL. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.isValid(name)) return ipaddr.process(name).range() === 'loopback';
  return /(^|\.)localhost$/.test(name);
}
