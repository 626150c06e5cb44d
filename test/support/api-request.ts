import { expect } from 'vitest';
import type { ErrorCode } from '../../src/poll/poll-error.ts';
import { faultOfExchange } from './described-api.ts';

/** Requests of tests. Each reply is compared with the OpenAPI document. */

export interface ApiReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly json: any;
}

export async function ask(url: string, init: RequestInit = {}): Promise<ApiReply> {
  const response = await fetch(url, init);
  const text = await response.text();
  const { status, headers } = response;
  const { pathname, search } = new URL(url);
  const exchange = { method: init.method ?? 'GET', path: `${pathname}${search}`, status, headers, text };
  const fault =
    /^\/(?:api|livez|readyz|health|(?:openapi|asyncapi)\.json)\b/.test(pathname) && faultOfExchange(exchange);
  if (fault) throw new Error(`The OpenAPI document does not describe this: ${fault}`);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status,
    headers,
    text,
    json: isJson && text ? JSON.parse(text) : undefined,
  };
}

/** A request with a JSON body. @param given a key, or headers */
export function send(
  url: string,
  method: string,
  body?: unknown,
  given: string | Record<string, string> = {},
): Promise<ApiReply> {
  const headers = typeof given === 'string' ? { 'x-api-key': given } : given;
  if (body === undefined) return ask(url, { method, headers });
  const typed = { 'content-type': 'application/json', ...headers };
  return ask(url, { method, headers: typed, body: JSON.stringify(body) });
}

export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiReply> {
  return ask(`${url}/api/poll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export const GOOD_POLL = { title: 'Which song next?', answers: ['Waterloo', 'Volare'] };

/** @returns undefined if the reply has the shape of an error of the contract */
export function faultOfError(reply: ApiReply, code?: ErrorCode): string | undefined {
  const { json } = reply;
  if (!/^application\/json/.test(reply.headers.get('content-type') ?? ''))
    return `not JSON: ${reply.status} ${reply.text}`;
  const { success, error, ignored: _, ...rest } = json;
  if (success !== 0 || Object.keys(rest).length > 0) return `not the shape of an error: ${reply.text}`;
  const { code: given, message, issues, pressed: _pressed, deleted, request_id, ...more } = error;
  if (code !== undefined && given !== code) return `${given} instead of ${code}: ${reply.text}`;
  if (typeof given !== 'string' || typeof message !== 'string' || Object.keys(more).length > 0)
    return `not the shape of an error: ${reply.text}`;
  if (request_id !== undefined && request_id !== reply.headers.get('x-request-id'))
    return `another request: ${reply.text}`;
  if (issues?.some((issue: object) => Object.keys(issue).join() !== 'path,message'))
    return `not the shape of an issue: ${reply.text}`;
  return /\.(ts|js):\d|node:|\bat (async |new )?[\w.$<>]+ \(/.test(reply.text)
    ? `a stack: ${reply.text}`
    : undefined;
}

/** Expects an error of the API, which no cache may keep. */
export function expectError(reply: ApiReply, status: number, code: ErrorCode): void {
  const caching = reply.headers.get('cache-control');
  expect([reply.status, faultOfError(reply, code), caching]).toEqual([status, undefined, 'no-store']);
}

/** The faults of a rejected request, by path. */
export function issuesOf({ json }: ApiReply): Record<string, string> {
  const issues: { path: string; message: string }[] = json.error?.issues ?? [];
  return Object.fromEntries(issues.map(({ path, message }) => [path, message]));
}

/** The headers that can carry a key. */
export function keyHeaders(key: string): Record<string, string>[] {
  return [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }, { 'api-key': key }];
}
