import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { ShowMessage } from '../../../src/protocol/messages.ts';
import { ask, expectError, issuesOf } from '../../support/api-request.ts';
import { LiveClient } from '../../support/live-client.ts';
import type { TestRelay } from '../../support/test-relay.ts';
import { type TestShow, takeShow } from '../../support/test-show.ts';

const VERSUS = { style: 'versus', scene: 'full' };

/** Looks of the polls of a rundown. @param relays two on one engine, or twice the same one */
export function lookClaims(relays: () => readonly [TestRelay, TestRelay]): void {
  let relay: TestRelay;
  let other: TestRelay;
  let show: TestShow;
  let one: string;
  let two: string;
  beforeAll(() => {
    [relay, other] = relays();
  });
  beforeEach(async () => {
    show = await takeShow(relay);
    [one, two] = (await show.fill(2)) as [string, string];
  });

  const set = (looks: unknown, of = show) => of.patch({ looks });
  const looks = async () => (await show.get()).json.looks;

  it('are set by member over that of the show, and removed by null', async () => {
    await show.patch({ look: { theme: 'light' } });
    const colors = ['F80', '#1E90FF'];
    const reply = await set({
      [one]: { ...VERSUS, sort: 'order', colors, accent: 'ABC' },
      [two]: { theme: 'flat' },
    });
    const all = { ...VERSUS, sort: 'order', colors: ['#ff8800', '#1e90ff'], accent: '#aabbcc' };
    expect([reply.status, reply.json.looks]).toEqual([200, { [one]: all, [two]: { theme: 'flat' } }]);
    expect(reply.json.look).toEqual({ theme: 'light' });
    const { version } = reply.json;
    expect((await set({ [two]: { theme: 'flat' } })).json.version).toBe(version);
    const { accent: _, ...rest } = all;
    expect((await set({ [one]: { style: 'donut', accent: null } })).json.looks[one]).toEqual({
      ...rest,
      style: 'donut',
    });
    expect((await set({ [two]: { theme: null } })).json.looks).toEqual({
      [one]: { ...rest, style: 'donut' },
    });
    expect((await set({ [one]: null, [two]: null })).json.looks).toEqual({});
  });

  it('name what is wrong', async () => {
    const issues = async (wanted: unknown) => {
      const reply = await set(wanted);
      expectError(reply, 400, 'invalid_request');
      return issuesOf(reply);
    };
    expect(await issues({ [one]: { styl: 'bars' } })).toEqual({
      [`show.looks.${one}.styl`]: 'is unknown. Did you mean style?',
    });
    expect(await issues({ [one]: { speed: 0 } })).toEqual({
      [`show.looks.${one}.speed`]: expect.stringMatching(
        /^is not part of a look. That of a poll can have: style,/,
      ),
    });
    expect(await issues({ [one]: { style: 'verses' } })).toEqual({
      [`show.looks.${one}.style`]: expect.stringMatching(/^must be one of bars, .*versus/),
    });
    expect(await issues({ [one]: 'versus' })).toEqual({
      [`show.looks.${one}`]: expect.stringMatching(/object/),
    });
    expect(await issues([VERSUS])).toEqual({ 'show.looks': expect.stringMatching(/object/) });
    expect(await issues({ 'not an id': VERSUS })).toEqual({ 'show.looks.not an id': 'must be a poll id' });
    const stranger = await relay.create();
    expect(await issues({ [one]: VERSUS, [stranger.id]: VERSUS })).toEqual({
      [`show.looks.${stranger.id}`]: 'is not in the rundown',
    });
    expect(await looks()).toEqual({});
    expect((await set({ [stranger.id]: null })).status).toBe(200);
    expectError(
      await show.patch({ looks: { [one]: VERSUS } }, { 'x-api-key': 'show_wrong' }),
      403,
      'api_key_rejected',
    );
    const both = await show.patch({ rundown: [one, two, stranger.id], looks: { [stranger.id]: VERSUS } });
    expect(both.json.looks).toEqual({ [stranger.id]: VERSUS });
  });

  it('are public only of the poll on air, and come with its take', async () => {
    await set({ [one]: VERSUS, [two]: { theme: 'flat' } });
    const viewer = await LiveClient.open(`${other.wsUrl}/api/show/${show.name}/live`);
    const looksOf = (id: string, isNew = (_: ShowMessage) => true) =>
      viewer
        .message(message => message.type === 'show' && message.id === id && isNew(message))
        .then(message => (message as ShowMessage).looks);
    expect(await viewer.message(message => message.type === 'show')).not.toHaveProperty('looks');
    await show.patch({ on_air: one });
    expect(await looksOf(one)).toEqual({ [one]: VERSUS });
    await set({ [one]: { scene: 'panel' }, [two]: { theme: 'light' } });
    const changed = looksOf(one, ({ looks }) => looks?.[one]?.['scene'] === 'panel');
    expect(await changed).toEqual({ [one]: { ...VERSUS, scene: 'panel' } });
    await show.patch({ on_air: `rehearsal-${two}` });
    expect(await looksOf(`rehearsal-${two}`)).toEqual({ [two]: { theme: 'light' } });
    viewer.close();
    expect((await ask(`${relay.url}/api/show/${show.name}`)).json).not.toHaveProperty('looks');
  });

  it('of a poll that is removed end with it, but not while it is on air, and come back by undo', async () => {
    await set({ [one]: VERSUS, [two]: { theme: 'flat' } });
    await show.patch({ rundown: [one] });
    expect(await looks()).toEqual({ [one]: VERSUS });
    await show.press('undo');
    expect(await looks()).toEqual({ [one]: VERSUS, [two]: { theme: 'flat' } });
    await show.patch({ on_air: one });
    await show.patch({ rundown: [two], confirm: true });
    expect((await looks())[one]).toEqual(VERSUS);
    await set({ [one]: { style: 'bars' } });
    expect((await looks())[one]).toEqual({ ...VERSUS, style: 'bars' });
    await show.patch({ on_air: two });
    await show.patch({ rundown: [], confirm: true });
    expect(await looks()).toEqual({ [two]: { theme: 'flat' } });
    for (const press of ['remove', 'take', 'edit', 'remove']) {
      const { json } = await show.press('undo');
      expect(json.undone.press).toBe(press);
    }
    expect(await looks()).toEqual({ [one]: VERSUS, [two]: { theme: 'flat' } });
  });

  it('that two desks change at once have both changes, and undo takes them back one by one', async () => {
    const desks = [show, show.at(other.url)];
    await Promise.all([
      set({ [one]: { style: 'donut' } }, desks[0]),
      set({ [one]: { scene: 'full' } }, desks[1]),
    ]);
    expect(await looks()).toEqual({ [one]: { style: 'donut', scene: 'full' } });
    const { json } = await show.press('undo');
    expect(json.undone).toMatchObject({ press: 'edit', poll: one });
    expect(Object.keys(json.looks[one])).toHaveLength(1);
    await show.press('undo');
    expect(await looks()).toEqual({});
    // The polls were added before.
    expect((await show.press('undo')).json.undone.press).toBe('add');
  });

  it('are those of the copies in a copy of the show', async () => {
    await set({ [two]: VERSUS });
    const name = `${show.name}-copy`;
    const copy = await show.press('copy', { name });
    const [, copied] = copy.json.polls;
    const headers = { 'x-api-key': copy.json.show_key };
    const reply = await fetch(`${relay.url}/api/show/${name}`, { headers });
    expect((await reply.json()).looks).toEqual({ [copied.id]: VERSUS });
  });
}
