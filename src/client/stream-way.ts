import type { ErrorMessage } from '../protocol/messages.ts';
import type { ChannelEnd, ChannelEvents, Way } from './channel.ts';
import { EventStream } from './event-stream.ts';
import { refusalOfError } from './refusal.ts';
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
        .catch(() => ({}))
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
    return { refusal: error && refusalOfError(error, false) };
  }
  const isStream = response.headers.get('Content-Type')?.includes('text/event-stream');
  if (!isStream || !response.body) return {};
  const stream = new EventStream(data => {
    const message = parseMessage(data);
    if (message) onMessage(message);
  });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
    stream.push(decoder.decode(chunk.value, { stream: true }));
  return { pauseMs: stream.retryMs };
}

/** The contract's error body; undefined where something else than the relay answered, or the refusal will pass. */
export async function readError(response: Response): Promise<ErrorMessage | undefined> {
  if (response.status >= 500 || response.status === 429) return undefined;
  const body = (await response.json()) as { error?: Omit<ErrorMessage, 'type'> };
  return body.error && { type: 'error', ...body.error };
}
