import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { ResultsMessage } from '../../src/client/watch-state.ts';
import { type Engine, openEngine } from '../../src/engine/open-engine.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { castBallots, createPoll } from '../support/test-relay.ts';
import { browserRig } from './browser-rig.ts';
import { widget } from './widget-page.ts';

const DELAY_S = 1.5;

/** Versions by the time in the page at which the relay's message came, and at which the element reported it. */
interface Times {
  readonly arrived: Record<number, number>;
  readonly shown: Record<number, number>;
  /** What the element showed until its first figures came. */
  before?: unknown;
}

let redis: RedisServer;
let engine: Engine;
let relay: RelayProcess;
let proxy: TcpProxy;

const portOf = ({ url }: RelayProcess) => Number(new URL(url).port);

beforeAll(async () => {
  redis = await startRedisServer();
  engine = await openEngine({ redisUrl: redis.url });
  relay = await startRelayProcess(redis.url);
  proxy = await startTcpProxy(portOf(relay));
});
afterAll(async () => {
  await proxy?.close();
  await relay?.stop();
  await engine?.close();
  await redis?.stop();
});

const rig = browserRig(async () => ({ close: () => {} }));

/** Runs in the page before its scripts. */
function recordTimes(): void {
  const times: Times = { arrived: {}, shown: {} };
  Object.assign(window, { times });
  window.WebSocket = class extends WebSocket {
    constructor(url: string | URL) {
      super(url);
      this.addEventListener('message', ({ data }) => {
        const { version } = JSON.parse(data);
        if (version !== undefined) times.arrived[version] ??= performance.now();
      });
    }
  };
  document.addEventListener('poll-results', event => {
    const { shadowRoot } = event.target as HTMLElement;
    const texts = (part: string) =>
      [...shadowRoot!.querySelectorAll(`[part="${part}"]`)].map(({ textContent }) => textContent);
    const { moment } = shadowRoot!.querySelector<HTMLElement>('.frame')!.dataset;
    times.before ??= { moment, title: texts('title'), count: texts('count') };
    times.shown[(event as CustomEvent<ResultsMessage>).detail.version] ??= performance.now();
  });
}

/** Every version that is shown came at least the delay before. Returns how many. */
async function checkShown(page: Page): Promise<number> {
  const { arrived, shown } = await page.evaluate(() => (window as unknown as { times: Times }).times);
  for (const [version, atMs] of Object.entries(shown))
    expect(atMs - arrived[Number(version)]!).toBeGreaterThanOrEqual(DELAY_S * 1_000);
  return Object.keys(shown).length;
}

it('never shows a figure early: on loading, while the relay is gone by SIGKILL, after it and after a reload', async () => {
  const relayUrl = `http://127.0.0.1:${proxy.port}`;
  const { id } = await createPoll(relayUrl, { title: 'Which song?' });
  await castBallots(engine, id, 0, 2);
  const host = createServer((_, reply) =>
    reply
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        `<html lang="en"><script src="${relayUrl}/widget.js"></script>${widget(id, `delay="${DELAY_S}"`)}`,
      ),
  ).listen(0, '127.0.0.1');
  onTestFinished(() => void host.close());
  await once(host, 'listening');
  const pageUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`;
  const page = await rig.browser.newPage({ locale: 'en-US' });
  await page.addInitScript(recordTimes);
  const opens = async () => {
    const before = () => page.evaluate(() => (window as unknown as { times: Times }).times.before);
    await expect.poll(before).toEqual({ moment: 'hidden', title: ['Which song?'], count: ['', ''] });
  };
  await page.goto(pageUrl);
  await opens();
  await page.getByText('2 votes').waitFor();
  expect(await checkShown(page)).toBe(1);
  await castBallots(engine, id, 1, 1);
  await page.waitForFunction(
    () => Object.keys((window as unknown as { times: Times }).times.arrived).length === 2,
  );
  await relay.kill();
  await page.getByText('3 votes').waitFor();
  await page.getByText('Not live right now').waitFor();
  await castBallots(engine, id, 1, 1);
  relay = await startRelayProcess(redis.url);
  proxy.leadTo(portOf(relay));
  await page.getByText('4 votes').waitFor();
  expect(await checkShown(page)).toBe(3);
  await page.reload();
  await opens();
  await page.getByText('4 votes').waitFor();
  expect(await checkShown(page)).toBe(1);
});
