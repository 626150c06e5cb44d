import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';

/** @returns how many of the bytes the kernel took; negative where none */
export type Send = (descriptor: number, bytes: Uint8Array, length: number, flags: number) => number;

/** Sockets of Node's never block, and Node ignores the signal that a broken one raises. */
const NO_FLAGS = 0;

/** undefined as long as direct writes are off. */
let send: Send | undefined;
let onOff: ((reason: string) => void) | undefined;

/** Turns direct writes on: by `send()` of the C library where that can be called, else by `write()`, as dear as a stream's own. */
export async function startDirectWrites(load = loadSend): Promise<void> {
  send = (await load().catch(() => undefined)) ?? sendAsFile;
}

/**
 * The descriptor of a socket for `writeDirectly`, or undefined where direct writes are off: then write to the socket itself.
 * It MUST be forgotten at the moment at which the socket is destroyed, because another socket may be given the same number.
 */
export function descriptorOf(socket: Socket): number | undefined {
  if (!send) return undefined;
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly fd?: unknown } | null };
  return typeof handle?.fd === 'number' && handle.fd > 0 ? handle.fd : undefined;
}

/**
 * Hands bytes to the kernel past the stream of a socket, which makes a request, a callback and a tick for each write, and
 * whose state lies in a dozen objects that are in no cache when thousands of sockets are written to. MUST only be called
 * while nothing waits in the stream.
 *
 * @param descriptor 0 where there is none
 * @returns how many bytes the kernel took. The rest is for the stream, which also finds out what is wrong with a connection
 */
export function writeDirectly(descriptor: number, bytes: Uint8Array): number {
  if (!send || descriptor === 0) return 0;
  try {
    const taken = send(descriptor, bytes, bytes.length, NO_FLAGS);
    if (taken <= bytes.length) return Math.max(0, taken);
    stopDirectWrites(`send() answered with ${taken}`);
    return bytes.length;
  } catch (error) {
    // Thrown at what it is handed, before any of it is sent.
    stopDirectWrites(error instanceof Error ? error.message : String(error));
    return 0;
  }
}

/** From here on every frame goes through the public stream. Never throws. */
export function stopDirectWrites(reason: string): void {
  send = undefined;
  const tell = onOff;
  onOff = undefined;
  tell?.(reason);
}

/** @param tell called once, where direct writes turn out to be other than known */
export function whenDirectWritesStop(tell: (reason: string) => void): void {
  onOff = tell;
}

/** An optional package: it brings a binary for each common system, and none for the others. */
async function loadSend(): Promise<Send> {
  const { default: koffi } = await import('koffi');
  // What this process has loaded already, the C library among it.
  return koffi.load(null).func('long send(int fd, const void *bytes, size_t length, int flags)');
}

function sendAsFile(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch {
    return -1;
  }
}
