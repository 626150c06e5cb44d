import { describe } from 'vitest';
import { describeChat } from './chat-claims.ts';
import { openEmbedded } from './embedded.ts';
import { startYouTubePlatform } from './youtube-platform.ts';

describe('votes from YouTube', () => {
  describeChat(startYouTubePlatform, openEmbedded);
});
