import { expect, it } from 'vitest';
import { until } from '../support/until.ts';
import type { Subject } from './target.ts';

export function eventStreamClaims(subject: Subject): void {
  it('P31: results and counts have their position as id, other messages have none', async () => {
    const { id } = await subject.create({ results_visibility: 'hidden' });
    const events = await subject.events(id, '?heartbeat=1&compact=1');
    await events.event(message => message.type === 'hidden');
    await subject.cast(id, 0, 4);
    await events.event(message => message.type === 'heartbeat');
    await subject.engine.polls.change(id, { resultsVisibility: 'always' });
    await events.event(message => message.type === 'results');
    await subject.cast(id);
    await events.event(message => message.type === 'counts');
    await subject.engine.polls.remove(id);
    await events.event(message => message.type === 'error');
    for (const { id, message } of events.events)
      expect(id).toBe(message.type === 'results' || message.type === 'counts' ? message.position : undefined);
    const counted = events.events.filter(({ message }) => ['results', 'counts'].includes(message.type));
    expect(events.text.match(/^id:/gm)).toHaveLength(counted.length);
  });

  it('P32: Last-Event-ID works like since, and takes precedence', async () => {
    const { id } = await subject.create();
    await subject.cast(id, 0, 2);
    const resume = async (query: string, lastEventId: string) => {
      const events = await subject.events(id, query, { 'last-event-id': lastEventId });
      await until(() => events.events.length > 0, 'the first event');
      return events.events[0]?.message.type;
    };
    const { position } = await subject.read(id);
    expect(await resume('', position)).toBe('current');
    expect(await resume('?since=1', position)).toBe('current');
    expect(await resume(`?since=${position}`, '3')).toBe('results');
    expect(await resume(`?since=${position}`, '3-AbCd')).toBe('results');
    expect(await resume(`?since=${position}`, 'not a position')).toBe('current');
  });

  it('P34: a stream begins with a random retry, and ends with one if the relay closes it', async () => {
    const retries = new Set<number>();
    for (let round = 0; round < 5; round += 1) {
      const { id } = await subject.create();
      const events = await subject.events(id);
      await events.event(message => message.type === 'results');
      await subject.engine.polls.remove(id);
      await until(() => events.ended, 'the end of the stream');
      expect(events.text).toMatch(/^retry: [1-5]\d{3}\n\n/);
      const retry = Number(/\n\nretry: (\d+)\n\n$/.exec(events.text)?.[1]);
      expect(retry).toBeGreaterThanOrEqual(1_000);
      expect(retry).toBeLessThanOrEqual(5_000);
      retries.add(retry);
    }
    expect(retries.size).toBeGreaterThan(1);
  });

  it('P35: the reply is an event stream that must not be cached', async () => {
    const open = await subject.create();
    const hidden = await subject.create({ results_visibility: 'hidden' });
    const headersOf = async (id: string, headers: Record<string, string> = {}) =>
      (await subject.events(id, '', { origin: 'https://show.example', ...headers })).response.headers;
    expect(await headersOf(open.id)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
    expect(await headersOf(hidden.id)).toMatchObject({ 'cache-control': 'private, no-store' });
    expect(await headersOf(hidden.id, { 'x-api-key': hidden.view_key })).toMatchObject({
      'cache-control': 'private, no-store',
    });
  });
}
