import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Config, InvalidSettings } from './config.ts';

type Setting = 'REDIS_CA_FILE' | 'REDIS_CERT_FILE' | 'REDIS_KEY_FILE';

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;
const KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/** @throws InvalidSettings that names the file and the cure, but shows nothing of it */
export function checkRedisFiles(config: Config, nowMs: number): void {
  const { REDIS_CA_FILE: ca, REDIS_CERT_FILE: cert, REDIS_KEY_FILE: key } = config;
  if (ca !== undefined) {
    const all = certificatesIn('REDIS_CA_FILE', ca, nowMs);
    // A certificate that signed itself is an authority for itself.
    if (!all.some(one => one.ca || one.checkIssued(one)))
      throw fault('REDIS_CA_FILE', ca, 'is no authority: name the certificate that signed that of Redis');
  }
  const [own] = cert === undefined ? [] : certificatesIn('REDIS_CERT_FILE', cert, nowMs);
  if (cert !== undefined && key === undefined)
    throw fault('REDIS_CERT_FILE', cert, 'needs its key: name it in REDIS_KEY_FILE');
  if (key === undefined) return;
  const found = keyIn(key);
  if (!own) throw fault('REDIS_KEY_FILE', key, 'needs its certificate: name it in REDIS_CERT_FILE');
  if (!own.checkPrivateKey(found))
    throw fault('REDIS_KEY_FILE', key, `is not the key of the certificate in REDIS_CERT_FILE ${cert}`);
}

function certificatesIn(setting: Setting, file: string, nowMs: number): X509Certificate[] {
  const text = readPem(setting, file);
  const blocks = text.match(CERTIFICATE);
  if (!blocks)
    throw fault(
      setting,
      file,
      KEY.test(text) ? 'is a key: name a certificate' : 'must contain a certificate in PEM',
    );
  const found = blocks.map(block => {
    try {
      return new X509Certificate(block);
    } catch {
      throw fault(setting, file, 'contains a damaged certificate: copy it again');
    }
  });
  // A bundle of authorities may have old ones.
  if (found.every(({ validTo }) => Date.parse(validTo) < nowMs))
    throw fault(setting, file, `expired at ${found[0]!.validTo}: renew it`);
  return found;
}

function keyIn(file: string): KeyObject {
  const setting = 'REDIS_KEY_FILE';
  const text = readPem(setting, file);
  if (ENCRYPTED.test(text))
    throw fault(setting, file, 'is encrypted: take the passphrase off with `openssl pkey -in … -out …`');
  if (!KEY.test(text)) {
    const isCertificate = text.match(CERTIFICATE) !== null;
    throw fault(
      setting,
      file,
      isCertificate ? 'is a certificate: name its key' : 'must contain a key in PEM',
    );
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw fault(setting, file, 'contains a damaged key: copy it again');
  }
}

function readPem(setting: Setting, file: string): string {
  const bytes = readFileSync(file);
  if (bytes[0] === 0x30 && bytes[1]! >= 0x80)
    throw fault(
      setting,
      file,
      'is DER: convert it to PEM with `openssl x509` or `openssl pkey` and `-inform der`',
    );
  return bytes.toString('latin1');
}

function fault(setting: Setting, file: string, message: string): InvalidSettings {
  return new InvalidSettings(`${setting} ${file}: ${message}`);
}
