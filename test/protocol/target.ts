import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { ChatPlatform } from '../../src/poll/chat-platform.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import type { RelayOptions } from '../../src/start/relay.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { EventClient } from '../support/event-client.ts';
import { LiveClient } from '../support/live-client.ts';
import {
  type CreatedPoll,
  castBallots,
  createPoll,
  startTestRelay,
  type TestRelay,
} from '../support/test-relay.ts';

/** A relay under test, seen from outside, and the engine below it to cast with, because no API casts a ballot. */
export interface Target {
  readonly url: string;
  readonly engine: Engine;
  /** The suite has started the relay itself. */
  readonly isOwn: boolean;
  /** An operator's, where one is needed to create so many polls. */
  readonly key?: string | undefined;
  /** How every relay that the suite starts is built. */
  readonly options?: Partial<RelayOptions>;
  close(): Promise<void>;
}

/** @param redisUrl the embedded engine without it */
export async function ownTarget(redisUrl?: string, options: Partial<RelayOptions> = {}): Promise<Target> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-'));
  const engine = await openEngine({ redisUrl, dataDir });
  const relay = await startTestRelay({ ...options, engine });
  return {
    url: relay.url,
    engine,
    isOwn: true,
    options,
    async close() {
      await relay.close();
      await engine.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** @param redis a Redis in any form, which ends with the target */
export async function redisTarget(redis: { url: string; stop(): Promise<void> }): Promise<Target> {
  const target = await ownTarget(redis.url);
  return {
    ...target,
    async close() {
      await target.close();
      await redis.stop();
    },
  };
}

export async function foreignTarget(url: string, redisUrl?: string, key?: string): Promise<Target> {
  if (redisUrl === undefined)
    throw new Error('TALLYCAST_URL needs TALLYCAST_REDIS_URL: ballots are cast through its engine.');
  const engine = await openEngine({ redisUrl });
  return { url: url.replace(/\/+$/, ''), engine, isOwn: false, key, close: () => engine.close() };
}

export interface Alone {
  readonly subject: Subject;
  readonly relay: TestRelay;
  readonly faults: EngineDouble;
}

/** The moves that the claims make. */
export class Subject {
  readonly #target: () => Target;
  readonly #open: (LiveClient | EventClient)[] = [];

  constructor(target: () => Target) {
    this.#target = target;
  }

  get url(): string {
    return this.#target().url;
  }

  get engine(): Engine {
    return this.#target().engine;
  }

  /** The suite has started the relay itself, and nothing is on the way to it. */
  get isOwn(): boolean {
    return this.#target().isOwn;
  }

  /**
   * Another relay on the same engine, for this test alone: its engine can be made to fail, and its
   * limits are its own. At an address of somebody else there is none, and the test says that it was
   * skipped and why.
   */
  async alone(context: TestContext, options: Partial<RelayOptions> = {}): Promise<Alone> {
    if (!this.#target().isOwn) context.skip('needs a relay that the suite starts itself');
    const faults = new EngineDouble(this.engine);
    const relay = await startTestRelay({ ...this.#target().options, ...options, engine: faults.engine });
    const subject = new Subject(() => ({ ...this.#target(), url: relay.url }));
    context.onTestFinished(async () => {
      subject.closeAll();
      await relay.close();
    });
    return { subject, relay, faults };
  }

  create(poll: Record<string, unknown> = {}): Promise<CreatedPoll> {
    return createPoll(this.url, poll, this.#target().key);
  }

  cast(id: string, answer = 0, times = 1, source?: ChatPlatform): Promise<void> {
    return castBallots(this.engine, id, answer, times, source);
  }

  /** What a read gives. */
  async read(id: string): Promise<ResultsBody> {
    return (await fetch(`${this.url}/api/poll/${id}`)).json() as Promise<ResultsBody>;
  }

  async live(path: string): Promise<LiveClient> {
    const client = await LiveClient.open(`${this.url.replace(/^http/, 'ws')}${path}`);
    this.#open.push(client);
    return client;
  }

  poll(id: string, query = ''): Promise<LiveClient> {
    return this.live(`/api/poll/${id}/live${query}`);
  }

  events(id: string, query = '', headers: Record<string, string> = {}): Promise<EventClient> {
    return this.eventsAt(`/api/poll/${id}/live${query}`, headers);
  }

  async eventsAt(path: string, headers: Record<string, string> = {}): Promise<EventClient> {
    const client = await EventClient.open(`${this.url}${path}`, headers);
    this.#open.push(client);
    return client;
  }

  closeAll(): void {
    for (const client of this.#open.splice(0)) client.close();
  }
}
