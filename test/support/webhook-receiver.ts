import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished, vi } from 'vitest';
import type { ProgramEvent } from '../../src/events/poll-event.ts';

/** A receiver of webhooks in a test, which accepts everything unless it is told otherwise. */
export interface WebhookReceiver {
  readonly url: string;
  attempts: number;
  /** Instead of accepting. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  readonly received: { headers: Record<string, string>; body: string; event: ProgramEvent }[];
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const receiver: WebhookReceiver = { url: '', attempts: 0, answer: undefined, received: [] };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    receiver.attempts += 1;
    if (receiver.answer) return receiver.answer(request, response);
    const headers = request.headers as Record<string, string>;
    receiver.received.push({ headers, body, event: JSON.parse(body) as ProgramEvent });
    response.writeHead(204).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(receiver, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` });
}

/** What a receiver takes from a delivery at this moment. @throws where it is not signed with the secret, or not then */
export function verified(
  secret: string,
  { headers, body }: Pick<WebhookReceiver['received'][number], 'headers' | 'body'>,
  nowMs: number,
): unknown {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(nowMs);
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    clock.mockRestore();
  }
}
