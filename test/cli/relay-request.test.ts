import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { askRelay, keyFor, pollTarget } from '../../src/cli/relay-request.ts';
import { CommandFailure, safeJson } from '../../src/cli/terminal.ts';

const RELAY = 'http://127.0.0.1:8080/';
const ID = 'Ab-_23456789';

it.each([
  [ID, `http://127.0.0.1:8080/api/poll/${ID}`],
  [`https://relay.example/api/poll/${ID}`, `https://relay.example/api/poll/${ID}`],
  [`https://relay.example/overlay/${ID}?style=bars`, `https://relay.example/api/poll/${ID}`],
  [`http://vote.example:8081/${ID}`, `http://127.0.0.1:8080/api/poll/${ID}`],
  [`http://vote.example:8081/${ID}/manage`, `http://127.0.0.1:8080/api/poll/${ID}`],
])('resolves %s to %s', (target, url) => {
  expect(pollTarget(target, RELAY)).toMatchObject({ url, id: ID });
});

it.each(['no/pe', '', 'https://', 'ftp://x y', '-'.repeat(65)])('rejects %j', target => {
  expect(() => pollTarget(target, RELAY)).toThrow(InvalidArgumentError);
});

it('sends the key of the environment to the relay of the options only', () => {
  vi.stubEnv('TALLYCAST_KEY', 'secret');
  const keyOf = (target: string) => keyFor(pollTarget(target, RELAY), { url: RELAY });
  expect([ID, `https://relay.example/api/poll/${ID}`].map(keyOf)).toEqual(['secret', undefined]);
});

describe('a server that cannot be trusted', () => {
  let server: Server;
  let url: string;
  let sent = 0;
  let isClosed = false;

  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    '/endless': response => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(1024 * 1024, '[');
      const send = () => {
        sent += chunk.length;
        if (!response.destroyed) response.write(chunk, send);
      };
      response.on('close', () => {
        isClosed = true;
      });
      send();
    },
    '/broken': response => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{');
      setTimeout(() => response.destroy(), 20);
    },
    '/nonsense': response => void response.end('nonsense'),
    '/log': response =>
      void response.writeHead(404).end('{"error":{"code":"x","message":"\\u009b31m\\u202eabc"}}'),
  };

  beforeAll(async () => {
    server = createServer((request, response) => answers[request.url ?? '']?.(response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  it('is left after 32 MB', async () => {
    await expect(askRelay(`${url}/endless`)).rejects.toThrow('sends more than 32 MB');
    await expect.poll(() => isClosed).toBe(true);
    // What the buffers of two kernels hold comes on top.
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it.each([
    ['/broken', 'does not end'],
    ['/nonsense', 'is not a relay (status 200)'],
  ])('is reported in one line: %s', async (path, words) => {
    const failure = (await askRelay(url + path).catch(error => error)) as Error;
    expect(failure).toBeInstanceOf(CommandFailure);
    expect(failure.message).toContain(words);
  });

  it('types nothing into the terminal, in text and in JSON', async () => {
    const failure = (await askRelay(`${url}/log`).catch(error => error)) as Error;
    expect(failure.message).toBe('31m abc');
    const json = safeJson({ title: '\u009b31m \u202eabc\u061c\u2028"\\', at: 1 });
    expect(json).toBe('{"title":"\\u009b31m \\u202eabc\\u061c\\u2028\\"\\\\","at":1}');
    expect(JSON.parse(json).title).toBe('\u009b31m \u202eabc\u061c\u2028"\\');
  });
});
