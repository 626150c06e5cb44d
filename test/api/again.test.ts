import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, expectError, send } from '../support/api-request.ts';
import { LiveClient } from '../support/live-client.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';

describe('another round', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay();
  });
  afterAll(() => relay.close());

  const again = (id: string, key?: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(`${relay.url}/api/poll/${id}/again`, 'POST', body, { ...(key && { 'x-api-key': key }), ...headers });
  const read = (id: string, query = '', key?: string) =>
    ask(`${relay.url}/api/poll/${id}${query}`, key ? { headers: { 'x-api-key': key } } : {});

  it('begins at zero under the same id and keys, and leaves the earlier one readable in all formats', async () => {
    const made = await relay.create({ closes_in: 600, ma: true, max_choices: 1 });
    const { id, admin_key } = made;
    await relay.cast(id, 1, 3);
    const first = (await read(id)).json;
    const reply = await again(id, admin_key);
    expect([reply.status, reply.json]).toEqual([
      200,
      expect.objectContaining({ id, round: 2, total_votes: 0, total_voters: 0, status: 'open', ignored: [] }),
    ]);
    expect(reply.json.poll_answers.map((answer: { id: string }) => answer.id)).toEqual(
      first.poll_answers.map((answer: { id: string }) => answer.id),
    );
    expect(reply.json.max_choices).toBe(1);
    expect(Date.parse(reply.json.deadline)).toBeGreaterThanOrEqual(Date.parse(first.deadline));
    await relay.cast(id, 0);
    const earlier = (await read(id, '?round=1')).json;
    expect(earlier).toMatchObject({ id, total_votes: 3, status: 'closed' });
    expect(earlier).not.toHaveProperty('round');
    expect((await read(id)).json).toMatchObject({ round: 2, total_votes: 1 });
    expect((await read(id, '?round=2')).json).toMatchObject({ round: 2, total_votes: 1 });
    const csv = await fetch(`${relay.url}/api/poll/${id}?round=1&format=csv`);
    expect(await csv.text()).toMatch(/Volare.*3/);
    expectError(await read(id, '?round=3'), 404, 'round_not_found');
    expectError(await read(id, '?round=0'), 400, 'invalid_request');
    expectError(await read('rehearsal', '?round=2'), 404, 'round_not_found');
  });

  it('is the key holder’s, and hidden rounds stay hidden until the creator shows the poll', async () => {
    const { id, admin_key, view_key } = await relay.create({ results_visibility: 'hidden' });
    for (const [key, status, code] of [
      [undefined, 401, 'api_key_required'],
      [view_key, 403, 'api_key_rejected'],
    ] as const)
      expectError(await again(id, key), status, code);
    await relay.cast(id);
    expectError(
      await again(id, admin_key, { poll: { results_visibility: 'always' } }),
      400,
      'invalid_request',
    );
    await again(id, admin_key);
    for (const query of ['', '?round=1', '?round=2', '?round=1&format=csv'])
      expectError(await read(id, query), 401, 'api_key_required');
    for (const path of [`${id}~1`, `${id}~1/live`, `${id}~1/definition`, `${id}~1/vote.svg`, `${id}~1/again`])
      expect((await read(path)).json.error.code).toMatch(/_not_found$|method_not_allowed/);
    expectError(await read(id, '?round=1'), 401, 'api_key_required');
    for (const key of [view_key, admin_key])
      expect((await read(id, '?round=1', key)).json.total_votes).toBe(1);
    const show = (results_visibility: string) =>
      send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll: { results_visibility } }, admin_key);
    await show('always');
    expect((await read(id, '?round=1')).json.total_votes).toBe(1);
    await show('after_vote');
    expectError(await read(id, '?round=1'), 401, 'api_key_required');
    const renewed = await send(`${relay.url}/api/poll/${id}/view_key`, 'POST', undefined, admin_key);
    expectError(await read(id, '?round=1', view_key), 403, 'api_key_rejected');
    expect((await read(id, '?round=1', renewed.json.view_key)).status).toBe(200);
  });

  it('begins once with an Idempotency-Key or an expected round, pressed from two places', async () => {
    const { id, admin_key } = await relay.create();
    const key = { 'idempotency-key': 'the-same-key-of-both' };
    const twice = [await again(id, admin_key, undefined, key), await again(id, admin_key, undefined, key)];
    expect(twice.map(({ status, json }) => [status, json.round])).toEqual([
      [200, 2],
      [200, 2],
    ]);
    const pressed = await Promise.all([1, 2, 3].map(() => again(id, admin_key, { round: 2 })));
    expect(pressed.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expectError(await again(id, admin_key, { round: 2 }), 409, 'round_begun');
    expect((await read(id)).json.round).toBe(3);
  });

  it('is prepared by the body, with kept ids of answers', async () => {
    const show = await takeShow(relay);
    const made = await send(
      `${relay.url}/api/show/${show.name}/poll`,
      'POST',
      { poll: { title: 'One?', answers: ['A', 'B'], status: 'upcoming', closes_in: 30 } },
      show.key,
    );
    const { id, poll_answers } = made.json;
    const poll = { title: 'Two?', answers: ['B', 'C', 'A'], status: 'upcoming', unknown: 1 };
    const reply = await again(id, show.key, { poll });
    expect(reply.json).toMatchObject({ title: 'Two?', status: 'upcoming', closes_in: 30, round: 2 });
    expect(reply.json.ignored).toEqual(['unknown']);
    const ids = reply.json.poll_answers.map((answer: { id: string }) => answer.id);
    expect([ids[2], ids[0]]).toEqual(poll_answers.map((answer: { id: string }) => answer.id));
    expect(new Set(ids).size).toBe(3);
    for (const refused of [{ priv: true }, { join_code: true }, { answers: [] }])
      expectError(await again(id, show.key, { poll: refused }), 400, 'invalid_request');
  });

  it('is named in rows and CSV, drawn as a picture, and listed with its earlier rounds in the results of a show', async () => {
    const show = await takeShow(relay);
    const body = { poll: { title: 'One?', answers: ['A', 'B'] } };
    const { id } = (await send(`${relay.url}/api/show/${show.name}/poll`, 'POST', body, show.key)).json;
    await relay.cast(id, 0, 2);
    expect(Object.keys((await read(id, '?format=rows')).json[0])).not.toContain('round');
    await again(id, show.key);
    await relay.cast(id, 1);
    expect((await read(id, '?format=rows')).json[0]).toMatchObject({ answer: 'A', votes: 0, round: 2 });
    const pictureOf = async (query: string) => {
      const reply = await fetch(`${relay.url}/api/poll/${id}/picture.png?size=200x200${query}`);
      expect(reply.status).toBe(200);
      return Buffer.from(await reply.arrayBuffer()).toString('base64');
    };
    const present = await pictureOf('');
    expect(await pictureOf('&round=2')).toBe(present);
    expect(await pictureOf('&round=1')).not.toBe(present);
    const asShow = { headers: { 'x-api-key': show.key } };
    const { polls } = (await ask(`${relay.url}/api/show/${show.name}/results`, asShow)).json;
    expect(polls[0]).toMatchObject({ results: { round: 2, total_votes: 1 }, rounds: [{ total_votes: 2 }] });
    const csv = await fetch(`${relay.url}/api/show/${show.name}/results?format=csv`, asShow);
    const lines = (await csv.text()).trim().split('\r\n');
    expect(lines.map(line => [line.split(',')[2], line.split(',')[4], line.split(',').at(-1)])).toEqual([
      ['answer', 'votes', 'round'],
      ['A', '2', ''],
      ['B', '0', ''],
      ['A', '0', '2'],
      ['B', '1', '2'],
    ]);
  });

  it('reaches screens at once with `reset`, also those that were away', async () => {
    const { id, admin_key } = await relay.create();
    await relay.cast(id, 0, 5);
    const screen = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live`);
    await screen.results(5);
    const { position } = screen.of('results').at(-1)!;
    await again(id, admin_key);
    await screen.message(message => message.type === 'results' && message.round === 2, 'the next round');
    expect(screen.of('results').find(({ round }) => round === 2)).toMatchObject({
      reset: true,
      total_votes: 0,
    });
    // More ballots than the round before had.
    await relay.cast(id, 1, 9);
    const back = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live?since=${position}`);
    await back.results(9);
    expect(back.of('results')[0]).toMatchObject({ reset: true, round: 2 });
    const kept = await LiveClient.open(
      `${relay.wsUrl}/api/poll/${id}/live?since=${back.of('results')[0]!.position}`,
    );
    await kept.message(({ type }) => type === 'current', 'no reset of what is held');
    for (const client of [screen, back, kept]) client.socket.terminate();
  });
});
