import { hash } from 'node:crypto';
import { pino } from 'pino';
import { ChatCounter } from '../../src/chat/chat-counter.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { ChatPlatform } from '../../src/poll/chat-platform.ts';
import { newSeed, pollFromSeed } from '../../src/poll/create-poll.ts';
import type { PollId, Results } from '../../src/poll/poll.ts';
import { createKey, hashKey, type PresentedKey } from '../../src/poll/poll-key.ts';
import { checkDraft } from '../../src/poll/poll-schema.ts';
import { claimChannels, readChatReports } from '../../src/show/chat-links.ts';
import { ShowBoard } from '../../src/show/show-board.ts';
import type { ShowChange } from '../../src/show/show-schema.ts';
import { addPoll, changeShow, createShow, findShow, openShow } from '../../src/show/shows.ts';
import type { TestPlatform } from './chat-platform.ts';

export function hashUser(pollId: PollId, platform: ChatPlatform, userId: string) {
  const voter = hash('sha256', `${pollId} ${platform} ${userId}`, 'base64url').slice(0, 32);
  return { voter, ballotId: `ballot-${voter}` };
}

/** A counter as a process has it, on an engine that others may share. */
export function openCounter(
  engine: Engine,
  platforms: readonly TestPlatform[],
  clock = () => Date.now(),
): { readonly counter: ChatCounter; close(): Promise<void> } {
  const shows = new ShowBoard(engine);
  const counter = new ChatCounter({
    engine,
    shows,
    channels: 20,
    sources: platforms.map(platform => listener => platform.open(listener)),
    log: pino({ level: 'silent' }),
    clock,
    hashOf: async pollId => (platform, userId) => hashUser(pollId, platform, userId),
  });
  return {
    counter,
    async close() {
      await counter.close();
      shows.close();
    },
  };
}

export interface StagedShow {
  readonly name: string;
  readonly key: string;
  addPoll(draft?: Record<string, unknown>): Promise<PollId>;
  change(change: ShowChange): Promise<void>;
  results(id: PollId): Promise<Results>;
  /** Votes by answer. */
  votes(id: PollId): Promise<readonly number[]>;
  report(): ReturnType<typeof readChatReports>;
}

let shows = 0;

/** A show that links a channel. */
export async function stageShow(engine: Engine, { platform, channel }: TestPlatform): Promise<StagedShow> {
  shows += 1;
  const name = `show-${process.pid}-${shows}`;
  const key = createKey('show');
  const presented: PresentedKey = { hash: hashKey(key), carrier: 'header' };
  const access = { key: presented, isOperatorKey: () => false };
  await createShow(engine, { name, title: '' }, presented.hash);
  const chat = [{ platform, channel }];
  await claimChannels(engine, { show: name, chat, by: undefined }, 20);
  await changeShow(engine, name, { chat }, access);
  const results = async (id: PollId) => (await engine.polls.find(id))!.results;
  return {
    name,
    key,
    async addPoll(draft = {}) {
      const { owner } = await openShow(engine, name, access);
      const body = {
        poll: { title: 'Which?', answers: ['Waterloo', 'Volare', 'Ça plane'], mip: false, ...draft },
      };
      const checked = checkDraft(body, Date.now());
      if (!checked.success) throw checked.error;
      const { poll } = checked.data;
      const { created } = pollFromSeed(poll, newSeed(poll, Date.now()), { show: owner });
      await addPoll(engine, created, access);
      return created.poll.id;
    },
    change: async change => void (await changeShow(engine, name, change, access)),
    results,
    votes: async id => (await results(id)).votes,
    report: async () => readChatReports(engine, (await findShow(engine, name))!),
  };
}
