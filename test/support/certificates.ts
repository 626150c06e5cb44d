import { execSync } from 'node:child_process';
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
  const openssl = (command: string) => execSync(`openssl req -x509 ${command}`, { cwd: dir, stdio: 'pipe' });
  const fresh = '-days 2 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256';
  openssl(`${fresh} -subj "/CN=test authority" -keyout ca.key -out ca.pem`);
  const extensions = '-addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE';
  const signed = '-CA ca.pem -CAkey ca.key -keyout server.key -out server.pem';
  openssl(`${fresh} -subj /CN=127.0.0.1 ${extensions} ${signed}`);
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
