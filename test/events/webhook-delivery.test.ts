import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Engine, openEngine } from '../../src/engine/open-engine.ts';
import { WebhookDelivery } from '../../src/events/webhook-delivery.ts';
import {
  addWebhook,
  drawWebhook,
  listWebhooks,
  progressRecord,
  removeWebhook,
} from '../../src/events/webhooks.ts';
import { withEvents } from '../../src/events/with-events.ts';
import { newPoll } from '../contract/engine/engine-subject.ts';
import { makeDataDirectory, removeDataDirectory } from '../engine/embedded/data-directory.ts';
import { castBallots } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

type Body = { readonly id: string; readonly data: { readonly id: string } };

describe('the delivery to webhooks', () => {
  let dataDir: string;
  let engine: Engine;
  let nowMs: number;
  let deliveries: WebhookDelivery[];
  /** Ids of events by URL, in the order of their arrival. */
  let received: Map<string, string[]>;
  let isAway: (url: string) => boolean;
  /** URLs whose requests get no reply until they are aborted. */
  let hanging: Set<string>;
  let reads: number;
  beforeEach(async () => {
    dataDir = await makeDataDirectory();
    engine = await openEngine({ dataDir });
    [nowMs, deliveries, received, reads] = [Date.now(), [], new Map(), 0];
    isAway = () => false;
    hanging = new Set();
  });
  afterEach(async () => {
    for (const delivery of deliveries) await delivery.close();
    await engine.close();
    await removeDataDirectory(dataDir);
  });

  /** As one relay. */
  const deliverer = () => {
    const events = {
      findNewest: () => engine.events.findNewest(),
      tell: engine.events.tell,
      list: (limit: number) => engine.events.list(limit),
      read: (after: number, limit: number) => {
        reads += 1;
        return engine.events.read(after, limit);
      },
    };
    const delivery = new WebhookDelivery({
      engine: { ...engine, events: events as unknown as Engine['events'] },
      log: { info() {}, warn() {} },
      allowPrivate: true,
      clock: () => nowMs,
      async post({ url, body, signal }) {
        if (hanging.has(url))
          await new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(new Error('aborted'))),
          );
        if (isAway(url)) return 503;
        received.set(url, [...(received.get(url) ?? []), (JSON.parse(body) as Body).id]);
        return 200;
      },
    });
    deliveries.push(delivery);
    return delivery;
  };
  const add = async (
    url: string,
    wanted: Parameters<typeof drawWebhook>[2],
    owned: Parameters<typeof drawWebhook>[3] = {},
  ) => {
    const webhook = await drawWebhook(engine, url, wanted, owned);
    await addWebhook(engine.records, webhook);
    return webhook;
  };
  let told = 0;
  const tell = async (type: string, count: number) => {
    const ids: string[] = [];
    for (let left = count; left > 0; left -= 1) {
      told += 1;
      const id = `evt_${told}`;
      ids.push(id);
      const text = JSON.stringify({ id, type, timestamp: '', data: { id: `poll-${told % 5}` } });
      const subject = `subject-${told}`;
      await engine.events.tell({ subject, known: undefined, state: 'told', dueAtMs: null, events: [text] });
    }
    return ids;
  };
  const arrived = (url: string, ids: readonly string[], delivery: WebhookDelivery) =>
    until(async () => {
      nowMs += 1_000;
      await delivery.deliver();
      return (received.get(url)?.length ?? 0) >= ids.length;
    }, `the events at ${url}`);

  it('finds a rare event behind many that are not wanted, and reads no log without a new event', async () => {
    const urls = Array.from({ length: 40 }, (_, index) => `http://rare.example/${index}`);
    for (const url of urls) await add(url, ['show.changed']);
    const delivery = deliverer();
    await delivery.deliver();
    await tell('poll.opened', 1_000);
    const rare = await tell('show.changed', 1);
    for (const url of urls) await arrived(url, rare, delivery);
    expect(urls.map(url => received.get(url))).toEqual(urls.map(() => rare));
    // The last one stores its progress.
    await pause(100);
    reads = 0;
    for (let turn = 0; turn < 20; turn += 1) {
      await delivery.deliver();
      await pause(5);
    }
    expect(reads).toBe(0);
  });

  it('stores the progress over unwanted events from time to time, for the next relay', async () => {
    const url = 'http://quiet.example/';
    const { id } = await add(url, ['show.changed']);
    const first = deliverer();
    await first.deliver();
    await tell('poll.opened', 300);
    const newest = await engine.events.findNewest();
    await until(async () => {
      nowMs += 10_000;
      await first.deliver();
      return (await engine.records.find(progressRecord(id)))?.includes(`"position":${newest}`) ?? false;
    }, 'the stored position');
    await first.close();
    const rare = await tell('show.changed', 1);
    await arrived(url, rare, deliverer());
    expect(received.get(url)).toEqual(rare);
  });

  it('catches up after a failure, each poll in order', async () => {
    const [slow, witness] = ['http://slow.example/', 'http://witness.example/'];
    isAway = url => url === slow;
    await add(slow, ['poll.opened']);
    await add(witness, ['poll.closed']);
    const delivery = deliverer();
    const ids = await tell('poll.opened', 160);
    await arrived(witness, await tell('poll.closed', 1), delivery);
    isAway = () => false;
    await arrived(slow, ids, delivery);
    const got = received.get(slow) ?? [];
    expect([...got].sort()).toEqual([...ids].sort());
    const inOrder = (poll: number) => (id: string) => Number(id.slice(4)) % 5 === poll;
    for (let poll = 0; poll < 5; poll += 1)
      expect(got.filter(inOrder(poll))).toEqual(ids.filter(inOrder(poll)));
  });

  it('keeps for a failing receiver what it has missed: beside events it does not want, and beyond the end of its poll', async () => {
    const [missing, owned] = ['http://missing.example/', 'http://owned.example/'];
    isAway = () => true;
    const { id } = await add(missing, ['poll.opened']);
    const poll = `poll-${(told + 2) % 5}`;
    const { id: ownId } = await add(owned, ['poll.deleted'], { scope: { poll } });
    const delivery = deliverer();
    await delivery.deliver();
    const opened = await tell('poll.opened', 1);
    const deleted = await tell('poll.deleted', 1);
    const isFailing = async (webhook: string) =>
      (await engine.records.find(progressRecord(webhook)))?.includes('"failingSinceMs"') ?? false;
    await until(async () => {
      await delivery.deliver();
      return (await isFailing(id)) && (await isFailing(ownId));
    }, 'both to fail');
    await tell('show.changed', 1);
    await delivery.deliver();
    await delivery.deliver();
    isAway = () => false;
    await arrived(missing, opened, delivery);
    await arrived(owned, deleted, delivery);
    expect([received.get(missing), received.get(owned)]).toEqual([opened, deleted]);
    await until(async () => (await listWebhooks(engine.records)).length === 1, 'the end of the webhook');
  });

  it('sends the operator an event ahead of the backlog of strangers, and one change of a poll in place of many', async () => {
    const strangers = Array.from({ length: 60 }, (_, index) => `http://stranger.example/${index}`);
    for (const [index, url] of strangers.entries())
      await add(url, ['poll.updated', 'poll.closed'], {
        scope: { show: { id: `show-${index % 6}`, name: `show-${index % 6}` } },
        creator: `address ${index % 2}`,
      });
    const operators = 'http://operator.example/';
    await add(operators, ['poll.opened']);
    const delivery = deliverer();
    const tellOf = async (id: string, type: string, count: number) => {
      for (let left = count; left > 0; left -= 1) {
        told += 1;
        const text = JSON.stringify({
          id: `evt_${told}`,
          type,
          timestamp: '',
          data: { id, title: '', show_id: id.replace('poll', 'show') },
        });
        const subject = `subject-${told}`;
        await engine.events.tell({ subject, known: undefined, state: 'told', dueAtMs: null, events: [text] });
      }
      return `evt_${told}`;
    };
    const closed: string[] = [];
    for (let poll = 0; poll < 6; poll += 1) {
      await tellOf(`poll-${poll}`, 'poll.updated', 177);
      closed.push(await tellOf(`poll-${poll}`, 'poll.closed', 1));
    }
    const opened = await tellOf('poll-6', 'poll.opened', 1);
    await arrived(operators, [opened], delivery);
    const before = [...received].filter(([url]) => url !== operators).flatMap(([, ids]) => ids);
    // Two thousand are due to them by now without conflation; here the log alone is read in 34 batches.
    expect(before.length).toBeLessThan(strangers.length * 7);
    await until(async () => {
      nowMs += 1_000;
      await delivery.deliver();
      return strangers.every((url, index) => received.get(url)?.at(-1) === closed[index % 6]);
    }, 'the last event at each stranger');
    // A batch of 32 events has one change at most.
    for (const url of strangers) expect(received.get(url)!.length).toBeLessThanOrEqual(8);
  });

  it('leaves a webhook alone once another relay has stored its progress', async () => {
    const url = 'http://two.example/';
    await add(url, ['poll.opened']);
    const [first, second] = [deliverer(), deliverer()];
    await first.deliver();
    const early = await tell('poll.opened', 40);
    await arrived(url, early, second);
    await until(async () => {
      const [webhook] = await listWebhooks(engine.records);
      const text = await engine.records.find(progressRecord(webhook!.id));
      return text?.includes(`"position":${await engine.events.findNewest()}`) ?? false;
    }, 'the stored position');
    // The first relay takes over again, and knows nothing of that.
    const late = await tell('poll.opened', 1);
    await arrived(url, [...early, ...late], first);
    expect(received.get(url)).toEqual([...received.get(url)!.slice(0, 40), ...late]);
    expect(new Set(received.get(url)).size).toBe(41);
  });

  it('serves other webhooks beside a hundred that hang, and a deleted one ends its request', async () => {
    for (let index = 0; index < 100; index += 1) {
      hanging.add(`http://hangs/${index}`);
      await add(`http://hangs/${index}`, ['poll.created']);
    }
    const last = await add('http://prompt/', ['poll.created']);
    const delivery = deliverer();
    await arrived('http://prompt/', await tell('poll.created', 3), delivery);
    expect(received.get('http://prompt/')).toHaveLength(3);

    hanging.add('http://prompt/');
    await tell('poll.created', 1);
    await delivery.deliver();
    await removeWebhook(engine.records, last.id);
    hanging.delete('http://prompt/');
    const again = await add('http://prompt/', ['poll.created']);
    expect(again.id).not.toBe(last.id);
    received.clear();
    await arrived('http://prompt/', await tell('poll.created', 1), delivery);
    // With all hundred requests under way.
    await delivery.close();
  });

  describe('of progress', () => {
    const url = 'http://progress.example/';
    const progress = () => (received.get(url) ?? []).filter(id => id.includes('_progress_'));
    const open = async () => {
      const poll = newPoll({}, await engine.polls.now());
      await engine.polls.create(poll);
      return poll.poll.id;
    };
    const turns = async (delivery: WebhookDelivery, count: number) => {
      for (let turn = 0; turn < count; turn += 1) {
        await delivery.deliver();
        // Its requests need some turns of the event loop, and a late timer comes before the next one.
        await pause(20);
        await nextTurn();
      }
    };
    const addOf = async (poll: string, to = url) =>
      addWebhook(engine.records, await drawWebhook(engine, to, ['poll.progress'], { scope: { poll } }));

    it('sends one event for many ballots between two turns, and none without a ballot', async () => {
      const poll = await open();
      await addOf(poll);
      const delivery = deliverer();
      await turns(delivery, 2);
      expect(progress()).toEqual([]);
      await castBallots(engine, poll, 0, 40);
      await until(async () => {
        await delivery.deliver();
        return progress().length > 0;
      }, 'the progress');
      await turns(delivery, 5);
      expect(progress()).toEqual([
        `evt_${poll}_progress_${(await engine.polls.find(poll))!.results.version}`,
      ]);
    });

    it('goes on at another relay with the newest counts, whose event has the same id', async () => {
      const poll = await open();
      await addOf(poll);
      const first = deliverer();
      await castBallots(engine, poll, 0, 2);
      await until(async () => {
        await first.deliver();
        return progress().length > 0;
      }, 'the progress');
      await first.close();
      const second = deliverer();
      await until(async () => {
        await second.deliver();
        return progress().length > 1;
      }, 'the progress from the other relay');
      expect(new Set(progress()).size).toBe(1);
      second.yield();
      await castBallots(engine, poll, 0, 1);
      await pause(50);
      expect(progress()).toHaveLength(2);
    });

    it('sends at most a hundred in a turn, and each webhook its turn', async () => {
      const urls: string[] = [];
      for (let index = 0; index < 150; index += 1) {
        const poll = await open();
        urls.push(`http://many.example/${index}`);
        await addOf(poll, urls[index]);
        await castBallots(engine, poll, 0, 1);
      }
      const count = () => urls.filter(to => received.has(to)).length;
      const delivery = deliverer();
      await delivery.deliver();
      await until(() => count() >= 100, 'the first hundred');
      // More would follow at once.
      await pause(200);
      expect(count()).toBe(100);
      await until(async () => {
        await delivery.deliver();
        return count() === 150;
      }, 'the others');
    });

    it('is sent to webhooks of all polls that name it, of polls that open later too', async () => {
      const early = await open();
      await castBallots(engine, early, 0, 1);
      await addWebhook(engine.records, await drawWebhook(engine, url, ['poll.progress']));
      const announced = withEvents(engine);
      await announced.announcer.tell(early);
      const delivery = deliverer();
      await turns(delivery, 1);
      const late = newPoll({}, await engine.polls.now());
      await announced.polls.create(late);
      await castBallots(engine, late.poll.id, 0, 1);
      await until(async () => {
        await delivery.deliver();
        return [early, late.poll.id].every(id => progress().some(event => event.includes(id)));
      }, 'the progress of both');
    });
  });
});
