import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { serveCalls } from '../system/calls.ts';
import { pause } from '../system/clock.ts';
import { upgradeRequest } from './dial.ts';
import { HttpSocket } from './http-socket.ts';
import { fieldOf, solveForm } from './voting-page.ts';

/** A process that disturbs the voters behind its address. */

interface FloodOrder {
  readonly port: number;
  readonly pollId: string;
  /** Each sends one request after another. */
  readonly connections: number;
  readonly kinds: readonly FloodKind[];
  /** Sealed cookies to collect first, for the kinds that need them. */
  readonly cookies: number;
}

interface Target {
  readonly port: number;
  readonly pollId: string;
}

interface Visit {
  readonly cookie: string;
  /** A form whose proof was used. */
  readonly used: string;
}

type FloodKind = keyof typeof REQUESTS;

const get = (port: number, path: string, cookie = '') =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/html\r\nCookie: ${cookie}\r\n\r\n`;

const post = ({ port, pollId }: Target, body: string, cookie = '') =>
  `POST /${pollId}/ballot HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nAccept: application/json\r\nCookie: ${cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const RUBBISH = 'answer=rubbish&ballot=rubbish&proof=rubbish';
const forged = () =>
  `tallycast-voter=${randomBytes(16).toString('base64url')}.${randomBytes(24).toString('base64url')}`;
const unknownId = () => randomBytes(6).toString('hex');

let heights = 0;
function newHeight(): number {
  heights += 1;
  return 1_080 - (heights % 800);
}

const REQUESTS = {
  'rubbish forms': target => post(target, RUBBISH),
  'unknown polls': ({ port }) => get(port, `/${unknownId()}`),
  challenges: ({ port, pollId }) => get(port, `/${pollId}/challenge`),
  'forged cookies': target => post(target, RUBBISH, forged()),
  'pages with sealed cookies': ({ port, pollId }, { cookie }) => get(port, `/${pollId}`, cookie),
  'challenges with sealed cookies': ({ port, pollId }, { cookie }) =>
    get(port, `/${pollId}/challenge`, cookie),
  'forms without proof': (target, { cookie }) => post(target, RUBBISH, cookie),
  'proofs sent again': (target, { cookie, used }) => post(target, used, cookie),
  states: ({ port, pollId }) => get(port, `/${pollId}/state`),
  // Of the relay.
  results: ({ port, pollId }) => get(port, `/api/poll/${pollId}`),
  pictures: ({ port, pollId }) => get(port, `/api/poll/${pollId}/picture.png?size=1920x1080`),
  'new pictures': ({ port, pollId }) => get(port, `/api/poll/${pollId}/picture.png?size=1920x${newHeight()}`),
  'states with sealed cookies': ({ port, pollId }, { cookie }) => get(port, `/${pollId}/state`, cookie),
} as const satisfies Record<string, (target: Target, visit: Visit) => string>;

const COLLECTORS = 16;
let isOver = false;
let flooding: Promise<unknown> = Promise.resolve();
let isOpen = 0;
/** Replies by kind and status. */
let replies: Record<string, number> = {};

/** Opens the page without a cookie. @returns the cookie that it sets, and a counted ballot if asked for */
async function collect(socket: HttpSocket, target: Target, votes: boolean): Promise<Visit> {
  for (;;) {
    const page = (await socket.ask(get(target.port, `/${target.pollId}`)))?.toString('latin1') ?? '';
    const cookie = /^set-cookie: (tallycast-voter=[^;]*)/im.exec(page)?.[1];
    if (cookie !== undefined && !votes) return { cookie, used: '' };
    if (cookie === undefined || !page.startsWith('HTTP/1.1 200')) {
      await pause(100);
      continue;
    }
    const used = new URLSearchParams({ ...solveForm(page), answer: fieldOf(page, 'answer') }).toString();
    await socket.ask(post(target, used, cookie));
    return { cookie, used };
  }
}

const calls = {
  /** @returns ballots that the neighbor has cast */
  async begin({ port, pollId, connections, kinds, cookies }: FloodOrder): Promise<number> {
    const target = { port, pollId };
    const votes = kinds.includes('proofs sent again');
    const visits: Visit[] = [];
    let wanted = cookies;
    const visit = async () => {
      const socket = new HttpSocket(port);
      while (wanted > 0) {
        wanted -= 1;
        visits.push(await collect(socket, target, votes));
      }
      socket.close();
    };
    await Promise.all(Array.from({ length: COLLECTORS }, visit));
    isOver = false;
    replies = {};
    let next = 0;
    const flood = async () => {
      let socket = new HttpSocket(port);
      while (!isOver) {
        next += 1;
        const kind = kinds[next % kinds.length] as FloodKind;
        const visit = visits[next % Math.max(1, visits.length)] ?? { cookie: '', used: '' };
        const reply = await socket.ask(REQUESTS[kind](target, visit));
        const name = `${kind} ${reply?.toString('latin1', 9, 12) ?? 'ended'}`;
        replies[name] = (replies[name] ?? 0) + 1;
        if (reply) continue;
        await pause(10);
        socket = new HttpSocket(port);
      }
      socket.close();
    };
    flooding = Promise.all(Array.from({ length: connections }, flood));
    return votes ? visits.length : 0;
  },
  /** Stops. @returns replies by kind and status */
  async end(): Promise<Record<string, number>> {
    isOver = true;
    await flooding;
    return replies;
  },
  /** Opens live connections and reads what arrives, until the process ends. */
  async hold({ port, pollId, count }: Target & { count: number }) {
    const path = `/api/poll/${pollId}/live`;
    for (let opened = 0; opened < count; opened += 1) {
      await new Promise<void>((done, fail) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(upgradeRequest({ port, path })));
        socket.once('error', fail);
        socket.once('data', () => {
          isOpen += 1;
          done();
        });
        socket.once('close', () => {
          isOpen -= 1;
        });
        socket.resume();
      });
    }
  },
  open: () => isOpen,
};

export type NeighborCalls = typeof calls;
serveCalls(calls);
