import { expect, test } from 'vitest';
import type { LiveClient } from '../support/live-client.ts';
import { until } from '../support/until.ts';
import { readFairly } from './fair-claim.ts';
import { keepCasting } from './keep-casting.ts';
import type { Subject } from './target.ts';

/** The promises that are about time, or that take all of the machine: one after the other. */
export function loadClaims(subject: Subject): void {
  test('P38 Conflated: at most hz results a second, the first change at once, the last one always', async () => {
    const { id } = await subject.create();
    const rates = [1, 4, 10, 20];
    const clients = await Promise.all(rates.map(hz => subject.poll(id, `?hz=${hz}`)));
    await Promise.all(clients.map(client => client.results(0)));
    const busy = keepCasting(subject, id);
    await until(() => (clients[0] as LiveClient).of('results').length >= 3, 'two seconds of ballots');
    const total = await busy.stop();
    for (const [index, client] of clients.entries()) {
      await client.results(total);
      // Over all of it and not within each second: the time in which a message arrives is not the relay's alone.
      const times = client.times.filter((_, at) => client.messages[at]?.type === 'results');
      const seconds = ((times.at(-1) as number) - (times[0] as number)) / 1_000;
      expect(times.length).toBeLessThanOrEqual(seconds * (rates[index] as number) + 1);
    }
  });

  test('P38 Conflated: the first change after a quiet moment does not wait for a tick', async () => {
    const { id } = await subject.create();
    const live = await subject.poll(id, '?hz=1');
    await live.results(0);
    const delays = [];
    for (let total = 1; total <= 3; total += 1) {
      const quietSince = live.times.at(-1) as number;
      await until(() => performance.now() - quietSince > 1_100, 'a quiet second');
      const castAt = performance.now();
      await subject.cast(id);
      await live.results(total);
      delays.push((live.times.at(-1) as number) - castAt);
    }
    // One that ticks once a second would take half of it in the middle case.
    expect(delays.sort((a, b) => a - b)[1]).toBeLessThan(300);
  });

  test('P40 Fair: a subscriber that reads nothing delays nobody, costs one frame, and gets the newest at last', context =>
    readFairly(subject, context));
}
