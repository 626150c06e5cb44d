import type { Socket } from 'node:net';

/**
 * Bytes for the other side that have not left this process: in the stream of a socket, and in the queue under it. What the
 * stream has handed to the queue counts in both.
 */
export function waitingBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle: { readonly writeQueueSize: number } | null };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
