import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { readVoidRules, removeVoidRule, settleBallots } from '../../src/engine/void-ballots.ts';
import { chatLabels } from '../../src/poll/chat-link.ts';
import { CHAT_LINKS, parseChatClaims } from '../../src/show/chat-links.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { until } from '../support/until.ts';
import type { TestPlatform } from './chat-platform.ts';
import { hashUser, openCounter, type StagedShow, stageShow } from './chat-stage.ts';

/** What holds for votes from every chat, on every engine. */
export function describeChat(
  startPlatform: () => Promise<TestPlatform>,
  openEngine: () => Promise<{ readonly engine: Engine; close(): Promise<void> }>,
): void {
  let server: TestPlatform;
  let opened: Awaited<ReturnType<typeof openEngine>>;
  let engine: Engine;
  let show: StagedShow;
  /** The next user that is free. */
  let probes = 900_000;
  beforeAll(async () => {
    opened = await openEngine();
    engine = opened.engine;
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    server = await startPlatform();
    show = await stageShow(engine, server);
    return async () => {
      await show.change({ chat: [], onAir: null });
      await server.close();
    };
  });

  /** Starts a counter, and puts a poll on air that it counts. */
  async function onAir(draft: Record<string, unknown> = {}, counters = 1, of = engine): Promise<string> {
    const id = await show.addPoll(draft);
    for (let started = 0; started < counters; started += 1) {
      const { close } = openCounter(of, [server]);
      onTestFinished(close);
    }
    await show.change({ onAir: id });
    await counts(id, counters);
    return id;
  }

  /** Says votes of users of its own until every process has counted one, then voids them by bans. */
  async function counts(id: string, counters = 1): Promise<void> {
    const [label = ''] = chatLabels((await engine.polls.find(id))!.poll);
    await until(() => server.isRead(counters), 'the channel to be joined');
    const before = (await show.results(id)).totalVoters;
    const first = probes;
    // Kick gives each process in turn a message, so that one of these reaches each.
    const say = () => {
      for (let said = 0; said < counters; said += 1) server.say({ userId: `${probes + said}`, text: label });
      probes += counters;
    };
    const areCounted = async (from: number, to: number) => {
      const users = Array.from({ length: to - from }, (_, at) => `${from + at}`);
      const ids = users.map(user => hashUser(id, server.platform, user).ballotId);
      return (await engine.archive.findMissing({ id }, ids)).length === 0;
    };
    let from = first;
    // Ever rarer: moderators may ban so many users only.
    let [sayAtMs, pauseMs] = [0, 100];
    await until(async () => {
      for (from = first; from < probes; from += counters)
        if (await areCounted(from, from + counters)) return true;
      if (performance.now() < sayAtMs) return false;
      say();
      sayAtMs = performance.now() + pauseMs;
      pauseMs *= 1.5;
      return false;
    }, 'a vote to be counted');
    // By now all count, and what was said before has been judged.
    await until(() => areCounted(from, probes), 'the last vote to be counted');
    for (let user = first; user < probes; user += 1) server.ban(`${user}`);
    await expect.poll(async () => (await show.results(id)).totalVoters).toBe(before);
  }

  const expectVotes = (id: string, votes: readonly number[]) =>
    expect.poll(() => show.votes(id)).toEqual(votes);

  /** Messages arrive in order, so whatever came before this one has been judged. */
  async function afterwards(id: string, userId = '999999'): Promise<void> {
    const [, before] = await show.votes(id);
    server.say({ userId, text: '2' });
    await expect.poll(async () => (await show.votes(id))[1]).toBe(before! + 1);
  }

  describe('a poll on air', () => {
    it('counts each user once, whatever follows, and stores neither names nor texts', async () => {
      const id = await onAir();
      server.say({ userId: '1', text: '1' });
      server.say({ userId: '1', text: '3' });
      server.say({ userId: '1', text: '1' });
      server.say({ userId: '2', text: 'CA PLANE' });
      server.say({ userId: '3', text: 'I like 3' });
      await afterwards(id);
      await expectVotes(id, [1, 1, 1]);
      expect((await show.results(id)).chatVoters).toEqual({ [server.platform]: 3 });
    });

    it('counts the last vote of each user with change_vote, also for a process that comes later', async () => {
      const id = await show.addPoll({ change_vote: true });
      const counters = [openCounter(engine, [server]), openCounter(engine, [server])] as const;
      for (const { close } of counters) onTestFinished(close);
      await show.change({ onAir: id });
      await counts(id, 2);
      server.say({ userId: '1', text: '1' });
      await expectVotes(id, [1, 0, 0]);
      server.say({ userId: '1', text: '3' });
      server.say({ userId: '2', text: '1' });
      server.say({ userId: '3', text: '2' });
      await expectVotes(id, [1, 1, 1]);
      server.say({ userId: '2', text: '3' });
      await expectVotes(id, [0, 1, 2]);
      server.say({ userId: '1', text: '3' });
      server.say({ userId: '3', text: 'not 3' });
      await afterwards(id);
      await expectVotes(id, [0, 2, 2]);
      expect((await show.results(id)).chatVoters).toEqual({ [server.platform]: 4 });
      for (const { close } of counters) await close();
      const { close } = openCounter(engine, [server]);
      onTestFinished(close);
      const ofThird = async () => {
        server.say({ userId: '2', text: '1' });
        return (await show.votes(id))[2];
      };
      await expect.poll(ofThird).toBe(1);
    });

    it('counts nothing that is older than its time on air, and no history', async () => {
      const id = await onAir();
      const nowMs = Date.now();
      server.say({ userId: '1', text: '1', atMs: nowMs - 3_600_000 });
      server.say({ userId: '2', text: '1', atMs: nowMs - 60_000 });
      await afterwards(id);
      await expectVotes(id, [0, 1, 0]);
    });

    it.each([
      ['five minutes fast', 300_000],
      ['right', 0],
      ['five minutes slow', -300_000],
    ])('counts by the clock of the platform where that of this server is %s', async (_, wrongMs) => {
      const first = await show.addPoll();
      const second = await show.addPoll();
      const { close } = openCounter(engine, [server], () => Date.now() + wrongMs);
      onTestFinished(close);
      await show.change({ onAir: first });
      await counts(first);
      await show.change({ onAir: second });
      for (const lagMs of [1_200, 1_500, 3_000])
        server.say({ userId: `${lagMs}`, text: '1', atMs: Date.now() - lagMs });
      await counts(second);
      for (let user = 1; user <= 5; user += 1) server.say({ userId: `${user}`, text: '3' });
      await expectVotes(second, [0, 0, 5]);
    });

    it('tells the desk of votes that came before the opening', async () => {
      const id = await show.addPoll({ status: 'upcoming' });
      const { close } = openCounter(engine, [server]);
      onTestFinished(close);
      await show.change({ onAir: id });
      await until(() => server.isRead(), 'the channel to be joined');
      const say = async () => {
        // Before the opening by any clock.
        const atMs = Date.now() - 5_000;
        server.say({ userId: '1', text: '1', atMs });
        server.say({ userId: '1', text: 'hello', atMs });
        return (await show.report())[0]?.early ?? 0;
      };
      await expect.poll(say).toBeGreaterThan(5);
      await engine.polls.change(id, { closed: false });
      await counts(id);
      await expectVotes(id, [0, 0, 0]);
      const next = await show.addPoll();
      await show.change({ onAir: next });
      await counts(next);
      // The platform's clock is known by its seconds, so the first messages of a poll may look earlier.
      await expect.poll(async () => (await show.report())[0]?.early).toBeLessThanOrEqual(5);
    });

    it('takes a vote that is dated in the future as one of now, which blocks no change', async () => {
      const id = await onAir({ change_vote: true });
      server.say({ userId: '1', text: '1', atMs: Date.now() + 3_600_000 });
      await expectVotes(id, [1, 0, 0]);
      server.say({ userId: '1', text: '3' });
      await expectVotes(id, [0, 0, 1]);
    });

    it('gets no late vote of the poll before, with chat_words', async () => {
      const answers = ['x', 'y'];
      const first = await onAir({ chat_words: true, answers });
      const second = await show.addPoll({ chat_words: true, answers });
      server.say({ userId: '1', text: 'a' });
      await expectVotes(first, [1, 0]);
      await show.change({ onAir: second });
      await counts(second);
      for (const [index, text] of ['a', 'b', '1', 'x', 'C'].entries())
        server.say({ userId: `${index + 2}`, text });
      await expectVotes(second, [1, 0]);
      expect(await show.votes(first)).toEqual([1, 0]);
    });

    it('is not counted if it is upcoming, of the page alone or of another show, or asks for names or a sign-in', async () => {
      await onAir();
      const beside = await stageShow(engine, server);
      onTestFinished(() => beside.change({ chat: [], onAir: null }));
      const refused = [{ chat: false }, { enter_name: true }, { only_reg: true }, { status: 'upcoming' }];
      const ids = [...(await Promise.all(refused.map(show.addPoll))), await beside.addPoll()];
      for (const id of ids) {
        await show.change({ onAir: id });
        // Seen after the change above, and counted from the same messages.
        const marker = await beside.addPoll();
        await beside.change({ onAir: marker });
        await counts(marker);
        const { totalVoters, voidedVotes } = await show.results(id);
        expect([totalVoters, voidedVotes]).toEqual([0, undefined]);
      }
    });

    it('counts from its opening to its close, and when it is open again', async () => {
      const id = await show.addPoll({ status: 'upcoming' });
      const { close } = openCounter(engine, [server]);
      onTestFinished(close);
      await show.change({ onAir: id });
      await until(() => server.isRead(), 'the channel to be joined');
      await engine.polls.change(id, { closed: false });
      await counts(id);
      await engine.polls.change(id, { closed: true });
      server.say({ userId: '2', text: '1' });
      // Cast after that vote, so that one has been judged.
      const beside = await stageShow(engine, server);
      onTestFinished(() => beside.change({ chat: [], onAir: null }));
      const marker = await beside.addPoll();
      await beside.change({ onAir: marker });
      await counts(marker);
      await engine.polls.change(id, { closed: false });
      await counts(id);
      await expectVotes(id, [0, 0, 0]);
      server.say({ userId: '2', text: '3' });
      await expectVotes(id, [0, 0, 1]);
    });
  });

  describe('moderators', () => {
    it('void the vote of a user whom they ban, and the creator may take that back', async () => {
      const id = await onAir();
      const rules = (await readVoidRules(engine.polls, id))!.length;
      server.say({ userId: '1', text: '1' });
      server.say({ userId: '2', text: '2' });
      await expectVotes(id, [1, 1, 0]);
      server.ban('1');
      server.ban('77');
      await expectVotes(id, [0, 1, 0]);
      server.say({ userId: '1', text: '3' });
      await afterwards(id);
      await expectVotes(id, [0, 2, 0]);
      const [rule] = (await readVoidRules(engine.polls, id))!.slice(rules - 1);
      expect(rule).toMatchObject({ source: server.platform, toMs: expect.any(Number) });
      await removeVoidRule(engine.polls, id, `chat-${server.platform}-moderators`);
      await settleBallots(engine.polls, id);
      expect((await show.votes(id))[0]).toBeGreaterThan(0);
    });

    it('leave no vote of a user whom they ban before it is cast', async () => {
      const id = await onAir();
      server.say({ userId: '1', text: '1' });
      server.ban('1');
      await afterwards(id);
      await expectVotes(id, [0, 1, 0]);
    });

    it.each([
      [true, 2],
      [false, 1],
    ])(
      'take back the vote whose message they delete, and its user may vote again (change_vote %s, %i processes)',
      async (changes, counters) => {
        const { delete: remove } = server;
        if (!remove) return;
        const id = await onAir({ change_vote: changes }, counters);
        const vote = server.say({ userId: '1', text: '1' });
        const later = server.say({ userId: '1', text: 'hello' });
        await expectVotes(id, [1, 0, 0]);
        remove(later);
        await afterwards(id);
        await expectVotes(id, [1, 1, 0]);
        remove(vote);
        await expectVotes(id, [0, 1, 0]);
        const again = server.say({ userId: '1', text: '3' });
        await expectVotes(id, [0, 1, 1]);
        // Nothing of the message that is gone already.
        remove(vote);
        await afterwards(id, '888888');
        await expectVotes(id, [0, 2, 1]);
        remove(again);
        server.say({ userId: '1', text: '1' });
        await expectVotes(id, [1, 2, 0]);
        expect((await show.results(id)).chatVoters).toEqual({ [server.platform]: 3 });
      },
    );

    it('take back no vote that another message of the user has replaced', async () => {
      const { delete: remove } = server;
      if (!remove) return;
      const id = await onAir({ change_vote: true });
      const first = server.say({ userId: '1', text: '1' });
      await expectVotes(id, [1, 0, 0]);
      server.say({ userId: '1', text: '3' });
      remove(first);
      await expectVotes(id, [0, 0, 1]);
      await afterwards(id);
      await expectVotes(id, [0, 1, 1]);
    });

    it('leave no vote of a message that they delete at once, and count what its user says next', async () => {
      const { delete: remove } = server;
      if (!remove) return;
      const id = await onAir();
      remove(server.say({ userId: '1', text: '1' }));
      remove(server.say({ userId: '2', text: '1' }));
      server.say({ userId: '2', text: '3' });
      await afterwards(id);
      await expectVotes(id, [0, 1, 1]);
      expect((await show.results(id)).withdrawn ?? 0).toBe(0);
    });
  });

  it('a second process beside counts nothing twice, and goes on alone', async () => {
    const id = await show.addPoll();
    const counters = [openCounter(engine, [server]), openCounter(engine, [server])] as const;
    for (const { close } of counters) onTestFinished(close);
    await show.change({ onAir: id });
    await counts(id, 2);
    for (let user = 1; user <= 200; user += 1) server.say({ userId: `${user}`, text: '1' });
    await expectVotes(id, [200, 0, 0]);
    // The desk counts each user once, those of `counts` as well.
    const { totalVoters, voidedVotes = 0 } = await show.results(id);
    await expect.poll(() => show.report()).toMatchObject([{ votes: totalVoters + voidedVotes }]);
    await counters[0].close();
    await until(() => server.isRead(1), 'the channel to be left');
    for (let user = 100; user <= 300; user += 1) server.say({ userId: `${user}`, text: '1' });
    await expectVotes(id, [300, 0, 0]);
  });

  it('votes wait for an engine that is lost, and count once', async () => {
    const double = new EngineDouble(engine);
    const id = await onAir({ change_vote: true }, 1, double.engine);
    double.lost = true;
    for (let user = 1; user <= 50; user += 1) {
      server.say({ userId: `${user}`, text: '1', atMs: Date.now() - 1_000 });
      server.say({ userId: `${user}`, text: '2' });
    }
    double.lost = false;
    await expectVotes(id, [0, 50, 0]);
  });

  it('a channel is joined while a poll is on air, and left when it is unlinked; the desk reads how it is', async () => {
    const id = await show.addPoll();
    const { close, counter } = openCounter(engine, [server]);
    onTestFinished(close);
    await expect.poll(() => show.report()).toMatchObject([{ state: 'waiting', votes: 0 }]);
    expect(server.isRead(0)).toBe(true);
    await show.change({ onAir: id });
    await counts(id);
    await expect.poll(() => show.report()).toMatchObject([{ state: 'connected', channel: server.channel }]);
    expect(await counter.check()).toBeUndefined();
    await show.change({ chat: [] });
    await until(() => server.isRead(0), 'the channel to be left');
    expect(await show.report()).toEqual([]);
  });

  it('a show whose channel another one needed counts again from its next poll on air', async () => {
    const first = await onAir();
    const claims = parseChatClaims(await engine.records.find(CHAT_LINKS));
    const givenUp = claims.map(claim => (claim.show === show.name ? { ...claim, isGivenUp: true } : claim));
    await engine.records.put(CHAT_LINKS, JSON.stringify(givenUp));
    await engine.hints.publish(CHAT_LINKS);
    await until(() => server.isRead(0), 'the channel to be left');
    await expect
      .poll(() => show.report())
      .toMatchObject([{ state: 'waiting', fault: expect.stringContaining('Another show') }]);
    await show.change({ onAir: await show.addPoll() });
    await until(() => server.isRead(1), 'the channel to be joined');
    await show.change({ onAir: first });
    await counts(first);
  });

  it('loses no vote and counts none twice while the server asks to connect anew', async context => {
    if (!server.reconnect) return context.skip('never asked');
    const id = await onAir({ change_vote: true });
    let [user, isDone] = [0, false];
    const done = server.reconnect().then(() => {
      isDone = true;
    });
    while (!isDone || user < 200) {
      user += 1;
      server.say({ userId: `${user}`, text: '3' });
      await new Promise(resolve => setTimeout(resolve, 2));
    }
    await done;
    await expectVotes(id, [0, 0, user]);
    await expect.poll(async () => (await show.report())[0]?.state).toBe('connected');
  });

  it('comes back after a lost connection, which is degraded until then', async context => {
    if (!server.stop || !server.start) return context.skip('no connection');
    const id = await show.addPoll();
    const { close, counter } = openCounter(engine, [server]);
    onTestFinished(close);
    await show.change({ onAir: id });
    await counts(id);
    await server.stop();
    await expect.poll(() => counter.check()).toContain(server.platform);
    await expect.poll(() => show.report()).toMatchObject([{ state: 'lost', fault: expect.any(String) }]);
    await server.start();
    await counts(id);
    expect(await counter.check()).toBeUndefined();
  });
}
