import { execSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../src/start/config.ts';
import { requireFiles } from '../../src/start/preflight.ts';
import { checkRedisFiles } from '../../src/start/redis-files.ts';
import { makeCertificates } from '../support/certificates.ts';

const certificates = makeCertificates();
const { caFile: ca, certFile: cert, keyFile: key } = certificates;
const dir = dirname(ca);
afterAll(() => certificates.remove());

const config = (files: Record<string, string>) => readConfig({ REDIS_URL: 'rediss://redis.test', ...files });
const made = (name: string, command: string) => {
  execSync(`openssl ${command} -out ${name}`, { cwd: dir, stdio: 'pipe' });
  return join(dir, name);
};
const text = (name: string, content: string) => {
  writeFileSync(join(dir, name), content);
  return join(dir, name);
};

it('files of one authority, a certificate and its key are accepted', () => {
  const files = { REDIS_CA_FILE: ca, REDIS_CERT_FILE: cert, REDIS_KEY_FILE: key };
  expect(() => requireFiles(config(files))).not.toThrow();
  expect(() => requireFiles(config({ REDIS_CA_FILE: ca }))).not.toThrow();
});

it.each<[string, Record<string, string>, RegExp]>([
  [
    'a text',
    { REDIS_CA_FILE: text('a.txt', 'hello') },
    /REDIS_CA_FILE \S+a\.txt: must contain a certificate in PEM/,
  ],
  ['an empty file', { REDIS_CA_FILE: text('empty', '') }, /must contain a certificate in PEM/],
  ['DER', { REDIS_CA_FILE: made('ca.der', 'x509 -in ca.pem -outform der') }, /ca\.der: is DER/],
  ['a key as authority', { REDIS_CA_FILE: key }, /REDIS_CA_FILE \S+: is a key/],
  ['a certificate as authority', { REDIS_CA_FILE: cert }, /REDIS_CA_FILE \S+: is no authority/],
  [
    'a damaged certificate',
    { REDIS_CA_FILE: text('cut.pem', readFileSync(ca, 'utf8').replace(/\n[A-Za-z0-9+/]{64}\n/, '\n')) },
    /damaged/,
  ],
  ['a certificate without its key', { REDIS_CERT_FILE: cert }, /REDIS_CERT_FILE \S+: needs its key/],
  ['a key without its certificate', { REDIS_KEY_FILE: key }, /REDIS_KEY_FILE \S+: needs its certificate/],
  [
    'a certificate as key',
    { REDIS_CERT_FILE: cert, REDIS_KEY_FILE: cert },
    /REDIS_KEY_FILE \S+: is a certificate/,
  ],
  ['the key of another', { REDIS_CERT_FILE: cert, REDIS_KEY_FILE: join(dir, 'ca.key') }, /is not the key of/],
  [
    'an encrypted key',
    {
      REDIS_CERT_FILE: cert,
      REDIS_KEY_FILE: made('locked.key', 'pkey -in server.key -aes256 -passout pass:x'),
    },
    /REDIS_KEY_FILE \S+locked\.key: is encrypted/,
  ],
])('%s is refused with its setting and file', (_, files, message) => {
  expect(() => requireFiles(config(files))).toThrow(message);
});

it('a certificate that has expired is refused', () => {
  expect(() => checkRedisFiles(config({ REDIS_CA_FILE: ca }), Date.now() + 3 * 86_400_000)).toThrow(
    /REDIS_CA_FILE \S+: expired at .*: renew it/,
  );
});
