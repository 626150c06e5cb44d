import { expect, it } from 'vitest';
import { idOfRule } from '../../src/poll/void-rule.ts';
import type { ResultsMessage } from '../../src/protocol/messages.ts';
import { inMessages } from '../support/test-relay.ts';
import { restoreBallots, voidBallots } from '../support/void-ballots.ts';
import { messagesUntil } from './moves.ts';
import type { Subject } from './target.ts';

/** Time enough to create a poll and to connect to it on a busy machine; the claims wait side by side. */
const SOON_MS = 2_500;

export function messageClaims(subject: Subject): void {
  it('P9: results have every member of a read except the definition, all of the same time', async () => {
    const { id } = await subject.create({ answers: ['a', 'b', 'c'] });
    const live = await subject.poll(id);
    await subject.cast(id, 1, 3);
    await subject.cast(id, 2, 2);
    await live.results(5);
    const reply = await fetch(`${subject.url}/api/poll/${id}`);
    const read = inMessages((await reply.json()) as ResultsMessage);
    expect({ ...live.last, timestamp: 0 }).toEqual({ ...read, type: 'results', timestamp: 0 });
    expect(read.poll_answers.map(({ votes }) => votes)).toEqual([0, 3, 2]);
    for (const { total_votes, poll_answers } of live.of('results'))
      expect(poll_answers.reduce((sum, { votes }) => sum + votes, 0)).toBe(total_votes);
  });

  it('P10: only results of a closed poll are final', async () => {
    const { id } = await subject.create();
    const live = await subject.poll(id);
    await live.results(0);
    await subject.engine.polls.change(id, { closed: true });
    await live.message(message => message.type === 'results' && message.final === true, 'the end');
    expect(await messagesUntil(await subject.poll(id), 1)).toMatchObject([{ status: 'closed', final: true }]);
    await subject.engine.polls.change(id, { closed: false });
    await live.message(message => message.type === 'results' && message.version === 3, 'the reopening');
    expect(live.of('results').map(({ status, final }) => [status, final])).toEqual([
      ['open', undefined],
      ['closed', true],
      ['open', undefined],
    ]);
  });

  it('P11: the first results have reset if the client holds a higher version', async () => {
    const { id } = await subject.create();
    for (const since of ['1000', '1000-AbCd']) {
      const ahead = await subject.poll(id, `?since=${since}`);
      await ahead.results(0);
      expect(ahead.last).toMatchObject({ version: 1, reset: true });
    }
    const ahead = await subject.poll(id, '?since=1000-AbCd');
    await ahead.results(0);
    await subject.cast(id);
    await ahead.results(1);
    expect(ahead.last).not.toHaveProperty('reset');
  });

  it('P11: results have reset if the client holds their version with another position', async () => {
    const { id } = await subject.create();
    const held = await subject.read(id);
    const headers = { 'last-event-id': '1-AbCd' };
    const many = await subject.live('/api/live');
    many.send({ type: 'subscribe', id, since: '1-AbCd' });
    const resumed = [await subject.poll(id, '?since=1-AbCd'), many];
    const events = await subject.events(id, '', headers);
    for (const live of resumed) await live.results(0);
    await events.event(({ type }) => type === 'results');
    for (const message of [...resumed.map(({ last }) => last), events.events[0]?.message])
      expect(message).toMatchObject({ version: 1, position: held.position, reset: true });
  });

  it('P11: the first results after a loss of data have reset', async context => {
    const { subject: losing, faults } = await subject.alone(context);
    const { id } = await losing.create();
    const earlier = await subject.engine.polls.find(id);
    const watching = await losing.poll(id);
    await losing.cast(id, 0, 5);
    await watching.results(5);
    if (earlier) faults.rollBackTo(earlier);
    await subject.engine.hints.publish(id);
    await watching.message(message => message.type === 'results' && message.reset === true, 'the reset');
    expect(watching.last).toMatchObject({ total_votes: 0 });
    const first = await messagesUntil(await losing.poll(id), 1);
    expect(first).toMatchObject([{ type: 'results', total_votes: 0 }]);
    expect(first[0]).not.toHaveProperty('reset');
  });

  it('P11: the first results after a loss have reset even if their version was reached again', async context => {
    const { subject: losing, faults } = await subject.alone(context);
    const { id } = await losing.create();
    await losing.cast(id, 0, 5);
    const reading = await subject.engine.polls.find(id);
    const watching = await losing.poll(id, '?compact=1');
    await watching.results(5);
    if (reading) faults.rollBackTo({ ...reading, results: { ...reading.results, votes: [2, 3] } });
    await subject.engine.hints.publish(id);
    await watching.message(message => message.type === 'results' && message.reset === true, 'the reset');
    const [before, after] = watching.of('results');
    expect(after?.version).toBe(before?.version);
    expect(after?.position).not.toBe(before?.position);
    expect(after?.poll_answers.map(({ votes }) => votes)).toEqual([2, 3]);
  });

  it('P12: the first message is current if since equals the position, else results', async () => {
    const { id } = await subject.create();
    const { position: earlier } = await subject.read(id);
    await subject.cast(id, 0, 3);
    const { position } = await subject.read(id);
    for (const since of ['0', '1', '3', '4', earlier, `${position}x`]) {
      const [first] = await messagesUntil(await subject.poll(id, `?since=${since}`), 1);
      expect(first).toMatchObject({ type: 'results', version: 4, position });
      if (!since.endsWith('x')) expect(first).not.toHaveProperty('reset');
    }
    const live = await subject.poll(id, `?since=${position}`);
    await live.message(message => message.type === 'current');
    await subject.cast(id);
    await live.results(4);
    expect(live.messages).toMatchObject([
      { type: 'current', id, version: 4, position },
      { type: 'results', version: 5 },
    ]);
    expect(Object.keys(live.messages[0] ?? {})).toEqual(['type', 'id', 'version', 'position']);
  });

  it('P13: without a key, hidden replaces hidden results, with no other member', async () => {
    const { id, view_key } = await subject.create({ results_visibility: 'hidden' });
    const outside = await subject.poll(id);
    const inside = await subject.poll(id, `?key=${view_key}`);
    await outside.message(message => message.type === 'hidden');
    await subject.cast(id, 0, 3);
    await inside.results(3);
    await subject.engine.polls.change(id, { closed: true });
    await outside.message(message => message.type === 'hidden' && message.status === 'closed', 'the closing');
    expect(outside.messages).toEqual(
      ['open', 'closed'].map(status => ({
        type: 'hidden',
        id,
        title: 'Which song next?',
        poll_answers: ['Waterloo', 'Volare'].map((answer, index) => ({
          id: expect.any(String),
          answer,
          sorting: index + 1,
          type: 'text',
        })),
        success: 1,
        status,
        deadline: null,
        results_visibility: 'hidden',
      })),
    );
  });

  it('P14: a reveal by the creator or the deadline is pushed, and so is hiding again', async () => {
    const byHand = await subject.create({ results_visibility: 'hidden' });
    const live = await subject.poll(byHand.id);
    const byTime = await subject.create({ results_visibility: 'hidden' });
    await subject.cast(byTime.id, 1, 2);
    await subject.cast(byHand.id, 1, 2);
    // Set after the ballots, which may take their time on a busy machine.
    const deadlineMs = (await subject.engine.polls.now()) + 2 * SOON_MS;
    await subject.engine.polls.change(byTime.id, { deadlineMs, resultsVisibility: 'after_deadline' });
    const timed = await subject.poll(byTime.id);
    await subject.engine.polls.change(byHand.id, { resultsVisibility: 'always' });
    await live.results(2);
    await subject.engine.polls.change(byHand.id, { resultsVisibility: 'hidden' });
    await live.until(() => live.messages.length === 3, 'the hiding');
    expect(live.messages.map(({ type }) => type)).toEqual(['hidden', 'results', 'hidden']);
    await timed.results(2);
    expect(timed.messages).toMatchObject([
      { type: 'hidden', status: 'open' },
      { type: 'results', final: true },
    ]);
  });

  it('P52: each step of a reveal is one hidden message on every way, without a figure of the rest', async () => {
    const { id, view_key } = await subject.create({
      answers: ['a', 'b', 'c'],
      results_visibility: 'hidden',
    });
    for (const [answer, votes] of [3, 1, 2].entries()) await subject.cast(id, answer, votes);
    const { polls } = subject.engine;
    const cast: number[] = [];
    for await (const batch of polls.readBallots(id)) cast.push(...batch.map(({ castAtMs }) => castAtMs));
    await polls.change(id, { closed: true });
    const many = await subject.live('/api/live?compact=1');
    many.send({ type: 'subscribe', id });
    const outside = [await subject.poll(id), await subject.poll(id, '?compact=1'), many];
    const events = await subject.events(id);
    const inside = await subject.poll(id, `?key=${view_key}&compact=1`);
    await inside.results(6);

    const heard = () => [...outside.map(({ messages }) => messages), events.events.map(one => one.message)];
    let steps = 1;
    const expectNext = async (
      from: number | undefined,
      votes: readonly (number | undefined)[],
      total?: number,
    ) => {
      for (const client of outside) await client.until(() => client.messages.length === steps, 'the step');
      await events.event(() => events.events.length === steps);
      for (const messages of heard()) {
        expect(messages).toHaveLength(steps);
        const last = messages.at(-1);
        if (last?.type !== 'hidden') throw new Error(`${last?.type} in place of hidden`);
        expect(last.poll_answers.map(answer => answer.votes)).toEqual(votes);
        expect([last.revealed_from, last.total_votes, last.total_voters]).toEqual([from, total, total]);
        expect(JSON.stringify(last)).not.toMatch(/version|position|timestamp|voided|edited_at/);
      }
      steps += 1;
    };
    await expectNext(undefined, [undefined, undefined, undefined]);
    await polls.change(id, { revealedFrom: 3 });
    await expectNext(3, [undefined, 1, undefined], 6);
    await inside.message(message => message.type === 'results' && message.revealed_from === 3);
    await polls.change(id, { revealedFrom: 2 });
    await expectNext(2, [undefined, 1, 2], 6);
    // The places that are shown stay, and the removed votes change who has them.
    const voided = await voidBallots(polls, id, { fromMs: cast[0]!, toMs: cast[2]! });
    await expectNext(2, [0, 1, undefined], 3);
    await restoreBallots(polls, id, idOfRule(voided![0]!));
    await expectNext(2, [undefined, 1, 2], 6);
    await polls.change(id, { revealedFrom: null });
    await expectNext(undefined, [undefined, undefined, undefined]);
    await polls.change(id, { revealedFrom: 2 });
    await expectNext(2, [undefined, 1, 2], 6);
    await polls.change(id, { resultsVisibility: 'always' });
    for (const client of outside) {
      await client.results(6);
      expect(client.messages).toHaveLength(steps);
      expect(client.last).not.toHaveProperty('revealed_from');
    }
  });

  it('P15: stale is sent once when the engine becomes unavailable, and results when it is available again', async context => {
    const { subject: losing, faults } = await subject.alone(context);
    const open = await losing.create();
    const hidden = await losing.create({ results_visibility: 'hidden' });
    const live = await losing.poll(open.id);
    const outside = await losing.poll(hidden.id);
    await live.results(0);
    await outside.message(message => message.type === 'hidden');
    faults.lose();
    await live.message(message => message.type === 'stale', 'stale');
    await outside.message(message => message.type === 'stale', 'stale');
    const late = await losing.poll(open.id);
    await late.message(message => message.type === 'stale', 'stale');
    faults.giveBack();
    await late.results(0);
    await live.until(() => live.last?.type === 'results', 'the results');
    await outside.until(() => outside.last?.type === 'hidden', 'the hidden poll');
    expect(live.messages.map(({ type }) => type)).toEqual(['results', 'stale', 'results']);
    expect(outside.messages.map(({ type }) => type)).toEqual(['hidden', 'stale', 'hidden']);
    expect(Object.keys(live.of('stale')[0] ?? {})).toEqual(['type', 'id', 'since']);
    expect(live.of('stale')[0]?.since).toBeGreaterThan(Date.now() / 1_000 - 60);
    expect(live.closed).toBeUndefined();
  });

  it('P16: heartbeats are sent only if requested', async () => {
    const { id } = await subject.create();
    const [quiet, beating, many] = [
      await subject.poll(id),
      await subject.poll(id, '?heartbeat=1'),
      await subject.live('/api/live?heartbeat=1'),
    ];
    const events = await subject.events(id, '?heartbeat=1');
    await beating.until(() => beating.of('heartbeat').length >= 2, 'two heartbeats');
    await many.until(() => many.of('heartbeat').length >= 2, 'two heartbeats');
    await events.event(message => message.type === 'heartbeat', 'a heartbeat');
    expect(Object.keys(beating.of('heartbeat')[0] ?? {})).toEqual(['type', 'timestamp']);
    expect(quiet.of('heartbeat')).toEqual([]);
  });

  it('P17: a deleted poll and a rotated key end the subscription with an error', async () => {
    const gone = await subject.create();
    const rotated = await subject.create({ results_visibility: 'hidden' });
    const watching = await subject.poll(gone.id);
    const events = await subject.events(gone.id);
    const keyed = await subject.poll(rotated.id, `?key=${rotated.view_key}`);
    await watching.results(0);
    await keyed.results(0);
    await subject.engine.polls.remove(gone.id);
    expect(await watching.end()).toEqual({ code: 4410, reason: 'poll deleted' });
    expect(watching.last).toMatchObject({ type: 'error', code: 'poll_not_found', id: gone.id });
    await events.event(message => message.type === 'error' && message.code === 'poll_not_found');
    await subject.engine.polls.change(rotated.id, { viewKeyHash: 'f'.repeat(64) });
    expect(await keyed.end()).toEqual({ code: 4403, reason: 'key rejected' });
    expect(keyed.last).toMatchObject({ type: 'error', code: 'api_key_rejected', id: rotated.id });
  });
}
