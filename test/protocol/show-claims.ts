import { expect, it } from 'vitest';
import { createKey, hashKey, presentKey } from '../../src/poll/poll-key.ts';
import type { ShowChange } from '../../src/show/show-schema.ts';
import { changeShow, createShow, removeShow, renewShowKey } from '../../src/show/shows.ts';
import { LiveClient } from '../support/live-client.ts';
import { pointShow } from '../support/point-show.ts';
import type { Subject } from './target.ts';

const HIDDEN = { results_visibility: 'hidden' };
const WRONG_KEY = createKey('show');
let names = 0;

function freshName(): string {
  names += 1;
  return `show-${process.pid}-${Date.now()}-${names}`;
}

export function showClaims(subject: Subject): void {
  /** A name that is taken, and what its producer does. */
  const taken = async () => {
    const name = freshName();
    const key = createKey('show');
    await createShow(subject.engine, { name, title: 'Friday' }, hashKey(key));
    const access = { key: presentKey(key, 'header'), isOperatorKey: () => false };
    const change = (what: ShowChange) => changeShow(subject.engine, name, what, access);
    return { name, key, access, change };
  };
  const followed = async (show: string, key?: string, query = '') => {
    const live = await subject.live(`/api/live${query}`);
    live.send({ type: 'follow', show, key });
    await live.until(() => live.messages.length > 0, 'the answer');
    return live;
  };
  /** What was said, about what, without `buttons`. */
  const heard = (live: { messages: readonly { type: string }[] }) =>
    live.messages
      .filter(({ type }) => type !== 'buttons')
      .map(message => `${message.type} ${'id' in message ? message.id : ''}`.trim());

  it('P22: follow gets show, and each switch sends another one', async () => {
    const show = freshName();
    const [first, second] = [await subject.create(), await subject.create()];
    const live = await followed(show);
    live.send({ type: 'follow', show });
    for (const id of [first.id, second.id, null]) {
      await pointShow(subject.engine, show, id);
      await live.until(() => live.of('show').at(-1)?.id === id && live.of('show').length > 1, 'the switch');
    }
    // The show is there for a moment before its first poll, which a follower may see.
    const seen = live.of('show').filter(({ id }, at) => at !== 1 || id !== null);
    expect(seen).toEqual([
      { type: 'show', show, id: null, missing: true },
      { type: 'show', show, id: first.id, subscribed: true },
      { type: 'show', show, id: second.id, subscribed: true },
      { type: 'show', show, id: null },
    ]);
    await pointShow(subject.engine, show, first.id);
    await live.until(() => live.of('show').at(-1)?.id === first.id, 'the first one again');
    const late = await followed(show);
    expect(late.of('show')[0]?.id).toBe(first.id);
  });

  it('P48: a switch subscribes to the new poll and unsubscribes from the one before', async () => {
    const { name, change } = await taken();
    const [before, after] = [await subject.create(), await subject.create()];
    await change({ onAir: before.id });
    const live = await followed(name);
    await live.results(0);
    await change({ onAir: after.id });
    await live.until(() => live.messages.length === 4, 'the switch and its results');
    expect(heard(live)).toEqual([
      `show ${before.id}`,
      `results ${before.id}`,
      `show ${after.id}`,
      `results ${after.id}`,
    ]);
    await subject.cast(before.id);
    await subject.cast(after.id);
    await live.results(1);
    expect(heard(live).at(-1)).toBe(`results ${after.id}`);
    await change({ onAir: null });
    await live.until(() => live.of('show').length === 3, 'nothing on air');
    await subject.cast(after.id);
    await change({ onAir: before.id });
    await live.until(() => live.of('results').length === 4, 'the first one again');
    expect(heard(live).slice(5)).toEqual(['show null', `show ${before.id}`, `results ${before.id}`]);
  });

  it('P48: subscriptions of the client stay, and so does the poll on air', async () => {
    const { name, change } = await taken();
    const other = await taken();
    const [own, next] = [await subject.create(), await subject.create()];
    const live = await subject.live('/api/live');
    live.send({ type: 'subscribe', id: own.id });
    for (const show of [name, other.name]) live.send({ type: 'follow', show });
    await live.until(() => live.messages.length === 3, 'the answers');
    const switches = [() => change({ onAir: own.id }), () => change({ onAir: next.id })];
    // Two that come together may be told as one.
    for (const [told, act] of [...switches, () => other.change({ onAir: next.id })].entries()) {
      await act();
      await live.until(() => live.of('show').length === 3 + told, 'the switch');
    }
    await change({ onAir: null });
    live.send({ type: 'unsubscribe', id: next.id });
    await live.until(() => live.of('show').length === 6, 'nothing on air of the one show');
    await subject.cast(own.id);
    await subject.cast(next.id);
    await live.until(
      () => live.of('results').filter(({ total_votes }) => total_votes === 1).length === 2,
      'both',
    );
    live.send({ type: 'unsubscribe', id: own.id });
    await other.change({ onAir: null });
    await live.until(() => live.of('show').length === 7, 'nothing on air');
    const said = live.messages.length;
    await subject.cast(own.id);
    await subject.cast(next.id);
    await change({ title: 'Not on air' });
    await change({ onAir: own.id });
    await live.until(() => live.messages.length === said + 2, 'the next switch');
    expect(heard(live).slice(said)).toEqual([`show ${own.id}`, `results ${own.id}`]);
  });

  it('P48: a key that does not fit the poll on air is ignored', async () => {
    const { name, change } = await taken();
    const [mine, foreign] = [await subject.create(HIDDEN), await subject.create(HIDDEN)];
    await change({ onAir: mine.id });
    const live = await followed(name, undefined, `?key=${mine.view_key}`);
    await live.results(0);
    await change({ onAir: foreign.id });
    await live.until(() => live.of('hidden').length === 1, 'the hidden poll');
    expect(heard(live).at(-1)).toBe(`hidden ${foreign.id}`);
    expect(live.of('error')).toEqual([]);
  });

  it('P51: each change of the look reaches followers with and without a key, and no results with it', async () => {
    const { name, key, change } = await taken();
    const { id } = await subject.create();
    await change({ onAir: id });
    const followers = [await followed(name, key), await followed(name)];
    for (const live of followers) await live.results(0);
    const look = { theme: 'light', colors: ['#1e90ff', '#ff8800'] } as const;
    await change({ look });
    for (const live of followers) await live.until(() => heard(live).length === 3, 'the look');
    await change({ look: null, delay: 20 });
    for (const live of followers) {
      await live.until(() => heard(live).length === 4, 'both changes');
      expect(heard(live)).toEqual([`show ${id}`, `results ${id}`, `show ${id}`, `show ${id}`]);
      expect(live.of('show').map(show => show.look)).toEqual([undefined, look, undefined]);
      expect(live.of('show').map(show => show.delay)).toEqual([undefined, undefined, 20]);
    }
  });

  it('P51: a link to a chat reaches followers while a poll that the show owns is on air', async () => {
    const { name, key, change } = await taken();
    const foreign = await subject.create();
    await change({ onAir: foreign.id, chat: [{ platform: 'twitch', channel: 'friday' }] });
    const reply = await fetch(`${subject.url}/api/show/${name}/poll`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ poll: { title: 'A?', answers: ['B', 'C'], chat_words: true } }),
    });
    const { id } = (await reply.json()) as { id: string };
    const followers = [await followed(name, key), await followed(name)];
    for (const live of followers) expect(live.of('show').at(-1)).not.toHaveProperty('chat');
    await change({ onAir: id });
    for (const live of followers) {
      await live.until(() => live.of('show').at(-1)?.id === id, 'the switch');
      expect(live.of('show').at(-1)).toMatchObject({ id, chat: true });
      await live.until(() => live.of('results').at(-1)?.id === id, 'the poll');
      expect(live.of('results').at(-1)).toMatchObject({ chat_labels: ['A', 'B'] });
    }
    await change({ chat: [] });
    for (const live of followers)
      await live.until(() => live.of('show').at(-1)?.chat === undefined, 'the chat to be unlinked');
  });

  it('P49: with the right key, every change of the rundown is sent', async () => {
    const { name, key, change } = await taken();
    const { id } = await subject.create();
    const [desk, stranger] = [await followed(name, key), await followed(name)];
    await change({ rundown: [id] });
    await desk.until(() => desk.of('show').length === 2, 'the rundown');
    await change({ title: 'Late', onAir: id });
    await desk.until(() => desk.of('show').length === 3, 'both changes');
    const whole = { type: 'show', show: name, own: [] };
    expect(desk.of('show')).toEqual([
      { ...whole, id: null, title: 'Friday', rundown: [], place: null, version: 1 },
      { ...whole, id: null, title: 'Friday', rundown: [id], place: null, version: 2 },
      {
        ...whole,
        id,
        subscribed: true,
        title: 'Late',
        rundown: [id],
        place: id,
        version: 3,
        pressed: { press: 'take', hand: '', at: expect.any(Number) },
      },
    ]);
    await stranger.until(() => stranger.of('show').length === 2, 'the switch');
    expect(stranger.of('show')[1]).toEqual({ type: 'show', show: name, id, subscribed: true });
  });

  it('P49: a wrong or revoked key gets an error, and affects nothing else', async () => {
    const { name, key, access, change } = await taken();
    const { id } = await subject.create();
    const live = await followed(name, key);
    live.send({ type: 'subscribe', id });
    live.send({ type: 'follow', show: name, key: WRONG_KEY });
    const error = { type: 'error', code: 'api_key_rejected', message: expect.any(String), show: name };
    await live.until(() => live.of('error').length === 1, 'the refusal');
    live.send({ type: 'follow', show: name, key });
    await live.until(() => live.of('show').length === 2, 'the show again');
    const fresh = createKey('show');
    await renewShowKey(subject.engine, name, hashKey(fresh), access, () => undefined);
    await live.until(() => live.of('error').length === 2, 'the end of the key');
    expect(live.of('error')).toEqual([error, error]);
    live.send({ type: 'follow', show: name, key: fresh });
    await live.until(() => live.of('show').length === 3, 'the show by its new key');
    await expect(change({ onAir: id })).rejects.toMatchObject({ code: 'api_key_rejected' });
    await removeShow(subject.engine, name, { ...access, key: presentKey(fresh, 'header') });
    await live.until(() => live.of('error').length === 3, 'the end of the show');
    expect(live.of('error')[2]).toMatchObject({ code: 'show_not_found', show: name });
    await subject.cast(id);
    await live.results(1);
  });

  it('P50: a show has an address of its own, for WebSockets and events', async () => {
    const { name, change } = await taken();
    const [first, second] = [await subject.create(), await subject.create()];
    await subject.cast(first.id, 0, 3);
    await change({ onAir: first.id });
    const live = await subject.live(`/api/show/${name}/live?since=4`);
    const events = await subject.eventsAt(`/api/show/${name}/live`, { 'last-event-id': '4' });
    const said = () => [heard(live), events.events.map(({ message }) => heard({ messages: [message] })[0])];
    await live.results(3);
    await events.event(({ type }) => type === 'results');
    await change({ onAir: second.id });
    await live.until(() => live.messages.length === 4, 'the switch');
    await events.event(message => message.type === 'results' && message.id === second.id);
    await subject.engine.polls.remove(second.id);
    await live.until(() => live.of('error').length === 1, 'the end of the poll');
    await events.event(({ type }) => type === 'error');
    await change({ onAir: first.id });
    await live.until(() => live.messages.length === 7, 'the first one again');
    await events.event(message => message.type === 'show' && events.events.length > 6);
    const all = [
      `show ${first.id}`,
      `results ${first.id}`,
      `show ${second.id}`,
      `results ${second.id}`,
      `error ${second.id}`,
      `show ${first.id}`,
      `results ${first.id}`,
    ];
    expect(said()).toEqual([all, all]);
    const [once, then] = [await subject.read(first.id), '1-'];
    expect(events.events.map(({ id }) => (id?.startsWith(then) ? then : id))).toEqual([
      undefined,
      once.position,
      undefined,
      then,
      undefined,
      undefined,
      once.position,
    ]);
    live.send({ type: 'follow', show: name });
    expect((await live.end()).code).toBe(4400);
  });

  it('P50: a key in a header belongs to the show, and is rejected if it is wrong', async () => {
    const { name, key, access } = await taken();
    const path = `/api/show/${name}/live`;
    const open = (text: string) =>
      LiveClient.open(`${subject.url.replace('http', 'ws')}${path}`, { 'x-api-key': text });
    const desk = await open(key);
    await desk.until(() => desk.of('show').length === 1, 'the show');
    const events = await subject.eventsAt(path, { 'x-api-key': key });
    await events.event(message => message.type === 'show' && message.version === 1);
    expect(events.response.headers['cache-control']).toBe('private, no-store');
    const refused = await open(WRONG_KEY);
    expect((await refused.end()).code).toBe(4403);
    expect(refused.of('error')[0]).toMatchObject({ code: 'api_key_rejected', show: name });
    const status = async (where: string, text: string) => {
      const { response } = await subject.eventsAt(where, { 'x-api-key': text });
      return response.statusCode;
    };
    expect(await status(path, WRONG_KEY)).toBe(403);
    expect(await status('/api/show/no-such-show/live', key)).toBe(404);
    expect(await status('/api/show/No_Name/live', key)).toBe(404);
    const malformed = await subject.live('/api/show/No_Name/live');
    expect((await malformed.end()).code).toBe(4404);
    await renewShowKey(subject.engine, name, hashKey(createKey('show')), access, () => undefined);
    expect((await desk.end()).code).toBe(4403);
    await events.event(message => message.type === 'error' && message.code === 'api_key_rejected');
  });
}
