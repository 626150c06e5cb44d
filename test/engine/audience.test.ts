import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countAudience, countViewers, pagesOf } from '../../src/engine/audience.ts';
import { LiveClient } from '../support/live-client.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

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
});
