import { expect, it } from 'vitest';
import type { ResultsBody, ServerMessage } from '../../src/protocol/messages.ts';
import { completed } from '../support/completed.ts';
import type { Subject } from './target.ts';

const ID = 'rehearsal';

export function rehearsalClaims(subject: Subject): void {
  it('P46: the simulated poll is available everywhere, without a key, and marked', async () => {
    const read = await readRehearsal(subject);
    const members = Object.keys(await readNewPoll(subject));
    expect(new Set(Object.keys(read))).toEqual(new Set([...members, 'rehearsal']));
    const many = await subject.live('/api/live');
    many.send({ type: 'subscribe', id: ID });
    const events = await subject.events(ID);
    const first: ServerMessage[] = [];
    for (const live of [await subject.poll(ID), many, await subject.poll(ID, '?compact=1')])
      first.push(await live.message(({ type }) => type === 'results'));
    first.push((await events.event(({ type }) => type === 'results')).message);
    for (const message of [...first, read]) {
      expect(message).toMatchObject({ id: ID, rehearsal: true, results_visibility: 'always' });
      if ('poll_answers' in message && 'version' in message) expect(sumOf(message)).toBe(message.total_votes);
    }
  });

  it('P46: no other poll is marked, and the simulated one cannot be changed', async () => {
    expect(await readNewPoll(subject)).not.toHaveProperty('rehearsal');
    for (const method of ['PATCH', 'DELETE']) {
      const headers = { 'content-type': 'application/json', 'x-api-key': 'admin_x' };
      const body = JSON.stringify({ poll: { status: 'closed' } });
      const reply = await fetch(`${subject.url}/api/poll/${ID}`, { method, headers, body });
      expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('P47: a client that resumes gets current, later results, or the next round', async () => {
    const live = await subject.poll(ID, '?compact=1&hz=20');
    await live.message(({ type }) => type === 'results');
    const { version, position } = await readRehearsal(subject);
    const resumed = await subject.poll(ID, `?since=${position}`);
    await resumed.until(() => resumed.messages.length > 0, 'the first message');
    const results = completed(live.messages).filter(message => message.type === 'results');
    for (const [index, message] of results.entries())
      if (!message.reset) expect(message.version).toBeGreaterThan(results[index - 1]?.version ?? 0);
    const [first] = resumed.messages;
    if (first?.type === 'current') expect(first).toMatchObject({ version, position });
    else expect(first?.type === 'results' && (first.version > version || first.reset)).toBe(true);
  });
}

async function readRehearsal(subject: Subject): Promise<ResultsBody> {
  return (await fetch(`${subject.url}/api/poll/${ID}`)).json() as Promise<ResultsBody>;
}

async function readNewPoll(subject: Subject): Promise<object> {
  const { id } = await subject.create();
  return (await fetch(`${subject.url}/api/poll/${id}`)).json() as Promise<object>;
}

function sumOf({ poll_answers }: Pick<ResultsBody, 'poll_answers'>): number {
  return poll_answers.reduce((sum, { votes }) => sum + votes, 0);
}
