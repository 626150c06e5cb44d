import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A private authority and a certificate of 127.0.0.1 that it signed, as files. */
export interface Certificates {
  readonly caFile: string;
  /** A certificate and its key, for a client as for a server. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Settings of a redis-server that speaks TLS with it. */
  readonly redisArgs: readonly string[];
  remove(): void;
}

/** Made by `openssl`, which every Debian with a redis-server has. */
export function makeCertificates(): Certificates {
  const dir = mkdtempSync(join(tmpdir(), 'tallycast-tls-'));
  const file = (name: string) => join(dir, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const days = ['-days', '2', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
  openssl(
    'req',
    '-x509',
    ...days,
    '-subj',
    '/CN=test authority',
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.pem'),
  );
  openssl(
    'req',
    '-x509',
    ...days,
    '-subj',
    '/CN=127.0.0.1',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
    '-addext',
    'basicConstraints=critical,CA:FALSE',
    '-CA',
    file('ca.pem'),
    '-CAkey',
    file('ca.key'),
    '-keyout',
    file('server.key'),
    '-out',
    file('server.pem'),
  );
  const tls = { 'cert-file': 'server.pem', 'key-file': 'server.key', 'ca-cert-file': 'ca.pem' };
  return {
    caFile: file('ca.pem'),
    certFile: file('server.pem'),
    keyFile: file('server.key'),
    redisArgs: [
      ...Object.entries(tls).flatMap(([name, value]) => [`--tls-${name}`, file(value)]),
      '--tls-auth-clients',
      'no',
    ],
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
