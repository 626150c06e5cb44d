// @module-tag redis-server
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { ShowBoard } from '../../src/show/show-board.ts';
import { openPoll } from '../contract/engine/engine-subject.ts';
import { pointShow } from '../support/point-show.ts';
import { redisRig } from '../support/redis-rig.ts';
import { until } from '../support/until.ts';

const SHOWS = 2_000;
const SWEEPS = 3;
/** Names in one look. */
const BATCH = 500;

describe('thousands of followed shows', () => {
  const { start, clientOf, closeAfter } = redisRig();

  it('cost Redis a few commands a sweep, and hear of a switch all the same', async () => {
    const redis = await start();
    const client = clientOf(redis);
    const engine = await openEngine({ redisUrl: redis.url });
    closeAfter(() => engine.close());
    const board = new ShowBoard(engine);
    closeAfter(() => board.close());
    const told = new Map<string, (string | null)[]>();
    for (let number = 0; number < SHOWS; number += 1) {
      const show = `show-${number}`;
      const heard: (string | null)[] = [];
      told.set(show, heard);
      board.followPublic(show, ({ id }) => heard.push(id));
    }
    await until(() => [...told.values()].every(({ length }) => length === 1), 'the first answers');

    const callsOf = async () => {
      const stats = await client.info('commandstats');
      return (name: string) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
    };
    const first = await callsOf();
    expect(first('subscribe')).toBeLessThanOrEqual(2 * Math.ceil(SHOWS / 1_000));
    let last = first;
    const sweep = SHOWS / BATCH;
    await until(async () => {
      last = await callsOf();
      return last('mget') >= first('mget') + SWEEPS * sweep;
    }, 'the sweeps');
    // Each sweep looks once, and no show that stays is read again.
    expect(last('mget') - first('mget')).toBeLessThanOrEqual((SWEEPS + 2) * sweep);
    expect(last('get') - first('get')).toBe(0);
    // Hints are probed now and then.
    expect(last('subscribe') - first('subscribe')).toBeLessThanOrEqual(SWEEPS);

    const { poll } = await openPoll({ engine, other: engine });
    await pointShow(engine, 'show-77', poll.id);
    await until(() => told.get('show-77')?.at(-1) === poll.id, 'the switch');
    expect([...told.values()].filter(({ length }) => length > 1)).toHaveLength(1);
  });
});
