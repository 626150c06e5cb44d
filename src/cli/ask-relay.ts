import { CommandFailure } from './command-failure.ts';
import { safeText } from './terminal-text.ts';

/** The contract's error body, where it is one. */
interface ErrorBody {
  readonly error?: {
    readonly message: string;
    readonly issues?: readonly { readonly path: string; readonly message: string }[];
  };
}

const PATIENCE_MS = 10_000;

/**
 * One request to a relay.
 *
 * @returns the body of the reply
 * @throws CommandFailure with the relay's own words where it refuses, or with the reason why it cannot be reached
 */
export async function askRelay(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) }).catch(error => {
    throw new CommandFailure(`No relay answers at ${new URL(url).origin} (${reason(error)}).`);
  });
  const body = (await response.json().catch(() => undefined)) as ErrorBody | undefined;
  if (response.ok && body) return body;
  const { message, issues = [] } = body?.error ?? {};
  if (message === undefined)
    throw new CommandFailure(
      `What answers at ${new URL(url).origin} is no relay (status ${response.status}).`,
    );
  const details = issues.map(issue => `${issue.path} ${issue.message}`);
  throw new CommandFailure(safeText([message, ...details].join(' ')));
}

export function keyHeaders(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { 'X-API-Key': key };
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message } = cause as { code?: string; message?: string };
  return code ?? message ?? 'unknown reason';
}
