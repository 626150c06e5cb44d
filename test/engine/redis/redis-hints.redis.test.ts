// @module-tag redis-server
import { describe, expect, it } from 'vitest';
import { countHints, eventually } from '../../contract/engine/engine-subject.ts';
import { followedChannels, redisEngineRig } from './redis-subject.ts';

describe('hints from Redis', () => {
  const rig = redisEngineRig();

  async function openTwo() {
    const server = await rig.start();
    return { server, client: rig.clientOf(server), engine: await rig.openAt(server.url) };
  }

  it('are not subscribed again without followers', async () => {
    const { server, client, engine } = await openTwo();
    server.pause();
    const topics = ['show:left', 'show:stays'];
    const [left, stays] = await Promise.all(topics.map(topic => countHints(engine, topic)));
    left!.unfollow();
    server.resume();
    await eventually(() => expect(stays!.count).toBeGreaterThan(0));
    await eventually(async () => expect(await followedChannels(client)).toHaveLength(1));
    expect(left!.count).toBe(0);
  });

  it('cost one command for all topics that begin or end in one turn', async () => {
    const { client, engine } = await openTwo();
    const commandsOf = async (name: string) =>
      Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(await client.info('commandstats'))?.[1] ?? 0);
    const [subscribed, unsubscribed] = [await commandsOf('subscribe'), await commandsOf('unsubscribe')];
    const topics = Array.from({ length: 900 }, (_, index) => `show:${index}`);
    const hints = await Promise.all(topics.map(topic => countHints(engine, topic)));
    expect(await followedChannels(client)).toHaveLength(900);
    expect(await commandsOf('subscribe')).toBe(subscribed + 1);
    for (const { unfollow } of hints) unfollow();
    await eventually(async () => expect(await followedChannels(client)).toHaveLength(0));
    expect(await commandsOf('unsubscribe')).toBe(unsubscribed + 1);
  });
});
