import { expect, it } from 'vitest';
import { messagesUntil } from './moves.ts';
import type { Subject } from './target.ts';

export function multiplexedClaims(subject: Subject): void {
  it('P18: subscribe gets the first message, by its key and since', async () => {
    const open = await subject.create();
    const hidden = await subject.create({ results_visibility: 'hidden' });
    await subject.cast(open.id);
    const live = await subject.live(`/api/live`);
    live.send({ type: 'subscribe', id: open.id, since: (await subject.read(open.id)).position });
    await live.message(message => message.type === 'current' && message.version === 2, 'current');
    live.send({ type: 'subscribe', id: open.id, since: 2 });
    await live.message(message => message.type === 'results' && message.version === 2, 'results');
    live.send({ type: 'subscribe', id: hidden.id, key: null, since: null });
    await live.message(message => message.type === 'hidden' && message.id === hidden.id, 'hidden');
    live.send({ type: 'subscribe', id: hidden.id, key: hidden.admin_key });
    await live.message(message => message.type === 'results' && message.id === hidden.id, 'results');
    const keyed = await subject.live(`/api/live?key=${hidden.view_key}`);
    keyed.send({ type: 'subscribe', id: hidden.id });
    await keyed.message(message => message.type === 'results', 'results');
  });

  it('P19: subscribing again starts over, without duplicates', async () => {
    const { id } = await subject.create();
    const live = await subject.live('/api/live');
    for (let round = 1; round <= 5; round += 1) {
      live.send({ type: 'subscribe', id });
      await live.until(() => live.messages.length === round, 'the first message again');
    }
    live.send({ type: 'subscribe', id, since: (await subject.read(id)).position });
    await live.message(message => message.type === 'current', 'current');
    await subject.cast(id);
    await live.results(1);
    await subject.cast(id);
    await live.results(2);
    expect(live.of('results').map(({ version }) => version)).toEqual([1, 1, 1, 1, 1, 2, 3]);
  });

  it('P19: subscribing again with a wrong key ends the subscription', async () => {
    const { id, view_key } = await subject.create({ results_visibility: 'hidden' });
    const live = await subject.live('/api/live');
    live.send({ type: 'subscribe', id, key: view_key });
    await live.results(0);
    live.send({ type: 'subscribe', id, key: 'wrong' });
    await live.message(
      message => message.type === 'error' && message.code === 'api_key_rejected',
      'the refusal',
    );
    await subject.cast(id);
    live.send({ type: 'subscribe', id });
    await live.message(message => message.type === 'hidden', 'hidden');
    expect(live.of('results')).toHaveLength(1);
  });

  it('P20: a rejected poll does not affect the others', async () => {
    const [good, gone] = [await subject.create(), await subject.create()];
    const hidden = await subject.create({ results_visibility: 'hidden' });
    const live = await subject.live('/api/live');
    live.send({ type: 'subscribe', id: 'nobodyisHere' });
    live.send({ type: 'subscribe', id: 'no poll id at all' });
    live.send({ type: 'subscribe', id: hidden.id, key: 'wrong' });
    live.send({ type: 'subscribe', id: gone.id });
    live.send({ type: 'subscribe', id: good.id });
    await live.until(() => live.of('error').length === 3 && live.of('results').length === 2, 'all answers');
    await subject.engine.polls.remove(gone.id);
    await live.until(() => live.of('error').length === 4, 'the removal');
    await subject.cast(good.id);
    await live.results(1);
    expect(new Set(live.of('error').map(({ code, id }) => `${code} ${id}`))).toEqual(
      new Set([
        'poll_not_found nobodyisHere',
        'poll_not_found no poll id at all',
        `api_key_rejected ${hidden.id}`,
        `poll_not_found ${gone.id}`,
      ]),
    );
    expect(live.closed).toBeUndefined();
  });

  it('P21: nothing is sent after unsubscribe, and a second one is no error', async () => {
    const [left, kept] = [await subject.create(), await subject.create()];
    const live = await subject.live('/api/live');
    live.send({ type: 'subscribe', id: left.id });
    live.send({ type: 'subscribe', id: kept.id });
    await messagesUntil(live, 2);
    live.send({ type: 'unsubscribe', id: left.id });
    live.send({ type: 'unsubscribe', id: 'nobodyisHere' });
    // Answered in order, so once this is, the two above are done.
    live.send({ type: 'subscribe', id: kept.id, since: (await subject.read(kept.id)).position });
    await live.message(message => message.type === 'current', 'the answer');
    await subject.cast(left.id);
    await subject.cast(kept.id);
    await live.results(1);
    expect(live.messages.slice(2).map(message => 'id' in message && message.id)).toEqual([kept.id, kept.id]);
  });
}
