import { pbkdf2Sync } from 'node:crypto';

/** What the script of a voting page reads from it. */

export function fieldOf(page: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
}

/** Solves the human check as the worker of the page does, on this thread. @returns all fields but the choice */
export function solveForm(page: string): Record<string, string> {
  const text = /data-challenge="([^"]*)"/.exec(page)?.[1]?.replaceAll('&quot;', '"');
  const challenge = JSON.parse(text ?? 'null');
  const { nonce, salt, cost, keyLength, keyPrefix } = challenge.parameters;
  const [password, saltBytes] = [Buffer.from(`${nonce}00000000`, 'hex'), Buffer.from(salt, 'hex')];
  for (let counter = 0; ; counter += 1) {
    password.writeUInt32BE(counter, password.length - 4);
    const derivedKey = pbkdf2Sync(password, saltBytes, cost, keyLength, 'sha256').toString('hex');
    if (!derivedKey.startsWith(keyPrefix)) continue;
    const proof = JSON.stringify({ challenge, solution: { counter, derivedKey, time: 0 } });
    return { ballot: fieldOf(page, 'ballot'), proof };
  }
}
