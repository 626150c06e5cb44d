import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveCalls } from '../system/calls.ts';
import { paced } from '../system/clock.ts';
import { HttpSocket } from './http-socket.ts';

/** A process of programs: it receives what webhooks send, and changes polls, each change being an event. */

interface Site {
  /** Of the relay. */
  readonly port: number;
  readonly operatorKey: string;
}

const CONNECTIONS = 8;
let received = 0;
let receiverPort = 0;

async function startReceiver(): Promise<void> {
  const server = createServer((request, response) => {
    received += 1;
    request.resume();
    response.writeHead(204).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  receiverPort = (server.address() as AddressInfo).port;
}

async function ask({ port, operatorKey }: Site, method: string, path: string, body?: object) {
  const reply = await fetch(`http://127.0.0.1:${port}/api${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-api-key': operatorKey },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status}`);
  return (await reply.json()) as { id: string };
}

async function inParallel<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

const calls = {
  received: () => received,
  async createPolls({ count, poll, ...site }: Site & { count: number; poll: object }) {
    const ids: string[] = [];
    await inParallel(Array(count).fill(poll), async () => {
      ids.push((await ask(site, 'POST', '/poll', { poll })).id);
    });
    return ids;
  },
  /** @param wanted types of events of each webhook */
  async addWebhooks({ wanted, ...site }: Site & { wanted: readonly (readonly string[])[] }) {
    if (receiverPort === 0) await startReceiver();
    const ids: string[] = [];
    // One at a time: all are in one record, so others would only retry.
    for (const [index, events] of wanted.entries()) {
      const url = `http://127.0.0.1:${receiverPort}/${index}`;
      ids.push((await ask(site, 'POST', '/webhook', { webhook: { url, events } })).id);
    }
    return ids;
  },
  async removeWebhooks({ ids, ...site }: Site & { ids: readonly string[] }) {
    for (const id of ids) await ask(site, 'DELETE', `/webhook/${id}`);
  },
  /** Closes and opens one poll after another. @returns changes that were not answered with 200 */
  async change({
    port,
    operatorKey,
    ids,
    perSecond,
    ms,
  }: Site & { ids: readonly string[]; perSecond: number; ms: number }) {
    const sockets = Array.from({ length: CONNECTIONS }, () => new HttpSocket(port));
    const free = [...sockets];
    const asked: Promise<void>[] = [];
    let failures = 0;
    let changes = 0;
    await paced(perSecond, ms, () => {
      // The one that waits longest, so that none is idle until the server closes it.
      const socket = free.shift() ?? new HttpSocket(port);
      const id = ids[changes % ids.length]!;
      const status = Math.floor(changes / ids.length) % 2 === 0 ? 'closed' : 'open';
      changes += 1;
      const body = `{"poll":{"status":"${status}"}}`;
      const request = `PATCH /api/poll/${id} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Api-Key: ${operatorKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const asking = socket.ask(request).then(reply => {
        if (reply?.toString('latin1', 9, 12) !== '200') failures += 1;
        free.push(socket);
      });
      asked.push(asking);
    });
    await Promise.all(asked);
    for (const socket of [...sockets, ...free]) socket.close();
    return { changes, failures };
  },
};

export type ProgramCalls = typeof calls;
serveCalls(calls);
