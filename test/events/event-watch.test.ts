import { expect, it, onTestFinished } from 'vitest';
import { engineWith } from '../../src/engine/engine-with.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { watchEvents } from '../../src/events/event-watch.ts';
import type { WebhookDelivery } from '../../src/events/webhook-delivery.ts';
import { withEvents } from '../../src/events/with-events.ts';
import { PollError } from '../../src/poll/poll-error.ts';
import { newPoll } from '../contract/engine/engine-subject.ts';
import { makeDataDirectory, removeDataDirectory } from '../engine/embedded/data-directory.ts';
import { until } from '../support/until.ts';

it('polls that cannot be read stay due, and stop neither the events of others nor webhooks', async () => {
  const dataDir = await makeDataDirectory();
  const engine = await openEngine({ dataDir });
  const nowMs = await engine.polls.now();
  const [lost, damaged, well] = [newPoll({}, nowMs), newPoll({}, nowMs), newPoll({}, nowMs)];
  const ids = [lost, damaged, well].map(({ poll }) => poll.id);
  const failures = new Map<string, Error>();
  const find = async (id: string) => {
    const failure = failures.get(id);
    if (failure) throw failure;
    return engine.polls.find(id);
  };
  const announced = withEvents(engineWith(engine, { polls: { find }, events: { findDue: async () => ids } }));
  for (const poll of [lost, damaged, well]) await announced.polls.create(poll);
  failures.set(lost.poll.id, new PollError('engine_unavailable')).set(damaged.poll.id, new Error('damaged'));
  // This process changes one, and cannot tell it.
  await announced.polls.change(lost.poll.id, { closed: true });
  await announced.announcer.tellSoon(well.poll.id);
  await engine.polls.change(well.poll.id, { closed: true });
  let deliveries = 0;
  const delivery = {
    deliver: async () => {
      deliveries += 1;
    },
    close: async () => {},
  };
  const errors: unknown[] = [];
  const watch = watchEvents(announced, delivery as unknown as WebhookDelivery, error => errors.push(error));
  onTestFinished(async () => {
    await watch.close();
    await engine.close();
    await removeDataDirectory(dataDir);
  });
  const closed = async () => {
    const logged = await engine.events.read(0, 100);
    return logged
      .filter(({ text }) => text.includes('poll.closed'))
      .map(({ text }) => JSON.parse(text).data.id);
  };
  await until(async () => deliveries > 0 && (await closed()).includes(well.poll.id), 'the event of the poll');
  expect(await closed()).toEqual([well.poll.id]);
  expect(new Set(errors)).toEqual(new Set([failures.get(damaged.poll.id)]));
  failures.clear();
  await until(async () => (await closed()).includes(lost.poll.id), 'the event of the other');
});
