import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveCalls } from '../system/calls.ts';

/** A process that accepts whatever webhooks send. */

let received = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    received += 1;
    response.writeHead(204).end();
  });
});

const calls = {
  /** @returns its URL */
  async open() {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  },
  /** @returns requests so far */
  async count() {
    return received;
  },
};

export type ReceiverCalls = typeof calls;
serveCalls(calls);
