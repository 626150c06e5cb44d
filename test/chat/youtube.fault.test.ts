import { expect, it } from 'vitest';
import { YouTubeSource } from '../../src/chat/youtube.ts';
import { until } from '../support/until.ts';
import { ChatLog } from './chat-log.ts';
import { startYouTubeServer } from './youtube-server.ts';

it.each(['hang', 'drip'] as const)(
  'a server that begins to %s is called lost and asked again within a minute, and no message is missing',
  async mode => {
    const youtube = await startYouTubeServer();
    const log = new ChatLog();
    const chat = new YouTubeSource({ url: youtube.url, key: 'key', listener: log });
    youtube.goLive('live-video1');
    youtube.mode = mode;
    chat.join('live-video1');
    youtube.say('live-video1', 'UC1', '2');
    await until(() => log.states.length > 0, 'a state');
    expect(log.states).toEqual(['live-video1 lost YouTube does not reply']);
    youtube.mode = 'pages';
    await until(() => log.texts.length > 0, 'the message');
    await chat.close();
    await youtube.close();
  },
  120_000,
);
