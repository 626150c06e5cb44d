import { serveCalls } from '../system/calls.ts';
import { monotonicMs, pause } from '../system/clock.ts';
import { HttpSocket } from './http-socket.ts';

/** A process full of open pages of one show, each with a connection of its own, which do as their scripts do. */

export interface Following {
  readonly port: number;
  readonly show: string;
  /** The poll on their pages. */
  readonly known: string;
  readonly pages: number;
}

/** When each page of the next poll was there, in milliseconds of the machine's clock. */
export interface Arrivals {
  readonly openedMs: readonly number[];
  /** Answers that no page expects. */
  readonly odd: number;
}

/** As slowly as people come. */
const APART_MS = 0.5;

async function follow({ port, show, known }: Following): Promise<number | undefined> {
  const socket = new HttpSocket(port);
  try {
    const reply = await socket.ask(
      `GET /show/${show}/live?known=${known} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
    );
    const text = reply?.toString('utf8') ?? '';
    const { onAir, spreadMs } = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4) || '{}') as {
      onAir?: string;
      spreadMs?: number;
    };
    if (!onAir || onAir === known) return undefined;
    await pause(Math.random() * (spreadMs ?? 0));
    return (await socket.get(`/${onAir}?show=${show}`)) ? monotonicMs() : undefined;
  } finally {
    socket.close();
  }
}

const calls = {
  /** Resolves when all have the page of the next poll. */
  async follow(following: Following): Promise<Arrivals> {
    const ways: Promise<number | undefined>[] = [];
    for (let page = 0; page < following.pages; page += 1) {
      ways.push(follow(following));
      if (page % 20 === 19) await pause(20 * APART_MS);
    }
    const arrived = await Promise.all(ways);
    const openedMs = arrived.filter(ms => ms !== undefined);
    return { openedMs, odd: arrived.length - openedMs.length };
  },

  /** The same pages by themselves, as far apart as they are told to come at a switch. */
  async open({ port, known, pages }: Following): Promise<Arrivals> {
    const openOne = async () => {
      const socket = new HttpSocket(port);
      await pause(Math.random() * pages * 0.4);
      const isThere = await socket.get(`/${known}`);
      socket.close();
      return isThere ? monotonicMs() : undefined;
    };
    const arrived = await Promise.all(Array.from({ length: pages }, openOne));
    const openedMs = arrived.filter(ms => ms !== undefined);
    return { openedMs, odd: pages - openedMs.length };
  },
};

export type FollowerCalls = typeof calls;
serveCalls(calls);
