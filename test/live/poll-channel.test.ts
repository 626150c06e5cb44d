import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PollChannel } from '../../src/live/poll-channel.ts';
import type { SubscriptionOptions } from '../../src/live/subscription.ts';
import { KeyRejected, PollNotFound, PollRemoved } from '../../src/protocol/close-event.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { KEYS, OnePoll, POLL_ID, readingOf } from '../support/one-poll.ts';
import { ConnectionStub, subscriptionOptions } from './connection-stub.ts';

const VIEW_KEY = { hash: KEYS.viewKeyHash, carrier: 'query' } as const;

describe('a watched poll', () => {
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
      isOperatorKey: () => false,
      showKeys: { findKey: async () => undefined, followKey: () => () => {} },
      onError: (error, place) => faults.push([place, String(error)]),
    });
  });
  afterEach(() => {
    poll.close();
    vi.useRealTimers();
  });

  /** @returns who came once the poll is followed and read */
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

  it('is followed before it is read, so that nothing falls in between', async () => {
    const connection = new ConnectionStub();
    poll.subscribe(subscriptionOptions(), connection);
    await vi.advanceTimersByTimeAsync(500);
    expect(engine.reads).toBe(0);
    one.vote();
    follow();
    await vi.advanceTimersByTimeAsync(500);
    expect(connection.messages).toMatchObject([{ total_votes: 1 }]);
  });

  it('shows everybody what the reading for a newcomer found, though the hint about it was lost', async () => {
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

  it('shows the first to come what changed in the middle of the reading', async () => {
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

  it('hands one and the same frame to all, and none to one who has it', async () => {
    const [first, second] = [await join(), await join()];
    one.vote();
    await wake();
    await wake();
    expect(first.frames).toHaveLength(2);
    expect(second.frames[1]).toBe(first.frames[1]);
    expect(second.frames[1]?.websocket).toBe(first.frames[1]?.websocket);
  });

  it('passes over a reading that was begun before one that is known', async () => {
    const connection = await join();
    engine.held = [];
    poll.requestRefresh();
    const late = join();
    await vi.advanceTimersByTimeAsync(0);
    const [older, newer] = engine.held as [() => void, () => void];
    one.vote();
    engine.held = undefined;
    await join();
    older();
    newer();
    await late;
    await wake();
    const versions = connection.messages.map(({ version }) => version);
    expect(versions).toEqual([1, 2]);
  });

  it('is not stale for the failure of a reading that was begun before one that succeeded', async () => {
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

  it('says stale once, and the results again when they can be read', async () => {
    const connection = await join();
    engine.lost = true;
    await wake();
    await wake();
    engine.lost = false;
    await wake();
    expect(types(connection)).toEqual(['results', 'stale', 'results']);
  });

  it('resets whoever saw what the engine lost, and nobody else', async () => {
    const watching = await join();
    one.set({ version: 40, votes: [39, 0] });
    await wake();
    one.set({ version: 12, votes: [11, 0] });
    await wake();
    const newcomer = await join();
    expect(watching.messages.at(-1)).toMatchObject({ version: 12, total_votes: 11, reset: true });
    expect(newcomer.messages).toMatchObject([{ version: 12, total_votes: 11 }]);
    expect(newcomer.messages[0]).not.toHaveProperty('reset');
    one.vote();
    await wake();
    expect(watching.messages.at(-1)).not.toHaveProperty('reset');
  });

  it.each([
    ['votes', { votes: [19, 20] }],
    ['voters', { totalVoters: 30 }],
    ['status', { status: 'closed' }],
    ['deadline', { deadlineMs: 2_000_000_000_000 }],
    ['visibility', { resultsVisibility: 'after_deadline', deadlineMs: 1 }],
  ] as const)(
    'resets, found by a sweep, where a lost version came back with another %s',
    async (_, changes) => {
      one.set({ version: 40, votes: [20, 19], totalVoters: 39 });
      const watching = await join();
      one.set(changes);
      const [revision] = await engine.engine.polls.findRevisions([POLL_ID]);
      poll.sweep(revision);
      await vi.advanceTimersByTimeAsync(500);
      expect(watching.messages).toMatchObject([{ version: 40 }, { version: 40, reset: true }]);
      const [before, after] = watching.messages;
      expect(after?.position).not.toBe(before?.position);
    },
  );

  it('reads again where a sweep cannot tell the votes', async () => {
    one.set({ version: 40, votes: [20, 19], totalVoters: 39 });
    const watching = await join();
    one.set({ votes: [19, 20] });
    const [{ votes: _, ...revision } = readingOf({}).results] = [one.reading?.results];
    poll.sweep(revision);
    await vi.advanceTimersByTimeAsync(500);
    expect(watching.messages.at(-1)).toMatchObject({ version: 40, reset: true });
  });

  it('does not reset where the version is higher than before', async () => {
    one.set({ version: 21, votes: [12, 8], totalVoters: 20 });
    const watching = await join();
    one.set({ version: 26, votes: [5, 20], totalVoters: 25 });
    await wake();
    expect(watching.messages.at(-1)).toMatchObject({ version: 26, total_votes: 25 });
    expect(watching.messages.at(-1)).not.toHaveProperty('reset');
  });

  it('answers a bare version with full results, and never with current', async () => {
    one.set({ version: 12 });
    for (const [version, reset] of [
      [11, undefined],
      [12, undefined],
      [13, true],
    ] as const) {
      const returning = await join({ since: { version, position: undefined } });
      expect(returning.messages).toMatchObject([{ type: 'results', version: 12, success: 1 }]);
      expect(returning.messages[0]?.reset).toBe(reset);
    }
  });

  it('answers a position with current where it is equal, and with reset where its version has another one', async () => {
    one.set({ version: 12 });
    const first = await join();
    const position = String(first.messages[0]?.position);
    const same = await join({ since: { version: 12, position } });
    expect(same.messages).toEqual([{ type: 'current', id: POLL_ID, version: 12, position }]);
    const other = await join({ since: { version: 12, position: '12-other' } });
    expect(other.messages).toMatchObject([{ type: 'results', position, reset: true }]);
  });

  it('resets whoever came back with a lost version while the engine was away', async () => {
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

  it('says nothing to an outsider while hidden results change, and everything when they are revealed', async () => {
    one.set({ resultsVisibility: 'hidden' });
    const outsider = await join();
    const curious = await join({ since: { version: 1, position: undefined } });
    const insider = await join({ key: VIEW_KEY });
    for (let ballot = 0; ballot < 5; ballot += 1) {
      one.vote();
      await wake();
    }
    expect([types(outsider), types(curious)]).toEqual([['hidden'], ['hidden']]);
    expect(insider.frames).toHaveLength(6);
    one.set({ resultsVisibility: 'always', version: 7 });
    await wake();
    expect(outsider.messages.at(-1)).toMatchObject({ type: 'results', total_votes: 5 });
    expect(outsider.frames.at(-1)).toBe(insider.frames.at(-1));
  });

  it('ends whoever’s key is rotated away, and nobody without one', async () => {
    one.set({ resultsVisibility: 'hidden' });
    const [insider, outsider] = [await join({ key: VIEW_KEY }), await join()];
    one.set({ version: 2 }, { viewKeyHash: 'f'.repeat(64) });
    await wake();
    expect([insider.ended, outsider.ended]).toEqual([KeyRejected, undefined]);
    one.vote();
    await wake();
    expect(insider.frames).toHaveLength(1);
  });

  it('ends everybody when it is gone, and whoever asks for what never was', async () => {
    const connection = await join();
    one.reading = undefined;
    await wake();
    expect(connection.ended).toBe(PollRemoved);
    expect((await join()).ended).toBe(PollNotFound);
    expect(poll.isEmpty).toBe(true);
  });

  it('keeps who left out of it, even while it was still joining', async () => {
    const connection = new ConnectionStub();
    const subscription = poll.subscribe(subscriptionOptions(), connection);
    follow();
    subscription.leave();
    await wake();
    expect(connection.frames).toEqual([]);
    expect(poll.isEmpty).toBe(true);
  });

  it('wakes at the deadline, and costs no timer before the last seconds', async () => {
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

  it('notices in a sweep that a deadline has passed though no timer saw it', async () => {
    one.set({ deadlineMs: 1_060_000, readAtMs: 1_000_000 });
    const connection = await join();
    one.set({ status: 'closed', version: 2, readAtMs: 1_060_000 });
    poll.sweep({ ...one.reading!.results, readAtMs: 1_061_000 });
    await vi.advanceTimersByTimeAsync(500);
    expect(connection.messages.at(-1)).toMatchObject({ version: 2, final: true });
  });

  it('keeps the last picture where a fault of its own is in the way, reports it, and goes on', async () => {
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

  it('does not report an engine that is lost', async () => {
    const connection = await join();
    engine.lost = true;
    await wake();
    expect([types(connection), faults]).toEqual([['results', 'stale'], []]);
  });
});
