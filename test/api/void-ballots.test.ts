import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, issuesOf, send } from '../support/api-request.ts';
import { LiveClient } from '../support/live-client.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

describe('voiding ballots', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay();
  });
  afterAll(() => relay.close());

  const request = (method: string, path: string, key?: string, body?: unknown) =>
    send(`${relay.url}/api/poll/${path}`, method, body, key);
  const castFrom = async (pollId: string, answer: string, network: string, count: number) => {
    for (let cast = 0; cast < count; cast += 1) {
      const one = `${network} ${cast}`;
      const ballot = { pollId, answers: [answer], voter: one, address: one, ballotId: one, network };
      expect(await relay.engine.castBallot(ballot)).toMatchObject({ outcome: 'accepted' });
    }
  };
  const votedPoll = async () => {
    const created = await relay.create();
    const { poll } = (await relay.engine.polls.find(created.id))!;
    const [answer] = poll.answers;
    await castFrom(created.id, answer!.id, 'forged', 5);
    await castFrom(created.id, answer!.id, 'honest', 2);
    return created;
  };

  it('takes a network out of the counts on every screen, and puts it back', async () => {
    const { id, admin_key } = await votedPoll();
    const live = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live`);
    await live.results(7);
    const voided = await request('POST', `${id}/void`, admin_key, { void: { network: 'forged' } });
    expect(voided.status).toBe(200);
    expect(voided.json).toMatchObject({
      total_votes: 2,
      total_voters: 2,
      voids: [{ id: 'forged', network: 'forged', to: expect.stringMatching(/Z$/) }],
      ignored: [],
    });
    await live.results(2);
    const restored = await request('DELETE', `${id}/void/forged`, admin_key);
    expect(restored.json).toMatchObject({ total_votes: 7, voids: [] });
    expect((await request('DELETE', `${id}/void/not.a.rule`, admin_key)).status).toBe(400);
    await live.results(7);
    live.close();
  });

  it('takes a period out of the counts, whatever its network', async () => {
    const { id, admin_key } = await votedPoll();
    const [from, to] = ['2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z'];
    const { json } = await request('POST', `${id}/void`, admin_key, { void: { from, to } });
    expect(json).toMatchObject({ total_votes: 0, total_voters: 0 });
    const [rule] = json.voids;
    expect(rule).toMatchObject({ from: '2020-01-01T00:00:00.000Z' });
    expect(Date.parse(rule.to)).toBeLessThanOrEqual(Date.now() + 1_000);
    expect((await request('DELETE', `${id}/void/${rule.id}`, admin_key)).json).toMatchObject({
      total_votes: 7,
    });
  });

  it('takes out the ballots of one chat, and puts them back', async () => {
    const { id, admin_key } = await relay.create();
    await relay.cast(id, 0, 2);
    await relay.cast(id, 0, 3, 'twitch');
    await relay.cast(id, 1, 1, 'kick');
    const removed = await request('POST', `${id}/void`, admin_key, { void: { source: 'twitch' } });
    expect(removed.json).toMatchObject({
      total_votes: 3,
      voided_votes: 3,
      by_source: { page: 2, kick: 1 },
      voids: [{ id: 'chat-twitch', source: 'twitch' }],
    });
    const back = await request('DELETE', `${id}/void/chat-twitch`, admin_key);
    expect(back.json).toMatchObject({ by_source: { page: 2, twitch: 3, kick: 1 }, voids: [] });
  });

  it('changes nothing without a key that manages the poll', async () => {
    const { id, view_key } = await votedPoll();
    const body = { void: { network: 'forged' } };
    expectError(await request('POST', `${id}/void`, undefined, body), 401, 'api_key_required');
    expectError(await request('POST', `${id}/void`, view_key, body), 403, 'api_key_rejected');
    expectError(await request('DELETE', `${id}/void/forged`, view_key), 403, 'api_key_rejected');
    expect((await relay.read(id)).total_votes).toBe(7);
  });

  it.each([
    [{}, 'void'],
    [{ void: {} }, 'void'],
    [{ void: { network: 'an address 127.0.0.1' } }, 'void.network'],
    [{ void: { network: 'a', from: '2020-01-01T00:00:00Z' } }, 'void.network'],
    [{ void: { source: 'a chat' } }, 'void.source'],
    [{ void: { network: 'a', source: 'kick' } }, 'void.network'],
    [{ void: { from: '2020-01-01T00:00:00Z' } }, 'void'],
    [{ void: { from: 'yesterday', to: '2020-01-01T00:00:00Z' } }, 'void.from'],
  ])('rejects %j', async (body, path) => {
    const { id, admin_key } = await relay.create();
    const rejected = await request('POST', `${id}/void`, admin_key, body);
    expectError(rejected, 400, 'invalid_request');
    expect(Object.keys(issuesOf(rejected))).toContain(path);
  });
});
