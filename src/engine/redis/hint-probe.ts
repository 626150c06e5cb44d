import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { hintLagSeconds, unheardProbes } from '../../metrics/catalogue.ts';
import type { Hints } from '../hints.ts';

const INTERVAL_MS = 5_000;
/** One may be lost on its way, as any hint may. */
const MAX_UNHEARD = 2;
/** More than enough names to meet every shard of a large cluster. */
const MAX_NAMES = 5_000;

export interface HintProbeOptions {
  readonly hints: Pick<Hints, 'follow' | 'publish'>;
  /** The connections that listen at present. */
  readonly listeners: () => Iterable<Redis>;
  readonly listenerOf: (topic: string) => Redis | undefined;
  /** A connection that is there and hears nothing. */
  readonly onDeaf: (listener: Redis) => void;
}

interface Probe {
  readonly topic: string;
  readonly unfollow: () => void;
  unheard: number;
  publishedAtMs: number;
}

/**
 * Publishes a hint to itself on every connection that listens, and expects to hear it: a subscription can be gone while its
 * connection answers every PING, and then all looks healthy while nothing is delivered.
 */
export class HintProbe {
  readonly #options: HintProbeOptions;
  readonly #probes = new Map<Redis, Probe>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: HintProbeOptions, intervalMs = INTERVAL_MS) {
    this.#options = options;
    this.#timer = setInterval(() => this.#probeAll(), intervalMs).unref();
  }

  /** Whether the hints of this process have come back to it lately. */
  get isHearing(): boolean {
    return [...this.#probes.values()].every(({ unheard }) => unheard < MAX_UNHEARD);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { unfollow } of this.#probes.values()) unfollow();
    this.#probes.clear();
  }

  #probeAll(): void {
    const listeners = new Set(this.#options.listeners());
    for (const [listener, { topic, unfollow }] of this.#probes) {
      if (listeners.has(listener) && this.#options.listenerOf(topic) === listener) continue;
      unfollow();
      this.#probes.delete(listener);
    }
    for (const listener of listeners) this.#probe(listener);
  }

  #probe(listener: Redis): void {
    const probe = this.#probes.get(listener) ?? this.#begin(listener);
    if (!probe) return;
    if (probe.unheard > 0) unheardProbes.value += 1;
    probe.unheard += 1;
    probe.publishedAtMs = performance.now();
    // Nobody would hear of it at once: the first one goes out with the subscription, or at the next turn.
    if (probe.unheard > MAX_UNHEARD && listener.status === 'ready') {
      probe.unheard = 1;
      this.#options.onDeaf(listener);
    }
    this.#options.hints.publish(probe.topic).catch(() => {
      // What does not take it is lost, and not deaf: that is said by others, and may be one shard of many.
      probe.unheard = Math.max(0, probe.unheard - 1);
    });
  }

  #begin(listener: Redis): Probe | undefined {
    const topic = this.#topicAt(listener);
    if (topic === undefined) return undefined;
    const { unfollow } = this.#options.hints.follow(topic, () => {
      if (probe.unheard > 0) hintLagSeconds.observe(performance.now() - probe.publishedAtMs);
      probe.unheard = 0;
    });
    const probe: Probe = { topic, unfollow, unheard: 0, publishedAtMs: 0 };
    this.#probes.set(listener, probe);
    return probe;
  }

  /** In a cluster the name decides where a topic is heard, so one is looked for that is heard here. */
  #topicAt(listener: Redis): string | undefined {
    for (let tries = 0; tries < MAX_NAMES; tries += 1) {
      const topic = `probe:${randomBytes(8).toString('hex')}`;
      if (this.#options.listenerOf(topic) === listener) return topic;
    }
    return undefined;
  }
}
