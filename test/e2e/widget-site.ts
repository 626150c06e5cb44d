import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Engine, openEngine } from '../../src/engine/open-engine.ts';
import { readConfig, settingsOf } from '../../src/start/config.ts';
import { buildRelay } from '../../src/start/relay.ts';
import { openServices } from '../../src/start/services.ts';
import { type ApiReply, send } from '../support/api-request.ts';
import { findFreePort } from '../support/free-port.ts';
import { pointShow } from '../support/point-show.ts';
import { type CreatedPoll, castBallots, createPoll } from '../support/test-relay.ts';

/** A relay that can stop and start on its port, and a page on another origin that shows its polls. */
export class WidgetSite {
  readonly engine: Engine;
  readonly #folder: string;
  readonly #host = createServer((_, response) => {
    const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': this.#policy };
    response.writeHead(200, headers).end(this.#html);
  });
  #html = '';
  #policy = '';
  #relay: FastifyInstance | undefined;
  readonly #port: number;

  private constructor(engine: Engine, folder: string, port: number) {
    this.engine = engine;
    this.#folder = folder;
    this.#port = port;
  }

  static async open(): Promise<WidgetSite> {
    const folder = await mkdtemp(join(tmpdir(), 'tallycast-'));
    const site = new WidgetSite(await openEngine({ dataDir: folder }), folder, await findFreePort());
    site.#host.listen(0, '127.0.0.1');
    await once(site.#host, 'listening');
    await site.startRelay();
    return site;
  }

  get relayUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async startRelay(): Promise<void> {
    const { engine } = this;
    const logger = pino({ level: 'silent' });
    const relayUrl = 'http://127.0.0.1';
    const services = await openServices({ engine, logger, relayUrl, operatorKeys: [] });
    this.#relay = await buildRelay({
      ...settingsOf(readConfig({})),
      services,
      logger,
      createPerMinute: 1_000,
      relayUrl,
      voteUrl: 'http://127.0.0.1',
    });
    this.#relay.addHook('onClose', async () => services.close());
    await this.#relay.listen({ host: '127.0.0.1', port: this.#port });
  }

  async stopRelay(): Promise<void> {
    await this.#relay?.close();
    this.#relay = undefined;
  }

  create(poll: Record<string, unknown> = {}): Promise<CreatedPoll> {
    return createPoll(this.relayUrl, poll);
  }

  cast(id: string, answer: number, times = 1): Promise<void> {
    return castBallots(this.engine, id, answer, times);
  }

  point(show: string, id: string | null): Promise<void> {
    return pointShow(this.engine, show, id);
  }

  change(id: string, key: string, poll: Record<string, unknown>): Promise<ApiReply> {
    return send(`${this.relayUrl}/api/poll/${id}`, 'PATCH', { poll }, key);
  }

  /** The address of a page on another origin, with this in its body and the widget's script tag in its head. */
  pageWith(body: string, { head = '', policy = '' } = {}): string {
    this.#policy = policy;
    this.#html = `<!doctype html><html lang="en"><title>A page</title>
      <script src="${this.relayUrl}/widget.js" async></script>${head}<body>${body}`;
    return `http://127.0.0.1:${(this.#host.address() as AddressInfo).port}/`;
  }

  /** Opens such a page. */
  async visit(
    browser: Browser,
    body: string,
    { head, policy, ...options }: BrowserContextOptions & { head?: string; policy?: string } = {},
  ): Promise<Page> {
    const url = this.pageWith(body, { ...(head && { head }), ...(policy && { policy }) });
    const context = await browser.newContext({ viewport: { width: 480, height: 640 }, ...options });
    const page = await context.newPage();
    await page.goto(url);
    return page;
  }

  async close(): Promise<void> {
    await this.stopRelay();
    this.#host.closeAllConnections();
    this.#host.close();
    await this.engine.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
