import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { PollEventData, ProgramEvent } from '../../src/events/poll-event.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import { nextRound } from '../contract/engine/again-claims.ts';
import { ask, expectError, send } from '../support/api-request.ts';
import { EventClient } from '../support/event-client.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const HEADERS = { 'x-api-key': OPERATOR_KEY };

interface Listener {
  readonly events: ProgramEvent[];
  readonly lastId: string;
  stop(): void;
}

async function listen(url: string, headers: Record<string, string> = {}): Promise<Listener> {
  const client = await EventClient.open(`${url}/api/events`, { ...HEADERS, ...headers });
  onTestFinished(() => client.close());
  const listener: Listener = {
    get events() {
      const messages = client.events.map(({ message }) => message as unknown as ProgramEvent);
      return messages.filter(({ data }) => data !== undefined);
    },
    get lastId() {
      return [...client.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
    },
    stop: () => client.close(),
  };
  await until(() => listener.lastId !== '', 'the stream to begin');
  return listener;
}

const typesOf = ({ events }: Listener, id: string) =>
  events.filter(({ data }) => 'id' in data && data.id === id).map(({ type }) => type);

describe('events for programs', () => {
  let relay: TestRelay;
  let other: TestRelay;
  let listener: Listener;
  beforeAll(async () => {
    relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
    other = await startTestRelay({ operatorKeys: [OPERATOR_KEY], engine: relay.engine });
  });
  beforeEach(async () => {
    listener = await listen(other.url);
  });
  afterAll(async () => {
    await other.close();
    await relay.close();
  });
  const change = (id: string, poll: object) =>
    send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll }, OPERATOR_KEY);

  it('need an operator’s key', async () => {
    expectError(await ask(`${relay.url}/api/events`), 401, 'api_key_required');
    const { admin_key } = await relay.create();
    const headers = { 'x-api-key': admin_key };
    expectError(await ask(`${relay.url}/api/events`, { headers }), 403, 'api_key_rejected');
  });

  it('tell the life of a poll in order, each once, with the final results', async () => {
    const { id } = await relay.create({ status: 'upcoming', results_visibility: 'hidden' });
    await change(id, { status: 'open' });
    await relay.cast(id, 1, 3);
    await change(id, { status: 'closed' });
    await change(id, { results_visibility: 'always' });
    await change(id, { results_visibility: 'hidden' });
    await change(id, { status: 'open', title: 'Which song then?' });
    await change(id, { closes_in: 600 });
    await change(id, { status: 'closed' });
    await ask(`${relay.url}/api/poll/${id}`, { method: 'DELETE', headers: HEADERS });
    await until(() => typesOf(listener, id).includes('poll.deleted'), 'the last event');
    expect(typesOf(listener, id)).toEqual([
      'poll.created',
      'poll.opened',
      'poll.closed',
      'poll.revealed',
      'poll.hidden',
      'poll.opened',
      'poll.updated',
      'poll.updated',
      'poll.closed',
      'poll.deleted',
    ]);
    const mine = listener.events.filter(({ data }) => 'id' in data && data.id === id);
    expect(new Set(mine.map(event => event.id)).size).toBe(mine.length);
    expect(mine.map(event => event.id).join()).toMatch(/^[\w,-]+$/);
    expect(mine[2]).toMatchObject({
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { status: 'closed', results: { total_votes: 3, total_voters: 3, status: 'closed' } },
    });
    expect(mine[0]!.data).toMatchObject({ title: 'Which song next?', status: 'upcoming', show: null });
    expect(mine[1]!.data).not.toHaveProperty('results');
  });

  it('tell a deadline that passes while no client asks, once, and a reveal by hand after it at its own time', async () => {
    const { id } = await relay.create({ closes_in: 600, results_visibility: 'after_deadline' });
    const hidden = await relay.create({ closes_in: 600, results_visibility: 'hidden' });
    await relay.cast(id, 0, 2);
    for (const poll of [id, hidden.id]) await change(poll, { closes_in: 5 });
    const eventOf = (poll: string, wanted: string) =>
      listener.events.find(({ type, data }) => type === wanted && 'id' in data && data.id === poll)!;
    await until(() => typesOf(listener, id).includes('poll.revealed'), 'the deadline');
    await until(() => typesOf(listener, hidden.id).includes('poll.closed'), 'the other deadline');
    await change(hidden.id, { results_visibility: 'always' });
    await until(() => typesOf(listener, hidden.id).includes('poll.revealed'), 'the reveal');

    // On a busy machine the new deadline may be told with its end.
    const types = typesOf(listener, id).filter(type => type !== 'poll.updated');
    expect(types).toEqual(['poll.created', 'poll.closed', 'poll.revealed']);
    const closed = eventOf(id, 'poll.closed');
    expect(closed.data).toMatchObject({ results: { total_voters: 2, status: 'closed' } });
    const deadline = (closed.data as { deadline: string }).deadline;
    expect([closed.timestamp, eventOf(id, 'poll.revealed').timestamp]).toEqual([deadline, deadline]);
    const [first, second] = ['poll.closed', 'poll.revealed'].map(type => eventOf(hidden.id, type)) as [
      ProgramEvent,
      ProgramEvent,
    ];
    expect(first.timestamp).toBe((first.data as { deadline: string }).deadline);
    expect(Date.parse(second.timestamp)).toBeGreaterThan(Date.parse(first.timestamp));
  });

  describe('tell the next round', () => {
    const again = (id: string, poll: object = {}) =>
      send(`${relay.url}/api/poll/${id}/again`, 'POST', { poll }, OPERATOR_KEY);
    const told = (id: string) =>
      listener.events
        .filter(({ data }) => 'id' in data && data.id === id)
        .map(({ type, data }) => {
          const { status, round, results, ended } = data as PollEventData;
          const votes = (of: ResultsBody | undefined) => of?.total_votes ?? null;
          return [type, status, round ?? 1, votes(results), ended && [ended.round, votes(ended.results)]];
        });

    it('after the end of the one before, with its results', async () => {
      const { id } = await relay.create();
      await relay.cast(id, 1, 3);
      await again(id);
      await relay.cast(id, 0, 2);
      await change(id, { status: 'closed' });
      await again(id, { status: 'upcoming', title: 'Which song then?' });
      await until(() => typesOf(listener, id).length === 6, 'the events of three rounds');
      expect(told(id)).toEqual([
        ['poll.created', 'open', 1, null, undefined],
        ['poll.closed', 'closed', 1, 3, undefined],
        ['poll.again', 'open', 2, null, [1, 3]],
        ['poll.opened', 'open', 2, null, undefined],
        ['poll.closed', 'closed', 2, 2, undefined],
        ['poll.again', 'upcoming', 3, null, [2, 2]],
      ]);
    });

    it('without the results of a round that is hidden, and with those of one that was public until then', async () => {
      const hidden = await relay.create({ results_visibility: 'hidden' });
      const shown = await relay.create();
      for (const { id } of [hidden, shown]) await relay.cast(id, 1, 3);
      await again(hidden.id);
      await again(shown.id, { results_visibility: 'hidden' });
      await until(() => typesOf(listener, shown.id).includes('poll.hidden'), 'the events of both');
      const endedOf = (id: string) =>
        told(id).flatMap(([type, , , , ended]) => (type === 'poll.again' ? [ended] : []));
      expect([endedOf(hidden.id), endedOf(shown.id)]).toEqual([[[1, null]], [[1, 3]]]);
    });

    it('with the close and the reveal that came before it, also if they are told late, and each round in between', async () => {
      const { id } = await relay.create({ results_visibility: 'hidden' });
      await relay.cast(id, 1, 3);
      // By a process that dies before it tells.
      const { polls } = relay.engine;
      await polls.change(id, { closed: true });
      await polls.change(id, { resultsVisibility: 'always' });
      for (const votes of [1, 2]) {
        await polls.again(id, nextRound((await polls.find(id))!));
        await relay.cast(id, 0, votes);
      }
      await change(id, { status: 'closed' });
      await until(() => typesOf(listener, id).length === 8, 'the events of three rounds');
      expect(told(id)).toEqual([
        ['poll.created', 'open', 1, null, undefined],
        ['poll.closed', 'closed', 1, 3, undefined],
        ['poll.revealed', 'closed', 1, 3, undefined],
        ['poll.again', 'closed', 2, null, [1, 3]],
        ['poll.closed', 'closed', 2, 1, undefined],
        ['poll.again', 'open', 3, null, [2, 1]],
        ['poll.opened', 'open', 3, null, undefined],
        ['poll.closed', 'closed', 3, 2, undefined],
      ]);
    });
  });

  it('leave large results out, so that a poll cannot fill the log', async () => {
    const answers = Array.from({ length: 50 }, (_, index) => `${index} ${'x'.repeat(100)}`);
    const { id } = await relay.create({ answers });
    await change(id, { status: 'closed' });
    await until(() => typesOf(listener, id).includes('poll.closed'), 'the close');
    const mine = listener.events.filter(({ data }) => 'id' in data && data.id === id);
    expect(JSON.stringify(mine.at(-1)).length).toBeLessThan(1_000);
  });

  it('tell each change of a show', async () => {
    const show = await takeShow(relay);
    const { id } = await relay.create();
    await show.patch({ rundown: [id] });
    await show.press('next');
    await send(`${relay.url}/api/show/${show.name}`, 'DELETE', {}, show.key);
    const mine = () => listener.events.filter(({ data }) => 'name' in data && data.name === show.name);
    await until(() => mine().length === 4, 'the events of the show');
    expect(mine().every(({ type }) => type === 'show.changed')).toBe(true);
    expect(mine()[2]!.data).toMatchObject({ on_air: id, rundown: [id] });
    expect(mine()[3]!.data).toEqual({ name: show.name, show_id: expect.any(String) });
  });

  it('continue after the last event that the client has, at any relay', async () => {
    const first = await relay.create();
    await until(() => typesOf(listener, first.id).length === 1, 'the first event');
    listener.stop();
    const missed = await relay.create();
    const again = await listen(relay.url, { 'last-event-id': listener.lastId });
    await until(() => typesOf(again, missed.id).length === 1, 'the missed event');
    expect(typesOf(again, first.id)).toEqual([]);
    const fresh = await listen(relay.url);
    const latest = await relay.create();
    await until(() => typesOf(fresh, latest.id).length === 1, 'the newest event');
    expect(fresh.events.map(({ id }) => id)).toEqual([`evt_${latest.id}_created`]);
  });
});

it('forgets events of more than an hour ago', async () => {
  let nowMs = Date.now();
  const relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY], clock: () => nowMs });
  onTestFinished(() => relay.close());
  const start = await listen(relay.url);
  const { id } = await relay.create();
  await until(() => typesOf(start, id).length === 1, 'the event');
  nowMs += 3_600_001 + 60_000;
  const late = await listen(relay.url, { 'last-event-id': '0' });
  await until(() => late.lastId === start.lastId, 'the stream to be up to date');
  expect(late.events).toEqual([]);
});
