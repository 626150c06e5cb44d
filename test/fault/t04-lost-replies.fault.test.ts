// @module-tag redis-server
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { Ledger } from '../support/ledger.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { answering, Crowd } from './crowd.ts';
import { FORMS, type FormName, type RedisForm } from './forms.ts';
import { between, measured, randomOf, size } from './plan.ts';

const BALLOTS = 200;
const CUTS = size(5, 50);

const rig = redisRig('file');

describe.each(Object.keys(FORMS) as FormName[])('T4 and T5 on %s', name => {
  const durability = name === 'one server' ? 'fast' : 'replicated';
  let form: RedisForm;
  let relay: TestRelay;
  /** Over the links that fail. */
  let caster: Engine;
  beforeAll(async () => {
    form = await FORMS[name](rig);
    relay = await startTestRelay({ redisUrl: form.url });
    rig.closeAfter(() => relay.close());
    caster = await openEngine({ redisUrl: form.links.url, durability });
    rig.closeAfter(() => caster.close());
  });

  const heal = () =>
    form.links.each(link => {
      link.refuse(false);
      link.setMode('pass');
      link.cut();
    });
  afterEach(() => heal());

  const counted = async (id: string) => (await relay.engine.polls.find(id))?.results.totalVoters;
  const draw = async () => {
    const { id } = await relay.create();
    await answering(caster);
    const [answer = ''] = (await relay.read(id)).poll_answers.map(({ id: answerId }) => answerId);
    const ledger = new Ledger(id);
    return {
      id,
      ledger,
      ballots: Array.from({ length: BALLOTS }, (_, number) => ledger.draw(answer, number)),
    };
  };

  it('T4: a reply that is lost leaves the outcome unknown, and the same ballot again counts once', async () => {
    const { id, ledger, ballots } = await draw();
    form.links.each(link => link.setMode('dropReplies'));
    const outcomes = await Promise.all(ballots.map(ballot => ledger.cast(caster, ballot)));
    expect(new Set(outcomes)).toEqual(new Set(['unknown']));
    const before = (await counted(id)) ?? 0;
    expect(before).toBeGreaterThan(0);
    heal();
    await answering(caster);
    await ledger.settle(caster);
    expect(ledger.accepted).toBe(BALLOTS);
    await ledger.expectExact(relay.engine);
    measured(
      'T4',
      `${name}: ${BALLOTS} callers without a known outcome, ${before} of them counted by then, ${await counted(id)} in the end`,
    );
  });

  it('T4: links that are cut again and again under load double no ballot and lose none', async () => {
    const random = randomOf(`T4 ${name}`);
    const { id } = await relay.create();
    await answering(caster);
    const crowd = await Crowd.start({ engines: [caster], pollId: id, random, voters: 32 });
    for (let cut = 0; cut < CUTS; cut += 1) {
      await crowd.more(between(random, 20, 200));
      form.links.each(link => link.cut());
    }
    await crowd.more(20);
    await crowd.end();
    await crowd.ledger.expectExact(relay.engine);
    const again = [...crowd.ledger.entries.values()].filter(({ attempts }) => attempts > 1).length;
    measured(
      'T4',
      `${name}, ${CUTS} cuts under load: ${crowd.acknowledged} acknowledged, ${again} after a retry, all exact`,
    );
  });

  it('T5: a ballot that was refused while the link was down is never counted later', async () => {
    const { id, ledger, ballots } = await draw();
    form.links.each(link => {
      link.refuse(true);
      link.cut();
    });
    // Not before the loss is known: until then a ballot may be on its way.
    await until(async () => !(await isThere(caster)), 'the loss to be noticed');
    expect(new Set(await Promise.all(ballots.map(ballot => ledger.cast(caster, ballot))))).toEqual(
      new Set(['unknown']),
    );
    form.links.each(link => link.refuse(false));
    await answering(caster);
    expect(await counted(id)).toBe(0);
    measured('T5', `${name}: ${BALLOTS} refused while the link was down, 0 counted later`);
  });

  it('T5: a ballot that timed out and arrives after all counts once, also when it is cast again', async () => {
    const { ledger, ballots } = await draw();
    form.links.each(link => link.setMode('blackhole'));
    expect(new Set(await Promise.all(ballots.map(ballot => ledger.cast(caster, ballot))))).toEqual(
      new Set(['unknown']),
    );
    // What was held arrives now, in front of what is cast again.
    form.links.each(link => link.setMode('pass'));
    await answering(caster);
    await ledger.settle(caster);
    expect(ledger.accepted).toBe(BALLOTS);
    await ledger.expectExact(relay.engine);
  });
});

function isThere(engine: Engine): Promise<boolean> {
  return engine.polls.now().then(
    () => true,
    () => false,
  );
}
