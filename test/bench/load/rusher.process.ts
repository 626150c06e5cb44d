import { serveCalls } from '../system/calls.ts';
import { monotonicMs, pause } from '../system/clock.ts';
import { HttpSocket } from './http-socket.ts';
import type { Voter } from './voter.process.ts';

/** A process of many voters that arrive at once, each with its own connection, and act as their pages do. */

export interface Order {
  readonly port: number;
  readonly pollId: string;
  readonly voters: readonly Voter[];
  /** They arrive evenly within this time. */
  readonly withinMs: number;
}

/** Times in milliseconds. */
export interface Rush {
  /** From each try to send a ballot to its answer, whatever it was. */
  readonly answered: number[];
  /** From the first try to the answer that it is counted. */
  readonly counted: number[];
  /** From coming to the page to having it. */
  readonly opened: number[];
  /** How often a voter was asked to retry. */
  readonly pagesPutOff: number;
  readonly ballotsPutOff: number;
  /** Answers that no page expects, by status; 0 is a connection that ended. */
  readonly odd: Readonly<Record<number, number>>;
  readonly lastCountedMs: number;
}

/** As the page does. */
const SPREAD_MS = 1_000;

class Voting {
  readonly answered: number[] = [];
  readonly counted: number[] = [];
  readonly opened: number[] = [];
  readonly odd: Record<number, number> = {};
  pagesPutOff = 0;
  ballotsPutOff = 0;
  lastCountedMs = 0;
  readonly #order: Order;

  constructor(order: Order) {
    this.#order = order;
  }

  /** Page, ballot, page after it: each until it is there. */
  async goThrough(voter: Voter): Promise<void> {
    const socket = new HttpSocket(this.#order.port);
    await this.#openPage(socket, voter, voter.cookie);
    const receipt = await this.#sendBallot(socket, voter);
    await this.#openPage(socket, voter, `${voter.cookie}; ${receipt}`);
    socket.close();
  }

  async #openPage(socket: HttpSocket, { address }: Voter, cookie: string): Promise<void> {
    const { port, pollId } = this.#order;
    const head = (turn: string) =>
      `GET /${pollId} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Forwarded-For: ${address}\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\nCookie: ${cookie}${turn}\r\n\r\n`;
    const beganMs = monotonicMs();
    for (let turn = ''; ; turn = '; tallycast-turn=1') {
      const reply = await socket.ask(head(turn));
      const status = this.#note(reply);
      if (status === 200) break;
      if (status !== 503) return;
      this.pagesPutOff += 1;
      await pause(retryAfterMs(reply as Buffer));
    }
    this.opened.push(monotonicMs() - beganMs);
  }

  /** @returns the cookie of the receipt */
  async #sendBallot(socket: HttpSocket, voter: Voter): Promise<string> {
    const { port, pollId } = this.#order;
    const body = new URLSearchParams({ ...voter.form, answer: voter.answer }).toString();
    const request = `POST /${pollId}/ballot HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nX-Forwarded-For: ${voter.address}\r\nAccept: application/json\r\nCookie: ${voter.cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const beganMs = monotonicMs();
    for (;;) {
      const triedMs = monotonicMs();
      const reply = await socket.ask(request);
      const nowMs = monotonicMs();
      this.answered.push(nowMs - triedMs);
      const status = this.#note(reply);
      if (status === 200) {
        this.counted.push(nowMs - beganMs);
        this.lastCountedMs = Math.max(this.lastCountedMs, nowMs);
        return /set-cookie: ([^;]*receipt=[^;]*)/i.exec((reply as Buffer).toString('latin1'))?.[1] ?? '';
      }
      if (status !== 503) return '';
      this.ballotsPutOff += 1;
      await pause(retryAfterMs(reply as Buffer) + SPREAD_MS * Math.random());
    }
  }

  #note(reply: Buffer | undefined): number {
    const status = reply ? Number(reply.toString('latin1', 9, 12)) : 0;
    if (status !== 200 && status !== 503) this.odd[status] = (this.odd[status] ?? 0) + 1;
    return status;
  }
}

function retryAfterMs(reply: Buffer): number {
  return Number(/retry-after: (\d+)/i.exec(reply.toString('latin1', 0, 2_000))?.[1] ?? 1) * 1_000;
}

const calls = {
  async rush(order: Order): Promise<Rush> {
    const voting = new Voting(order);
    const startMs = monotonicMs();
    const ways: Promise<void>[] = [];
    for (const [index, voter] of order.voters.entries()) {
      const wait = startMs + (index * order.withinMs) / order.voters.length - monotonicMs();
      if (wait > 1) await pause(wait);
      ways.push(voting.goThrough(voter));
    }
    await Promise.all(ways);
    const { answered, counted, opened, pagesPutOff, ballotsPutOff, odd, lastCountedMs } = voting;
    return { answered, counted, opened, pagesPutOff, ballotsPutOff, odd, lastCountedMs };
  },
};

export type RusherCalls = typeof calls;
serveCalls(calls);
