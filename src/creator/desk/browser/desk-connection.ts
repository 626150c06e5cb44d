import { RelayLink } from '../../../client/relay-link.ts';
import { ServerClock } from '../../../client/server-clock.ts';
import type { HiddenMessage, ResultsMessage, Watch, WatchState } from '../../../client/watch-state.ts';
import { desk as words } from '../../../locales/en.json';
import type { RejectedBallots } from '../../../poll/ballot.ts';
import type { ChatLink } from '../../../poll/chat-link.ts';
import { DESK_HAND, isVisible, SHOW_NAME } from '../../../poll/poll.ts';
import { originOfTwin } from '../../../poll/rehearsal.ts';
import type { ShowMessage } from '../../../protocol/messages.ts';

/** A show, as the relay sends it to the holder of its key. */
export interface ShowBody {
  readonly name: string;
  readonly title: string;
  readonly on_air: string | null;
  /** The poll of the rundown that is or was last on air; `next` continues from it. */
  readonly place: string | null;
  readonly rundown: readonly string[];
  /** Looks of polls in the rundown, by their ids. Absent for none. */
  readonly looks?: ShowMessage['looks'];
  readonly own: readonly string[];
  readonly version: number;
  /** Seconds that viewers are behind. */
  readonly delay: number;
  /** The press that undoing takes back; null for nothing to undo. Only in replies, as `screens`. */
  readonly undo?: UndoneBody | null | undefined;
  /** What a reply to `undo` took back; null if an earlier attempt did. */
  readonly undone?: UndoneBody | null;
  /** Absent without a code. */
  readonly join_code?: string | undefined;
  /** Only in replies to reads. */
  readonly view_key?: string | undefined;
  /** Options of the show. Only in replies. */
  readonly final_two?: boolean | undefined;
  readonly close_before_next?: boolean | undefined;
  readonly winner?: 'close' | 'press' | undefined;
  /** Where the winner comes on a press: the round whose winner came. */
  readonly aired_winner?: ShowMessage['aired_winner'];
  /** Chats whose messages are votes. Only in replies, as their state. */
  readonly chat?: readonly ChatLink[] | undefined;
  readonly chat_state?: readonly ChatState[] | undefined;
  /** Connected screens and open voting pages. Only in replies, as `now`. */
  readonly screens?: number;
  /** Rejected ballots of the poll on air, if the show owns it. */
  readonly rejected?: RejectedBallots;
  readonly phones?: number;
  /** UNIX time in seconds by the relay's clock. */
  readonly now?: number;
}

export interface ChatState extends ChatLink {
  readonly state: 'off' | 'waiting' | 'joining' | 'connected' | 'lost' | 'ended';
  readonly fault: string | null;
  readonly messages_per_second: number;
  /** People counted since the poll is on air. */
  readonly votes: number;
  readonly lost: number;
  /** Votes from before the opening. */
  readonly early: number;
  /** Seconds, from 5 on. */
  readonly late: number | null;
}

export interface UndoneBody {
  readonly id: string;
  readonly press:
    | ('next' | 'previous' | 'take' | 'clear' | 'add' | 'move' | 'remove' | 'edit' | 'again')
    | ('open' | 'close' | 'keep_open' | 'step' | 'reveal' | 'hide');
  /** The poll that it changed, or put on air; null if it took one off air. */
  readonly poll: string | null;
  readonly on_air: string | null;
  /** Viewers have seen the results that are hidden again. Only once it is taken back. */
  readonly seen?: boolean;
}

/** A poll of the rundown. Without votes where the key may not read the results. */
export type DeskPoll = Omit<HiddenMessage, 'type' | 'success'> &
  Partial<Pick<ResultsMessage, 'version' | 'voided_votes'>>;

/** Settings of a poll that messages lack. */
interface PollSettings {
  /** Known of polls that the show owns. False is one vote per network. */
  readonly mip?: boolean;
  readonly verifiable?: boolean;
  readonly change_vote?: boolean;
}

export type Failure =
  /** The relay changed nothing. `path` is the invalid member of the body, such as `show.name`, or empty. */
  | {
      readonly kind: 'rejected';
      readonly code: string;
      readonly path: string;
      readonly retryAfterS: number;
    }
  /** The request timed out or failed on the way: it is unknown whether the relay processed it. */
  | { readonly kind: 'lost'; readonly isEngine: boolean };

export type Answer<Body> = { readonly kind: 'done'; readonly body: Body } | Failure;

const TIMEOUT_MS = 4_000;
/** Leaves the relay time to answer before the timeout. */
const EXPIRES_MS = TIMEOUT_MS - 500;
/** A whole show over a slow line. */
const FILE_TIMEOUT_MS = 30_000;

/** The same for each attempt at one command. */
export interface Attempt {
  readonly idempotencyKey: string;
  /** UNIX time in seconds by the relay's clock, after which the relay carries nothing out. */
  readonly expires?: number | undefined;
}

export interface RelayRequest extends Partial<Attempt> {
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly key?: string | undefined;
  /** A `Blob` is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** The body of the reply is a `Blob`. */
  readonly isFile?: boolean;
}

/** Sends one request to the relay. Never rejects and never retries. */
export async function ask<Body>(
  url: string,
  { method, key, body, idempotencyKey, expires, isFile }: RelayRequest,
): Promise<Answer<Body>> {
  const timeout = new AbortController();
  const isBlob = body instanceof Blob;
  const timer = setTimeout(() => timeout.abort(), isFile || isBlob ? FILE_TIMEOUT_MS : TIMEOUT_MS);
  try {
    const reply = await fetch(url, {
      method: method ?? 'GET',
      headers: {
        ...(key && { 'x-api-key': key }),
        ...(body !== undefined && !isBlob && { 'content-type': 'application/json' }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        ...(expires !== undefined && { 'request-expires': expires.toFixed(3) }),
      },
      ...(body !== undefined && { body: isBlob ? body : JSON.stringify(body) }),
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: timeout.signal,
    });
    const content = isFile && reply.ok ? await reply.blob() : await reply.json();
    if (reply.ok) return { kind: 'done', body: content };
    const { code, issues } = content.error;
    if (reply.status >= 500) return { kind: 'lost', isEngine: code === 'engine_unavailable' };
    const path = issues?.[0]?.path ?? '';
    return { kind: 'rejected', code, path, retryAfterS: Number(reply.headers.get('retry-after')) };
  } catch {
    return { kind: 'lost', isEngine: false };
  } finally {
    clearTimeout(timer);
  }
}

/** Commands are sent in `live` only. `keyless`, `rejected`, `gone` and `malformed` close the desk. */
export const CONNECTION_TEXTS = {
  keyless: words.noKey,
  connecting: words.connecting,
  live: '',
  away: words.away,
  engine: words.engineAway,
  rejected: words.keyRejected,
  gone: words.showGone,
  malformed: words.malformed,
};

type ConnectionState = keyof typeof CONNECTION_TEXTS;

const REFRESH_MS = 2_000;
/** A show that is not there may come back with a backup. */
const GONE_MS = 15_000;
/** Several messages in a row lead to one read. */
const READ_SETTINGS_MS = 100;
/** Enough for the list; the pictures beside it have their own connections. */
const HZ = 4;

/** The connection of a desk to its relay, and what the relay sent last. Never guesses the effect of a command. */
export class DeskConnection {
  readonly relay: string;
  readonly name: string;
  key: string;
  /** Distinguishes the presses of this desk. */
  readonly hand = DESK_HAND + newIdempotencyKey();
  state: ConnectionState = 'connecting';
  show: ShowBody | undefined;
  /** What only reads of the show have, such as how many follow it. */
  counts: Pick<ShowBody, 'on_air' | 'screens' | 'phones' | 'chat_state' | 'rejected'> | undefined;
  /** The engine's clock, by which deadlines pass. */
  readonly clock = new ServerClock();
  readonly rate = new VoterRate();
  readonly polls = new Map<string, DeskPoll | 'gone'>();
  /** Settings of the polls of the rundown that messages lack. */
  readonly settings = new Map<string, PollSettings>();
  /** Polls that can be put back into the rundown. */
  removed: readonly { readonly id: string; readonly title: string }[] = [];
  /** When this page saw another press to take back, by `performance.now()`. */
  undoChangedAtMs = Number.NEGATIVE_INFINITY;
  readonly #onChange: () => void;
  readonly #watches = new Map<string, Watch>();
  /** The relay's clock by this page's monotonic one, because this machine's clock may be set during a show. */
  #relayClock: ServerClock | undefined;
  #link: RelayLink | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settingsTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(relay: string, name: string, key: string, onChange: () => void) {
    this.relay = relay;
    this.name = name;
    this.key = key;
    this.#onChange = onChange;
  }

  start(): void {
    this.state = this.key === '' ? 'keyless' : SHOW_NAME.test(this.name) ? 'connecting' : 'malformed';
    this.#onChange();
    if (this.state !== 'connecting') return;
    this.#connect();
    void this.refresh();
  }

  /** @param path below the show, such as `/poll`; empty for the show itself */
  askShow<Body>(path: string, request: RelayRequest = {}): Promise<Answer<Body>> {
    const { key } = this;
    return ask(`${this.relay}/api/show/${encodeURIComponent(this.name)}${path}`, { key, ...request });
  }

  /** @param path below the poll, such as `/copy`; empty for the poll itself */
  askPoll<Body>(id: string, path = '', request: RelayRequest = {}): Promise<Answer<Body>> {
    const { key } = this;
    return ask(`${this.relay}/api/poll/${id}${path}`, { key, ...request });
  }

  /** @param isUpload the command sends a file */
  createAttempt(isUpload = false): Attempt {
    const inMs = isUpload ? FILE_TIMEOUT_MS : EXPIRES_MS;
    const expires = this.#relayClock && (this.#relayClock.now(performance.now()) + inMs) / 1_000;
    return { idempotencyKey: newIdempotencyKey(), expires };
  }

  /** Reads the show now and every 2 seconds from then on. Resolves to whether the relay answered. */
  async refresh(): Promise<boolean> {
    const answer = await this.askShow<ShowBody>('');
    const before = this.state;
    if (answer.kind === 'done') this.applyShow(answer.body);
    else if (answer.kind === 'lost') this.state = answer.isEngine ? 'engine' : 'away';
    else if (answer.code === 'show_not_found' || answer.code === 'route_not_found') this.state = 'gone';
    else if (answer.code.startsWith('api_key')) this.state = 'rejected';
    // Reconnect now: the link's own next attempt may be seconds away.
    if (before === 'away' && this.state === 'live') this.#connect();
    this.#onChange();
    clearTimeout(this.#timer);
    if (this.state !== 'rejected')
      this.#timer = setTimeout(() => void this.refresh(), this.state === 'gone' ? GONE_MS : REFRESH_MS);
    return answer.kind === 'done';
  }

  /** Changes or reads the show, and applies the reply. @param path below the show, such as `/undo` */
  async sendShow(path: string, request?: RelayRequest): Promise<Answer<ShowBody>> {
    const answer = await this.askShow<ShowBody>(path, request);
    if (answer.kind === 'done') this.applyShow(answer.body);
    return answer;
  }

  /** Applies a show from a reply or a message, unless a newer version is known. */
  applyShow(show: ShowBody): void {
    this.state = 'live';
    if (show.now !== undefined) {
      this.counts = show;
      this.#relayClock ??= new ServerClock();
      this.#relayClock.observe(show.now * 1_000, performance.now());
    }
    if (this.show && show.version < this.show.version) return;
    // Messages lack it, and the next read is less than two seconds away.
    const known = this.show?.version === show.version ? this.show.undo : undefined;
    const undo = show.undo === undefined ? known : show.undo;
    if (undo && this.show?.undo && undo.id !== this.show.undo.id) this.undoChangedAtMs = performance.now();
    const hasChanged = this.show?.rundown.join() !== show.rundown.join();
    const { join_code, aired_winner, looks } = show;
    this.show = { ...this.show, ...show, join_code, aired_winner, looks, undo };
    if (hasChanged || show.rundown.some(id => !this.settings.has(id))) this.#readSettingsSoon();
    this.#watchPolls(show);
    this.#onChange();
  }

  isOwn(id: string): boolean {
    return this.show?.own.includes(originOfTwin(id) ?? id) ?? false;
  }

  /** What presses change, of a poll or else of the show. */
  stateOf(subject: string): string {
    const poll = findPoll(this, subject);
    if (!poll) return String(this.show?.version);
    return [poll.status, poll.results_visibility, poll.deadline, poll.revealed_from, poll.round].join();
  }

  #connect(): void {
    this.#link?.close();
    this.#watches.clear();
    this.#link = new RelayLink(this.relay, { hz: HZ, preview: true });
    this.#link.follow(this.name, {
      showKey: this.key,
      onChange: message => this.#applyMessage(message),
      // The reply says why.
      onRefused: () => void this.refresh(),
      onResults: () => {},
    });
    if (this.show) this.#watchPolls(this.show);
  }

  /** Messages that were read instead of pushed lack the rundown. */
  #applyMessage(message: ShowMessage): void {
    const { title, rundown, own, version } = message;
    if (title === undefined || !rundown || !own || version === undefined) void this.refresh();
    else {
      const { show: name, id: on_air, place = null, delay = 0, join_code, aired_winner, looks } = message;
      const isNewer = this.show?.version !== version;
      this.applyShow({
        name,
        title,
        on_air,
        rundown,
        looks,
        own,
        place,
        version,
        delay,
        join_code,
        aired_winner,
      });
      if (isNewer) void this.refresh();
    }
  }

  #readSettingsSoon(): void {
    this.#settingsTimer ??= setTimeout(() => void this.#readSettings(), READ_SETTINGS_MS);
  }

  async #readSettings(): Promise<void> {
    clearTimeout(this.#settingsTimer);
    this.#settingsTimer = undefined;
    const answer = await this.askShow<{
      rundown: readonly ({ id: string } & PollSettings)[];
      removed: DeskConnection['removed'];
    }>('/rundown');
    if (answer.kind !== 'done') return;
    this.removed = answer.body.removed;
    for (const { id, ...settings } of answer.body.rundown) this.settings.set(id, settings);
    this.#onChange();
  }

  #watchPolls({ rundown, on_air }: ShowBody): void {
    const wanted = new Set(on_air === null ? rundown : [...rundown, on_air]);
    for (const [id, watch] of this.#watches) {
      if (wanted.has(id)) continue;
      watch.close();
      this.#watches.delete(id);
    }
    for (const id of wanted) {
      if (this.#watches.has(id)) continue;
      const watch = this.#link!.watch(id, {
        key: this.isOwn(id) ? this.key : undefined,
        onResults: results => this.#applyResults(results),
        onState: state => this.#applyState(id, state),
      });
      this.#watches.set(id, watch);
    }
  }

  #applyResults(message: ResultsMessage | HiddenMessage): void {
    if ('timestamp' in message) this.clock.observe(message.timestamp * 1_000);
    if ('version' in message) this.rate.add(message);
    const known = this.polls.get(message.id);
    const isChanged = known && known !== 'gone' && 'version' in message && message.version !== known.version;
    // Settings change before the first ballot only.
    if (isChanged && !hasVotes(message)) this.#readSettingsSoon();
    this.polls.set(message.id, message);
    this.#onChange();
  }

  #applyState(id: string, state: WatchState): void {
    if (state.state === 'hidden' && state.hidden) this.#applyResults(state.hidden);
    if (state.state === 'refused' && (state.code === 4404 || state.code === 4410)) {
      this.polls.set(id, 'gone');
      this.#onChange();
    }
  }
}

export function findPoll(
  { polls }: Pick<DeskConnection, 'polls'>,
  id: string | undefined,
): DeskPoll | undefined {
  const poll = polls.get(id ?? '');
  return poll === 'gone' ? undefined : poll;
}

/** Whether a ballot was ever accepted, also if it is voided now. */
export function hasVotes({ total_votes = 0, voided_votes = 0 }: Partial<DeskPoll>): boolean {
  return total_votes + voided_votes > 0;
}

export function isShown({ results_visibility: visibility, status }: DeskPoll): boolean {
  return isVisible(visibility, status);
}

export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(18)), byte =>
    byte.toString(36).padStart(2, '0'),
  ).join('');
}

const RATE_SPAN_MS = 60_000;

/** Counts the voters of all watched polls over the last minute. */
export class VoterRate {
  readonly #newest = new Map<string, ResultsMessage>();
  #growth: { readonly atMs: number; readonly voters: number }[] = [];

  add(results: ResultsMessage): void {
    const before = this.#newest.get(results.id) ?? results;
    this.#newest.set(results.id, results);
    // Ballots that count again after a removal are not new.
    if (results.voided_votes !== before.voided_votes) return;
    const voters = results.total_voters - before.total_voters;
    if (voters > 0) this.#growth.push({ atMs: Date.now(), voters });
  }

  read(): number {
    const nowMs = Date.now();
    this.#growth = this.#growth.filter(({ atMs }) => nowMs - atMs < RATE_SPAN_MS);
    return this.#growth.reduce((sum, { voters }) => sum + voters, 0);
  }
}
