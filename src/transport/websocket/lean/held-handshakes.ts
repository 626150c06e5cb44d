import type { Socket } from 'node:net';

/** Longer than a newcomer waits for its poll to be read (a tick of the hub and the reading), unless the engine is slow or away. */
const HOLD_MS = 100;

let held: Socket[] = [];

/**
 * Keeps back the answer to an upgrade until the first frame is written, so that both leave in one write and one packet: the
 * second one would cost as much as the first. A handshake is never held for longer than a moment, whatever becomes of the frame.
 */
export function holdHandshake(socket: Socket): void {
  socket.cork();
  // One timer for all that come within the moment.
  if (held.push(socket) === 1) setTimeout(releaseAll, HOLD_MS).unref();
}

export function releaseHandshake(socket: Socket): void {
  if (socket.writableCorked > 0) socket.uncork();
}

function releaseAll(): void {
  const due = held;
  held = [];
  for (const socket of due) releaseHandshake(socket);
}
