import type { ErrorMessage } from '../protocol/messages.ts';
import type { ChannelEnd, ChannelEvents, Way } from './channel.ts';
import { errorOfRest, type RestError, refusalOfError } from './refusal.ts';
import { parseMessage } from './socket-way.ts';

export type Fetch = typeof globalThis.fetch;

export interface StreamWayOptions {
  readonly fetch: Fetch;
  /** Asked anew on each attempt. */
  url(): string;
  readonly key: string | undefined;
}

/**
 * Server-Sent Events over fetch and not over EventSource: it takes the key in a header, where it reaches no log, it shows
 * why the relay refused, and Node has it.
 */
export function streamWay({ fetch, url, key }: StreamWayOptions): Way {
  return {
    via: 'sse',
    open(events) {
      const abort = new AbortController();
      const headers = { Accept: 'text/event-stream', ...keyHeader(key) };
      const init = { headers, cache: 'no-store', signal: abort.signal } as const;
      void fetch(url(), init)
        .then(response => follow(response, events))
        .catch(error => ({ reason: reasonOf(error) }))
        .then(end => events.onEnd(end));
      return { send: () => {}, close: () => abort.abort() };
    },
  };
}

export function keyHeader(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { 'X-API-Key': key };
}

async function follow(response: Response, { onMessage }: ChannelEvents): Promise<ChannelEnd> {
  if (!response.ok) {
    const error = await readError(response);
    return { refusal: error && refusalOfError(error, false), reason: `status ${response.status}` };
  }
  const isStream = response.headers.get('Content-Type')?.includes('text/event-stream');
  if (!isStream || !response.body) return { reason: 'no stream of events came' };
  const stream = new EventParser(data => {
    const message = parseMessage(data);
    if (message) onMessage(message);
  });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
    stream.push(decoder.decode(chunk.value, { stream: true }));
  return { pauseMs: stream.retryMs };
}

/** A refusal that says nothing of what was asked for. */
function willPass({ status }: Response): boolean {
  return status >= 500 || status === 429;
}

/** The body of an error; undefined where something else than the relay answered, or the refusal will pass. */
async function readError(response: Response): Promise<ErrorMessage | undefined> {
  if (willPass(response)) return undefined;
  const body = Object(await response.json().catch(() => undefined)) as { error?: RestError };
  return body.error && errorOfRest(body.error);
}

/** Why a request failed: Node keeps it in the cause, browsers say no more than that it did. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}

/** Reads Server-Sent Events from text that arrives in pieces of any size. Names of events and ids are passed over. */
export class EventParser {
  /** The pause in milliseconds that the server asked for with its last word; undefined unless it did. */
  retryMs: number | undefined;
  readonly #onData: (data: string) => void;
  #rest = '';
  #data: string[] = [];

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split(/\r\n|[\r\n]/);
    this.#rest = lines.pop()!;
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line === '') {
      if (this.#data.length > 0) this.#onData(this.#data.join('\n'));
      this.#data = [];
      return;
    }
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line)!;
    this.retryMs = undefined;
    if (field === 'data') this.#data.push(value!);
    if (field === 'retry' && /^\d+$/.test(value!)) this.retryMs = Number(value);
  }
}
