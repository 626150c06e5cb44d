import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { engineWith } from '../../../src/engine/engine-with.ts';
import { PollError } from '../../../src/poll/poll-error.ts';
import { presentKey } from '../../../src/poll/poll-key.ts';
import { pressOf } from '../../../src/show/rewrite-show.ts';
import { changeShow, pressPoll, undoShow } from '../../../src/show/shows.ts';
import { type ApiReply, ask, expectError, send } from '../../support/api-request.ts';
import { LiveClient } from '../../support/live-client.ts';
import type { TestRelay } from '../../support/test-relay.ts';
import { type TestShow, takeShow } from '../../support/test-show.ts';
import { pressAtRandom } from './random-presses.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const HIDDEN = { status: 'upcoming', results_visibility: 'hidden', answers: ['One', 'Two', 'Three'] };
const run = promisify(execFile);

/** A show by buttons, which act on the poll on air. @param relays two on one engine, or twice the same one */
export function buttonClaims(relays: () => readonly [TestRelay, TestRelay]): void {
  let relay: TestRelay;
  let other: TestRelay;
  let show: TestShow;
  beforeAll(() => {
    [relay, other] = relays();
  });

  /** A show with a poll on air. @returns its id */
  const aired = async (poll: Record<string, unknown> = HIDDEN): Promise<string> => {
    show = await takeShow(relay);
    const { id } = (await show.addPoll(poll)).json;
    await show.press('next');
    return id;
  };
  const pollOf = async (button: string, members?: object) => (await show.press(button, members)).json.poll;

  it('six polls of an evening run by six buttons, without an id, with curl', async () => {
    show = await takeShow(relay);
    for (let at = 0; at < 6; at += 1) await show.addPoll(HIDDEN);
    const press = async (button: string, members?: object) => {
      const url = `${relay.url}/api/show/${show.name}/${button}`;
      const body = members ? ['--json', JSON.stringify({ show: members })] : [];
      const { stdout } = await run('curl', [
        ...['-sSf', '-X', 'POST', url, '-H', `X-API-Key: ${show.key}`],
        ...body,
      ]);
      return JSON.parse(stdout);
    };
    const seen: unknown[] = [];
    for (let at = 0; at < 6; at += 1) {
      const { on_air } = await press('next');
      await press('open');
      await relay.cast(on_air, at % 3, 2);
      await relay.cast(on_air, (at + 1) % 3);
      const { poll } = await press('close');
      const stepped = await press('step');
      const revealed = await press('reveal', { confirm: true });
      seen.push([
        poll.status,
        poll.total_voters,
        stepped.poll.revealed_from,
        revealed.poll.results_visibility,
      ]);
    }
    expect(seen).toEqual(Array(6).fill(['closed', 3, 3, 'always']));
    expect((await press('clear')).on_air).toBeNull();
  });

  it('replies with the poll on air as a read with the key has it', async () => {
    const id = await aired();
    const { json } = await show.press('open', { closes_in: 60 });
    const read = await ask(`${other.url}/api/poll/${id}`, { headers: { 'x-api-key': show.key } });
    const { timestamp: _, position: __, ...poll } = json.poll;
    expect(read.json).toMatchObject(poll);
    expect(json).toMatchObject({ on_air: id, undo: { press: 'open', poll: id, on_air: id }, ignored: [] });
    expect(poll).toMatchObject({ status: 'open', deadline: expect.any(String), mip: false });
    expect((await show.press('clear')).json.poll).toBeNull();
  });

  it('rejects what is not possible, each with a code of its own', async () => {
    show = await takeShow(relay);
    const press = (button: string, members?: object) => show.press(button, members);
    for (const button of ['open', 'close', 'step', 'reveal'])
      expectError(await press(button), 409, 'nothing_on_air');
    expectError(await press('undo'), 409, 'nothing_to_undo');
    const id = await aired();
    expectError(await press('step'), 409, 'nothing_to_reveal');
    await press('open');
    expectError(await press('step'), 409, 'poll_open');
    expectError(await press('reveal'), 409, 'poll_open');
    expectError(await press('reveal', { if_on_air: null, confirm: true }), 409, 'on_air_changed');
    expectError(await press('open', { closes_in: 1 }), 400, 'invalid_request');
    expectError(await press('step', { to: 0 }), 400, 'invalid_request');
    expect((await show.press('reveal', { confirm: true, to: 2 })).json.ignored).toEqual(['to']);
    await press('close');
    expectError(await press('step'), 409, 'nothing_to_reveal');
    await ask(`${relay.url}/api/poll/${id}`, { method: 'DELETE', headers: { 'x-api-key': show.key } });
    expectError(await press('open'), 404, 'poll_not_found');
  });

  it('a poll of another owner is not opened, closed or revealed, but with an operator’s key', async () => {
    show = await takeShow(relay);
    const foreign = await relay.create(HIDDEN);
    await show.patch({ on_air: foreign.id });
    for (const button of ['open', 'close', 'step', 'reveal'])
      expectError(await show.press(button), 403, 'api_key_rejected');
    expect((await show.press('next')).json.error.code).toBe('rundown_end');
    const { json } = await show.press('open', undefined, { 'x-api-key': OPERATOR_KEY });
    expect(json.poll).toMatchObject({ status: 'open' });
    // Nor is it taken back.
    expectError(await show.press('undo'), 403, 'api_key_rejected');
    await show.patch({ on_air: 'rehearsal' });
    expectError(await show.press('open', undefined, { 'x-api-key': OPERATOR_KEY }), 403, 'api_key_rejected');
  });

  it('a press that is sent again after its opposite is not carried out again, for a poll or what is on air', async () => {
    const id = await aired({ ...HIDDEN, closes_in: 60 });
    const again = (button: string) => ({ 'idempotency-key': `a-${button}-that-is-sent-again` });
    const presses: [string, object | undefined, string, object][] = [
      ['open', undefined, 'close', { status: 'closed' }],
      ['reveal', { confirm: true }, 'hide', { results_visibility: 'hidden' }],
      ['close', undefined, 'open', { status: 'open' }],
    ];
    for (const [button, members, opposite, poll] of presses) {
      const first = await show.press(button, members, again(button));
      expect(first.status, button).toBe(200);
      await show.press(opposite, { confirm: true });
      const { status, json } = await show.press(button, members, again(button));
      expect([status, json.poll], button).toEqual([200, expect.objectContaining(poll)]);
    }
    const close = { close_before_next: true };
    await show.addPoll(HIDDEN);
    await show.press('next', close, again('next'));
    await show.press('open', { poll: id });
    expect((await show.press('next', close, again('next'))).status).toBe(200);
    expect((await relay.engine.polls.find(id))!.results.status).toBe('open');
  });

  it('undo of a removal gives the place back, so that no poll comes twice', async () => {
    show = await takeShow(relay);
    const [one, two, three] = await show.fill(3);
    for (const button of ['next', 'next', 'clear']) await show.press(button);
    await show.patch({ rundown: [one, three] });
    expect((await show.get()).json.place).toBe(one);
    expect((await show.press('undo')).json).toMatchObject({ rundown: [one, two, three], place: two });
    expect((await show.press('next')).json.on_air).toBe(three);
  });

  it('a round that a press begins is open for its seconds on air', async () => {
    const id = await aired({ ...HIDDEN, closes_in: 25 });
    await show.patch({ delay: 20 });
    const left = async () => {
      const { deadlineMs, readAtMs } = (await relay.engine.polls.find(id))!.results;
      return Math.round((deadlineMs! - readAtMs) / 5_000) * 5;
    };
    await show.press('open');
    expect(await left()).toBe(45);
    await show.press('close');
    await show.press('again');
    expect(await left()).toBe(45);
  });

  it('a round that cannot begin leaves the history as it was', async () => {
    const id = await aired();
    await show.press('open');
    await show.press('close');
    const { records, polls } = relay.engine;
    const before = (await polls.find(id))!;
    const store = async (entry: object) => {
      const stored = JSON.parse((await records.find(`show:${show.name}`))!);
      stored.history.push({ key: 'pressed-before', hand: '', atMs: 0, press: 'again', ...entry });
      await records.put(`show:${show.name}`, JSON.stringify(stored));
    };
    // A relay died before the round began.
    await store({ poll: { id, before: before.results, change: {}, again: true } });
    expect((await show.get()).json.undo).toMatchObject({ press: 'close' });
    expectError(await show.press('undo'), 409, 'nothing_to_undo');
    expect((await show.press('undo')).json.undone).toMatchObject({ press: 'close' });
  });

  it('undo rejects a late close whose time has passed, and takes back the press before it next', async () => {
    const id = await aired({ ...HIDDEN, status: 'upcoming' });
    await show.press('open');
    await show.press('close', { closes_in: 5 });
    const { results } = (await relay.engine.polls.find(id))!;
    const pastMs = results.readAtMs - 1_000;
    // As if the five seconds had passed.
    const stored = JSON.parse((await relay.engine.records.find(`show:${show.name}`))!);
    stored.history.at(-1).poll.change.deadlineMs = pastMs;
    await relay.engine.records.put(`show:${show.name}`, JSON.stringify(stored));
    await relay.engine.polls.change(id, { deadlineMs: pastMs });
    const [one, two] = [await show.press('undo'), await show.press('undo')];
    expectError(one, 409, 'nothing_to_undo');
    expect(two.json).toMatchObject({ undone: { press: 'open' }, poll: { status: 'upcoming' } });
  });

  it('undo takes a late close away that another close came before', async () => {
    const id = await aired();
    await show.press('open', { closes_in: 60 });
    await show.press('close', { closes_in: 30 });
    await relay.engine.polls.change(id, { closed: true });
    expectError(await show.press('undo'), 409, 'nothing_to_undo');
    expect((await show.get()).json.undo.press).toBe('open');
  });

  it('undo takes a press away of which nothing is left: a close of what ballots keep closed, an end that is gone', async () => {
    const id = await aired();
    await show.press('close');
    await relay.engine.polls.change(id, { closed: false });
    await relay.cast(id);
    await relay.engine.polls.change(id, { closed: true });
    expect((await show.get()).json.undo.press).toBe('next');
    expectError(await show.press('undo'), 409, 'nothing_to_undo');

    await show.press('open');
    await show.press('close', { closes_in: 60 });
    await relay.engine.polls.change(id, { deadlineMs: null });
    expect((await show.get()).json.undo.press).toBe('open');
    expectError(await show.press('undo'), 409, 'nothing_to_undo');
    expect((await show.press('undo')).json).toMatchObject({
      undone: { press: 'open' },
      poll: { status: 'closed' },
    });
  });

  it('undo leaves the next round alone, and takes back the press before', async () => {
    const id = await aired({ answers: ['One', 'Two', 'Three'] });
    await show.press('close');
    const again = await ask(`${relay.url}/api/poll/${id}/again`, {
      method: 'POST',
      headers: { 'x-api-key': show.key },
    });
    expect(again.json).toMatchObject({ round: 2, status: 'open' });
    await show.press('close');
    expect((await show.press('undo')).json).toMatchObject({ undone: { press: 'close' } });
    expectError(await show.press('undo'), 409, 'nothing_to_undo');
    expect((await show.get()).json).toMatchObject({ on_air: id, undo: { press: 'next' } });
    expect((await relay.engine.polls.find(id))!.results.status).toBe('open');
    expect((await show.press('undo')).json).toMatchObject({ on_air: null, undone: { press: 'next' } });
  });

  it('a poll on air stays the show’s own when it leaves the rundown, and after an undo', async () => {
    const id = await aired();
    const { id: second } = (await show.addPoll(HIDDEN)).json;
    await show.patch({ rundown: [second], confirm: true });
    expect((await show.get()).json).toMatchObject({ on_air: id, rundown: [second], own: [second, id] });
    for (const button of ['open', 'close', 'reveal']) expect((await show.press(button)).status).toBe(200);
    await show.press('next');
    await show.patch({ rundown: [], confirm: true });
    expect((await show.press('undo')).json).toMatchObject({ on_air: second, rundown: [second] });
    await show.press('undo');
    expect((await show.get()).json).toMatchObject({ on_air: id, own: [second, id] });
    await show.press('clear');
    await show.patch({ on_air: id });
    expect((await show.get()).json.own).toContain(id);
  });

  it('pressing what already holds changes nothing and is no press to undo', async () => {
    const id = await aired();
    for (const button of ['open', 'close', 'reveal']) {
      const first = await show.press(button);
      const again = await show.press(button);
      expect([again.status, again.json.version]).toEqual([200, first.json.version]);
    }
    expect((await show.press('step', { to: 2 })).status).toBe(200);
    const undone: unknown[] = [];
    for (let at = 0; at < 4; at += 1) undone.push((await show.press('undo')).json.undone);
    expect(undone).toMatchObject([
      { press: 'reveal', poll: id, on_air: id, seen: true },
      { press: 'close', poll: id, on_air: id, seen: false },
      { press: 'open', poll: id, on_air: id, seen: false },
      { press: 'next', poll: id, on_air: id, seen: false },
    ]);
  });

  it('an opening is taken back to upcoming, or to closed once a ballot was cast, which stays', async () => {
    const id = await aired({ ...HIDDEN, closes_in: 600 });
    await show.press('open');
    expect(await pollOf('undo')).toMatchObject({ status: 'upcoming', closes_in: 600, deadline: null });
    await show.press('open');
    await relay.cast(id);
    expect(await pollOf('undo')).toMatchObject({ status: 'closed', total_voters: 1 });
    await show.press('open');
    expect(await pollOf('undo')).toMatchObject({ status: 'closed', total_voters: 1 });
  });

  it('a close is taken back with the time that was left, but not after its deadline has passed', async () => {
    const id = await aired();
    const { deadline } = await pollOf('open', { closes_in: 600 });
    await pollOf('close');
    const reopened = await pollOf('undo');
    expect(reopened.status).toBe('open');
    expect(Date.parse(reopened.deadline)).toBeGreaterThanOrEqual(Date.parse(deadline));
    expect(Date.parse((await pollOf('close', { closes_in: 60 })).deadline)).toBeLessThan(
      Date.parse(deadline),
    );
    expect(Date.parse((await pollOf('undo')).deadline)).toBeGreaterThanOrEqual(Date.parse(deadline));
    await show.press('close', { closes_in: 60 });
    // As if the minute had passed.
    await relay.engine.polls.change(id, { deadlineMs: await relay.engine.polls.now() });
    expectError(await show.press('undo'), 409, 'nothing_to_undo');
    expect(await pollOf('open')).toMatchObject({ status: 'open', deadline: null });
  });

  it('takes back only what the press changed, not what a program changed since', async () => {
    const id = await aired();
    const patch = (poll: object) =>
      ask(`${relay.url}/api/poll/${id}`, {
        method: 'PATCH',
        headers: { 'x-api-key': show.key },
        body: JSON.stringify({ poll }),
      });
    await show.press('open');
    await patch({ title: 'Corrected?', results_visibility: 'always' });
    await show.press('close');
    await patch({ status: 'open' });
    expectError(await show.press('undo'), 409, 'nothing_to_undo');
    expect(await pollOf('undo')).toMatchObject({ status: 'open', title: 'Which song next?' });
    expect(await pollOf('undo')).toMatchObject({ status: 'upcoming', results_visibility: 'always' });
  });

  it('reveals place by place and takes each step back', async () => {
    const id = await aired({ ...HIDDEN, answers: ['One', 'Two', 'Three', 'Four'] });
    await show.press('open');
    for (const [answer, votes] of [4, 3, 3, 1].entries()) await relay.cast(id, answer, votes);
    await show.press('close');
    const stateOf = async (button: string, members?: object) => {
      const { revealed_from, results_visibility } = await pollOf(button, members);
      return revealed_from ?? results_visibility;
    };
    expect(await stateOf('step')).toBe(4);
    expect(await stateOf('step')).toBe(2);
    expect(await stateOf('step')).toBe('always');
    expect(await stateOf('undo')).toBe(2);
    expect(await stateOf('undo')).toBe(4);
    // Opened by mistake in between.
    expectError(await show.press('open'), 409, 'confirm_required');
    await show.press('open', { confirm: true });
    expect(await stateOf('undo')).toBe(4);
    await show.patch({ final_two: true });
    expect(await stateOf('step')).toBe('always');
    expect(await stateOf('undo')).toBe(4);
    expect(await stateOf('undo')).toBe('hidden');
    expect(await stateOf('step', { to: 4 })).toBe(4);
    expect(await stateOf('step', { to: 1 })).toBe('always');
  });

  it('closes an open poll when the next one is taken, as one press', async () => {
    const id = await aired();
    const { id: second } = (await show.addPoll(HIDDEN)).json;
    expect((await show.patch({ close_before_next: true })).json.close_before_next).toBe(true);
    const statusOf = async () => (await relay.read(id, { 'x-api-key': show.key })).status;
    for (const take of [() => show.press('next'), () => show.patch({ on_air: second })]) {
      await show.press('open');
      await take();
      expect(await statusOf()).toBe('closed');
      expect((await show.press('undo')).json).toMatchObject({ on_air: id, poll: { status: 'open' } });
      await show.press('clear');
      expect(await statusOf()).toBe('open');
      await show.press('undo');
    }
    await show.press('next', { close_before_next: false });
    expect(await statusOf()).toBe('open');
    const copy = await ask(`${relay.url}/api/show/${show.name}/copy`, {
      method: 'POST',
      headers: { 'x-api-key': OPERATOR_KEY },
      body: JSON.stringify({ show: { name: `${show.name}-copy` } }),
    });
    const copied = await ask(`${relay.url}/api/show/${copy.json.name}`, {
      headers: { 'x-api-key': OPERATOR_KEY },
    });
    expect(copied.json).toMatchObject({ close_before_next: true, final_two: false });
  });

  it('in a rehearsal, the buttons act on the twin and leave the poll as it is', async () => {
    const id = await aired();
    await show.patch({ on_air: `rehearsal-${id}` });
    expect(await pollOf('open')).toMatchObject({ status: 'open', rehearsal: true });
    expect(await pollOf('close')).toMatchObject({ status: 'closed' });
    // Of its crowd, perhaps none has voted yet: then one step reveals all.
    expect(await pollOf('step', { to: 1 })).toMatchObject({ results_visibility: 'always' });
    for (const status of ['closed', 'open', 'closed']) expect(await pollOf('undo')).toMatchObject({ status });
    expect((await relay.read(id, { 'x-api-key': show.key })).status).toBe('upcoming');
  });

  it('a press that died before it changed the poll is carried out by its retry, once, or taken back as nothing', async () => {
    const id = await aired();
    const key = presentKey(show.key, 'header');
    const request = (name: string) => ({
      key,
      isOperatorKey: () => false,
      press: pressOf(`press-that-dies-${name}-${id}`, ['open']),
    });
    const change = () => Promise.reject(new PollError('engine_unavailable'));
    const dying = engineWith(relay.engine, { polls: { change } });
    const statusNow = async () => (await relay.engine.polls.find(id))?.results.status;
    const open = (engine: typeof dying, name: string) =>
      pressPoll(engine, show.name, 'open', {}, request(name));

    await expect(open(dying, 'one')).rejects.toMatchObject({ code: 'engine_unavailable' });
    expect(await statusNow()).toBe('upcoming');
    await open(other.engine, 'one');
    expect(await statusNow()).toBe('open');
    await show.press('close');
    // Late: the poll is not as it was before the press.
    await open(relay.engine, 'one');
    expect(await statusNow()).toBe('closed');

    await expect(undoShow(dying, show.name, request('undo'))).rejects.toThrow();
    await undoShow(relay.engine, show.name, request('undo'));
    expect(await statusNow()).toBe('open');
    await show.press('undo');
    expect(await statusNow()).toBe('upcoming');

    await expect(open(dying, 'two')).rejects.toThrow();
    expectError(await show.press('undo'), 409, 'nothing_to_undo');
    expect((await show.get()).json.undo.press).toBe('next');
    expect(await statusNow()).toBe('upcoming');
  });

  it('an undo takes back one press, though its show is written meanwhile', async () => {
    const id = await aired();
    const request = { key: presentKey(show.key, 'header'), isOperatorKey: () => false };
    const undoBeside = async (write: (engine: Engine) => Promise<unknown>) => {
      await show.press('open');
      let written: Promise<unknown> | undefined;
      const change: Engine['polls']['change'] = async (...asked) => {
        const isChanged = await relay.engine.polls.change(...asked);
        await new Promise<void>((resolve, reject) => {
          const putIfAbsent: Engine['records']['putIfAbsent'] = (...lease) => {
            resolve();
            return other.engine.records.putIfAbsent(...lease);
          };
          written = write(engineWith(other.engine, { records: { putIfAbsent } }));
          // It is done, or waits for its turn.
          written.then(() => resolve(), reject);
        });
        return isChanged;
      };
      const { undone } = await undoShow(engineWith(relay.engine, { polls: { change } }), show.name, request);
      await written;
      expect(undone).toMatchObject({ press: 'open', poll: id });
      expect((await relay.engine.polls.find(id))?.results.status).toBe('upcoming');
    };
    await undoBeside(engine => changeShow(engine, show.name, { title: 'Meanwhile' }, request));
    expect((await show.get()).json).toMatchObject({ title: 'Meanwhile', undo: { press: 'next' } });
    const rundown = [...(await show.fill(1)), id];
    await undoBeside(engine => changeShow(engine, show.name, { rundown }, request));
    expect((await show.get()).json).toMatchObject({ rundown, undo: { press: 'move' } });
  });

  it('an undo by name takes back both that one request has changed, newest first', async () => {
    const id = await aired();
    const [next] = await show.fill(1);
    const before = (await show.get()).json;
    const headers = { 'idempotency-key': `rundown-and-on-air-of-${id}` };
    await show.patch({ rundown: [next, id], on_air: next }, headers);
    for (const expected of [{ on_air: id }, { on_air: id, rundown: before.rundown }]) {
      const { json } = await show.press('undo', { undo: (await show.get()).json.undo.id });
      expect(json).toMatchObject(expected);
    }
  });

  it('two desks at once reveal one place, where both name the place that they see next', async () => {
    const id = await aired();
    await show.press('open');
    for (const [answer, votes] of [3, 2, 1].entries()) await relay.cast(id, answer, votes);
    await show.press('close');
    const desks = [show, show.at(other.url)];
    const replies: ApiReply[] = await Promise.all(
      desks.map(desk => desk.press('step', { if_on_air: id, to: 3 })),
    );
    expect(replies.map(({ status, json }) => [status, json.poll.revealed_from])).toEqual(
      Array(2).fill([200, 3]),
    );
  });

  /** Holds the clock by which presses settle, in all relays of the test. */
  const holdClock = () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
  };

  it('carries out a press for what its hand saw, once it has settled', async () => {
    holdClock();
    const id = await aired();
    const seen = { on_air: id, status: 'upcoming', round: 1, results_visibility: 'hidden', deadline: null };
    const left = { hand: 'left', if: seen };
    const issueOf = (reply: ApiReply) => reply.json.error.issues[0];
    // The one that put the poll on air may go on with it at once; any other hand may mean the poll before.
    expectError(await show.press('open', left), 409, 'on_air_changed');
    expect((await show.press('open', { if: seen })).status).toBe(200);

    const open = { hand: 'left', if: { ...seen, status: 'open' } };
    const late = await show.press('close', left);
    expectError(late, 409, 'on_air_changed');
    expectError(await show.press('close', { if: open.if }), 409, 'poll_changed');
    vi.setSystemTime(Date.now() + 1_000);
    const closed = await show.press('close', { if: open.if });
    expect(closed.status).toBe(200);
    const { on_air: _, ...ofPoll } = open.if;
    const stale = await show.press('close', { hand: 'left', if: ofPoll });
    expectError(stale, 409, 'poll_changed');
    expect(issueOf(stale)).toMatchObject({
      path: 'show.if.status',
      message: expect.stringMatching(
        /^is "closed", not "open"\. "close" was pressed \d\.\d s ago by a program$/,
      ),
    });
    // One nervous finger, after the result was shown.
    const again = { status: 'closed' };
    expectError(await show.press('close', { if: again }), 409, 'poll_changed');
    expect((await show.press('step', { if: again })).status).toBe(200);
    expectError(await show.press('step', { if: { revealed_from: 1 } }), 409, 'poll_changed');
    vi.setSystemTime(Date.now() + 1_000);
    expect((await show.press('open', { if: again, confirm: true })).status).toBe(200);
  });

  it('guard refuses what comes within a second of any other press, and a named undo is judged by its name', async () => {
    holdClock();
    const id = await aired();
    expectError(await show.press('open', { guard: true }), 409, 'on_air_changed');
    const key = { 'idempotency-key': 'a-press-that-is-repeated' };
    const opened = await show.press('open', {}, key);
    expect((await show.press('open', {}, key)).json).toMatchObject({ on_air: id });
    expectError(await show.press('close', { guard: true }), 409, 'poll_changed');
    expectError(await show.press('undo', { guard: true }), 409, 'poll_changed');
    const { undo } = opened.json;
    await show.press('close');
    expectError(await show.press('undo', { undo: undo.id }), 409, 'show_changed');
    await show.press('open');
    const named = (await show.get()).json.undo.id;
    expect((await show.press('undo', { undo: named, guard: true })).json.undone.press).toBe('open');
    expectError(await show.press('undo', { undo: named }), 409, 'show_changed');
  });

  it('presses another poll than the one on air, and hides and keeps open as presses of their own', async () => {
    const id = await aired();
    const { id: second } = (await show.addPoll({ ...HIDDEN, closes_in: 60 })).json;
    await show.press('keep_open', { poll: second });
    expect((await show.get()).json.undo).toMatchObject({ press: 'keep_open', poll: second, on_air: id });
    await show.press('open', { poll: second });
    expect((await relay.read(second, { 'x-api-key': show.key })).status).toBe('open');
    await show.press('undo');
    await show.press('reveal');
    expect(await pollOf('hide')).toMatchObject({ results_visibility: 'hidden' });
    expect(await pollOf('undo')).toMatchObject({ results_visibility: 'always' });
    expectError(await show.press('open', { poll: (await relay.create()).id }), 403, 'api_key_rejected');
  });

  it('a rehearsal leaves the show as it found it', async () => {
    show = await takeShow(relay);
    const [one, two, three] = await show.fill(3);
    await show.press('next');
    await show.press('clear');
    const { version: _, now: __, ...before } = (await show.get()).json;
    await show.patch({ on_air: `rehearsal-${two}` });
    await show.press('open');
    await show.press('next');
    const renamed = (await show.get()).json;
    expect(renamed).toMatchObject({ on_air: `rehearsal-${three}`, place: three });
    await show.press('clear');
    expect((await show.get()).json).toMatchObject(before);
    expect((await show.press('next')).json.on_air).toBe(two);

    await show.press('previous');
    await show.press('clear');
    await show.patch({ on_air: `rehearsal-${one}` });
    await show.patch({ rundown: [three, one, two] });
    await show.press('clear');
    expect((await show.get()).json).toMatchObject({ place: one, undo: { press: 'move' } });
    expect((await show.press('undo')).json).toMatchObject({
      rundown: [one, two, three],
      undone: { press: 'move' },
    });
    expect((await show.press('undo')).json).toMatchObject({ on_air: one, undone: { press: 'clear' } });
  });

  it('takes back a correction: what it changed alone, publicly once votes exist, and not what votes rest on', async () => {
    const id = await aired();
    const headers = { 'x-api-key': show.key };
    const patch = async (poll: object) =>
      (await ask(`${other.url}/api/poll/${id}`, { method: 'PATCH', headers, body: JSON.stringify({ poll }) }))
        .json;
    const { poll_answers } = await patch({ title: 'Which sogn?' });
    expect((await show.get()).json.undo).toMatchObject({ press: 'edit', poll: id, on_air: id });
    await show.press('open');
    await relay.cast(id);
    const [first, ...others] = poll_answers;
    await patch({ title: 'Which song?', answers: [{ ...first, answer: 'Waterlo' }, ...others] });
    const undone = await show.press('undo');
    expect(undone.json).toMatchObject({ undone: { press: 'edit', poll: id, on_air: id, seen: false } });
    expect(undone.json.poll).toMatchObject({
      title: 'Which sogn?',
      poll_answers: [{ answer: 'One' }, { answer: 'Two' }, { answer: 'Three' }],
      edited_at: expect.any(String),
    });

    await show.patch({ on_air: null });
    const { id: second } = (await show.addPoll(HIDDEN)).json;
    const url = `${relay.url}/api/poll/${second}`;
    const body = JSON.stringify({ poll: { answers: [{ answer: 'One' }, { answer: 'Two' }] } });
    expect((await ask(url, { method: 'PATCH', headers, body })).status).toBe(200);
    await show.press('open', { poll: second });
    await relay.cast(second);
    await show.press('undo');
    // Its answers have votes now.
    expect((await show.get()).json.undo.press).toBe('add');
  });

  it('again is taken back to the round and step before, until a ballot was cast in the new one', async () => {
    const id = await aired();
    await show.press('open');
    for (const [answer, votes] of [3, 2, 1].entries()) await relay.cast(id, answer, votes);
    await show.press('close');
    await show.press('step');
    expectError(await show.press('again'), 409, 'confirm_required');
    const key = { 'idempotency-key': 'the-next-round-of-a-drum-roll' };
    for (const desk of [show, show.at(other.url)]) {
      const { json } = await desk.press('again', { confirm: true }, key);
      expect(json.poll).toMatchObject({ round: 2, status: 'open', total_voters: 0 });
    }
    expect((await show.get()).json.undo).toMatchObject({ press: 'again', poll: id });
    const undone = await show.at(other.url).press('undo');
    expect(undone.json).toMatchObject({ undone: { press: 'again' }, undo: { press: 'step' } });
    expect(undone.json.poll).toMatchObject({ status: 'closed', revealed_from: 3, total_voters: 6 });
    expect(undone.json.poll.round).toBeUndefined();
    expect((await pollOf('step')).revealed_from).toBe(2);

    await show.press('again', { confirm: true });
    await relay.cast(id);
    expect((await show.get()).json.undo).toBeNull();
    for (const _ of [1, 2]) expectError(await show.press('undo'), 409, 'nothing_to_undo');
    await show.press('close');
    expect(await pollOf('undo')).toMatchObject({ round: 2, status: 'open', total_voters: 1 });
  });

  it('says what each button does now', async () => {
    const id = await aired();
    const { id: second } = (await show.addPoll({ ...HIDDEN, title: 'Best outfit' })).json;
    const read = async () => (await show.at(other.url).get('/buttons')).json;
    const before = await read();
    expect(before).toMatchObject({
      on_air: { id, status: 'upcoming', total_votes: 0, time_left: null },
      next: { id: second, title: 'Best outfit' },
    });
    expect(before.buttons).toMatchObject({
      next: { possible: true, why: null, label: 'Next: Best outfit', color: 'green' },
      previous: { possible: false, why: 'rundown_start', color: 'gray' },
      open: { possible: true, label: 'Open voting', color: 'red' },
      keep_open: { possible: false, why: 'unchanged' },
      undo: { possible: true, label: 'Undo: Add poll' },
    });
    for (const [button, { possible, why }] of Object.entries<{ possible: boolean; why: string }>(
      before.buttons,
    )) {
      const { undo } = (await show.get()).json;
      const { status, json } = await show.press(button, { confirm: true });
      const isDone = status === 200 && json.undo?.id !== undo?.id;
      expect([button, isDone, isDone ? null : (json.error?.code ?? 'unchanged')]).toEqual([
        button,
        possible,
        why,
      ]);
      if (isDone && button !== 'undo') await show.press('undo');
    }
    expectError(await ask(`${relay.url}/api/show/${show.name}/buttons`), 401, 'api_key_required');
  });

  it('tells followers with a key what each button does, at once and after each change', async () => {
    const id = await aired();
    const live = await LiveClient.open(`${other.wsUrl}/api/live`);
    const keyless = await LiveClient.open(`${other.wsUrl}/api/live`);
    keyless.send({ type: 'follow', show: show.name });
    live.send({ type: 'follow', show: show.name, key: show.key });
    const newest = () => live.messages.findLast(({ type }) => (type as string) === 'buttons') as unknown;
    const told = (_: string, expected: object) => expect.poll(newest).toMatchObject(expected);
    await told('the first', { on_air: { id, status: 'upcoming' }, buttons: { open: { possible: true } } });
    await show.press('open');
    await told('the opening', { on_air: { status: 'open' }, buttons: { close: { possible: true } } });
    await relay.cast(id);
    await told('the vote', { on_air: { total_votes: 1 } });
    await relay.engine.polls.change(id, { deadlineMs: Date.now() + 1_200 });
    await told('the deadline', { on_air: { status: 'closed', time_left: null } });
    const { success: _, name, ...read } = (await show.get('/buttons')).json;
    expect(newest()).toEqual({ type: 'buttons', show: name, ...read });
    expect(keyless.messages.some(({ type }) => (type as string) === 'buttons')).toBe(false);
  });

  it('names the hand that has pressed, in errors and to followers', async () => {
    holdClock();
    const id = await aired();
    const live = await LiveClient.open(`${other.wsUrl}/api/live`);
    live.send({ type: 'follow', show: show.name, key: show.key });
    const seen = { if: { on_air: id } };
    vi.setSystemTime(Date.now() + 1_000);
    for (const [hand, by] of [
      ['desk-1', 'another desk'],
      ['desk-2', 'this desk'],
      ['companion', 'another program'],
      ['', 'a program'],
    ] as const) {
      await show.patch({ on_air: id });
      vi.setSystemTime(Date.now() + 1_000);
      expect((await show.press('clear', { hand })).status).toBe(200);
      const refused = await show.press('clear', { hand: 'desk-2', ...seen });
      const at = Date.now() / 1_000;
      expect(refused.json.error, by).toMatchObject({
        code: 'on_air_changed',
        pressed: { press: 'clear', hand, at },
        issues: [
          { path: 'show.if.on_air', message: expect.stringMatching(`was pressed 0.0 s ago by ${by}$`) },
        ],
      });
      await live.until(() => live.of('show').at(-1)?.pressed?.hand === hand, 'who has pressed');
      vi.setSystemTime(Date.now() + 1_000);
    }
  });

  describe('with the winner on a press', () => {
    const rounds = async () => {
      const id = await aired();
      await show.press('reveal', { confirm: true });
      await show.patch({ winner: 'press' });
      await show.press('open');
      for (const [answer, votes] of [3, 2, 1].entries()) await relay.cast(id, answer, votes);
      await show.press('close');
      return id;
    };
    const winner = async () => {
      const live = await LiveClient.open(`${other.wsUrl}/api/show/${show.name}/live`);
      await live.until(() => live.of('show').length === 1, 'the show');
      live.close();
      const { json } = await show.get();
      expect(json.aired_winner).toEqual(live.of('show')[0]!.aired_winner ?? null);
      return json.aired_winner;
    };
    const labelOf = async (button: string) => (await show.get('/buttons')).json.buttons[button];

    it('shows it after step, then the table, and takes each back', async () => {
      const id = await rounds();
      expect(await winner()).toEqual({ round: null });
      expect(await labelOf('step')).toMatchObject({ possible: true, label: 'Show the winner', color: 'red' });
      expect((await show.press('step', { to: 1 })).json).toMatchObject({
        aired_winner: { round: 1 },
        undo: { press: 'step', poll: id },
      });
      // Two desks that both want the winner get no table.
      expect((await show.press('step', { to: 1 })).json.aired_winner).toEqual({ round: 1 });
      expect(await labelOf('step')).toMatchObject({ possible: true, label: 'Back to the table' });
      await show.press('step');
      expect(await winner()).toEqual({ round: 1, past: true });
      expectError(await show.press('step'), 409, 'nothing_to_reveal');
      await show.press('undo');
      expect(await winner()).toEqual({ round: 1 });
      await show.press('undo');
      expect(await winner()).toEqual({ round: null });
      await show.press('reveal');
      expect(await winner()).toEqual({ round: 1 });
    });

    it('does not come back with an undo to a poll that is open again', async () => {
      const id = await rounds();
      await show.press('step');
      await show.press('step');
      await send(`${other.url}/api/poll/${id}`, 'PATCH', { poll: { status: 'open' } }, show.key);
      // A retry whose first reply was lost says the same.
      const once = { 'idempotency-key': 'an-undo-that-takes-nothing-back' };
      for (let attempt = 0; attempt < 2; attempt += 1)
        expectError(await show.press('undo', undefined, once), 409, 'nothing_to_undo');
      await show.press('close');
      expect(await winner()).toEqual({ round: null });
    });

    it('waits for the press again after an opening and in the next round, and a step within a second is told', async () => {
      holdClock();
      const id = await rounds();
      vi.setSystemTime(Date.now() + 1_000);
      const seen = { if: { on_air: id, status: 'closed', results_visibility: 'always' } };
      expect((await show.press('step', { ...seen, hand: 'desk-1' })).status).toBe(200);
      expectError(await show.press('step', { ...seen, hand: 'desk-2' }), 409, 'poll_changed');
      await show.press('open');
      expect(await winner()).toEqual({ round: null });
      await show.press('undo');
      expect(await winner()).toEqual({ round: 1 });
      await show.press('again', { confirm: true });
      const { json } = await show.press('close');
      expect([json.poll.round, json.aired_winner]).toEqual([2, { round: 1 }]);
      expect((await show.press('reveal')).json.aired_winner).toEqual({ round: 2 });
      await show.patch({ winner: 'close' });
      expect(await winner()).toBeNull();
    });

    it('waits for the press again after an opening without a press', async () => {
      const id = await rounds();
      const change = (poll: object) => send(`${other.url}/api/poll/${id}`, 'PATCH', { poll }, show.key);
      await show.press('step');
      await change({ results_visibility: 'hidden' });
      await change({ results_visibility: 'always' });
      expect(await winner()).toEqual({ round: 1 });
      await change({ status: 'open' });
      await change({ status: 'closed' });
      expect(await winner()).toEqual({ round: null });
      expect((await show.press('step')).json.aired_winner).toEqual({ round: 1 });
    });

    it('comes with the last place of a reveal by steps, and never before', async () => {
      const id = await rounds();
      await show.press('hide');
      for (const from of [3, 2]) {
        expect((await show.press('step')).json).toMatchObject({
          poll: { revealed_from: from },
          aired_winner: { round: null },
        });
      }
      expect((await show.press('step')).json).toMatchObject({ on_air: id, aired_winner: { round: 1 } });
      await show.press('undo');
      expect(await winner()).toEqual({ round: null });
    });
  });

  it('60 random presses, from two desks and by a program, do what the model does', () =>
    pressAtRandom([relay, other], 1, 60));
}
