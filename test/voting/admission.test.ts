import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Admission } from '../../src/pages/guard/admission.ts';
import { BusyReplies } from '../../src/pages/guard/busy-page.ts';
import { CookieGate } from '../../src/pages/guard/rate-limit.ts';
import { CookieJar } from '../../src/pages/voter/cookie-jar.ts';
import { VotingSecret } from '../../src/pages/voter/voting-secret.ts';
import { until } from '../support/until.ts';

const PAGE = { accept: 'text/html' };
const SCRIPT = { accept: 'application/json' };
const SECRET = new VotingSecret(Buffer.alloc(32, 7));
/** More requests than any test of the queues sends. */
const NEWCOMERS = 8_000;

/** A request and its reply. */
class Call extends EventEmitter {
  readonly request: IncomingMessage;
  isStarted = false;
  status: number | undefined;
  headers: Record<string, string> = {};
  body = '';
  readonly socket = {
    destroyed: false,
    remoteAddress: '127.0.0.1',
    destroy: () => this.socket.destroyed || this.hangUp(),
  };

  constructor(method: string, url: string, headers: Record<string, string>) {
    super();
    this.request = {
      method,
      url,
      headers,
      socket: this.socket,
      complete: true,
      resume() {},
    } as unknown as IncomingMessage;
  }

  writeHead(status: number, headers: Record<string, string>): void {
    this.status = status;
    this.headers = headers;
  }

  /** Ends the reply, which the client has not read yet. */
  write(body: string): void {
    this.body = body;
    this.emit('prefinish');
  }

  end(body = ''): void {
    this.write(body);
    this.emit('close');
  }

  hangUp(): void {
    this.socket.destroyed = true;
  }
}

let nowMs: number;
let started: Call[];
let server: Server;
beforeEach(() => {
  // A queue of the test before goes on, and starts nothing here.
  const ofThisServer: Call[] = [];
  [nowMs, started] = [0, ofThisServer];
  server = new EventEmitter() as Server;
  server.on('request', (_, response) => {
    const call = response as unknown as Call;
    call.isStarted = true;
    ofThisServer.push(call);
  });
  const { log } = Fastify();
  const gate = new CookieGate({
    secret: async () => SECRET,
    cookies: new CookieJar('https://vote.test'),
    trustProxy: ['127.0.0.1'],
    newcomers: NEWCOMERS,
  });
  Admission.install(server, { gate, busy: new BusyReplies('https://vote.test'), log, clock: () => nowMs });
});

function send(method: string, url: string, headers: Record<string, string> = PAGE, complete = true): Call {
  const call = new Call(method, url, headers);
  call.request.complete = complete;
  server.emit('request', call.request, call as unknown as ServerResponse);
  return call;
}

const openPages = (count: number) => Array.from({ length: count }, (_, n) => send('GET', `/poll${n}`));
const turn = () => new Promise(done => setImmediate(done));
const turns = async (count: number) => {
  for (let n = 0; n < count; n += 1) await turn();
};

/** Answers started requests one by one. */
async function answerUntil(isDone: () => boolean): Promise<void> {
  for (let n = 0; n < 1_000 && !isDone(); n += 1) {
    started.find(call => call.body === '')?.end('answered');
    await turn();
  }
  expect(isDone()).toBe(true);
}

describe('the request queues of the voting server', () => {
  it('start a ballot before all pages that arrived with it, and before queued ones', async () => {
    const pages = openPages(400);
    const ballot = send('POST', '/poll/ballot', SCRIPT);
    await turn();
    expect(started[0]).toBe(ballot);
    await turns(50);
    const first = pages.filter(page => page.isStarted).length;
    expect(first).toBeLessThan(400);
    const late = send('POST', '/poll/ballot', SCRIPT);
    await turns(2);
    expect(late.isStarted).toBe(true);
    expect(pages.filter(page => page.isStarted)).toHaveLength(first);
    await answerUntil(() => pages.every(page => page.isStarted));
  });

  it('start four times as many ballots as pages, and pages despite any number of queued ballots', async () => {
    const ballots = Array.from({ length: 400 }, () => send('POST', '/poll/ballot', SCRIPT));
    const pages = openPages(100);
    const startedOf = (calls: Call[]) => calls.filter(call => call.isStarted).length;
    await turn();
    expect([startedOf(ballots), startedOf(pages)]).toEqual([32, 8]);
    await turns(4);
    expect([startedOf(ballots), startedOf(pages)]).toEqual([160, 40]);
  });

  it('start four times as many requests for the state of a poll as pages', async () => {
    const states = Array.from({ length: 100 }, () => send('GET', '/poll/state', SCRIPT));
    const pages = openPages(100);
    await turn();
    expect(states.filter(call => call.isStarted)).toHaveLength(32);
    await turns(3);
    expect(states.every(call => call.isStarted)).toBe(true);
    expect(pages.filter(call => call.isStarted).length).toBeLessThan(10);
  });

  it('start retries, voters and creators before new visitors', async () => {
    openPages(400);
    await turns(60);
    const newcomer = send('GET', '/poll');
    const before = [
      send('GET', '/poll', { ...PAGE, cookie: 'a=b; tallycast-turn=1' }),
      send('GET', '/poll', { ...PAGE, cookie: '__Secure-tallycast-receipt=x' }),
      send('GET', '/poll/manage'),
      send('GET', '/poll/challenge', { accept: '*/*' }),
    ];
    await turns(5);
    expect(before.every(call => call.isStarted)).toBe(true);
    expect(newcomer.isStarted).toBe(false);
  });

  it('reject new visitors once the first one has waited too long, each with a turn of its own', async () => {
    openPages(400);
    await turns(60);
    nowMs += 400;
    expect(send('GET', '/poll').status).toBeUndefined();
    nowMs += 200;
    const rejected = Array.from({ length: 6_000 }, () => send('GET', '/poll'));
    expect(new Set(rejected.map(call => call.status))).toEqual(new Set([503]));
    expect(rejected.some(call => call.isStarted)).toBe(false);
    const waits = rejected.map(call => Number(call.headers['retry-after']));
    expect(waits[0]).toBe(1);
    // In order of arrival, and spread.
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(new Set(waits).size).toBeGreaterThan(1);
    const [one] = rejected;
    expect(one?.body).toContain(`<meta http-equiv="refresh" content="${waits[0]}">`);
    expect(one?.headers['set-cookie']).toMatch(/^tallycast-turn=1; .*HttpOnly; SameSite=Lax; Secure$/);
    expect(one?.body.length).toBeLessThan(3_000);
  });

  describe('while overloaded', () => {
    const waitOf = (call: Call) => Number(call.headers['retry-after']);
    const sealed = (voter: string) => ({
      ...PAGE,
      cookie: `__Host-tallycast-voter=${SECRET.seal('voter', voter)}`,
    });
    let sealedOnce: ReturnType<typeof sealed>[] | undefined;
    /** The headers of 40,000 voters. To seal them takes longer than to queue them. */
    const crowdOfVoters = () => {
      sealedOnce ??= Array.from({ length: 40_000 }, (_, n) => sealed(`${n}`));
      return sealedOnce;
    };
    beforeEach(async () => {
      // The first request loads the secret.
      send('GET', '/poll');
      await turn();
      for (let n = 0; n < 400; n += 1) send('GET', `/poll${n}`, sealed(`page ${n}`));
      for (let n = 0; n < 40; n += 1) {
        await turn();
        nowMs += 16;
      }
      nowMs += 600;
    });

    it('give each voter one turn at a time, so that one that does not wait delays no others', () => {
      const impatient = sealed('impatient');
      const waits = Array.from({ length: 40_000 }, () => waitOf(send('GET', '/poll', impatient)));
      expect(Math.max(...waits)).toBeLessThanOrEqual(2);
      expect(waitOf(send('GET', '/poll', sealed('patient')))).toBeLessThanOrEqual(2);
      // In time.
      nowMs += 1_000;
      expect(waitOf(send('GET', '/poll', impatient))).toBeLessThanOrEqual(2);
    });

    it('give a crowd that waits its turns, spread as it is served, and a minute at most', () => {
      const crowd = crowdOfVoters().map(voter => waitOf(send('GET', '/poll', voter)));
      const middle = crowd.slice(0, 10_000);
      expect(middle).toEqual([...middle].sort((a, b) => a - b));
      expect(new Set(middle).size).toBeGreaterThan(10);
      expect(Math.max(...crowd)).toBeLessThanOrEqual(60);
    });

    it('keep no debt from a crowd that is gone', () => {
      for (const voter of crowdOfVoters()) send('GET', '/poll', voter);
      nowMs += 60_000;
      expect(waitOf(send('GET', '/poll', sealed('later')))).toBeLessThanOrEqual(2);
    });
  });

  it('serve a short queue after a stall of the whole process, however long', async () => {
    const requests = [...openPages(300), send('POST', '/poll/ballot', SCRIPT)];
    nowMs += 10_000;
    const late = send('GET', '/poll');
    await answerUntil(() => [...requests, late].every(call => call.isStarted));
    expect([...requests, late].some(call => call.status === 503)).toBe(false);
  });

  it('reject ballots of scripts, which retry, and keep the forms of browsers', async () => {
    Array.from({ length: 700 }, () => send('POST', '/poll/ballot', SCRIPT));
    await turns(100);
    nowMs += 1_100;
    const script = send('POST', '/poll/ballot', SCRIPT);
    await turn();
    expect([script.status, script.body]).toEqual([503, '{"counted":false}']);
    const form = send('POST', '/poll/ballot');
    await turn();
    expect(form.status).toBeUndefined();
    await answerUntil(() => form.isStarted);
  });

  it('reject all queued requests while nothing progresses', async () => {
    const pages = openPages(400);
    await turns(60);
    nowMs += 2_000;
    await until(() => pages.every(page => page.isStarted || page.status === 503), 'an answer to all');
    expect(pages.filter(page => page.status === 503).length).toBeGreaterThan(100);
  });

  it('queue a form only after its whole body has arrived', async () => {
    const slow = Array.from({ length: 700 }, () => send('POST', '/poll/ballot', SCRIPT, false));
    const ballot = send('POST', '/poll/ballot', SCRIPT);
    await turns(2);
    expect(started).toEqual([ballot]);
    slow[5]!.request.complete = true;
    await until(() => started.length === 2, 'the complete form');
    expect(started[1]).toBe(slow[5]);
    for (const call of slow) call.request.destroyed = true;
  });

  it.each(['/comments/live', '/results', '/manage/live', '/results?a=b'])(
    'do not count streams of %s as in progress',
    async path => {
      const streams = Array.from({ length: 600 }, (_, n) => send('GET', `/poll${n}${path}`));
      await turns(100);
      const page = send('GET', '/poll');
      await turns(2);
      expect([...streams, page].every(call => call.isStarted)).toBe(true);
    },
  );

  it.each(['/poll/present', '/poll?from=/live', '/poll?from=/results', '/poll/results.txt'])(
    'count %s as in progress',
    async path => {
      const pages = Array.from({ length: 400 }, () => send('GET', path));
      await turns(60);
      expect(pages.filter(call => call.isStarted)).toHaveLength(256);
    },
  );

  it('count a request until its reply is written, once, however slowly it is read', async () => {
    const ballots = Array.from({ length: 600 }, () => send('POST', '/poll/ballot', SCRIPT));
    await turns(60);
    expect(started).toHaveLength(512);
    for (const ballot of ballots.slice(0, 20)) ballot.write('counted');
    await turns(2);
    expect(started).toHaveLength(532);
    for (const ballot of ballots.slice(0, 20)) ballot.emit('close');
    await turns(2);
    expect(started).toHaveLength(532);
    ballots[20]!.emit('close');
    await turns(2);
    expect(started).toHaveLength(533);
  });

  it('skip closed connections, and do not count probes as in progress', async () => {
    const pages = openPages(400);
    await turns(60);
    for (const page of pages) if (!page.isStarted) page.hangUp();
    for (const page of started) page.end();
    await turns(60);
    expect(pages.filter(page => page.isStarted && page.socket.destroyed)).toEqual([]);
    openPages(400);
    await turns(60);
    nowMs += 5_000;
    for (const url of ['/livez', '/readyz', '/assets/vote.js']) expect(send('GET', url).isStarted).toBe(true);
  });
});

describe('the admission of a listening server', () => {
  it('serves a visitor while as many replies as it works on wait for slow readers', async () => {
    const large = Buffer.alloc(2 ** 22, 'a');
    const listening = createServer((request, response) =>
      response.end(request.url === '/slow' ? large : 'served'),
    );
    const gate = { check: () => ({ voter: undefined, setCookie: undefined }) } as unknown as CookieGate;
    Admission.install(listening, { gate, busy: new BusyReplies('https://vote.test'), log: Fastify().log });
    await new Promise<void>(done => listening.listen(0, '127.0.0.1', done));
    const { port } = listening.address() as AddressInfo;
    const slow = Array.from({ length: 256 }, () => connect(port, '127.0.0.1').pause());
    onTestFinished(() => {
      for (const socket of slow) socket.destroy();
      listening.closeAllConnections();
      listening.close();
    });
    let asked = 0;
    listening.on('request', () => {
      asked += 1;
    });
    for (const socket of slow) socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => asked === 256, 'the requests of the slow readers');
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('served');
  });
});

describe('the cookie gate', () => {
  const from = (address: string, cookie = '') => ({ ...PAGE, 'x-forwarded-for': address, cookie });

  it('above its limit answers requests without a valid voter cookie with a cookie only, by address', async () => {
    // The first request loads the secret.
    send('GET', '/poll', from('192.0.2.1'));
    await turn();
    for (let n = 0; n < NEWCOMERS; n += 1) send('POST', '/poll/ballot', from('192.0.2.1')).hangUp();
    await turns(2);
    const rejected = [
      send('GET', '/poll', from('192.0.2.1')),
      send('GET', '/poll', from('192.0.2.1', '__Host-tallycast-voter=forged.seal; tallycast-turn=1')),
      send('GET', '/poll', from('198.51.100.1, 192.0.2.1')),
    ];
    expect(rejected.map(call => call.status)).toEqual([429, 429, 429]);
    for (const { headers, body } of rejected) {
      expect(headers['retry-after']).toBe('1');
      expect(headers['set-cookie']).toMatch(
        /^__Host-tallycast-voter=[^;]+; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      expect(body).toContain('<meta http-equiv="refresh" content="1">');
      expect(body).toContain('location.reload(),300)');
    }
    expect(send('POST', '/poll/ballot', { ...SCRIPT, ...from('192.0.2.1') }).status).toBe(429);
    const sealed = rejected[0]!.headers['set-cookie']!.split(';')[0]!;
    const served = [send('GET', '/poll', from('192.0.2.1', sealed)), send('GET', '/poll', from('192.0.2.2'))];
    // Closed connections leave their queue first.
    await turns(NEWCOMERS / 32 + 2);
    expect(served.map(call => call.isStarted)).toEqual([true, true]);
    nowMs += 1_000;
    expect(send('GET', '/poll', from('192.0.2.1')).status).toBeUndefined();
  });
});
