import type { Socket } from 'node:net';

/** Longer than a newcomer waits for its poll to be read (a tick of the hub and the reading), unless the engine is slow or away. */
const HOLD_MS = 100;

/** Those of this moment, and those of the moment before: who came at the end of a moment is held as long as others. */
let held: Socket[] = [];
let due: Socket[] = [];

/**
 * Keeps back the answer to an upgrade until the first frame is written, so that both leave in one write and one packet: the
 * second one would cost as much as the first. A handshake is never held for longer than two moments, whatever becomes of the frame.
 */
export function holdHandshake(socket: Socket): void {
  socket.cork();
  // One timer for all that come within the moment.
  if (held.push(socket) === 1 && due.length === 0) startMoment();
}

export function releaseHandshake(socket: Socket): void {
  if (socket.writableCorked > 0) socket.uncork();
}

function startMoment(): void {
  setTimeout(endMoment, HOLD_MS).unref();
}

function endMoment(): void {
  for (const socket of due) releaseHandshake(socket);
  due = held;
  held = [];
  if (due.length > 0) startMoment();
}
