import { setTimeout as wait } from 'node:timers/promises';
import { YouTubeSource } from '../../src/chat/youtube.ts';
import type { TestPlatform } from './chat-platform.ts';
import { startYouTubeServer } from './youtube-server.ts';

const VIDEO = 'live-video1';
/** So that the number of requests is the number of readers. */
const HOLD_MS = 600_000;
const LONGEST_PAUSE_MS = 20;

/** YouTube as far as a poll sees it. Its pauses are short. */
export async function startYouTubePlatform(): Promise<TestPlatform> {
  const server = await startYouTubeServer(HOLD_MS);
  server.goLive(VIDEO);
  const pause = (ms: number, signal: AbortSignal) =>
    wait(Math.min(ms, LONGEST_PAUSE_MS), undefined, { signal });
  return {
    platform: 'youtube',
    channel: VIDEO,
    open: listener => new YouTubeSource({ url: server.url, key: 'key', listener, pause }),
    isRead: (clients = 1) => server.open === clients,
    say: ({ userId, text, atMs, messageId }) =>
      server.say(VIDEO, userId, text, {
        ...(atMs !== undefined && { atMs }),
        ...(messageId !== undefined && { id: messageId }),
      }),
    delete: messageId => server.delete(VIDEO, messageId),
    ban: userId => server.ban(VIDEO, userId),
    drop: () => server.cut(),
    async stop() {
      server.mode = { status: 503 };
      server.cut();
    },
    async start() {
      server.mode = 'pages';
    },
    close: () => server.close(),
  };
}
