import { describe } from 'vitest';
import { describeChat } from './chat-claims.ts';
import { openEmbedded } from './embedded.ts';
import { startTwitchServer } from './twitch-server.ts';

describe('votes from Twitch on the embedded engine', () => {
  describeChat(startTwitchServer, openEmbedded);
});
