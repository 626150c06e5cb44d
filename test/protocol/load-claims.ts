import { expect, it } from 'vitest';
import type { LiveClient } from '../support/live-client.ts';
import { until } from '../support/until.ts';
import { readFairly } from './fair-claim.ts';
import { keepCasting } from './keep-casting.ts';
import type { Subject } from './target.ts';

/** The promises that take all of the machine: after the others, judged by counts and by controls of the same moment. */
export function loadClaims(subject: Subject): void {
  it('P38 Conflated: at most hz results a second, the first change at once, the last one always', async () => {
    const { id } = await subject.create();
    const rates = [1, 4, 10, 20];
    const openedAt = performance.now();
    const clients = await Promise.all(rates.map(hz => subject.poll(id, `?hz=${hz}`)));
    await Promise.all(clients.map(client => client.results(0)));
    const busy = keepCasting(subject, id);
    await until(() => (clients[0] as LiveClient).of('results').length >= 3, 'two seconds of ballots');
    const total = await busy.stop();
    for (const [index, client] of clients.entries()) {
      await client.results(total);
      // Over all of it and not within each second, and from before the first was asked for: when a message arrives is not
      // the relay's alone, but it was sent within this time.
      const times = client.times.filter((_, at) => client.messages[at]?.type === 'results');
      const seconds = ((times.at(-1) as number) - openedAt) / 1_000;
      expect(times.length).toBeLessThanOrEqual(seconds * (rates[index] as number) + 1);
    }
  });

  it('P38 Conflated: the first change after a quiet moment does not wait for a tick', async () => {
    const { id } = await subject.create();
    // Whoever may hear twenty a second hears a change at once whatever a relay does: the control.
    const [live, control] = [await subject.poll(id, '?hz=1'), await subject.poll(id, '?hz=20')];
    await Promise.all([live.results(0), control.results(0)]);
    const delays = [];
    for (let total = 1; total <= 3; total += 1) {
      const quietSince = live.times.at(-1) as number;
      await until(() => performance.now() - quietSince > 1_100, 'a quiet second');
      await subject.cast(id);
      await Promise.all([live.results(total), control.results(total)]);
      delays.push((live.times.at(-1) as number) - (control.times.at(-1) as number));
    }
    // One that ticks once a second would take nearly all of it: the change comes just after a tick.
    expect(delays.sort((a, b) => a - b)[1]).toBeLessThan(500);
  });

  it('P40 Fair: a subscriber that reads nothing delays nobody, costs one frame, and gets the newest at last', context =>
    readFairly(subject, context));
}
