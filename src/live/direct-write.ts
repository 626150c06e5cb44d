import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** @returns number of bytes that the kernel took; negative if none */
export type Send = (descriptor: number, bytes: Uint8Array, length: number, flags: number) => number;

const TRIAL_TIMEOUT_MS = 2_000;

let send: Send | undefined;
let onDisable: (reason: string) => void = () => {};

/** Enables writes through `send()` of libc if `koffi` has a binary for this system, else through `fs.writeSync`. Never rejects. */
export async function enableDirectWrites(warn: (reason: string) => void, load = loadSend): Promise<void> {
  onDisable = warn;
  send = await load().catch(() => writeAsFile);
  await tryOnce().catch(error => disableDirectWrites(String(error)));
}

export function disableDirectWrites(reason: string): void {
  if (send) onDisable(reason);
  send = undefined;
}

/** @returns the descriptor of a socket, 0 if direct writes are off. Invalid once the socket is destroyed */
export function descriptorOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly fd?: unknown } | null };
  return send && typeof handle?.fd === 'number' && handle.fd > 0 ? handle.fd : 0;
}

/**
 * Writes past the stream of a socket. MUST NOT be called while bytes wait in that stream.
 *
 * @returns number of bytes that the kernel took. Write the rest to the stream, which also handles a broken connection
 */
export function writeDirectly(descriptor: number, bytes: Uint8Array): number {
  if (!send || descriptor === 0) return 0;
  try {
    const taken = send(descriptor, bytes, bytes.length, 0);
    if (taken <= bytes.length) return Math.max(0, taken);
    disableDirectWrites(`send() returned ${taken} for ${bytes.length} bytes`);
    return bytes.length;
  } catch (error) {
    disableDirectWrites(String(error));
    return 0;
  }
}

/** `_handle.fd` is private to Node, so a write to a socket of this process must arrive first. */
async function tryOnce(): Promise<void> {
  const bytes = Buffer.from('Is this the right socket?');
  const server = createServer(near => {
    near.on('error', () => {}).resume();
    writeDirectly(descriptorOf(near), bytes);
  });
  const signal = AbortSignal.timeout(TRIAL_TIMEOUT_MS);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    const [received] = (await once(far, 'data', { signal })) as [Buffer];
    if (!received.equals(bytes)) throw new Error('other bytes arrived than were written');
  } finally {
    far.destroy();
    server.close();
  }
}

async function loadSend(): Promise<Send> {
  const { default: koffi } = await import('koffi');
  return koffi.load(null).func('long send(int fd, const void *bytes, size_t length, int flags)');
}

function writeAsFile(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch {
    return -1;
  }
}
