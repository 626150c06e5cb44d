import { serveCalls } from '../system/calls.ts';
import { monotonicMs, pause } from '../system/clock.ts';
import { HttpSocket } from './http-socket.ts';

/**
 * A process of open pages that wait for their poll to open. Each has a cookie and an address, and
 * acts as its page does. They share connections, as those behind a proxy do.
 */

interface WaitingOrder {
  readonly port: number;
  readonly pollId: string;
  readonly pages: number;
  /** They arrive evenly within this time. */
  readonly withinMs: number;
}

export interface WaitingReport {
  /** Monotonic times at which pages learned of the opening. */
  readonly opened: number[];
  /** The longest interval that a page was given since the last report. */
  readonly longestMs: number;
  readonly requests: number;
  /** Replies other than 200, by status; 0 is a connection that ended. */
  readonly errors: Readonly<Record<number, number>>;
}

/** As in poll-watch.ts. */
const FIRST_MS = 3_000;
const ERROR_PAUSE_MS = 100;
const CONNECTIONS = 1_000;

/** Sends one request after the other. */
class SharedSocket {
  readonly #port: number;
  #socket: HttpSocket;
  #asked: Promise<unknown> = Promise.resolve();

  constructor(port: number) {
    this.#port = port;
    this.#socket = new HttpSocket(port);
  }

  /** @returns an empty text where the connection has ended; the next request opens another */
  ask(request: string): Promise<string> {
    const asked = this.#asked.then(async () => {
      const reply = await this.#socket.ask(request);
      if (!reply) this.#socket = new HttpSocket(this.#port);
      return reply?.toString('latin1') ?? '';
    });
    this.#asked = asked;
    return asked;
  }
}

let report = fresh();
let isOver = false;

function fresh() {
  return { opened: [] as number[], longestMs: 0, requests: 0, errors: {} as Record<number, number> };
}

async function stayOpen(socket: SharedSocket, { port, pollId }: WaitingOrder, nth: number): Promise<void> {
  const address = `10.${nth >> 16}.${(nth >> 8) & 255}.${nth & 255}`;
  const head = (path: string, more: string) =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Forwarded-For: ${address}\r\n${more}\r\n`;
  let cookie = '';
  while (!cookie) {
    const page = await socket.ask(head(`/${pollId}`, 'Accept: text/html\r\n'));
    cookie = /^set-cookie: (tallycast-voter=[^;]*)/im.exec(page)?.[1] ?? '';
    if (!cookie) await pause(ERROR_PAUSE_MS);
  }
  let againMs = FIRST_MS;
  let waitMs = 0;
  while (!isOver) {
    await pause(Math.max(waitMs, againMs * (0.75 + Math.random() / 2)));
    const text = await socket.ask(
      head(`/${pollId}/state`, `Cookie: ${cookie}\r\nTallycast-Interval: ${againMs}\r\n`),
    );
    const status = Number(text.slice(9, 12));
    waitMs = 1_000 * Number(/^retry-after: (\d+)/im.exec(text)?.[1] ?? 0);
    report.requests += 1;
    if (status === 200) {
      const state = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
      againMs = state.againMs;
      report.longestMs = Math.max(report.longestMs, againMs);
      if (state.status !== 'open') continue;
      report.opened.push(monotonicMs());
      break;
    }
    report.errors[status] = (report.errors[status] ?? 0) + 1;
  }
}

const calls = {
  /** Resolves once all pages have arrived. */
  async open(order: WaitingOrder): Promise<void> {
    const sockets = Array.from({ length: CONNECTIONS }, () => new SharedSocket(order.port));
    const startMs = monotonicMs();
    for (let nth = 1; nth <= order.pages; nth += 1) {
      const wait = startMs + (nth * order.withinMs) / order.pages - monotonicMs();
      if (wait > 1) await pause(wait);
      void stayOpen(sockets[nth % CONNECTIONS]!, order, nth);
    }
  },
  /** What has happened since the last report. */
  take(): WaitingReport {
    const taken = report;
    report = fresh();
    return taken;
  },
  opened: () => report.opened.length,
  end(): void {
    isOver = true;
  },
};

export type WaitingCalls = typeof calls;
serveCalls(calls);
