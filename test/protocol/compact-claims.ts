import { expect, it } from 'vitest';
import { idOfRule } from '../../src/poll/void-rule.ts';
import type { ServerMessage } from '../../src/protocol/messages.ts';
import { completed } from '../support/completed.ts';
import type { LiveClient } from '../support/live-client.ts';
import { restoreBallots, voidBallots } from '../support/void-ballots.ts';
import type { Subject } from './target.ts';

const HIDDEN = 'hidden';
const ALL = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

export function compactClaims(subject: Subject): void {
  it('P43: counts are sent if nothing else changes and compact was requested', async () => {
    const { id } = await subject.create({ answers: ['a', 'b', 'c'] });
    const compact = await subject.poll(id, '?compact=1');
    const [plain, off] = [await subject.poll(id), await subject.poll(id, '?compact=0')];
    const events = await subject.events(id, '?compact=1');
    const many = await subject.live('/api/live?compact=1');
    many.send({ type: 'subscribe', id });
    await Promise.all([compact, plain, off, many].map(client => client.results(0)));
    await events.event(message => message.type === 'results');
    await subject.cast(id, 2);
    for (const client of [compact, many]) await counts(client, 1);
    const { message } = await events.event(({ type }) => type === 'counts');
    for (const client of [plain, off]) await client.results(1);
    const expected = { type: 'counts', id, version: 2, timestamp: expect.any(Number), votes: [0, 0, 1] };
    const { position } = await subject.read(id);
    for (const came of [compact.last, many.last, message])
      expect(came).toEqual({ ...expected, total_voters: 1, position });
    expect([...plain.messages, ...off.messages].map(({ type }) => type)).not.toContain('counts');
  });

  it('P43: counts are sent for every change of counts alone', async () => {
    const { id } = await subject.create();
    const compact = await subject.poll(id, '?compact=1&hz=20');
    await compact.results(0);
    for (let total = 1; total <= 5; total += 1) {
      await subject.cast(id);
      await counts(compact, total);
    }
    expect(new Set(compact.messages.slice(1).map(({ type }) => type))).toEqual(new Set(['counts']));
  });

  it('P43: counts are sent when the creator removes votes, and when they count again', async () => {
    const { id } = await subject.create();
    await subject.cast(id, 0, 3);
    const compact = await subject.poll(id, '?compact=1');
    await compact.results(3);
    await voidBallots(subject.engine.polls, id, ALL);
    const removed = await counts(compact, 0);
    expect(removed).toMatchObject({ voided_votes: 3, position: (await subject.read(id)).position });
    await restoreBallots(subject.engine.polls, id, idOfRule(ALL));
    expect(await counts(compact, 3)).not.toHaveProperty('voided_votes');
    expect(new Set(compact.messages.slice(1).map(({ type }) => type))).toEqual(new Set(['counts']));
  });

  it('P43: counts name the people of each chat as soon as one has voted, and while any counts', async () => {
    const { id } = await subject.create();
    await subject.cast(id, 0, 2);
    const compact = await subject.poll(id, '?compact=1');
    await compact.results(2);
    expect(compact.last).not.toHaveProperty('by_source');
    await subject.cast(id, 0, 1, 'youtube');
    expect(await counts(compact, 3)).toMatchObject({ by_source: { page: 2, youtube: 1 } });
    await subject.cast(id, 0, 1, 'kick');
    expect(await counts(compact, 4)).toMatchObject({ by_source: { page: 2, youtube: 1, kick: 1 } });
    expect(await subject.read(id)).toMatchObject({ by_source: { page: 2, youtube: 1, kick: 1 } });
    await voidBallots(subject.engine.polls, id, ALL);
    expect(await counts(compact, 0)).not.toHaveProperty('by_source');
    expect(completed(compact.messages).at(-1)).not.toHaveProperty('by_source');
    expect(new Set(compact.messages.slice(1).map(({ type }) => type))).toEqual(new Set(['counts']));
  });

  it('P44: any counts message with the results before it has the full content', async () => {
    const { id } = await subject.create({ answers: ['a', 'b', 'c'], ma: true });
    const [compact, plain] = [await subject.poll(id, '?compact=1'), await subject.poll(id)];
    await Promise.all([compact, plain].map(client => client.results(0)));
    await Promise.all([0, 1, 2].map(answer => subject.cast(id, answer, 50 + answer)));
    await Promise.all([counts(compact, 153), plain.results(153)]);
    await subject.engine.polls.change(id, { closed: true });
    await Promise.all([compact, plain].map(client => client.message(isFinal, 'the end')));
    const last = (messages: readonly ServerMessage[], at: number) => ({ ...messages.at(at), timestamp: 0 });
    const pictures = completed(compact.messages);
    for (const at of [-1, -2]) expect(last(pictures, at)).toEqual(last(plain.messages, at));
    for (const picture of pictures)
      if (picture.type === 'results')
        expect(picture.poll_answers.reduce((sum, { votes }) => sum + votes, 0)).toBe(picture.total_votes);
  });

  it('P45: every other change, and the first message, is results', async () => {
    const { id, view_key } = await subject.create();
    const keyed = await subject.poll(id, `?compact=1&key=${view_key}`);
    const outside = await subject.poll(id, '?compact=1');
    const resumed = await subject.poll(id, `?compact=1&since=${(await subject.read(id)).position}`);
    const both = [keyed, outside];
    await Promise.all(both.map(client => client.results(0)));
    await resumed.message(({ type }) => type === 'current');
    await subject.cast(id);
    await resumed.results(1);
    await Promise.all(both.map(client => counts(client, 1)));
    await subject.engine.polls.change(id, { closed: true });
    await Promise.all(both.map(client => client.message(isFinal)));
    await subject.engine.polls.change(id, { closed: false });
    await Promise.all(both.map(client => version(client, 4)));
    await subject.engine.polls.change(id, { resultsVisibility: HIDDEN });
    await Promise.all([version(keyed, 5), outside.message(({ type }) => type === HIDDEN)]);
    await subject.cast(id);
    await counts(keyed, 2);
    await subject.engine.polls.change(id, { resultsVisibility: 'always' });
    await Promise.all(both.map(client => version(client, 7)));
    await subject.cast(id);
    await Promise.all(both.map(client => counts(client, 3)));
    const types = (client: LiveClient) => client.messages.map(({ type }) => type).join(' ');
    expect(types(keyed)).toBe('results counts results results results counts results counts');
    expect(types(outside)).toBe('results counts results results hidden results counts');
    expect(types(resumed)).toMatch(/^current results /);
  });

  it('P45: subscribing again begins with results', async () => {
    const { id } = await subject.create();
    const live = await subject.live('/api/live?compact=1');
    live.send({ type: 'subscribe', id });
    await live.results(0);
    await subject.cast(id);
    await counts(live, 1);
    live.send({ type: 'subscribe', id });
    await live.results(1);
    expect(live.last).toMatchObject({ type: 'results', version: 2 });
  });

  it('P45: results are sent after the engine was unavailable or lost data', async context => {
    const { subject: losing, faults } = await subject.alone(context);
    const { id } = await losing.create();
    const earlier = await subject.engine.polls.find(id);
    const live = await losing.poll(id, '?compact=1');
    await live.results(0);
    await losing.cast(id, 0, 5);
    await counts(live, 5);
    faults.lose();
    await live.message(({ type }) => type === 'stale');
    faults.giveBack();
    await live.results(5);
    if (earlier) faults.rollBackTo(earlier);
    await subject.engine.hints.publish(id);
    await live.message(message => message.type === 'results' && message.reset === true, 'the reset');
  });
}

const isFinal = (message: ServerMessage) => message.type === 'results' && message.final === true;

function counts(client: LiveClient, voters: number): Promise<ServerMessage> {
  return client.message(
    message => message.type === 'counts' && message.total_voters === voters,
    `the counts of ${voters} voters`,
  );
}

function version(client: LiveClient, expected: number): Promise<ServerMessage> {
  return client.message(
    message => message.type === 'results' && message.version === expected,
    `version ${expected}`,
  );
}
