import { CommandFailure, safeText, withProgress } from './terminal.ts';

/** The contract's error body, where it is one. */
interface ErrorBody {
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly issues?: readonly { readonly path: string; readonly message: string }[];
  };
}

export interface RelayRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly key?: string | undefined;
  readonly body?: unknown;
}

const PATIENCE_MS = 10_000;

/**
 * One request to a relay.
 *
 * @returns the body of the reply
 * @throws CommandFailure with the relay's own words where it refuses, or with the reason why it cannot be reached
 */
export async function askRelay<T>(url: string, { method = 'GET', key, body }: RelayRequest = {}): Promise<T> {
  const { origin } = new URL(url);
  const headers = {
    ...(key !== undefined && { 'X-API-Key': key }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const asked = fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) }).catch(error => {
    throw new CommandFailure(`No relay answers at ${origin} (${reason(error)}).`);
  });
  const response = await withProgress(() => `waiting for ${origin}`, asked);
  const reply = (await response.json().catch(() => undefined)) as ErrorBody | undefined;
  if (response.ok && reply) return reply as T;
  if (reply?.error === undefined)
    throw new CommandFailure(`What answers at ${origin} is no relay (status ${response.status}).`);
  const { message, issues = [] } = reply.error;
  const details = issues.map(issue => `${issue.path} ${issue.message}`);
  throw new CommandFailure(safeText([message, ...details].join(' ')), reply.error);
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message } = cause as { code?: string; message?: string };
  return code ?? message ?? 'unknown reason';
}
