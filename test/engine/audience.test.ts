import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countAudience, countViewers, pagesOf } from '../../src/engine/audience.ts';
import { LiveClient } from '../support/live-client.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';

describe('the audience of a poll', () => {
  const relays: TestRelay[] = [];
  beforeEach(async () => {
    relays.push(await startTestRelay());
    relays.push(await startTestRelay({ engine: relays[0]!.engine }));
  });
  afterEach(async () => {
    for (const relay of relays.splice(0).reverse()) await relay.close();
  });

  const count = async (...ids: string[]) => countAudience(relays[0]!.engine.records, ids);
  const watch = ({ wsUrl }: TestRelay, id: string, query = '') =>
    LiveClient.open(`${wsUrl}/api/poll/${id}/live${query}`);

  it('counts voters’ pages apart from screens, and both as viewers', async () => {
    const { id } = await relays[0]!.create();
    const pages = [watch(relays[0]!, id, '?page=1'), watch(relays[1]!, id, '?page=1')];
    const clients = await Promise.all([watch(relays[0]!, id), ...pages]);
    await expect.poll(() => count(id, pagesOf(id))).toEqual([1, 2]);
    expect(await countViewers(relays[0]!.engine.records, [id])).toEqual([3]);
    for (const client of clients.slice(1)) client.close();
    await expect.poll(() => count(id, pagesOf(id))).toEqual([1, 0]);
    clients[0]!.close();
  });

  it('is the sum over all relays, without the previews of a desk', async () => {
    const { id } = await relays[0]!.create();
    const { id: other } = await relays[0]!.create();
    expect(await count(id, other)).toEqual([0, 0]);
    const clients = await Promise.all([
      watch(relays[0]!, id),
      watch(relays[0]!, id),
      watch(relays[1]!, id),
      watch(relays[1]!, id, '?preview=1'),
      watch(relays[1]!, other),
    ]);
    await expect.poll(() => count(id, other, 'nobodyknows1')).toEqual([3, 1, 0]);
    for (const client of clients.slice(1)) client.close();
    await expect.poll(() => count(id, other)).toEqual([1, 0]);
    clients[0]!.close();
  });

  it('of a show is each screen once that follows it or watches the poll on air, whatever is on air', async () => {
    const [here, there] = relays as [TestRelay, TestRelay];
    const show = await takeShow(here);
    const [one, two] = (await show.fill(2)) as [string, string];
    const screens = async () => (await show.get()).json.screens;
    const path = `/api/show/${show.name}/live`;
    const byKey = await LiveClient.open(`${here.wsUrl}/api/live?hz=5`);
    byKey.send({ type: 'follow', show: show.name, key: show.key });
    const others = await Promise.all([
      LiveClient.open(`${there.wsUrl}${path}`),
      LiveClient.open(`${there.wsUrl}${path}?preview=1`),
      LiveClient.open(`${there.wsUrl}${path}?page=1`),
      watch(there, two),
    ]);
    await expect.poll(screens).toBe(2);
    byKey.send({ type: 'subscribe', id: two });
    for (const [onAir, count] of [
      [one, 2],
      [two, 3],
      [null, 2],
      [two, 3],
    ] as const) {
      await show.patch({ on_air: onAir });
      await expect.poll(screens).toBe(count);
    }
    // Subscribing again starts over and is still one screen.
    byKey.send({ type: 'subscribe', id: two });
    others[0]!.close();
    await expect.poll(screens).toBe(2);
    byKey.close();
    await expect.poll(screens).toBe(1);
    for (const client of others) client.close();
    await expect.poll(screens).toBe(0);
  });
});
