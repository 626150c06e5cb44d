import { startTwitchServer, type TwitchServer } from '../../chat/twitch-server.ts';
import { serveCalls } from '../system/calls.ts';

/** A process that is the chat of a stream. */

const TURN_MS = 10;
let server: TwitchServer | undefined;

const calls = {
  async open() {
    server ??= await startTwitchServer();
    return server.url;
  },
  isRead: async () => server?.isRead() ?? false,
  /** Says votes of new users at a rate. @returns how many */
  async say({ from, perSecond, seconds }: { from: number; perSecond: number; seconds: number }) {
    const startMs = performance.now();
    let said = 0;
    while (performance.now() - startMs < seconds * 1_000) {
      const due = Math.floor(((performance.now() - startMs) / 1_000) * perSecond);
      for (; said < due; said += 1) server?.say({ userId: `${from + said}`, text: `${(said % 2) + 1}` });
      await new Promise(done => setTimeout(done, TURN_MS));
    }
    return said;
  },
};

export type ChatCalls = typeof calls;
serveCalls(calls);
