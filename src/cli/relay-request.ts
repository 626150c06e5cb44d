import { type Command, InvalidArgumentError, Option } from 'commander';
import { parsePollUrl } from '../client/poll-url.ts';
import { readWhole } from '../http/read-parts.ts';
import type { ErrorBody } from '../poll/poll-error.ts';
import { CommandFailure, safeText, withProgress } from './terminal.ts';

/** Options and requests of the commands that call a relay. */

export interface RelayOptions {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key?: string | undefined;
}

export interface PollTarget {
  readonly url: string;
  readonly id: string;
  readonly key: string | undefined;
}

export interface RelayRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly key?: string | undefined;
  /** Sent as JSON, or as it is if it is bytes. */
  readonly body?: unknown;
}

/** The default of `npm start`. */
const LOCAL = 'http://127.0.0.1:8080';
const ID = /^[\w-]{1,64}$/;
const ON_A_RELAY = /\/(?:api\/poll|overlay)\//;
export const TIMEOUT_MS = 10_000;
/** The results of a whole show with the longest texts fit. A server may lie, and send without end. */
const MAX_REPLY_BYTES = 32 * 1024 * 1024;
const UNIT_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

export function addRelayOptions(command: Command, keys: string): Command {
  return command
    .addOption(
      new Option('--url <url>', 'URL of the relay').env('TALLYCAST_URL').default(LOCAL).argParser(relayUrl),
    )
    .addOption(new Option('--key <key>', `${keys} (env: TALLYCAST_KEY)`));
}

export function keyFor(target: PollTarget, { url, key }: RelayOptions): string | undefined {
  return key ?? target.key ?? environmentKey(target.url, url);
}

/** Returns the key of the environment, only for the relay in `--url`: a pasted URL of another relay must not get it. */
export function environmentKey(
  url: string,
  relay = process.env['TALLYCAST_URL'] ?? LOCAL,
): string | undefined {
  return new URL(url).origin === new URL(relayUrl(relay)).origin ? process.env['TALLYCAST_KEY'] : undefined;
}

/** @param target an id, or the URL of a poll or its voting page @param relay used unless the target contains a relay */
export function pollTarget(target: string, relay: string): PollTarget {
  const base = relayUrl(relay);
  if (ID.test(target)) return { url: `${base}/api/poll/${target}`, id: target, key: undefined };
  try {
    const { relay: origin, id, key } = parsePollUrl(target);
    const found = ON_A_RELAY.test(new URL(target).pathname) ? origin : base;
    return { url: `${found}/api/poll/${id}`, id, key };
  } catch {
    throw new InvalidArgumentError(`"${target}" is neither the id nor the URL of a poll.`);
  }
}

/** @throws InvalidArgumentError unless it is an http or https URL */
function relayUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError(`The relay must be an http or https URL, not "${text}".`);
  return text.replace(/\/+$/, '');
}

/** Parses `90`, `90s`, `10m`, `2h` or `1d` into seconds. @throws InvalidArgumentError */
export function seconds(time: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(time) ?? [];
  if (number === undefined) throw new InvalidArgumentError('Use a time like 90, 90s, 10m, 2h or 1d.');
  return Number(number) * (UNIT_S[unit] as number);
}

/** @param values that `on` and `off` stand for */
export function onOrOff(flags: string, what: string, values: readonly unknown[] = [true, false]): Option {
  return new Option(`${flags} <on|off>`, what).argParser((text: string) => {
    if (text === 'on' || text === 'off') return values[text === 'on' ? 0 : 1];
    throw new InvalidArgumentError('It must be on or off.');
  });
}

/**
 * Returns the body of the reply, a string for CSV.
 *
 * @throws CommandFailure with the relay's error, or why it cannot be reached
 */
export async function askRelay<T>(url: string, request: RelayRequest = {}): Promise<T> {
  const { origin } = new URL(url);
  const response = await withProgress(() => `waiting for ${origin}`, requestRelay(url, request));
  const isCsv = response.headers.get('content-type')?.startsWith('text/csv');
  const content = isCsv ? response.text() : response.json();
  const reply = (await content.catch(() => undefined)) as T | undefined;
  if (!reply) throw noRelay(origin, response);
  return reply;
}

/** Returns a reply with a good status. @throws CommandFailure as `askRelay` */
export async function requestRelay(
  url: string,
  { method = 'GET', key, body }: RelayRequest = {},
): Promise<Response> {
  const { origin } = new URL(url);
  const headers = new Headers(key === undefined ? {} : { 'X-API-Key': key });
  if (body !== undefined)
    headers.set('Content-Type', body instanceof Uint8Array ? 'application/octet-stream' : 'application/json');
  const sent = body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const begun = await fetch(url, { method, headers, body: sent ?? null, signal }).catch(error => {
    throw new CommandFailure(`Cannot reach a relay at ${origin} (${reasonOf(error)}).`);
  });
  const response = await withBody(begun, origin, signal);
  if (response.ok) return response;
  const reply = (await response.json().catch(() => undefined)) as Partial<ErrorBody> | undefined;
  if (reply?.error === undefined) throw noRelay(origin, response);
  const { message, issues = [] } = reply.error;
  const details = issues.map(issue => `${issue.path} ${issue.message}`);
  throw new CommandFailure(safeText([message, ...details].join(' ')), reply.error);
}

/** @throws CommandFailure if the body does not end in time, or is too long */
async function withBody(response: Response, origin: string, signal: AbortSignal): Promise<Response> {
  if (!response.body) return response;
  const bytes = await readWhole(response, signal, MAX_REPLY_BYTES).catch(error => {
    throw new CommandFailure(
      error instanceof RangeError
        ? `The server at ${origin} sends more than ${MAX_REPLY_BYTES / 1024 / 1024} MB.`
        : `The reply of ${origin} does not end (${reasonOf(error)}).`,
    );
  });
  return new Response(new Uint8Array(bytes), response);
}

function noRelay(origin: string, { status }: Response): CommandFailure {
  return new CommandFailure(`The server at ${origin} is not a relay (status ${status}).`);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message } = cause as { code?: string; message?: string };
  return code ?? message ?? 'unknown reason';
}
