import { expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import type { PollId } from '../../../src/poll/poll.ts';
import { voidBallots } from '../../support/void-ballots.ts';
import { ballotFor, eventually, newPoll, type PollWishes } from './engine-subject.ts';

export interface RetentionSubject {
  /** Opens an engine on the same store with these days, or without any of its own, and closes it after the action. */
  withEngine<T>(retentionDays: number | undefined, action: (engine: Engine) => Promise<T>): Promise<T>;
  /** Removes what is due now. */
  tidy(engine: Engine): Promise<void>;
  /**
   * When a poll goes, UNIX time in milliseconds; null for never. Asked of the store itself, while
   * no engine is open.
   */
  goesAtMs(id: PollId): Promise<number | null>;
}

const DAY_MS = 86_400_000;
const WEEK = 7;

/** Polls expire after their end, or after their last ballot if they have no end. */
export function retentionClaims({ withEngine, goesAtMs, tidy }: RetentionSubject): void {
  const open = (days: number | undefined, wishes: PollWishes = {}, ballots = 0) =>
    withEngine(days, async engine => {
      const poll = newPoll(wishes, await engine.polls.now());
      expect(await engine.polls.create(poll)).toBe(true);
      for (let cast = 0; cast < ballots; cast += 1) await engine.castBallot(ballotFor(poll));
      return poll;
    });
  const expectDaysLeft = (id: PollId, days: number | null) =>
    eventually(async () => {
      const goes = await goesAtMs(id);
      expect(goes === null ? null : Math.round((goes - Date.now()) / DAY_MS)).toBe(days);
    });

  it('keeps a poll for its retention after its creator closed it, with any deadline', async () => {
    const { poll } = await open(WEEK, { deadlineInMs: 100 * DAY_MS });
    await expectDaysLeft(poll.id, 107);
    await withEngine(WEEK, engine => engine.polls.change(poll.id, { closed: true }));
    await expectDaysLeft(poll.id, 7);
    await withEngine(WEEK, engine => engine.polls.change(poll.id, { resultsVisibility: 'hidden' }));
    await expectDaysLeft(poll.id, 7);
    await withEngine(WEEK, engine => engine.polls.change(poll.id, { closed: false }));
    await expectDaysLeft(poll.id, 107);
    await withEngine(WEEK, engine => engine.polls.change(poll.id, { deadlineMs: null }));
    await expectDaysLeft(poll.id, 7);
  });

  it('keeps a poll for its retention after the deadline, even if it is closed later', async () => {
    const { poll } = await open(WEEK);
    await expectDaysLeft(poll.id, 7);
    const deadlineMs = Date.now() - 3 * DAY_MS;
    await withEngine(WEEK, engine => engine.polls.change(poll.id, { deadlineMs }));
    await withEngine(WEEK, engine => engine.polls.change(poll.id, { closed: true }));
    await expectDaysLeft(poll.id, 4);
  });

  it('keeps a poll by the setting of the process that created or changed it, not of one that casts', async () => {
    const [kept, weekly] = [await open(0), await open(WEEK)];
    for (const days of [undefined, 365, 1])
      await withEngine(days, async engine => {
        for (const poll of [kept, weekly]) await engine.castBallot(ballotFor(poll));
      });
    await expectDaysLeft(kept.poll.id, null);
    await expectDaysLeft(weekly.poll.id, 7);
    await withEngine(undefined, engine => engine.polls.change(kept.poll.id, { closed: true }));
    await expectDaysLeft(kept.poll.id, null);
    await withEngine(30, engine => engine.polls.change(kept.poll.id, { closed: true }));
    await expectDaysLeft(kept.poll.id, 30);
    await withEngine(0, engine => engine.polls.change(weekly.poll.id, { closed: true }));
    await expectDaysLeft(weekly.poll.id, null);
  });

  it.each([WEEK, 0])(
    'removes a poll without a ballot after its time, with a retention of %i days',
    async days => {
      const month = { emptyRetentionMs: 30 * DAY_MS };
      const old = { ...month, ageMs: 31 * DAY_MS };
      const polls = {
        empty: await open(days, old),
        upcoming: await open(days, { ...old, upcoming: true }),
        ended: await open(days, { ...old, ageMs: 70 * DAY_MS, deadlineInMs: -31 * DAY_MS }),
        young: await open(days, { ...month, ageMs: 29 * DAY_MS }),
        'with a later deadline': await open(days, { ...old, deadlineInMs: 60_000 }),
        kept: await open(days, { ageMs: 31 * DAY_MS }),
        'with a ballot': await open(days, old, 1),
        'with a voided ballot': await open(days, old, 1),
      };
      const { id: voided } = polls['with a voided ballot'].poll;
      await withEngine(days, engine =>
        voidBallots(engine.polls, voided, { fromMs: 0, toMs: Date.now() + DAY_MS }),
      );
      await withEngine(days, async engine => {
        await tidy(engine);
        const left = Object.entries(polls).map(async ([name, { poll }]) =>
          (await engine.polls.find(poll.id)) ? [name] : [],
        );
        const names = ['young', 'with a later deadline', 'kept', 'with a ballot', 'with a voided ballot'];
        expect((await Promise.all(left)).flat()).toEqual(names);
        for (const name of ['empty', 'upcoming', 'ended'] as const)
          expect(await engine.polls.listPublic(1_000)).not.toContain(polls[name].poll.id);
      });
      // Redis' own expiry must not take what the first ballot has kept.
      await expectDaysLeft(polls['with a ballot'].poll.id, days || null);
    },
  );

  it('keeps a poll for a year by default', async () => {
    const { poll } = await open(undefined);
    await expectDaysLeft(poll.id, 365);
  });
}
