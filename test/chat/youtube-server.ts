import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As YouTube ends each request; shorter, so that tests see several. */
const HOLD_MS = 1_000;
/** Messages that a request without a token begins with. */
const HISTORY = 75;

export interface YouTubeRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly key: string | undefined;
  readonly atMs: number;
}

/**
 * What becomes of the requests for messages: `pages` as YouTube has them, `hang` without a reply,
 * `drip` a byte now and then, `blank` an empty reply, `portal` a page of HTML with status 200,
 * `redirect` to another server, `endless` an object that never ends, or an error.
 */
export type YouTubeMode =
  | 'pages'
  | 'hang'
  | 'drip'
  | 'blank'
  | 'portal'
  | 'endless'
  | { readonly redirect: string }
  | { readonly status: number; readonly reason?: string; readonly wrapped?: boolean };

export interface YouTubeServer {
  readonly url: string;
  readonly requests: readonly YouTubeRequest[];
  /** Requests for messages that are open. */
  readonly open: number;
  mode: YouTubeMode;
  /** Begins a live stream with this video; a `@handle` has it as its newest. */
  goLive(video: string, handle?: string): void;
  /** The stream ends: requests are told so, and there is no chat any more. */
  endStream(video: string): void;
  /** @returns the id of the message */
  say(
    video: string,
    user: string,
    text: string,
    more?: { readonly atMs?: number; readonly id?: string },
  ): string;
  delete(video: string, messageId: string): void;
  ban(video: string, user: string): void;
  /** Resets open connections. */
  cut(): void;
  /** Every request gets the first page again, whatever its token. */
  repeatPages: boolean;
  close(): Promise<void>;
}

interface Stream {
  readonly items: object[];
  readonly waiting: Set<() => void>;
  isLive: boolean;
}

/**
 * YouTube's `videos`, `channels`, `playlistItems` and `liveChat/messages/stream`, as far as a
 * reader of chats needs them.
 */
export async function startYouTubeServer(holdMs = HOLD_MS): Promise<YouTubeServer> {
  const streams = new Map<string, Stream>();
  const handles = new Map<string, string[]>();
  const requests: YouTubeRequest[] = [];
  const open = new Set<ServerResponse>();
  let sent = 0;

  const add = (video: string, snippet: object, more: object = {}, given?: string) => {
    sent += 1;
    const id = given ?? `message-${sent}`;
    const stream = streams.get(video)!;
    const publishedAt = new Date().toISOString();
    stream.items.push({
      kind: 'youtube#liveChatMessage',
      etag: 'tag',
      id,
      snippet: { liveChatId: `chat-of-${video}`, publishedAt, hasDisplayContent: true, ...snippet },
      ...more,
    });
    for (const wake of [...stream.waiting]) wake();
    return id;
  };

  const lookUp = (path: string, query: URLSearchParams): object => {
    if (path === 'channels')
      return {
        items: handles.has(query.get('forHandle')!)
          ? [{ contentDetails: { relatedPlaylists: { uploads: query.get('forHandle') } } }]
          : undefined,
      };
    if (path === 'playlistItems')
      return {
        items: handles.get(query.get('playlistId')!)!.map(videoId => ({ contentDetails: { videoId } })),
      };
    const ids = query.get('id')!.split(',');
    return {
      items: ids
        .filter(id => streams.has(id))
        .map(id => ({
          id,
          liveStreamingDetails: {
            actualStartTime: '2026-11-26T20:00:00Z',
            ...(streams.get(id)!.isLive && { activeLiveChatId: `chat-of-${id}` }),
          },
        })),
    };
  };

  const sendPages = (response: ServerResponse, query: URLSearchParams) => {
    const stream = streams.get(query.get('liveChatId')!.replace('chat-of-', ''));
    if (!stream?.isLive) {
      sendError(response, { status: 403, reason: 'liveChatEnded' });
      return;
    }
    const token = query.get('pageToken');
    let next = token === null ? Math.max(0, stream.items.length - HISTORY) : Number(token.slice(1));
    let pages = 0;
    const sendPage = (more: object = {}) => {
      const items = stream.items.slice(next);
      next = server.repeatPages ? next : stream.items.length;
      const page = { kind: 'youtube#liveChatMessageListResponse', nextPageToken: `T${next}`, ...more, items };
      // In two parts, as a network would.
      const text = `${pages === 0 ? '[' : ',\r\n'}${JSON.stringify(page, null, 2)}`;
      pages += 1;
      response.write(text.slice(0, text.length / 2));
      response.write(text.slice(text.length / 2));
    };
    const wake = () => {
      if (stream.isLive) return sendPage();
      sendPage({ offlineAt: new Date().toISOString() });
      response.end(']');
    };
    response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' });
    sendPage();
    stream.waiting.add(wake);
    const holding = setTimeout(() => {
      sendPage();
      response.end(']');
    }, holdMs);
    response.on('close', () => {
      clearTimeout(holding);
      stream.waiting.delete(wake);
    });
  };

  const sendError = (
    response: ServerResponse,
    { status, reason, wrapped = false }: Exclude<YouTubeMode, string | { redirect: string }>,
  ) => {
    const body = { error: { code: status, message: 'Not this time.', errors: reason ? [{ reason }] : [] } };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(wrapped ? [body] : body));
  };

  const http = createServer((request: IncomingMessage, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://youtube.test');
    const path = pathname.replace('/youtube/v3/', '');
    requests.push({
      path,
      query: Object.fromEntries(searchParams),
      key: request.headers['x-goog-api-key'] as string | undefined,
      atMs: performance.now(),
    });
    if (path !== 'liveChat/messages/stream') {
      response.end(JSON.stringify(lookUp(path, searchParams)));
      return;
    }
    open.add(response);
    response.on('close', () => open.delete(response));
    const { mode } = server;
    if (mode === 'pages') sendPages(response, searchParams);
    else if (mode === 'blank') response.end();
    else if (mode === 'portal') response.end('<style>p { color: red }</style><p>Welcome to this hotel</p>');
    else if (mode === 'endless') {
      response.write('[{"items":["');
      const text = 'x'.repeat(1_000_000);
      const fill = () => {
        while (!response.destroyed && response.write(text));
      };
      response.on('drain', fill);
      fill();
    } else if (mode === 'drip') {
      response.write('[{"items":[');
      const dripping = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(dripping));
    } else if (mode !== 'hang') {
      if ('redirect' in mode) response.writeHead(302, { location: mode.redirect }).end();
      else sendError(response, mode);
    }
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');

  const server: YouTubeServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests,
    get open() {
      return open.size;
    },
    mode: 'pages',
    repeatPages: false,
    goLive(video, handle) {
      streams.set(video, { items: [], waiting: new Set(), isLive: true });
      if (handle) handles.set(handle, [video, ...(handles.get(handle) ?? [])]);
    },
    endStream(video) {
      const stream = streams.get(video)!;
      stream.isLive = false;
      for (const wake of [...stream.waiting]) wake();
    },
    say: (video, user, text, { atMs = Date.now(), id } = {}) =>
      add(
        video,
        {
          type: 'textMessageEvent',
          authorChannelId: user,
          publishedAt: new Date(atMs).toISOString(),
          displayMessage: text,
          textMessageDetails: { messageText: text },
        },
        { authorDetails: { channelId: user, displayName: `Name of ${user}` } },
        id,
      ),
    delete(video, deletedMessageId) {
      add(video, { type: 'messageDeletedEvent', messageDeletedDetails: { deletedMessageId } });
    },
    ban(video, channelId) {
      const bannedUserDetails = { channelId, displayName: `Name of ${channelId}` };
      add(video, { type: 'userBannedEvent', userBannedDetails: { bannedUserDetails, banType: 'permanent' } });
    },
    cut() {
      for (const { socket } of open) socket?.resetAndDestroy();
    },
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  return server;
}
