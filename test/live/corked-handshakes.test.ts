import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EngineDouble } from '../support/engine-double.ts';
import { RawSocket, upgradeRequest } from '../support/raw-socket.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

let site: TestRelay;
let faulty: EngineDouble;
let relay: TestRelay;
let path: string;

beforeAll(async () => {
  site = await startTestRelay();
  faulty = new EngineDouble(site.engine);
  relay = await startTestRelay({ engine: faulty.engine });
  path = `/api/poll/${(await site.create()).id}/live`;
});
afterAll(async () => {
  await relay.close();
  await site.close();
});

async function firstPiece(raw: RawSocket): Promise<string> {
  await until(() => raw.received.length > 0, 'the first bytes');
  return raw.text;
}

it('are sent in one piece with the first frame', async () => {
  faulty.held = [];
  const reads = faulty.reads;
  const raw = await RawSocket.open(relay.url);
  raw.send(upgradeRequest(path));
  await until(() => faulty.reads > reads, 'the read');
  expect(raw.text).toBe('');
  for (const release of faulty.held) release();
  faulty.held = undefined;
  expect(await firstPiece(raw)).toMatch(/^HTTP\/1\.1 101 [\s\S]*"type":"results"/);
  raw.close();
});

it('wait two intervals at most for a slow engine', async () => {
  faulty.held = [];
  const raw = await RawSocket.upgrade(relay.url, path);
  expect(raw.received.length).toBe(0);
  for (const release of faulty.held) release();
  faulty.held = undefined;
  await until(() => raw.text.includes('"type":"results"'), 'the first frame');
  raw.close();
});

it('end when the client closes or resets before the frame', async () => {
  faulty.held = [];
  const leaving = await RawSocket.open(relay.url);
  // A masked close frame right behind the request.
  leaving.send(Buffer.concat([Buffer.from(upgradeRequest(path)), Buffer.from([0x88, 0x80, 0, 0, 0, 0])]));
  await until(() => leaving.closed, 'the answer to the goodbye');
  expect(leaving.text).toMatch(/^HTTP\/1\.1 101 /);
  const gone = await RawSocket.open(relay.url);
  gone.send(upgradeRequest(path));
  gone.reset();
  for (const release of faulty.held) release();
  faulty.held = undefined;
  const connections = () => promisify(relay.app.server.getConnections.bind(relay.app.server))();
  await expect.poll(connections).toBe(0);
});
