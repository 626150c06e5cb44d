import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { engineWith } from '../../src/engine/engine-with.ts';
import { PollError } from '../../src/poll/poll-error.ts';
import { hashKey, presentKey } from '../../src/poll/poll-key.ts';
import { findUndoable, newShow, withOnAir, withoutEntry } from '../../src/show/show.ts';
import { changeShow, createShow, findShow, removeShow } from '../../src/show/shows.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

/** Well-formed: a show that is gone is answered 404 to such a key. */
const MINE = `show_${'m'.repeat(43)}`;

const access = (key: string) => ({ key: presentKey(key, 'header'), isOperatorKey: () => false });

/** Another change is written between the first read and write. */
function interrupted(engine: Engine, intrude: () => Promise<unknown>): Engine {
  let intruded = false;
  const find = async (name: string) => {
    const text = await engine.records.find(name);
    if (!intruded) {
      intruded = true;
      await intrude();
    }
    return text;
  };
  return engineWith(engine, { records: { find } });
}

describe('a change of a show', () => {
  let relay: TestRelay;
  let engine: Engine;
  let names = 0;
  beforeAll(async () => {
    relay = await startTestRelay();
    engine = relay.engine;
  });
  afterAll(() => relay.close());

  const taken = async () => {
    names += 1;
    const name = `evening-${names}`;
    await createShow(engine, { name, title: '' }, hashKey(MINE));
    return name;
  };

  it('is applied on top of a concurrent one', async () => {
    const name = await taken();
    const { id } = await relay.create();
    const late = interrupted(engine, () => changeShow(engine, name, { title: 'Late' }, access(MINE)));
    await changeShow(late, name, { onAir: id }, access(MINE));
    expect(await findShow(engine, name)).toMatchObject({ title: 'Late', onAir: id });
  });

  it('does not touch a new show of the same name', async () => {
    for (const act of [
      (on: Engine, name: string) => changeShow(on, name, { title: 'Mine' }, access(MINE)),
      (on: Engine, name: string) => removeShow(on, name, access(MINE)),
    ]) {
      const name = await taken();
      const late = interrupted(engine, async () => {
        await removeShow(engine, name, access(MINE));
        await createShow(engine, { name, title: 'Theirs' }, hashKey('theirs'));
      });
      await expect(act(late, name)).rejects.toMatchObject({ code: 'api_key_rejected' });
      expect(await findShow(engine, name)).toMatchObject({ title: 'Theirs' });
    }
  });

  it('fails if the show was deleted meanwhile', async () => {
    const name = await taken();
    const late = interrupted(engine, () => removeShow(engine, name, access(MINE)));
    const change = changeShow(late, name, { title: 'Mine' }, access(MINE));
    await expect(change).rejects.toMatchObject({ code: 'show_not_found' });
    expect(await findShow(engine, name)).toBeUndefined();
  });

  it('is done even if its hint is lost', async () => {
    const name = await taken();
    const deaf = engineWith(engine, {
      hints: { publish: () => Promise.reject(new Error('pub/sub is away')) },
    });
    await changeShow(deaf, name, { title: 'Mine' }, access(MINE));
    expect(await findShow(engine, name)).toMatchObject({ title: 'Mine' });
  });

  it('fails with all waiting changes if the engine is unavailable', async () => {
    const name = await taken();
    let asked = 0;
    let fail = () => {};
    const away = new Promise<never>((_, reject) => {
      fail = () => reject(new PollError('engine_unavailable'));
    });
    const find = () => {
      asked += 1;
      return away;
    };
    const lost = engineWith(engine, { records: { find } });
    // One engine of its own for all of them, as in a process.
    const { records } = lost;
    const changes = ['One', 'Two', 'Three'].map(title =>
      changeShow({ ...lost, records }, name, { title }, access(MINE)),
    );
    await until(() => asked === 1, 'the first try');
    fail();
    const outcomes = await Promise.allSettled(changes);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(asked).toBe(1);
    expect(await findShow(engine, name)).toMatchObject({ title: '' });
  });
});

it('undoing past a deleted poll does not come back to the same poll', async () => {
  const by = { hand: '', atMs: 0 };
  const history = [null, 'kept', 'gone'].map(onAir => ({
    ...by,
    key: `before ${onAir}`,
    press: 'next' as const,
    air: { onAir, place: null },
  }));
  const show = { ...newShow({ title: '', keyHash: '', id: '' }), onAir: 'now', history };
  const at = await findUndoable(show, async () => new Set(['gone']));
  const undone = withoutEntry(show, at, { ...by, key: 'undoing', press: 'undo' });
  expect(undone).toMatchObject({ onAir: 'kept', history: [{ air: { onAir: null } }] });
});

it('a poll from outside the rundown goes on air and leaves the place of the next step as it was', () => {
  const show = { ...newShow({ title: '', keyHash: '', id: '' }), rundown: ['one', 'two'] };
  const entry = { key: 'one', press: 'take' as const, hand: '', atMs: 0 };
  const shown = withOnAir(withOnAir(show, 'one', entry), 'stranger', entry);
  expect(shown).toMatchObject({ onAir: 'stranger', place: 'one' });
});
