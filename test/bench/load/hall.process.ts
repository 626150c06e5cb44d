import { connect } from 'node:net';
import { serveCalls } from '../system/calls.ts';
import { monotonicMs, pause } from '../system/clock.ts';
import { upgradeRequest } from './dial.ts';
import { HttpSocket } from './http-socket.ts';
import { fieldOf, solveForm } from './voting-page.ts';

/**
 * A process of voters behind one address. Each opens a connection of its own, as a phone does, and
 * acts as its page does.
 */

export interface HallOrder {
  readonly port: number;
  readonly relayPort: number;
  readonly pollId: string;
  readonly voters: number;
  /** They arrive evenly within this time. */
  readonly withinMs: number;
}

/** Times in milliseconds, with retries and their pauses. */
export interface HallReport {
  /** From sending the ballot to the reply that it is counted. */
  readonly ballots: number[];
  /** From asking for results to having them, live or read. */
  readonly results: number[];
  /** From arriving to having the page with the receipt. */
  readonly voters: number[];
  /** Replies that asked for a retry: without a cookie, and overloaded. */
  readonly toldCookie: number;
  readonly putOff: number;
  /** Voters that read results because the relay accepted no live connection. */
  readonly readers: number;
  /** Other replies, by status; 0 is a connection that ended. */
  readonly errors: Readonly<Record<number, number>>;
}

/** As the page does: see vote-form.ts and busy-page.ts. */
const SPREAD_MS = 1_000;
const RELOAD_MS = 300;
const MAX_ERRORS = 5;

interface Phone {
  readonly socket: HttpSocket;
  readonly cookies: Map<string, string>;
}

class Hall {
  readonly report = {
    ballots: [] as number[],
    results: [] as number[],
    voters: [] as number[],
    toldCookie: 0,
    putOff: 0,
    readers: 0,
    errors: {} as Record<number, number>,
  };
  readonly #order: HallOrder;

  constructor(order: HallOrder) {
    this.#order = order;
  }

  /** Page, ballot, page with the receipt, state, results. */
  async goThrough(): Promise<void> {
    const { port, pollId } = this.#order;
    const phone: Phone = { socket: new HttpSocket(port), cookies: new Map() };
    const beganMs = monotonicMs();
    const page = await this.#openPage(phone);
    const body = new URLSearchParams({ ...solveForm(page), answer: fieldOf(page, 'answer') }).toString();
    const sentMs = monotonicMs();
    await this.#ask(phone, `POST /${pollId}/ballot`, 'application/json', body);
    this.report.ballots.push(monotonicMs() - sentMs);
    const receipt = await this.#openPage(phone);
    if (!receipt.includes('Your vote has been counted')) throw new Error('a page without the receipt');
    this.report.voters.push(monotonicMs() - beganMs);
    await this.#ask(phone, `GET /${pollId}/state`, '*/*');
    phone.socket.close();
    const askedMs = monotonicMs();
    await this.#showResults();
    this.report.results.push(monotonicMs() - askedMs);
  }

  #openPage(phone: Phone): Promise<string> {
    return this.#ask(phone, `GET /${this.#order.pollId}`, 'text/html');
  }

  /** Retries as a page does until the reply is a 200. @returns the reply as text */
  async #ask(phone: Phone, what: string, accept: string, body?: string): Promise<string> {
    const { port } = this.#order;
    for (let errors = 0; errors < MAX_ERRORS; ) {
      const cookie = [...phone.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const form =
        body === undefined
          ? ''
          : `Origin: http://127.0.0.1:${port}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n`;
      const reply = await phone.socket.ask(
        `${what} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: ${accept}\r\nAccept-Encoding: identity\r\nCookie: ${cookie}\r\n${form}\r\n${body ?? ''}`,
      );
      const text = reply?.toString('latin1') ?? '';
      for (const [, name = '', value = ''] of text.matchAll(/^set-cookie: ([^=]+)=([^;]*)/gim))
        phone.cookies.set(name, value);
      const status = Number(text.slice(9, 12));
      if (status === 200) return text;
      if (status === 429) {
        this.report.toldCookie += 1;
        await pause(RELOAD_MS);
      } else if (status === 503) {
        this.report.putOff += 1;
        await pause(retryAfterMs(text) + (body === undefined ? 0 : SPREAD_MS * Math.random()));
      } else {
        errors += 1;
        this.#noteError(status);
        await pause(SPREAD_MS);
      }
    }
    throw new Error(`${what} failed ${MAX_ERRORS} times`);
  }

  /** As the client does: live, else by Server-Sent Events, else by reading, again and again. */
  async #showResults(): Promise<void> {
    const { relayPort, pollId } = this.#order;
    const path = `/api/poll/${pollId}`;
    if (await openLive(relayPort, `${path}/live?hz=5&compact=1`)) return;
    this.report.readers += 1;
    const head = (more: string) => ` HTTP/1.1\r\nHost: 127.0.0.1:${relayPort}\r\n${more}\r\n`;
    for (let errors = 0; errors < MAX_ERRORS; errors += 1) {
      const socket = new HttpSocket(relayPort);
      const events = statusOf(await socket.ask(`GET ${path}/live${head('Accept: text/event-stream\r\n')}`));
      const read = events === 429 ? statusOf(await socket.ask(`GET ${path}?max_age=1${head('')}`)) : 0;
      socket.close();
      if (events === 200 || read === 200) return;
      this.#noteError(read || events);
      await pause(SPREAD_MS * Math.random());
    }
    throw new Error(`no results after ${MAX_ERRORS} reads`);
  }

  #noteError(status: number): void {
    this.report.errors[status] = (this.report.errors[status] ?? 0) + 1;
  }
}

/** @returns whether the first message was the results, and no rejection */
function openLive(port: number, path: string): Promise<boolean> {
  return new Promise(done => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(upgradeRequest({ port, path })));
    const end = (isLive: boolean) => {
      socket.resetAndDestroy();
      done(isLive);
    };
    socket.on('error', () => {});
    socket.once('close', () => done(false));
    socket.on('data', data => {
      text += data.toString('latin1');
      if (text.includes('"type":"results"')) end(true);
      else if (text.includes('"type":"error"')) end(false);
    });
  });
}

function statusOf(reply: Buffer | undefined): number {
  return Number(reply?.toString('latin1', 9, 12) ?? 0);
}

function retryAfterMs(reply: string): number {
  return Number(/retry-after: (\d+)/i.exec(reply)?.[1] ?? 1) * 1_000;
}

const calls = {
  async arrive(order: HallOrder): Promise<HallReport> {
    const hall = new Hall(order);
    const startMs = monotonicMs();
    const ways: Promise<void>[] = [];
    for (let index = 0; index < order.voters; index += 1) {
      const wait = startMs + (index * order.withinMs) / order.voters - monotonicMs();
      if (wait > 1) await pause(wait);
      ways.push(hall.goThrough());
    }
    await Promise.all(ways);
    return hall.report;
  },
};

export type HallCalls = typeof calls;
serveCalls(calls);
