import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredBallot } from '../../src/poll/ballot.ts';
import { LiveClient } from '../support/live-client.ts';
import { logLines } from '../support/log-lines.ts';
import { type LiveSite, startLiveSite } from './voting-site.ts';

let site: LiveSite;
const { logger, lines: log } = logLines('trace');
beforeAll(async () => {
  site = await startLiveSite({ logger });
});
afterAll(() => site.close());

async function storedBallots(id: string): Promise<StoredBallot[]> {
  const ballots: StoredBallot[] = [];
  for await (const batch of site.engine.polls.readBallots(id)) ballots.push(...batch);
  return ballots;
}

/** The tags of ballots from these addresses, in this order. */
async function tagsOf(addresses: readonly string[]): Promise<(string | undefined)[]> {
  const { id, poll } = await site.createPoll({ mip: true });
  for (const address of addresses)
    await site.visitor({ address, origin: site.url }).vote(id, poll.answers[0]!.id);
  return (await storedBallots(id)).map(({ network }) => network);
}

describe('the tag of a ballot', () => {
  it('is the same for addresses of one IPv4 /24, and differs for another', async () => {
    const [one, same, mapped, other] = await tagsOf([
      '203.0.113.1',
      '203.0.113.254',
      '::ffff:203.0.113.7',
      '203.0.114.1',
    ]);
    expect(one).toMatch(/^[\w-]{16}$/);
    expect([same, mapped]).toEqual([one, one]);
    expect(other).not.toBe(one);
  });

  it('is the same for addresses of one IPv6 /48, and differs for another', async () => {
    const [one, same, other] = await tagsOf(['2001:db8:1::1', '2001:db8:1:ffff::2', '2001:db8:2::1']);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it('differs between polls, and the stored ballot has no address', async () => {
    const { id, poll } = await site.createPoll({ mip: true });
    await site.visitor({ address: '203.0.113.1', origin: site.url }).vote(id, poll.answers[0]!.id);
    const [ballot] = await storedBallots(id);
    expect((await tagsOf(['203.0.113.1']))[0]).not.toBe(ballot!.network);
    expect(JSON.stringify(ballot)).not.toContain('203.0.113');
  });

  it('is missing in a poll from before networks had tags', async () => {
    const { poll } = await site.createPoll({ mip: true });
    const { networkKey: _, ...older } = poll;
    const { keys } = (await site.engine.polls.find(poll.id))!;
    await site.engine.polls.remove(poll.id);
    await site.engine.polls.create({ poll: older, keys, deadlineMs: null, resultsVisibility: 'always' });
    await site.visitor({ origin: site.url }).vote(poll.id, poll.answers[0]!.id);
    expect((await storedBallots(poll.id)).map(({ network }) => network)).toEqual([undefined]);
  });
});

describe('the key of the tags', () => {
  it('is in no reply, document, page or log', async () => {
    const { id, admin_key } = await site.relay.create({ mip: true, enter_name: true });
    const { networkKey, answers } = (await site.engine.polls.find(id))!.poll;
    expect(networkKey).toMatch(/^[\w-]{22}$/);
    const creator = site.visitor({ origin: site.url });
    await creator.post(`/${id}/manage/key`, { key: admin_key });
    const client = await LiveClient.open(`${site.relay.wsUrl}/api/poll/${id}/live?key=${admin_key}`);
    await client.until(() => client.last !== undefined, 'the first message');
    const seen = [JSON.stringify(client.last)];
    client.close();
    expect((await creator.vote(id, answers[0]!.id, { name: 'Mira' })).statusCode).toBe(303);
    for (const path of ['', '/state', '/manage', '/manage/names', '/manage/ballots.csv'])
      seen.push((await creator.get(`/${id}${path}`)).body);
    for (const path of [`/api/poll/${id}`, `/api/poll/${id}?format=csv`, `/overlay/${id}`, '/openapi.json'])
      seen.push(await (await fetch(site.relay.url + path, { headers: { 'x-api-key': admin_key } })).text());
    expect(seen).not.toContain('');
    expect(log.join()).toContain('/manage/names');
    for (const text of [...seen, ...log]) {
      expect(text).not.toContain(networkKey);
      expect(text).not.toContain('networkKey');
    }
  });
});
