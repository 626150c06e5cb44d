import type { CloseEvent } from '../protocol/close-event.ts';
import {
  BadMessage,
  KeyRejected,
  PollNotFound,
  PollRemoved,
  RelayClosing,
  TooMany,
} from '../protocol/close-event.ts';
import type {
  ClientMessage,
  ErrorMessage,
  FollowMessage,
  HiddenMessage,
  ResultsBody,
  ServerMessage,
  ShowMessage,
} from '../protocol/messages.ts';
import type { Clock, Fetch, WebSocketConstructor, WebSocketEvent } from './connect-options.ts';
import type { Via } from './watch-state.ts';

/** The three ways to the relay: WebSocket, Server-Sent Events and polling over HTTP. */

export interface Transport {
  readonly via: Via;
  /** Longest silence before the channel counts as dead, in milliseconds. Default: two and a half heartbeats. */
  readonly silenceMs?: number | undefined;
  /** MUST NOT throw and MUST NOT call back before it has returned. */
  open(events: AttemptEvents): Attempt;
}

export interface AttemptEvents {
  onMessage(message: ServerMessage): void;
  /** Called once; no event follows. */
  onEnd(end: AttemptEnd): void;
}

/** One attempt with one transport. */
export interface Attempt {
  /** Drops the message unless the channel is open and can send. */
  send(message: ClientMessage): void;
  /** MAY still call back; the caller ignores that. */
  close(): void;
}

export interface AttemptEnd {
  readonly reason?: string | undefined;
  readonly rejection?: Rejection | undefined;
  /** Set after a graceful close: when to reconnect, in milliseconds. */
  readonly retryMs?: number | undefined;
  /** No error: try the better transports again. */
  readonly tryBetter?: boolean | undefined;
  /**
   * The relay accepts no more live connections of this address: the next transport is tried,
   * whichever worked before.
   */
  readonly isFull?: boolean | undefined;
}

/** The same request cannot succeed later, except for a poll that is not there (4404): a backup may bring it back. */
export interface Rejection {
  /** Close code of the live stream: 4400, 4403, 4404, 4410, or 4429 for too many polls on one connection. */
  readonly code: number;
  /** `error.code` of the matching REST reply, such as `poll_not_found`. */
  readonly error: string;
  readonly message: string;
}

const FINAL_EVENTS: readonly CloseEvent[] = [BadMessage, KeyRejected, PollNotFound, PollRemoved];
/** The relay shuts down, or a proxy restarts a service (1012). */
const GRACEFUL_CODES: readonly unknown[] = [RelayClosing.code, 1012];
/** Spreads the reconnects of clients that a proxy disconnects all at once. */
const GRACEFUL_RETRY_MS = 250;
const OPEN = 1;
/** Characters of a message or a reply. The largest legitimate ones have a fifth of it. */
const MAX_TEXT = 1_000_000;
const TOO_LARGE = 'the message is too large';

/** Returns undefined for a close after which a reconnect can succeed. */
export function rejectionOfClose(code: number | undefined): Rejection | undefined {
  const event = FINAL_EVENTS.find(candidate => candidate.code === code);
  return event && { code: event.code, error: event.error!, message: event.reason };
}

/** Returns undefined for a temporary error. */
export function rejectionOfError({ code, message, id, deleted }: ErrorMessage): Rejection | undefined {
  // Too many polls is permanent and names a poll; too many connections is temporary and names none.
  const events = id === undefined ? FINAL_EVENTS : [...FINAL_EVENTS, TooMany];
  const event = events.find(candidate => candidate.error === code);
  return event && { code: deleted ? PollRemoved.code : event.code, error: code, message };
}

/** @param url http or https, read on each attempt @param hello messages to send on opening */
export function webSocketTransport(
  WebSocket: WebSocketConstructor,
  clock: Clock,
  url: () => string,
  hello: () => readonly ClientMessage[],
): Transport {
  return {
    via: 'websocket',
    open({ onMessage, onEnd }) {
      let socket: InstanceType<WebSocketConstructor>;
      try {
        socket = new WebSocket(url().replace(/^http/, 'ws'));
      } catch {
        // A browser throws where the policy of the page forbids the connection.
        queueMicrotask(() => onEnd({ reason: 'this page may not open a WebSocket' }));
        return { send: () => {}, close: () => {} };
      }
      const send = (message: ClientMessage): void => {
        if (socket.readyState === OPEN) socket.send(JSON.stringify(message));
      };
      const end = ({ type, code }: WebSocketEvent): void => {
        const retryMs = GRACEFUL_CODES.includes(code) ? clock.random() * GRACEFUL_RETRY_MS : undefined;
        const isFull = code === TooMany.code;
        onEnd({ rejection: rejectionOfClose(code), retryMs, isFull, reason: `WebSocket ${code ?? type}` });
      };
      socket.addEventListener('open', () => {
        for (const message of hello()) send(message);
      });
      socket.addEventListener('message', ({ data }) => {
        const text = String(data);
        if (text.length > MAX_TEXT) {
          socket.close();
          onEnd({ reason: TOO_LARGE });
          return;
        }
        const message = parseMessage(text);
        if (message) onMessage(message);
      });
      socket.addEventListener('close', end);
      // Chromium fires no close where a policy forbids the connection.
      socket.addEventListener('error', end);
      return { send, close: () => socket.close() };
    },
  };
}

/** Returns undefined for anything but JSON: a newer relay may send more than this client knows. */
function parseMessage(text: string): ServerMessage | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Uses fetch: `EventSource` would put the key into the URL and hide the reason of a rejection, and
 * Node.js has none.
 */
export function eventStreamTransport(fetch: Fetch, url: () => string, key?: string): Transport {
  return {
    via: 'sse',
    open(events) {
      const abort = new AbortController();
      const headers = { Accept: 'text/event-stream', ...keyHeader(key) };
      const init = { headers, cache: 'no-store', signal: abort.signal } as const;
      void fetch(url(), init)
        .then(response => readStream(response, events, abort.signal))
        .catch(error => ({ reason: reasonOf(error) }))
        .then(end => events.onEnd(end));
      return { send: () => {}, close: () => abort.abort() };
    },
  };
}

async function readStream(
  response: Response,
  { onMessage }: AttemptEvents,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  if (!response.ok) {
    const error = await findError(response);
    const rejection = error && rejectionOfError(error);
    return { rejection, isFull: response.status === 429, reason: `status ${response.status}` };
  }
  const isStream = response.headers.get('Content-Type')?.includes('text/event-stream');
  if (!isStream || !response.body) return { reason: 'the response is no event stream' };
  const stream = new EventParser(data => {
    const message = parseMessage(data);
    if (message) onMessage(message);
  });
  for await (const text of textsOf(response, signal)) stream.push(text);
  return { retryMs: stream.retryMs };
}

async function* textsOf({ body }: Response, signal?: AbortSignal): AsyncGenerator<string> {
  const reader = body?.getReader();
  // Node 20 loses the abort of a reply that is being read.
  signal?.addEventListener('abort', () => void reader?.cancel().catch(() => {}));
  const decoder = new TextDecoder();
  for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read())
    yield decoder.decode(chunk.value, { stream: true });
}

/** Reads JSON of at most `MAX_TEXT` characters. Rejects for a longer one: the caller aborts the request. */
async function readBody<Body>(response: Response, signal?: AbortSignal): Promise<Body> {
  let all = '';
  for await (const text of textsOf(response, signal)) all = bounded(all + text);
  try {
    return Object(JSON.parse(all));
  } catch {
    return {} as Body;
  }
}

function bounded(text: string): string {
  if (text.length > MAX_TEXT) throw new Error(TOO_LARGE);
  return text;
}

interface RestError extends Pick<ErrorMessage, 'code' | 'message' | 'deleted'> {
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
}

async function findError(response: Response): Promise<ErrorMessage | undefined> {
  if (response.status >= 500 || response.status === 429) return undefined;
  const body = await readBody<{ error?: RestError }>(response);
  if (!body.error) return undefined;
  const { message, issues: [issue] = [] } = body.error;
  return { ...body.error, type: 'error', message: issue ? `${issue.path} ${issue.message}.` : message };
}

function keyHeader(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { 'X-API-Key': key };
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}

/** Parses Server-Sent Events from chunks of any size. Ignores event names and ids. */
export class EventParser {
  /** The `retry` of the server in milliseconds if it was the last field, else undefined. */
  retryMs: number | undefined;
  readonly #onData: (data: string) => void;
  #rest = '';
  #data: string | undefined;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split(/\r\n|[\r\n]/);
    this.#rest = bounded(lines.pop()!);
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line === '') {
      if (this.#data !== undefined) this.#onData(bounded(this.#data));
      this.#data = undefined;
      return;
    }
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line)!;
    this.retryMs = undefined;
    if (field === 'data') this.#data = this.#data === undefined ? value! : bounded(`${this.#data}\n${value}`);
    if (field === 'retry' && /^\d+$/.test(value!)) this.retryMs = Number(value);
  }
}

/** Errors about the requested poll or show. Any other error is temporary or comes from a wrong address. */
const PERMANENT_ERROR = /^(api_key|invalid|poll|show)_/;
/** ± half, so that clients which started together do not poll together. */
const POLL_EVERY_MS = 3_000;
/** Rounds until the push transports are tried again: about 15 s, later up to 2 min. */
const FIRST_ROUNDS = 5;
const MAX_ROUNDS = 40;
/** Without polling for this long, a push transport has worked. Opening all of them takes at most 20 s. */
const PUSHED_MS = 30_000;
/** The longest pause between two rounds, and time for the response. */
const SILENCE_MS = POLL_EVERY_MS * 1.5 + 5_000;

/** Body of a REST reply: results, a show, or an error. */
interface RestBody
  extends Partial<Omit<ResultsBody, 'success'>>,
    Pick<ShowMessage, 'rundown' | 'own' | 'place'> {
  readonly on_air?: string | null;
  readonly error?: RestError;
}

/** A resource to poll, and how its body reads as a message of the live stream. */
export interface PollingTarget {
  readonly url: string;
  readonly key?: string | undefined;
  toMessage(body: RestBody): ServerMessage | undefined;
}

/** @param targets read in each round; may yield targets that earlier messages of the round have added */
export function pollingTransport(
  fetch: Fetch,
  clock: Clock,
  targets: () => Iterable<PollingTarget>,
): Transport {
  let bound = FIRST_ROUNDS;
  let endedAtMs = 0;
  return {
    via: 'read',
    silenceMs: SILENCE_MS,

    open(events) {
      if (clock.now() - endedAtMs > PUSHED_MS) bound = FIRST_ROUNDS;
      // ± half, so that a hall of clients does not come back in the same second.
      const lastRound = Math.ceil(bound * (0.5 + clock.random()));
      const abort = new AbortController();
      let cancelTimer = (): void => {};
      let rounds = 0;
      const next = async (): Promise<void> => {
        try {
          for (const target of targets()) events.onMessage(await poll(fetch, target, abort.signal));
        } catch (error) {
          return events.onEnd({ reason: reasonOf(error) });
        }
        rounds += 1;
        if (rounds === lastRound) {
          bound = Math.min(2 * bound, MAX_ROUNDS);
          endedAtMs = clock.now();
          return events.onEnd({ tryBetter: true });
        }
        if (!abort.signal.aborted) cancelTimer = clock.after(POLL_EVERY_MS * (0.5 + clock.random()), next);
      };
      void next();
      return {
        send: () => {},
        close: () => {
          cancelTimer();
          abort.abort();
        },
      };
    },
  };
}

export function pollTarget(relay: string, id: string, key: string | undefined): PollingTarget {
  return {
    // Without a key, caches may answer with results up to a second old.
    url: `${relay}/api/poll/${id}${key === undefined ? '?max_age=1' : ''}`,
    key,
    toMessage: body =>
      body.version
        ? { type: 'results', ...(body as ResultsBody), ...(body.status === 'closed' && { final: true }) }
        : body.revealed_from
          ? { ...(body as HiddenMessage), type: 'hidden' }
          : body.error && { type: 'error', ...body.error, id },
  };
}

/** The poll a show points to. A show that is missing points to none; with a key that is an error. */
export function showTarget(relay: string, { show, key }: FollowMessage): PollingTarget {
  return {
    url: `${relay}/api/show/${show}`,
    key,
    toMessage: ({ on_air, error, ...rest }) =>
      error && key !== undefined
        ? { type: 'error', ...error, show }
        : on_air !== undefined || error
          ? {
              ...rest,
              type: 'show',
              show,
              id: on_air ?? null,
              ...(error && !error.deleted && { missing: true }),
            }
          : undefined,
  };
}

async function poll(fetch: Fetch, target: PollingTarget, signal: AbortSignal): Promise<ServerMessage> {
  const init = { headers: keyHeader(target.key), cache: 'no-cache', signal } as const;
  const response = await fetch(target.url, init);
  const body = await readBody<RestBody>(response, signal);
  const message = (!body.error || PERMANENT_ERROR.test(body.error.code)) && target.toMessage(body);
  if (!message) throw new Error(response.ok ? 'the server is not a relay' : `status ${response.status}`);
  return message;
}
