import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { serveCalls } from '../system/calls.ts';
import { monotonicMs, paced } from '../system/clock.ts';
import { fieldOf, solveForm } from './voting-page.ts';

/** A process that votes as browsers behind one proxy do: page and ballot, over connections that are kept. */

interface Voter {
  readonly address: string;
  readonly pollId: string;
  cookie: string;
  /** All fields but the choice, the human check solved. */
  form: Record<string, string>;
  answer: string;
  /** Another one. */
  second: string;
}

interface Site {
  readonly port: number;
  readonly pollId: string;
}

interface Part extends Site {
  /** Which of the prepared voters: from the first to, but without, the last. */
  readonly from: number;
  readonly to: number;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const CONNECTIONS = 64;
const BUSY_MS = 1_000;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
/** What Chromium sends on a phone, as far as a server has to read it. */
const BROWSER = {
  'user-agent':
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-GB,en;q=0.9',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-user': '?1',
  'upgrade-insecure-requests': '1',
};

const voters: Voter[] = [];

const calls = {
  /** Opens the page for so many more voters and solves their checks. */
  async prepare({ port, pollId, count }: Site & { count: number }) {
    await calls.prepareFor({ port, pollIds: [pollId], count });
  },
  /** The same, of each poll in turn. */
  async prepareFor({ port, pollIds, count }: { port: number; pollIds: readonly string[]; count: number }) {
    await inParallel(count, async index => {
      const number = voters.length;
      const pollId = pollIds[index % pollIds.length]!;
      const voter = { address: addressOf(number), pollId, cookie: '', form: {}, answer: '', second: '' };
      voters.push(voter);
      const page = await askUntilServed(port, `/${pollId}`, voter);
      voter.cookie = cookiesOf(page);
      voter.form = solveForm(page.body);
      voter.answer = fieldOf(page.body, 'answer');
      voter.second = fieldOf(page.body.slice(page.body.indexOf(voter.answer)), 'answer');
    });
  },
  async sendBallots({ port, from, to }: Part) {
    await inParallel(to - from, index => sendBallot(port, voters[from + index]!));
  },
  /** Of voters who have sent a ballot: another answer, with the receipt and without a human check. */
  async sendChanges({ port, from, to }: Part) {
    await inParallel(to - from, index => {
      const voter = voters[from + index]!;
      const { ballot = '' } = voter.form;
      return sendBallot(port, { ...voter, form: { ballot, change: '1' }, answer: voter.second });
    });
  },
  /**
   * At even moments, whether those before were answered or not.
   *
   * @returns milliseconds until each reply, from its moment on
   */
  async sendAtRate({ port, from, to, perSecond }: Omit<Part, 'pollId'> & { perSecond: number }) {
    const sent: Promise<number>[] = [];
    await paced(perSecond, ((to - from) * 1_000) / perSecond, () => {
      const startMs = monotonicMs();
      const voter = voters[from + sent.length]!;
      sent.push(sendBallot(port, voter).then(() => monotonicMs() - startMs));
    });
    return Promise.all(sent);
  },
};

async function sendBallot(port: number, voter: Voter): Promise<void> {
  const body = new URLSearchParams({ ...voter.form, answer: voter.answer }).toString();
  const reply = await ask(port, `/${voter.pollId}/ballot`, voter, body);
  if (reply.status !== 303) throw new Error(`ballot: ${reply.status}`);
  voter.cookie = [voter.cookie, cookiesOf(reply)].join('; ');
}

async function inParallel(count: number, act: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next < count) {
        next += 1;
        await act(next - 1);
      }
    }),
  );
}

function ask(
  port: number,
  path: string,
  { address, cookie }: Pick<Voter, 'address' | 'cookie'>,
  form?: string,
): Promise<Reply> {
  return new Promise((done, fail) => {
    const outgoing = request(
      {
        agent,
        port,
        path,
        host: '127.0.0.1',
        method: form === undefined ? 'GET' : 'POST',
        headers: {
          ...BROWSER,
          'x-forwarded-for': address,
          ...(cookie === '' ? {} : { cookie }),
          ...(form === undefined
            ? {}
            : {
                origin: `http://127.0.0.1:${port}`,
                'content-type': 'application/x-www-form-urlencoded',
                'content-length': Buffer.byteLength(form),
              }),
        },
      },
      incoming => {
        const chunks: Buffer[] = [];
        incoming.on('data', chunk => chunks.push(chunk));
        incoming.on('end', () => {
          const body = Buffer.concat(chunks).toString();
          done({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
        });
      },
    );
    outgoing.on('error', fail);
    outgoing.end(form);
  });
}

/** A front end that just started may say that it has too much to do. */
async function askUntilServed(port: number, path: string, voter: Voter): Promise<Reply> {
  for (;;) {
    const reply = await ask(port, path, voter);
    if (reply.status !== 503) return reply;
    await new Promise(done => setTimeout(done, BUSY_MS));
  }
}

function addressOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

function cookiesOf({ headers }: Reply): string {
  return (headers['set-cookie'] ?? []).map(cookie => cookie.replace(/;.*$/, '')).join('; ');
}

export type VoterCalls = typeof calls;
serveCalls(calls);
