import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Traffic, traffic } from '../metrics/catalogue.ts';
import { type BatchWriter, NO_SLOT } from './connection.ts';

/** @returns number of bytes that the kernel took; negative if none */
export type Send = (descriptor: number, bytes: Uint8Array, length: number, flags: number) => number;

const TRIAL_TIMEOUT_MS = 2_000;

/**
 * Writes past the streams of sockets, to one or to thousands in a loop. Writes nothing until
 * `enable` has succeeded.
 */
export class DirectWriter {
  readonly #onDisable: (reason: string) => void;
  #send: Send | undefined;
  /**
   * Descriptors by slot. 0 before the first frame, while bytes wait in the stream, and once the
   * socket has closed. A slot is reused only after its connection has left every rate group.
   */
  #descriptors = new Int32Array(1_024);
  readonly #freeSlots: number[] = [];
  #newestSlot = NO_SLOT;
  readonly #batchWriters = new Map(
    Object.values(traffic).map(counts => [counts, this.#batchWriterOf(counts)] as const),
  );

  constructor(onDisable: (reason: string) => void) {
    this.#onDisable = onDisable;
  }

  /**
   * Enables writes through `send()` of libc if `koffi` has a binary for this system, else through
   * `fs.writeSync`. Never rejects.
   */
  async enable(load = loadSend): Promise<void> {
    this.#send = await load().catch(() => writeAsFile);
    await this.#tryOnce().catch(error => this.#disable(String(error)));
  }

  openSlot(): number {
    const slot = this.#freeSlots.pop() ?? ++this.#newestSlot;
    if (slot === this.#descriptors.length) {
      const larger = new Int32Array(2 * slot);
      larger.set(this.#descriptors);
      this.#descriptors = larger;
    }
    return slot;
  }

  closeSlot(slot: number): void {
    this.#freeSlots.push(slot);
  }

  isAttached(slot: number): boolean {
    return this.#descriptors[slot] !== 0;
  }

  /** Lets writes reach the socket, unless direct writes are off. MUST NOT be called while bytes wait in its stream. */
  attach(slot: number, socket: Socket): void {
    const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly fd?: unknown } | null };
    if (this.#send && typeof handle?.fd === 'number' && handle.fd > 0) this.#descriptors[slot] = handle.fd;
  }

  /**
   * Call it before bytes are written to the stream, and before the socket is closed: another may
   * get the same descriptor.
   */
  detach(slot: number): void {
    this.#descriptors[slot] = 0;
  }

  /**
   * @returns number of bytes that the kernel took. Write the rest to the stream, which also handles
   *   a broken connection
   */
  write(slot: number, bytes: Uint8Array): number {
    const send = this.#send;
    const descriptor = this.#descriptors[slot] as number;
    if (!send || descriptor === 0) return 0;
    try {
      const taken = send(descriptor, bytes, bytes.length, 0);
      if (taken <= bytes.length) return Math.max(0, taken);
      this.#disable(`send() returned ${taken} for ${bytes.length} bytes`);
      return bytes.length;
    } catch (error) {
      this.#disable(String(error));
      return 0;
    }
  }

  /** Returns the same writer for all connections of these counts. */
  batchWriter(counts: Traffic): BatchWriter | undefined {
    return this.#batchWriters.get(counts);
  }

  /** Returns a writer that reads only descriptors: thousands of connections do not fit into CPU caches. */
  #batchWriterOf({ frames, bytes: sent }: Traffic): BatchWriter {
    return (frame, slots, start, end, onShort) => {
      const { websocket: bytes, isPublic } = frame;
      let whole = 0;
      for (let index = start; index < end; index += 1) {
        const taken = this.write(slots[index] as number, bytes);
        if (taken === bytes.length) whole += 1;
        else onShort(index, taken);
      }
      frames.value += whole;
      if (isPublic) sent.value += whole * bytes.length;
    };
  }

  #disable(reason: string): void {
    if (this.#send) this.#onDisable(reason);
    this.#send = undefined;
  }

  /** `_handle.fd` is private to Node, so a write to a socket of this process must arrive first. */
  async #tryOnce(): Promise<void> {
    const bytes = Buffer.from('Is this the right socket?');
    const slot = this.openSlot();
    const server = createServer(near => {
      near.on('error', () => {}).resume();
      this.attach(slot, near);
      this.write(slot, bytes);
    });
    const signal = AbortSignal.timeout(TRIAL_TIMEOUT_MS);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      const [received] = (await once(far, 'data', { signal })) as [Buffer];
      if (!received.equals(bytes)) throw new Error('other bytes arrived than were written');
    } finally {
      this.detach(slot);
      this.closeSlot(slot);
      far.destroy();
      server.close();
    }
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
