import { serveCalls } from '../system/calls.ts';
import { monotonicMs, pause, until } from '../system/clock.ts';
import type { Dial } from './dial.ts';
import { LiveSocket, type SocketOwner } from './live-socket.ts';
import { type Casts, Sightings } from './sightings.ts';

/** A process full of subscribers. */

/** Handshakes at a time; the kernel's queue of a listening socket takes 511. */
const HANDSHAKES = 200;
const OPEN_PATIENCE_MS = 60_000;
/** A server that was killed is called again after this long, and a random part of it. */
const COME_BACK_MS = 100;

/**
 * While they are watched, subscribers look for frames this often instead of being woken by each. On
 * one machine the sender pays for waking a receiver that sleeps, and the slower the sender, the
 * more often it finds one asleep; over a network no server pays that. Latencies are longer by up to
 * this much, for all contenders.
 */
const NAP_MS = 1;
const pillow = new Int32Array(new SharedArrayBuffer(4));

const sockets = new Set<LiveSocket>();
const sightings = new Sightings();
let dial: Dial | undefined;
let localAddress = '127.0.0.1';
let comesBack = false;
let leaving = false;
let watching = false;
let wanted = 0;
let handshakes = 0;
let open = 0;
let frames = 0;
let closed = 0;
const seen = new WeakMap<LiveSocket, number>();

const owner: SocketOwner = {
  opened() {
    handshakes -= 1;
    open += 1;
    openMore();
  },
  updated(socket, version, nowMs) {
    frames += 1;
    if (!watching) return;
    sightings.add(socket.version, version, nowMs);
    seen.set(socket, (seen.get(socket) ?? 0) + 1);
  },
  closed(socket) {
    if (!sockets.delete(socket) || leaving) return;
    if (socket.isOpen) {
      open -= 1;
      closed += 1;
    } else handshakes -= 1;
    if (comesBack) setTimeout(openMore, COME_BACK_MS * (0.5 + Math.random() / 2));
    else wanted -= 1;
  },
};

function openMore(): void {
  while (dial && handshakes < HANDSHAKES && sockets.size < wanted) {
    handshakes += 1;
    sockets.add(new LiveSocket(dial, localAddress, owner));
  }
}

/** The kernel meets no sleeper in epoll: this thread sleeps elsewhere. */
function napAndLook(): void {
  if (!watching) return;
  Atomics.wait(pillow, 0, 0, NAP_MS);
  setImmediate(napAndLook);
}

const calls = {
  async open(order: { dial: Dial; count: number; localAddress: string; comesBack: boolean }) {
    const startMs = monotonicMs();
    ({ dial, localAddress, comesBack } = order);
    wanted = sockets.size + order.count;
    openMore();
    const whole = await until(() => open >= wanted, OPEN_PATIENCE_MS, 2);
    if (!whole) throw new Error(`only ${open} of ${wanted} connections opened`);
    return { startMs, endMs: monotonicMs() };
  },
  tally() {
    return { open, frames, closed };
  },
  /** How many hold this version or a newer one, and since when the last of them does. */
  standing({ version }: { version: number }) {
    let reached = 0;
    let lastMs = 0;
    for (const socket of sockets) {
      if (socket.version < version) continue;
      reached += 1;
      lastMs = Math.max(lastMs, socket.versionAtMs);
    }
    return { reached, lastMs };
  },
  watch({ on }: { on: boolean }) {
    const begins = on && !watching;
    watching = on;
    if (!on) return;
    if (begins) napAndLook();
    sightings.clear();
    for (const socket of sockets) seen.set(socket, 0);
  },
  collect(casts: Casts) {
    return {
      latencies: sightings.latencies(casts),
      staleness: sightings.staleness(casts),
      passes: sightings.passes(),
      framesEach: Uint32Array.from(sockets, socket => seen.get(socket) ?? 0),
    };
  },
  async leave() {
    leaving = true;
    for (const socket of sockets) socket.close();
    await pause(100);
  },
};

export type SubscriberCalls = typeof calls;
serveCalls(calls);
