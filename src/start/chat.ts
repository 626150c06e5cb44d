import type { FastifyBaseLogger, FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { ChatCounterOptions } from '../chat/chat-counter.ts';
import { engineChecks } from '../engine/engine-checks.ts';
import { bareServer } from '../http/bare-server.ts';
import { readiness } from '../http/readiness.ts';
import { serverRules } from '../http/server-rules.ts';
import { lazySecret } from '../pages/voter/voting-secret.ts';
import { readChatKeys } from './chat-keys.ts';
import { type Config, settingsOf } from './config.ts';
import type { Services } from './services.ts';
import { isFirstWorker } from './workers.ts';

/** Votes from chat in this process. */
export interface Chat {
  /** For `/readyz`. */
  readonly check: () => Promise<string | undefined>;
  /** Routes by which platforms send messages. They have rules of their own. */
  readonly routes: FastifyPluginAsync | undefined;
  close(): Promise<void>;
}

type Sources = ChatCounterOptions['sources'];

/**
 * Opens the chats of this process: Twitch and YouTube in one worker of `ROLE=all`, or with
 * `ROLE=chat`; Kick wherever its webhooks may arrive, which is every process but a relay. Loads
 * only what is used.
 *
 * @returns undefined without any
 */
export async function openChat(
  config: Config,
  { engine, shows, clock }: Services,
  log: FastifyBaseLogger,
): Promise<Chat | undefined> {
  const { sources, routes } = await sourcesOf(config, clock);
  if (sources.length === 0) return undefined;
  const { ChatCounter } = await import('../chat/chat-counter.ts');
  const secret = lazySecret(engine.records);
  const counter = new ChatCounter({
    engine,
    shows,
    sources,
    channels: config.CHAT_CHANNELS,
    log,
    clock,
    async hashOf(pollId) {
      const ofPoll = (await secret()).forPoll(pollId);
      return (platform, userId) => {
        // One hash for both: it is much of what a vote costs here.
        const bytes = ofPoll.bytes('chat', platform, userId);
        return { voter: bytes.toString('base64url', 0, 16), ballotId: uuidOf(bytes.subarray(16)) };
      };
    },
  });
  return { check: () => counter.check(), close: () => counter.close(), routes };
}

interface ChatSources {
  readonly sources: Sources;
  /** By which platforms send messages. */
  readonly routes: FastifyPluginAsync | undefined;
}

async function sourcesOf(config: Config, clock: () => number): Promise<ChatSources> {
  const sources: Sources[number][] = [];
  const { ROLE: role, CHAT: platforms } = config;
  const keys = readChatKeys(config);
  const isReader = role === 'chat' || (role === 'all' && isFirstWorker());
  if (isReader && platforms.includes('twitch')) {
    const { TwitchSource } = await import('../chat/twitch.ts');
    sources.push(listener => new TwitchSource({ url: config.CHAT_TWITCH_URL, listener }));
  }
  if (isReader && keys.youtube !== undefined) {
    const { YouTubeSource } = await import('../chat/youtube.ts');
    const { youtube: key } = keys;
    sources.push(listener => new YouTubeSource({ url: config.CHAT_YOUTUBE_URL, key, listener }));
  }
  // A balancer chooses the process, so each counts what it gets.
  if (keys.kick === undefined) return { sources, routes: undefined };
  const { KickSource, kickRoutes } = await import('../chat/kick.ts');
  const { kick: publicKey } = keys;
  const kick = new KickSource({ publicKey, clock, url: config.CHAT_KICK_URL });
  sources.push(listener => kick.open(listener));
  return { sources, routes: app => kickRoutes(app, { kick }) };
}

/** A UUID of version 8, as other ballots have. */
function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}

/** With `ROLE=chat`: what probes ask for. */
export async function buildChatServer(
  config: Config,
  { engine }: Services,
  logger: FastifyBaseLogger,
  { check, routes }: Chat,
): Promise<FastifyInstance> {
  const app = bareServer({ logger, trustProxy: config.TRUST_PROXY });
  await app.register(serverRules, { url: settingsOf(config).voteUrl });
  if (routes) await app.register(routes);
  await app.register(readiness, { server: 'chat', checks: { ...engineChecks(engine, true), chat: check } });
  return app;
}
