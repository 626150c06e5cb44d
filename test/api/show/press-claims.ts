import { beforeAll, expect, it } from 'vitest';
import { ask, expectError } from '../../support/api-request.ts';
import type { TestRelay } from '../../support/test-relay.ts';
import { type TestShow, takeShow } from '../../support/test-show.ts';

let keys = 0;

function freshKey(): Record<string, string> {
  keys += 1;
  return { 'idempotency-key': `press-number-${String(keys).padStart(8, '0')}` };
}

/** Each press is carried out exactly once. @param relays two on one engine, or twice the same one */
export function pressClaims(relays: () => readonly [TestRelay, TestRelay]): void {
  let relay: TestRelay;
  let other: TestRelay;
  let show: TestShow;
  beforeAll(() => {
    [relay, other] = relays();
  });

  const taken = async (polls = 0): Promise<string[]> => {
    show = await takeShow(relay);
    return show.fill(polls);
  };

  it('two desks that press at the same time move one step', async () => {
    const ids = await taken(4);
    const desks = [show, show.at(other.url)];
    for (const id of ids) {
      const { version } = (await show.get()).json;
      const replies = await Promise.all(desks.map(desk => desk.press('next', { version })));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
      expectError(replies.find(({ status }) => status === 409)!, 409, 'show_changed');
      expect((await show.get()).json).toMatchObject({ on_air: id, version: version + 1 });
    }
  });

  it('concurrent presses at two relays each move one step', async () => {
    const ids = await taken(12);
    const desks = [show, show.at(other.url)];
    const presses = Array.from({ length: 15 }, (_, n) => desks[n % 2]!.press('next'));
    const renamed = desks.map((desk, n) => desk.patch({ title: `Title ${n}` }));
    const added = desks.map(desk => desk.addPoll({}, freshKey()));
    const replies = await Promise.all(presses);
    const moved = replies.filter(({ status }) => status === 200).map(({ json }) => json.on_air);
    expect((await Promise.all([...renamed, ...added])).every(({ status }) => status < 300)).toBe(true);
    const { json } = await show.get();
    // Each poll once, up to the end of the rundown at the time of the last press.
    expect(new Set(moved)).toEqual(new Set(json.rundown.slice(0, moved.length)));
    expect(moved.length).toBe(new Set(moved).size);
    expect(json.rundown.slice(0, 12)).toEqual(ids);
    expect(json.rundown).toHaveLength(14);
    expect(moved.length).toBeGreaterThanOrEqual(12);
    expect(json.title).toMatch(/^Title [01]$/);
  });

  it.each(['next', 'previous', 'clear'])('%s is carried out once per Idempotency-Key', async button => {
    const [one, two, three, four] = await taken(4);
    await show.patch({ on_air: button === 'previous' ? three : one });
    const headers = freshKey();
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => show.press(button, undefined, headers)),
    );
    const after = { next: two, previous: two, clear: null }[button];
    expect(replies.map(({ status, json }) => [status, json.on_air])).toEqual(Array(5).fill([200, after]));
    await show.patch({ on_air: four });
    // Late: another poll is on air now.
    const late = await show.at(other.url).press(button, undefined, headers);
    expect([late.status, late.json.on_air]).toEqual([200, four]);
    expectError(
      await show.press(button === 'next' ? 'clear' : 'next', undefined, headers),
      409,
      'idempotency_key_reused',
    );
    expectError(await show.press(button, { version: 1 }, headers), 409, 'idempotency_key_reused');
    expect((await show.get()).json.on_air).toBe(four);
  });

  it('a repeated change that changed nothing is not carried out later', async () => {
    const [id] = await taken(1);
    const headers = freshKey();
    await show.patch({ on_air: null }, headers);
    await show.patch({ on_air: id });
    expect((await show.patch({ on_air: null }, headers)).json.on_air).toBe(id);
  });

  it('a rejected press does not use up its Idempotency-Key', async () => {
    const headers = freshKey();
    await taken(1);
    await show.press('next');
    expectError(await show.press('next', undefined, headers), 409, 'rundown_end');
    const { json } = await show.addPoll();
    expect((await show.press('next', undefined, headers)).json.on_air).toBe(json.id);
  });

  it('a change of an outdated version is rejected completely', async () => {
    const [one, two] = await taken(2);
    const { version } = (await show.get()).json;
    await show.patch({ title: 'Another change' });
    expectError(await show.patch({ rundown: [two, one], title: 'Mine', version }), 409, 'show_changed');
    expectError(await show.press('clear', { version }), 409, 'show_changed');
    expect((await show.get()).json).toMatchObject({ title: 'Another change', rundown: [one, two] });
    for (const wrong of ['7', 0, -1, 1.5, null, 1e30])
      expectError(await show.press('next', { version: wrong }), 400, 'invalid_request');
  });

  it('a press accepts an empty or no body, and lists unknown members', async () => {
    await taken(1);
    const url = `${relay.url}/api/show/${show.name}/clear`;
    const press = (body: string | undefined, type?: string) =>
      ask(url, {
        method: 'POST',
        headers: { 'x-api-key': show.key, ...(type !== undefined && { 'content-type': type }) },
        ...(body !== undefined && { body }),
      });
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', undefined])
      expect((await press(undefined, type)).status).toBe(200);
    for (const body of ['', '{}', '{"show":{}}', 'null']) expect((await press(body)).status).toBe(200);
    expect((await press('{"shw":1,"show":{"from":2}}')).json.ignored).toEqual(['shw', 'from']);
    for (const body of ['[]', '7', '{"show":7}', '{"show":null}'])
      expectError(await press(body), 400, 'invalid_request');
    expectError(await press('{'), 400, 'invalid_json');
    expectError(await press(`{"a":"${'x'.repeat(200_000)}"}`), 413, 'body_too_large');
  });

  it('a poll is created once per Idempotency-Key at all relays', async () => {
    await taken();
    const headers = freshKey();
    const first = await show.addPoll({}, headers);
    expect(first.status).toBe(201);
    const again = await show.at(other.url).addPoll({}, headers);
    expect([again.status, again.json]).toEqual([201, first.json]);
    expect((await show.get()).json.rundown).toEqual([first.json.id]);
    expectError(await show.addPoll({ title: 'Another' }, headers), 409, 'idempotency_key_reused');
    // Keys of different shows are independent.
    const elsewhere = await takeShow(relay);
    expect((await elsewhere.addPoll({}, headers)).json.id).not.toBe(first.json.id);
  });
}
