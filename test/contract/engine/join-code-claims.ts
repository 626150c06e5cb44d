import { expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { createEdition, createPollId } from '../../../src/poll/create-poll.ts';
import { JOIN_HELD_MS, JOIN_VALID_MS } from '../../../src/poll/join-code.ts';
import type { NewPoll } from '../../../src/poll/poll.ts';
import { presentKey } from '../../../src/poll/poll-key.ts';
import {
  drawJoinCode,
  findJoined,
  ownerPoll,
  ownerShow,
  sweepJoinCodes,
  takeJoinCode,
  withJoinCodes,
} from '../../../src/show/join-codes.ts';
import { createShow, createShowId, removeShow } from '../../../src/show/shows.ts';
import { type EngineSubject, newPoll, readPoll } from './engine-subject.ts';

const LIVE_CODES = 'limits:join-codes';

/** What a join code leads to, and when it is free. */
export function joinCodeClaims(subject: EngineSubject): void {
  const key = presentKey('show_key-of-the-test', 'header')!;
  const engine = () => withJoinCodes(subject.engine);

  const draftPoll = async (joinCode?: string): Promise<NewPoll> => {
    const draft = newPoll({ isPrivate: true }, await subject.engine.polls.now());
    const code = joinCode ?? (await drawJoinCode(subject.engine, ownerPoll(draft.poll.id)));
    return { ...draft, poll: { ...draft.poll, joinCode: code } };
  };
  const createPoll = async () => {
    const draft = await draftPoll();
    expect(await engine().polls.create(draft)).toBe(true);
    return { id: draft.poll.id, code: draft.poll.joinCode! };
  };
  /** A poll whose creator closed it so long ago. */
  const closedPoll = async (agoMs: number) => {
    const { poll, keys } = await draftPoll();
    const nowMs = await subject.engine.polls.now();
    expect(await takeJoinCode(subject.engine, poll.joinCode!, ownerPoll(poll.id))).toBe(true);
    const archived = {
      type: 'poll' as const,
      poll,
      keys,
      version: 3,
      votes: poll.answers.map(() => 0),
      voters: 0,
      closed: nowMs - agoMs,
      deadlineMs: null,
      settledDeadlineMs: null,
      resultsVisibility: 'always' as const,
      retentionMs: 0,
      expiresAtMs: null,
    };
    expect(await subject.engine.archive.addPoll(archived, (async function* () {})())).toBe(true);
    return { id: poll.id, code: poll.joinCode! };
  };
  const joined = (code: string) => findJoined(subject.other, code);
  const isTaken = async (code: string, by: Engine = subject.other) =>
    !(await takeJoinCode(by, code, ownerPoll(createPollId())));

  it('leads to its poll from the creation until a day after the close, and is held for a week', async () => {
    const open = await createPoll();
    expect(open.code).toMatch(/^\d{6,7}$/);
    expect(await joined(open.code)).toEqual({ poll: open.id });
    await engine().polls.change(open.id, { closed: true });
    expect(await joined(open.code)).toEqual({ poll: open.id });
    expect(await isTaken(open.code)).toBe(true);

    const minute = 60_000;
    const late = await closedPoll(JOIN_VALID_MS - minute);
    expect(await joined(late.code)).toEqual({ poll: late.id });
    const held = await closedPoll(JOIN_VALID_MS + JOIN_HELD_MS - minute);
    expect(await joined(held.code)).toBe(undefined);
    expect(await isTaken(held.code)).toBe(true);
    const free = await closedPoll(JOIN_VALID_MS + JOIN_HELD_MS + minute);
    expect(await joined(free.code)).toBe(undefined);
    expect(await isTaken(free.code)).toBe(false);
  });

  it('stays with a poll that opens again within a day, and else the poll gets another one', async () => {
    const day = await closedPoll(JOIN_VALID_MS - 60_000);
    await engine().polls.change(day.id, { closed: false });
    expect((await readPoll(subject.other, day.id)).poll.joinCode).toBe(day.code);

    for (const change of [{ closed: false }, { closed: true, deadlineMs: null }]) {
      const old = await closedPoll(JOIN_VALID_MS + JOIN_HELD_MS + 60_000);
      expect(await engine().polls.change(old.id, change)).toBe(true);
      const { joinCode } = (await readPoll(subject.other, old.id)).poll;
      expect(joinCode).not.toBe(old.code);
      if (!change.closed) expect(await joined(joinCode!)).toEqual({ poll: old.id });
      expect(await joined(old.code)).toBe(undefined);
    }
  });

  it('given up at an opening stays given up', async () => {
    const { id, code } = await closedPoll(JOIN_VALID_MS + JOIN_HELD_MS + 60_000);
    const { poll: before } = await readPoll(subject.other, id);
    const after = { ...before, joinCode: undefined, edition: createEdition() };
    const correction = { before, after, isUnvoted: true };
    expect(await engine().polls.change(id, { closed: false, correction })).toBe(true);
    expect((await readPoll(subject.other, id)).poll.joinCode).toBe(undefined);
    expect(await joined(code)).toBe(undefined);
  });

  it('leads to its show as long as there is that show, and not to a later one of the name', async () => {
    const [name, id] = [`s-${createPollId().toLowerCase()}`, createShowId()];
    const joinCode = await drawJoinCode(subject.engine, ownerShow(name, id));
    await createShow(subject.engine, { name, id, title: '', joinCode }, key.hash);
    expect(await joined(joinCode)).toEqual({ show: name });
    await removeShow(subject.engine, name, { key, isOperatorKey: () => false });
    expect(await joined(joinCode)).toBe(undefined);
    await createShow(subject.engine, { name, title: '' }, key.hash);
    expect(await joined(joinCode)).toBe(undefined);
    expect(await isTaken(joinCode)).toBe(true);
  });

  it('is held for a week after its poll was deleted, and then swept', async () => {
    const { id, code } = await createPoll();
    await subject.engine.polls.remove(id);
    expect(await joined(code)).toBe(undefined);
    expect(await isTaken(code)).toBe(true);
    const record = await subject.other.records.find(`join:${code}`);
    expect(record).toMatch(new RegExp(`^poll:${id} \\d+$`));
    await sweepJoinCodes(subject.engine);
    expect(await subject.other.records.find(`join:${code}`)).toBe(record);
    const weekAgo = (await subject.engine.polls.now()) - JOIN_HELD_MS - 1;
    await subject.engine.records.put(`join:${code}`, `poll:${id} ${weekAgo}`);
    await sweepJoinCodes(subject.engine);
    expect(await subject.other.records.find(`join:${code}`)).toBe(undefined);
  });

  it('is not given to another while its poll is not stored yet, and comes to no poll of another', async () => {
    const draft = await draftPoll();
    const code = draft.poll.joinCode!;
    // The other one notices that there is no such poll, before it is stored.
    expect(await isTaken(code)).toBe(true);
    expect(await engine().polls.create(draft)).toBe(true);
    expect(await joined(code)).toEqual({ poll: draft.poll.id });
    await expect(engine().polls.create(await draftPoll(code))).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    // Sent again after its reply was lost.
    expect(await engine().polls.create(draft)).toBe(false);
    expect(await joined(code)).toEqual({ poll: draft.poll.id });
  });

  it('has seven digits where more than 20,000 are live', async () => {
    const draw = () => drawJoinCode(subject.other, ownerPoll(createPollId()));
    await subject.engine.records.put(LIVE_CODES, '20001');
    expect(await draw()).toMatch(/^\d{7}$/);
    // Counts what there is.
    const { id } = await createPoll();
    await sweepJoinCodes(subject.engine);
    expect(Number(await subject.engine.records.find(LIVE_CODES))).toBeLessThan(1_000);
    expect(await draw()).toMatch(/^\d{6}$/);
    await subject.engine.polls.remove(id);
  });

  it('has one owner, whatever two processes draw, delete and look up at once', async () => {
    const codes = Array.from({ length: 12 }, (_, index) => `90000${index % 10}${index > 9 ? index - 9 : ''}`);
    const model = new Map<string, { readonly id: string; isStored: boolean }>();
    const longAgo = (await subject.engine.polls.now()) - JOIN_HELD_MS - 1;
    const release = async (by: Engine, code: string, id: string) => {
      model.delete(code);
      await by.polls.remove(id);
      // Nothing takes it before that: it is held.
      await by.records.put(`join:${code}`, `${ownerPoll(id)} ${longAgo}`);
    };
    let released = 0;
    const worker = async (by: Engine, seed: number) => {
      const another = by === subject.engine ? subject.other : subject.engine;
      for (let step = 0; step < 120; step += 1) {
        const code = codes[(step * 7 + seed * 5) % codes.length]!;
        const draft = await draftPollFor(code);
        const { id } = draft.poll;
        if (await takeJoinCode(by, code, ownerPoll(id))) {
          // No other one has it until its release.
          expect(model.has(code)).toBe(false);
          const mine = { id, isStored: false };
          model.set(code, mine);
          await by.polls.create(draft);
          expect(await findJoined(another, code)).toEqual({ poll: id });
          mine.isStored = true;
        }
        const known = model.get(code);
        if (known?.isStored && (step + seed) % 2 === 0) {
          await release(by, code, known.id);
          released += 1;
        }
      }
    };
    await Promise.all([0, 1, 2, 3].map(seed => worker(seed % 2 ? subject.engine : subject.other, seed)));
    expect(released).toBeGreaterThan(codes.length);
    for (const [code, { id }] of model) expect(await joined(code)).toEqual({ poll: id });

    async function draftPollFor(joinCode: string): Promise<NewPoll> {
      const draft = newPoll({ isPrivate: true }, await subject.engine.polls.now());
      return { ...draft, poll: { ...draft.poll, joinCode } };
    }
  });
}
