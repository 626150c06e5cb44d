import { describe } from 'vitest';
import { describeChat } from './chat-claims.ts';
import { openEmbedded } from './embedded.ts';
import { startKickPlatform } from './kick-platform.ts';

describe('votes from Kick', () => {
  describeChat(startKickPlatform, openEmbedded);
});
