// @module-tag redis-server
import { beforeAll, describe, expect, it } from 'vitest';
import { redisRig } from '../support/redis-rig.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { Crowd } from './crowd.ts';
import { FORMS, type FormName, type RedisForm } from './forms.ts';
import { between, measured, randomOf } from './plan.ts';
import { CONVERGES_MS, Screens } from './screens.ts';

const NOTICED_MS = 15_000;
const PUBLISH_EVERY_MS = 50;

const rig = redisRig('file');

describe.each(Object.keys(FORMS) as FormName[])('T9 on %s', name => {
  let form: RedisForm;
  let voting: TestRelay;
  /** Listens over the links that fail. */
  let listening: TestRelay;
  beforeAll(async () => {
    form = await FORMS[name](rig);
    const relayOn = async (redisUrl: string) => {
      const relay = await startTestRelay({ redisUrl });
      rig.closeAfter(() => relay.close());
      return relay;
    };
    voting = await relayOn(form.url);
    listening = await relayOn(form.links.url);
  });

  it('T9: where the link that listens dies in silence, results are right in five seconds, and it is noticed in 15', async () => {
    const random = randomOf(`T9 ${name}`);
    const { id } = await voting.create();
    const screens = await Screens.open([listening], [id], 3);
    rig.closeAfter(() => screens.close());
    let hints = 0;
    const { ready, unfollow } = listening.engine.hints.follow(id, () => {
      hints += 1;
    });
    await ready;
    const crowd = await Crowd.start({ engines: [voting.engine], pollId: id, random, voters: 4, pauseMs: 10 });
    await crowd.more(20);

    form.links.each(link => link.setMode('blackhole', 'tallycast-hints'));
    const since = new Stopwatch();
    await crowd.more(between(random, 10, 100));
    await crowd.end();
    const convergedMs = await screens.showing(crowd.acknowledged);
    const before = hints;
    const publishing = setInterval(
      () => void voting.engine.hints.publish(id).catch(() => {}),
      PUBLISH_EVERY_MS,
    );
    await until(() => hints > before, 'a hint', 30_000).finally(() => clearInterval(publishing));
    const noticedMs = since.ms;
    await crowd.ledger.expectExact(voting.engine);
    screens.expectFollowed();
    measured(
      'T9',
      `${name}: screens exact ${(convergedMs / 1_000).toFixed(1)} s after the last ballot, hints heard again after ${(noticedMs / 1_000).toFixed(1)} s`,
    );
    expect(convergedMs).toBeLessThan(CONVERGES_MS);
    expect(noticedMs).toBeLessThan(NOTICED_MS);
    unfollow();
  });
});
