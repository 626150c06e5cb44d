import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BatchWriter, NO_SLOT, SLICE } from '../../src/live/connection.ts';
import { PollChannel } from '../../src/live/hub.ts';
import type { SubscriptionOptions } from '../../src/live/subscription.ts';
import { PollRemoved } from '../../src/protocol/close-event.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { OnePoll, POLL_ID, readingOf } from '../support/one-poll.ts';
import { ConnectionStub, subscriptionOptions } from './connection-stub.ts';

describe('a poll channel', () => {
  let one: OnePoll;
  let engine: EngineDouble;
  let poll: PollChannel;
  let follow: () => void;
  let faults: [place: string, error: string][];
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    vi.advanceTimersByTime(10_000);
    one = new OnePoll();
    engine = new EngineDouble(one.engine);
    const { polls } = engine.engine;
    faults = [];
    poll = new PollChannel({
      id: POLL_ID,
      ready: new Promise(resolve => {
        follow = resolve;
      }),
      read: id => polls.find(id),
      isDeleted: async () => one.isDeleted,
      isOperatorKey: () => false,
      shows: undefined,
      onError: (error, place) => faults.push([place, String(error)]),
    });
  });
  afterEach(() => {
    poll.close();
    vi.useRealTimers();
  });

  /** @returns the connection once the poll is followed and read */
  const join = async (wishes: Partial<SubscriptionOptions> = {}) => {
    const connection = new ConnectionStub();
    poll.subscribe(subscriptionOptions(wishes), connection);
    follow();
    await vi.advanceTimersByTimeAsync(500);
    return connection;
  };
  const wake = async () => {
    poll.requestRefresh();
    await vi.advanceTimersByTimeAsync(500);
  };
  const types = (connection: ConnectionStub) => connection.messages.map(({ type }) => type);

  it('is followed before it is read, so that no change is missed', async () => {
    const connection = new ConnectionStub();
    poll.subscribe(subscriptionOptions(), connection);
    await vi.advanceTimersByTimeAsync(500);
    expect(engine.reads).toBe(0);
    one.vote();
    follow();
    await vi.advanceTimersByTimeAsync(500);
    expect(connection.messages).toMatchObject([{ total_votes: 1 }]);
  });

  it('sends all subscribers what a read for a new one found, although the hint was lost', async () => {
    const first = await join({ hz: 20 });
    one.vote();
    await join({ hz: 1 });
    expect(first.messages.at(-1)).toMatchObject({ total_votes: 1 });
    engine.lost = true;
    await wake();
    expect(first.messages.at(-1)).toMatchObject({ type: 'stale' });
    engine.lost = false;
    await join({ hz: 1 });
    expect(first.messages.at(-1)).toMatchObject({ type: 'results', total_votes: 1 });
  });

  it('sends the first subscriber a change during its read', async () => {
    engine.held = [];
    const joining = join();
    await vi.advanceTimersByTimeAsync(10);
    one.vote();
    poll.requestRefresh();
    for (const answer of engine.held.splice(0)) answer();
    engine.held = undefined;
    const first = await joining;
    await vi.advanceTimersByTimeAsync(500);
    expect(first.messages.at(-1)).toMatchObject({ total_votes: 1 });
  });

  it('ignores a read that began before the newest one', async () => {
    const connection = await join();
    engine.held = [];
    poll.requestRefresh();
    await vi.advanceTimersByTimeAsync(0);
    one.vote();
    const joining = join();
    await vi.advanceTimersByTimeAsync(0);
    const [older, newer] = engine.held as [() => void, () => void];
    engine.held = undefined;
    newer();
    await vi.advanceTimersByTimeAsync(0);
    older();
    const joined = await joining;
    await wake();
    expect(connection.messages.map(({ version }) => version)).toEqual([1, 2]);
    expect(joined.messages.map(({ version }) => version)).toEqual([2]);
  });

  it('is not stale if a read fails that began before one that succeeded', async () => {
    const connection = await join();
    engine.held = [];
    engine.lost = true;
    poll.requestRefresh();
    await vi.advanceTimersByTimeAsync(0);
    const [failing] = engine.held as [() => void];
    engine.lost = false;
    engine.held = undefined;
    await join();
    failing();
    await wake();
    expect(types(connection)).toEqual(['results']);
  });

  it.each([
    ['votes', { votes: [19, 20] }],
    ['voters', { totalVoters: 30 }],
    ['status', { status: 'closed' }],
    ['deadline', { deadlineMs: 2_000_000_000_000 }],
    ['visibility', { resultsVisibility: 'after_deadline', deadlineMs: 1 }],
  ] as const)('resets by a sweep if a lost version came back with another %s', async (_, changes) => {
    one.set({ version: 40, votes: [20, 19], totalVoters: 39 });
    const watching = await join();
    one.set(changes);
    const [revision] = await engine.engine.polls.findRevisions([POLL_ID]);
    poll.sweep(revision);
    await vi.advanceTimersByTimeAsync(500);
    expect(watching.messages).toMatchObject([{ version: 40 }, { version: 40, reset: true }]);
    const [before, after] = watching.messages;
    expect(after?.position).not.toBe(before?.position);
  });

  it('reads again if a sweep has no votes', async () => {
    one.set({ version: 40, votes: [20, 19], totalVoters: 39 });
    const watching = await join();
    one.set({ votes: [19, 20] });
    const [{ votes: _, ...revision } = readingOf({}).results] = [one.reading?.results];
    poll.sweep(revision);
    await vi.advanceTimersByTimeAsync(500);
    expect(watching.messages.at(-1)).toMatchObject({ version: 40, reset: true });
  });

  it('does not reset if the version is higher than before', async () => {
    one.set({ version: 21, votes: [12, 8], totalVoters: 20 });
    const watching = await join();
    one.set({ version: 26, votes: [5, 20], totalVoters: 25 });
    await wake();
    expect(watching.messages.at(-1)).toMatchObject({ version: 26, total_votes: 25 });
    expect(watching.messages.at(-1)).not.toHaveProperty('reset');
  });

  it('resets a client that reconnected with a lost version while the engine was unavailable', async () => {
    engine.lost = true;
    const returning = await join({ since: { version: 40, position: '40-x' } });
    engine.lost = false;
    one.set({ version: 12 });
    await wake();
    expect(returning.messages).toMatchObject([
      { type: 'stale' },
      { type: 'results', version: 12, reset: true },
    ]);
  });

  it('sends each message once to a crowd whose keys are checked again between two slices', async () => {
    const crowd: ConnectionStub[] = [];
    let slices = 0;
    const writer: BatchWriter = (frame, slots, start, end) => {
      slices += 1;
      for (const slot of slots.subarray(start, end)) if (slot !== NO_SLOT) crowd[slot - 1]!.write(frame);
      if (one.reading?.results.version === 3) queueMicrotask(() => poll.reauthorize());
    };
    class Batched extends ConnectionStub {
      readonly #slot = crowd.push(this);
      override get slot() {
        return this.#slot;
      }
      override get batchWriter() {
        return writer;
      }
    }
    for (let count = 0; count <= SLICE; count += 1) poll.subscribe(subscriptionOptions(), new Batched());
    follow();
    await vi.advanceTimersByTimeAsync(500);
    for (const votes of [1, 2, 3]) {
      one.vote();
      await wake();
      for (const { messages } of crowd) expect(messages).toHaveLength(1 + votes);
    }
    expect(slices).toBeGreaterThan(2);
    for (const { messages } of crowd) expect(messages.map(({ version }) => version)).toEqual([1, 2, 3, 4]);
  });

  it('is stale while the engine has lost the poll, and ends when the poll was deleted', async () => {
    const connection = await join();
    const { reading } = one;
    [one.reading, one.isDeleted] = [undefined, false];
    await wake();
    expect(types(connection)).toEqual(['results', 'stale']);
    one.reading = reading;
    await wake();
    expect(types(connection)).toEqual(['results', 'stale', 'results']);
    [one.reading, one.isDeleted] = [undefined, true];
    await wake();
    expect(connection.ended).toBe(PollRemoved);
  });

  it('sends nothing to a subscription that leaves before its first message', async () => {
    const connection = new ConnectionStub();
    const subscription = poll.subscribe(subscriptionOptions(), connection);
    follow();
    subscription.leave();
    await wake();
    expect(connection.frames).toEqual([]);
    expect(poll.isEmpty).toBe(true);
  });

  it('reads at the deadline, and has no timer before its last seconds', async () => {
    const readAtMs = 1_000_000;
    one.set({ deadlineMs: readAtMs + 60_000, readAtMs });
    const connection = await join();
    expect(vi.getTimerCount()).toBe(0);
    const held = one.reading!.results;
    poll.sweep({ ...held, readAtMs: readAtMs + 57_000 });
    expect(vi.getTimerCount()).toBe(1);
    one.set({ status: 'closed', version: 2, readAtMs: readAtMs + 60_000 });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(connection.frames).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(3);
    expect(connection.messages.at(-1)).toMatchObject({ version: 2, final: true });
  });

  it('notices by a sweep that a deadline has passed', async () => {
    one.set({ deadlineMs: 1_060_000, readAtMs: 1_000_000 });
    const connection = await join();
    one.set({ status: 'closed', version: 2, readAtMs: 1_060_000 });
    poll.sweep({ ...one.reading!.results, readAtMs: 1_061_000 });
    await vi.advanceTimersByTimeAsync(500);
    expect(connection.messages.at(-1)).toMatchObject({ version: 2, final: true });
  });

  it('keeps the last results after an internal error, reports it, and continues', async () => {
    const [whole, blocked] = [await join(), await join()];
    const sound = one.reading!;
    one.reading = { ...sound, results: undefined as never };
    await wake();
    expect([types(whole), types(blocked)]).toEqual([['results'], ['results']]);
    expect(faults[0]).toEqual(['hub.refresh', expect.stringContaining('TypeError')]);
    one.reading = sound;
    one.vote();
    const fault = vi.spyOn(blocked, 'sendResults').mockImplementation(() => {
      throw new RangeError('a fault in a delivery');
    });
    await wake();
    expect(types(whole)).toEqual(['results', 'results']);
    expect(faults.at(-1)).toEqual(['hub.delivery', 'RangeError: a fault in a delivery']);
    fault.mockRestore();
    one.vote();
    await wake();
    for (const connection of [whole, blocked])
      expect(connection.messages.at(-1)).toMatchObject({ type: 'results', total_votes: 2 });
  });
});
