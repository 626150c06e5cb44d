import { randomInt } from 'node:crypto';
import WebSocket from 'ws';
import type { ChatListener, ChatSource, ChatSourceOptions } from './chat-source.ts';
import { PlatformClock } from './platform-clock.ts';

/** Chats of Twitch by anonymous IRC over WebSocket: no account and no key. */

const TWITCH_URL = 'wss://irc-ws.chat.twitch.tv:443';
/** Its replies have the time. */
const TWITCH_SITE = 'https://www.twitch.tv/';
/** Twitch allows 20 in 10 s, and closes a connection that joins more. */
const JOINS = 15;
const JOINS_MS = 10_000;
/** Without the server's reply, a channel is joined again, and the desk is told. */
const JOIN_TIMEOUT_MS = 10_000;
/** A suspended channel is joined again after so long. */
const SUSPENDED_MS = 60_000;
const HANDSHAKE_MS = 10_000;
/** A silent server is asked for a sign of life, and left if none comes. */
const SILENCE_MS = 20_000;
const CHECK_MS = 1_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A connection that lasted so long was a good one: the next pause is short again. */
const GOOD_MS = 30_000;
/** Twitch sends a few lines of some 2 kB in a frame. */
const MAX_FRAME_BYTES = 1024 * 1024;
/** Read from a connection before other work of the process has its turn. */
const LINES_OF_TURN = 200;
/**
 * Tags, channel and text, also of a notice that a user has subscribed again. Reading such lines
 * whole would be most of the work.
 */
const TEXT_LINE = /^@(\S+) :\S+ (?:PRIVMSG|USERNOTICE) #(\S+) :(.*)$/s;
/** Twitch puts it before the text of a reply. */
const ADDRESS = /^@\S+\s+/;
/** Like `Cheer100`, only where bits were paid. */
const CHEER = /(?<!\S)[a-z]+\d+(?!\S)/gi;
/** Tags, command and first parameter of any other line. */
const LINE = /^(?:@(\S+) )?(?::\S+ )?(\w+)(?: (\S+))?/;
const ACTION = '\u0001ACTION ';
const ACTION_END = '\u0001';

/** Two connections are read for at least so long while one replaces the other. */
const OVERLAP_MS = 3_000;
/** What counts of a connection that is being replaced, beside texts. */
const MODERATION = ['CLEARCHAT', 'CLEARMSG'];

const NOT_CONFIRMED = 'Twitch does not confirm the channel: check its name';
const SUSPENDED = 'Twitch has suspended the channel';
const UNREACHABLE = 'Twitch cannot be reached';

interface JoinState {
  isConfirmed: boolean;
  isSuspended: boolean;
  /** When the last JOIN was sent, by `performance.now()`; undefined before it. */
  sentAtMs: number | undefined;
}

function forgetJoin(channel: JoinState): void {
  channel.isConfirmed = false;
  channel.sentAtMs = undefined;
}

const isDue = ({ isConfirmed, isSuspended }: JoinState) => !isConfirmed && !isSuspended;

/** One connection for all channels, while there are any. */
export class TwitchSource implements ChatSource {
  readonly platform = 'twitch';
  readonly hearsAll = true;
  readonly clock = new PlatformClock();
  readonly #url: string;
  readonly #site: string;
  readonly #listener: ChatListener;
  readonly #channels = new Map<string, JoinState>();
  /** When the last JOINs were sent, newest last. */
  #joinedAtMs: number[] = [];
  #socket: WebSocket | undefined;
  /** The connection before, which is read until the new one has joined. */
  #leaving: WebSocket | undefined;
  #isWelcome = false;
  #openedAtMs = 0;
  #heardAtMs = 0;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #check: NodeJS.Timeout | undefined;

  constructor({ url = TWITCH_URL, listener }: ChatSourceOptions) {
    this.#url = url;
    this.#site = url === TWITCH_URL ? TWITCH_SITE : url.replace(/^ws/, 'http');
    this.#listener = listener;
  }

  join(channel: string): void {
    if (this.#channels.has(channel)) return;
    this.#channels.set(channel, { isConfirmed: false, isSuspended: false, sentAtMs: undefined });
    this.#listener.state(channel, 'joining');
    this.clock.start(this.#site);
    if (this.#isWelcome) this.#joinDue();
    else if (!this.#socket && !this.#retry) this.#connect();
  }

  leave(channel: string): void {
    if (!this.#channels.delete(channel)) return;
    this.#send(`PART #${channel}`);
    if (this.#channels.size === 0) this.#disconnect();
  }

  async close(): Promise<void> {
    this.#channels.clear();
    this.#disconnect();
  }

  #connect(): void {
    this.#retry = undefined;
    this.#openedAtMs = this.#heardAtMs = performance.now();
    const socket = new WebSocket(this.#url, {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.on('open', () => {
      this.#send('CAP REQ :twitch.tv/tags twitch.tv/commands');
      this.#send(`NICK justinfan${randomInt(10_000, 100_000_000)}`);
    });
    let lines = 0;
    socket.on('message', data => {
      if (this.#socket !== socket && this.#leaving !== socket) return;
      if (this.#socket === socket) this.#heardAtMs = performance.now();
      for (const line of data.toString().split('\r\n')) {
        if (line !== '') this.#read(line, socket);
        lines += 1;
      }
      if (lines < LINES_OF_TURN || socket.isPaused) return;
      socket.pause();
      setImmediate(() => {
        lines = 0;
        socket.resume();
      });
    });
    // `close` follows.
    socket.on('error', () => {});
    socket.on('close', () => this.#socket === socket && this.#onLost());
    this.#check ??= setInterval(() => this.#checkLife(), CHECK_MS).unref();
  }

  #disconnect(): void {
    clearTimeout(this.#retry);
    clearInterval(this.#check);
    this.clock.stop();
    this.#retry = this.#check = undefined;
    this.#leaving?.terminate();
    this.#leaving = undefined;
    this.#drop();
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isWelcome = false;
    socket?.terminate();
  }

  /** The server is about to close the connection: another one joins before this one is left. */
  #replace(): void {
    if (this.#leaving) {
      this.#onLost();
      return;
    }
    this.#leaving = this.#socket;
    this.#isWelcome = false;
    for (const channel of this.#channels.values()) forgetJoin(channel);
    this.#connect();
  }

  #leaveReplaced(nowMs: number): void {
    const openMs = nowMs - this.#openedAtMs;
    const isJoined = this.#isWelcome && ![...this.#channels.values()].some(isDue);
    // What the server sent before it knew the new connection is still on its way.
    if (!(isJoined && openMs > OVERLAP_MS) && openMs < GOOD_MS) return;
    this.#leaving?.terminate();
    this.#leaving = undefined;
  }

  #onLost(): void {
    this.#drop();
    const wasGood = performance.now() - this.#openedAtMs > GOOD_MS;
    this.#failures = wasGood ? 0 : this.#failures + 1;
    for (const [name, channel] of this.#channels) {
      forgetJoin(channel);
      this.#listener.state(name, 'lost', UNREACHABLE);
    }
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
    this.#retry = setTimeout(() => this.#connect(), randomInt(longest / 2, longest));
  }

  #checkLife(): void {
    const nowMs = performance.now();
    const silentMs = nowMs - this.#heardAtMs;
    const isUnwelcome = !this.#isWelcome && nowMs - this.#openedAtMs > 2 * HANDSHAKE_MS;
    if (this.#socket && (silentMs > 2 * SILENCE_MS || isUnwelcome)) this.#onLost();
    if (this.#leaving) this.#leaveReplaced(nowMs);
    if (!this.#isWelcome) return;
    if (silentMs > SILENCE_MS) this.#send('PING :tallycast');
    this.#joinDue();
  }

  /** Joins what is not confirmed, as many as Twitch allows. */
  #joinDue(): void {
    const nowMs = performance.now();
    this.#joinedAtMs = this.#joinedAtMs.filter(atMs => nowMs - atMs < JOINS_MS);
    for (const [name, channel] of this.#channels) {
      if (channel.isConfirmed) continue;
      const patienceMs = channel.isSuspended ? SUSPENDED_MS : JOIN_TIMEOUT_MS;
      const isLate = channel.sentAtMs !== undefined && nowMs - channel.sentAtMs >= patienceMs;
      if (channel.sentAtMs !== undefined && !isLate) continue;
      if (this.#joinedAtMs.length >= JOINS) return;
      if (isLate && !channel.isSuspended) this.#listener.state(name, 'ended', NOT_CONFIRMED);
      channel.sentAtMs = nowMs;
      this.#joinedAtMs.push(nowMs);
      this.#send(`JOIN #${name}`);
    }
  }

  #send(line: string): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(`${line}\r\n`);
  }

  #read(line: string, socket: WebSocket): void {
    const [, tagsOfText, channelOfText = '', text = ''] = TEXT_LINE.exec(line) ?? [];
    if (tagsOfText !== undefined) {
      if (this.#channels.has(channelOfText)) this.#readText(channelOfText, `;${tagsOfText}`, text);
      return;
    }
    const [, tags = '', command = '', target = ''] = LINE.exec(line) ?? [];
    if (command === 'PING') socket.send(`PONG ${target}\r\n`);
    else if (socket === this.#leaving && !MODERATION.includes(command)) return;
    else if (command === 'RECONNECT') this.#replace();
    else if (command === '001') {
      this.#isWelcome = true;
      this.#joinDue();
    }
    const name = target.replace(/^#/, '');
    const channel = this.#channels.get(name);
    if (channel) this.#readOfChannel(name, channel, command, `;${tags}`);
  }

  #readOfChannel(name: string, channel: JoinState, command: string, tags: string): void {
    switch (command) {
      case 'ROOMSTATE':
      case 'JOIN':
        if (!channel.isConfirmed) this.#listener.state(name, 'connected');
        channel.isConfirmed = true;
        channel.isSuspended = false;
        break;
      case 'CLEARCHAT': {
        // Without a user, the whole chat was cleared from view.
        const userId = tagOf(tags, 'target-user-id');
        if (userId) this.#listener.banned(name, userId);
        break;
      }
      case 'CLEARMSG':
        this.#listener.deleted(name, tagOf(tags, 'target-msg-id') ?? '');
        break;
      case 'NOTICE':
        if (tagOf(tags, 'msg-id') !== 'msg_channel_suspended') break;
        channel.isSuspended = true;
        this.#listener.state(name, 'ended', SUSPENDED);
    }
  }

  #readText(channel: string, tags: string, given: string): void {
    const userId = tagOf(tags, 'user-id');
    const messageId = tagOf(tags, 'id');
    const room = tagOf(tags, 'room-id');
    const atMs = Number(tagOf(tags, 'tmi-sent-ts'));
    // In a shared chat, messages of the other channels arrive as well.
    const sourceRoom = tagOf(tags, 'source-room-id');
    if (!userId || !messageId || !(atMs > 0) || (sourceRoom !== undefined && sourceRoom !== room)) return;
    const said = (text: string) => {
      const answer = tagOf(tags, 'reply-parent-msg-id') ? text.replace(ADDRESS, '') : text;
      return tagOf(tags, 'bits') ? answer.replace(CHEER, ' ') : answer;
    };
    const whole = withoutAction(given);
    const emotes = tagOf(tags, 'emotes') ?? '';
    const text = said(withoutEmotes(whole, emotes));
    this.#listener.message({ channel, userId, messageId, text, ...(emotes && { whole: said(whole) }), atMs });
  }
}

/** @param tags with `;` before each @returns as it is sent: ids, numbers and places of emotes have nothing escaped */
function tagOf(tags: string, name: string): string | undefined {
  const key = `;${name}=`;
  const at = tags.indexOf(key);
  if (at < 0) return undefined;
  const from = at + key.length;
  const end = tags.indexOf(';', from);
  return tags.slice(from, end < 0 ? undefined : end);
}

/** The text of `/me`. */
function withoutAction(text: string): string {
  return text.startsWith(ACTION) ? text.slice(ACTION.length).replace(ACTION_END, '') : text;
}

/** Longer than that of any message of 500 characters. */
const MAX_EMOTES = 16_384;

/** @param emotes like `25:0-4,12-16/1902:6-10`, in code points */
function withoutEmotes(text: string, emotes: string): string {
  if (emotes === '') return text;
  if (emotes.length > MAX_EMOTES) return '';
  const characters = [...text];
  for (const [, from, to] of emotes.matchAll(/(\d+)-(\d+)/g)) {
    const last = Math.min(Number(to), characters.length - 1);
    for (let at = Number(from); at <= last; at += 1) characters[at] = ' ';
  }
  return characters.join('');
}
