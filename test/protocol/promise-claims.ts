import { expect, it } from 'vitest';
import { Stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';
import { hearNothing, hearTotalsOnly } from './hidden-claim.ts';
import { deadlineIn, keepCasting, messagesUntil } from './moves.ts';
import type { Subject } from './target.ts';

/** What a wait may take longer on a busy machine than the relay promises. */
const GRACE_MS = 3_000;
const BALLOTS = 600;
/** Time enough to create a poll and to connect to it on a busy machine; the claims wait side by side. */
const SOON_MS = 2_500;

export function promiseClaims(subject: Subject): void {
  it('P36 Gapless: the first message includes every ballot acknowledged before', async () => {
    const { id } = await subject.create();
    const busy = keepCasting(subject, id);
    for (let round = 0; round < 15; round += 1) {
      const acknowledged = busy.acknowledged();
      const [first] = await messagesUntil(await subject.poll(id), 1);
      expect(first).toMatchObject({ type: 'results' });
      expect(first?.type === 'results' && first.total_votes).toBeGreaterThanOrEqual(acknowledged);
    }
    await busy.stop();
  });

  it('P37 In order: a poll’s version never decreases on a connection', async () => {
    const { id } = await subject.create();
    const clients = [
      await subject.poll(id, '?hz=20'),
      await subject.poll(id, '?hz=3'),
      await subject.live('/api/live'),
    ];
    clients[2]?.send({ type: 'subscribe', id });
    await Promise.all([0, 1, 0, 1].map(answer => subject.cast(id, answer, BALLOTS / 4)));
    for (const client of clients) {
      await client.results(BALLOTS);
      const versions = client.of('results').map(({ version }) => version);
      expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    }
  });

  it('P39 Convergent: when votes stop, every subscriber holds exactly the stored results', async () => {
    const { id } = await subject.create({ answers: ['a', 'b', 'c'] });
    const clients = await Promise.all(
      Array.from({ length: 20 }, (_, index) => subject.poll(id, `?hz=${index + 1}`)),
    );
    await Promise.all([0, 1, 2].map(answer => subject.cast(id, answer, 100 + answer)));
    const sinceTheLast = new Stopwatch();
    const stored = (await subject.engine.polls.find(id))?.results;
    for (const client of clients) {
      await client.results(303);
      expect(client.of('results').at(-1)).toMatchObject({ version: stored?.version, total_voters: 303 });
      expect(
        client
          .of('results')
          .at(-1)
          ?.poll_answers.map(({ votes }) => votes),
      ).toEqual(stored?.votes);
    }
    expect(sinceTheLast.ms).toBeLessThan(1_000 + GRACE_MS);
  });

  it('P39 Convergent: within five seconds, even if every hint is lost', async context => {
    const { subject: deaf, faults } = await subject.alone(context);
    const { id } = await deaf.create();
    const [live, events] = [await deaf.poll(id), await deaf.events(id)];
    await live.results(0);
    faults.deaf = true;
    await subject.cast(id, 0, 50);
    const sinceTheLast = new Stopwatch();
    await live.results(50);
    await events.event(message => message.type === 'results' && message.total_votes === 50);
    expect(sinceTheLast.ms).toBeLessThan(5_000 + GRACE_MS);
  });

  it('P41 Ended once: the deadline closes the poll everywhere, with exactly one final', async () => {
    const { id } = await subject.create(deadlineIn(SOON_MS));
    const clients = await Promise.all(
      Array.from({ length: 10 }, (_, index) => subject.poll(id, `?hz=${index * 2 + 1}`)),
    );
    const events = await subject.events(id);
    const busy = keepCasting(subject, id);
    const isFinal = (message: { final?: true }) => message.final === true;
    await Promise.all(
      clients.map(client =>
        client.message(message => message.type === 'results' && isFinal(message), 'the end'),
      ),
    );
    await events.event(message => message.type === 'results' && isFinal(message));
    const total = await busy.stop();
    const read = await (await fetch(`${subject.url}/api/poll/${id}`)).json();
    expect(read).toMatchObject({ status: 'closed', total_votes: total });
    // A sweep later, no message has been sent again.
    const sweptAt = performance.now() + 2_500;
    await until(() => performance.now() > sweptAt, 'a sweep');
    for (const client of clients) {
      expect(client.of('results').filter(isFinal)).toHaveLength(1);
      expect(client.last).toMatchObject({ total_votes: total, version: read.version, final: true });
    }
    expect(events.text.match(/"final":true/g)).toHaveLength(1);
  });

  it.each(['hidden', 'after_vote'] as const)(
    'P42 Hidden means hidden: without a key, two histories of votes look the same: %s',
    visibility => hearNothing(subject, visibility),
  );

  it('P42 Hidden means hidden: where a poll shows its total, nothing else differs', () =>
    hearTotalsOnly(subject));
}
