import { connectionFailure } from './server-check.ts';

const OPEN_TIMEOUT_MS = 5_000;

/** What a connection of ioredis has in common, to one server or to a cluster. */
interface Client {
  readonly status: string;
  connect(): Promise<void>;
  disconnect(): void;
  on(event: string, listener: (error: Error) => void): unknown;
  off(event: string, listener: (error: Error) => void): unknown;
  quit(): Promise<unknown>;
}

/**
 * @param place what messages call the server: never with a password
 * @throws Error in one line where it does not open within five seconds
 */
export async function openConnection(client: Client, place: string, tls: boolean): Promise<void> {
  let reason = `no answer within ${OPEN_TIMEOUT_MS / 1_000} s`;
  const note = (error: Error & { lastNodeError?: Error }) => {
    reason = error.lastNodeError?.message ?? error.message;
  };
  const events = ['error', 'node error'];
  for (const event of events) client.on(event, note);
  const timeout = setTimeout(() => client.disconnect(), OPEN_TIMEOUT_MS);
  try {
    await client.connect();
  } catch (cause) {
    client.disconnect();
    throw new Error(`${place} cannot be used: ${connectionFailure(reason, tls)}`, { cause });
  } finally {
    clearTimeout(timeout);
    for (const event of events) client.off(event, note);
  }
}

export async function closeConnection(client: Client | undefined): Promise<void> {
  if (!client) return;
  // Never opened, and a QUIT would open it.
  if (client.status === 'wait') return client.disconnect();
  // QUIT lets what is in flight finish; where the link is lost there is nothing to wait for.
  await client.quit().catch(() => client.disconnect());
}
