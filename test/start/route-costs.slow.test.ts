import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, send } from '../support/api-request.ts';
import { png } from '../support/images.ts';
import { routesOf } from '../support/route-table.ts';
import type { TestRelay } from '../support/test-relay.ts';
import type { Visitor } from '../voting/visitor.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';

/**
 * CPU of each route with the largest poll and show, as a multiple of reading the results of a poll
 * with two answers.
 */

const OPERATOR = 'operator-key-of-a-test-with-enough-letters';
const KB = 1024;
const ANSWERS = 100;
const POLLS = 100;
const BALLOTS = 2_000;
const RUNS = 4;

/** A route that is never answered, or not at once: its cost is that of its messages, see test/bench. */
const STREAM = 'stream';
/** A small reply, or one that is ready: four times what is measured, as below. */
const CHEAP = 10;
/** About 50 KB of text, made for the request. */
const TEXT = 40;
/** Hundreds of KB, made in turns with others, or at most twice a second. */
const LARGE = 120;
/** A machine that is busy with something else is measured again. */
const TRIES = 3;

type Path = string | { readonly path: string; readonly headers: Readonly<Record<string, string>> };
type Cost = typeof STREAM | readonly (readonly [bound: number, ...paths: readonly Path[]])[];

interface Largest {
  /** Of the show, on air. */
  readonly id: string;
  /** Closed, verifiable. */
  readonly closed: string;
  readonly key: string;
  readonly image: string;
  readonly logo: string;
  readonly ground: string;
  readonly webhook: string;
  readonly joinCode: string;
}

const known = (path: string) => ({ path, headers: { 'if-none-match': '*' } });
const operator = (path: string) => ({ path, headers: { 'x-api-key': OPERATOR } });

function relayCosts({ id, closed, key, image, logo, ground, webhook }: Largest): Record<string, Cost> {
  const managed = (path: string) => ({ path, headers: { 'x-api-key': key } });
  const poll = `/api/poll/${id}`;
  const log = `/api/poll/${closed}/log`;
  const show = '/api/show/largest';
  const formats = ['rows', 'csv', 'xml', 'text'].map(format => `${poll}?format=${format}`);
  return {
    ...same(['/', '/livez', '/health', '/readyz', '/robots.txt', '/icon.svg', '/favicon.ico'], CHEAP),
    ...same(['/apple-touch-icon.png', '/overlay', '/overlay/loader.html', '/widget.js', '/client.js'], CHEAP),
    ...same(['/docs', '/docs/protocol', '/docs/log', '/docs/chat', '/docs/client', '/docs/recipes'], CHEAP),
    ...same(['/docs/reference', '/asyncapi.json'], CHEAP),
    ...same(['/overlay/templates/ograf/tallycast.ograf.json', '/overlay/templates/ograf/graphic.mjs'], CHEAP),
    ...same(['/openapi.json', '/overlay/templates/tallycast-ograf.zip'], TEXT),
    ...same(['/overlay/templates/tallycast-casparcg.html', '/overlay/templates/tallycast-spx.html'], TEXT),
    '/overlay/:id': [[CHEAP, `/overlay/${id}`]],
    '/overlay/show/:name': [[CHEAP, '/overlay/show/largest']],
    '/overlay/assets/:file': [[CHEAP, '/overlay/assets/unknown.js']],
    '/docs/assets/:file': [[CHEAP, '/docs/assets/unknown.js']],
    '/fonts/:file': [[CHEAP, '/fonts/unknown.woff2']],
    '/vote/:id': [[CHEAP, `/vote/${id}`]],
    '/vote/show/:name': [[CHEAP, '/vote/show/largest']],
    '/api/poll': [[LARGE, operator('/api/poll?limit=100')]],
    '/api/poll/:id': [
      [CHEAP, poll, known(poll), ...formats.map(known)],
      [TEXT, managed(poll), ...formats],
    ],
    '/api/poll/:id/definition': [[CHEAP, `${poll}/definition`, known(`${poll}/definition`)]],
    '/api/poll/:id/image/:file': [[CHEAP, image, known(image)]],
    '/api/poll/:id/picture.png': [
      [CHEAP, known(`${poll}/picture.png`)],
      [TEXT, `${poll}/picture.png`],
    ],
    '/api/poll/:id/qr.svg': [[CHEAP, `${poll}/qr.svg`]],
    '/api/poll/:id/qr.json': [[CHEAP, `${poll}/qr.json`]],
    '/api/poll/:id/qr.png': [[TEXT, `${poll}/qr.png`]],
    '/api/poll/:id/webhook': [[CHEAP, managed(`${poll}/webhook`)]],
    '/api/poll/:id/live': STREAM,
    '/api/poll/:id/log': [[CHEAP, log]],
    '/api/poll/:id/log/checkpoint': [[CHEAP, `${log}/checkpoint`]],
    '/api/poll/:id/log/:epoch/checkpoint': [[CHEAP, `${log}/1/checkpoint`]],
    // Both of tiles.
    '/api/poll/:id/log*': [[TEXT, `${log}/tile/entries/000`, `${log}/tile/0/000`, `${log}/1/tile/0/000`]],
    '/api/poll/:id/log/entries': [[2 * LARGE, `${log}/entries`]],
    '/api/show/:name': [[CHEAP, show, managed(show)]],
    '/api/show/:name/live': STREAM,
    '/api/show/:name/logo/:file': [[TEXT, known(logo)]],
    '/api/show/:name/ground/:file': [[LARGE, known(ground)]],
    '/api/show/:name/qr.svg': [[CHEAP, `${show}/qr.svg`]],
    '/api/show/:name/qr.json': [[CHEAP, `${show}/qr.json`]],
    '/api/show/:name/qr.png': [[TEXT, `${show}/qr.png`]],
    // 8 MB in a turn for each of a hundred polls.
    '/api/show/:name/results': [
      [10 * POLLS, managed(`${show}/results`), managed(`${show}/results?format=csv`)],
    ],
    '/api/show/:name/buttons': [[CHEAP, managed(`${show}/buttons`)]],
    '/api/show/:name/rundown': [[TEXT, managed(`${show}/rundown`)]],
    '/api/show/:name/webhook': [[CHEAP, managed(`${show}/webhook`)]],
    '/api/webhook': [[CHEAP, operator('/api/webhook')]],
    '/api/webhook/:webhook': [[CHEAP, operator(`/api/webhook/${webhook}`)]],
    '/api/live': STREAM,
    '/api/events': STREAM,
  };
}

function votingCosts({ id, closed, joinCode }: Largest): Record<string, Cost> {
  const poll = `/${id}`;
  return {
    ...same(['/', '/livez', '/health', '/readyz', '/robots.txt', '/icon.svg', '/favicon.ico'], CHEAP),
    ...same(['/apple-touch-icon.png', '/join', '/join/challenge', '/new', '/desk', '/languages'], CHEAP),
    '/assets/:file': [[CHEAP, '/assets/unknown.js']],
    '/join/:code': [[CHEAP, `/join/${joinCode}`]],
    '/desk/:name': [[CHEAP, '/desk/largest']],
    '/show/:name': [[CHEAP, '/show/largest']],
    '/show/:name/live': STREAM,
    '/show/:name/share': [[CHEAP, '/show/largest/share']],
    '/show/:name/present': [[CHEAP, '/show/largest/present']],
    '/:id/present': [[CHEAP, `${poll}/present`]],
    '/:id': [[TEXT, poll, `/${closed}`]],
    '/:id/challenge': [[CHEAP, `${poll}/challenge`]],
    '/:id/check': [[TEXT, `${poll}/check`, `/${closed}/check`]],
    '/:id/comments/live': STREAM,
    '/:id/state': [[CHEAP, `${poll}/state`]],
    '/:id/results': STREAM,
    '/:id/manage': [[LARGE, `${poll}/manage`]],
    '/:id/manage/live': STREAM,
    '/:id/manage/ballots': [[LARGE, `${poll}/manage/ballots`]],
    '/:id/manage/ballots.csv': [[LARGE, `${poll}/manage/ballots.csv`]],
    '/:id/manage/names': [[TEXT, `${poll}/manage/names`]],
    '/:id/manage/deleted': [[CHEAP, `${poll}/manage/deleted`]],
    '/:id/manage/:action': [[TEXT, `${poll}/manage/close`]],
  };
}

function same(paths: readonly string[], bound: number): Record<string, Cost> {
  return Object.fromEntries(paths.map(path => [path, [[bound, path]]]));
}

type Get = (path: string, headers?: Record<string, string>) => Promise<{ readonly statusCode: number }>;

/** The least of some runs, in microseconds: everything else of this process only adds to it. */
async function cpuOf(get: Get, path: Path): Promise<number> {
  const { path: url, headers } = typeof path === 'string' ? { path, headers: {} } : path;
  const spent: number[] = [];
  await get(url, headers);
  for (let run = 0; run < RUNS; run += 1) {
    const before = process.cpuUsage();
    const { statusCode } = await get(url, headers);
    const { user, system } = process.cpuUsage(before);
    spent.push(user + system);
    expect([url, statusCode < 500 && statusCode !== 429]).toEqual([url, true]);
  }
  return Math.min(...spent);
}

describe('no request costs more than a few small ones, whatever the size of its poll and show', () => {
  let site: LiveSite;
  let largest: Largest;
  let getOfRelay: Get;
  let creator: Visitor;
  let control: string;
  beforeAll(async () => {
    const operatorKeys = [OPERATOR];
    site = await startLiveSite({ operatorKeys }, { operatorKeys, operatorPerMinute: 10_000 });
    largest = await fill(site.relay);
    getOfRelay = (url, headers = {}) => site.relay.app.inject({ url, headers });
    creator = site.visitor();
    await creator.post(`/${largest.id}/manage/key`, { key: OPERATOR });
    const small = await site.relay.create();
    control = `/api/poll/${small.id}`;
  }, 120_000);
  afterAll(() => site.close());

  async function expectBounds(costs: Record<string, Cost>, app: FastifyInstance, get: Get) {
    const routes = routesOf(app).flatMap(route => (route.startsWith('GET ') ? [route.slice(4)] : []));
    const named = [...new Set(routes.map(route => route.replace(/\(.*?\)/, '')))];
    expect(named.sort()).toEqual(Object.keys(costs).sort());
    const dear: string[] = [];
    for (const cost of Object.values(costs))
      for (const [bound, ...paths] of cost === STREAM ? [] : cost)
        for (const path of paths) {
          let ratio = Number.POSITIVE_INFINITY;
          // Other tests run beside this one, and whatever they add is not the route's.
          for (let tries = 0; tries < TRIES && ratio > bound; tries += 1)
            ratio = Math.min(ratio, (await cpuOf(get, path)) / (await cpuOf(getOfRelay, control)));
          if (ratio > bound) dear.push(`${JSON.stringify(path)}: ${ratio.toFixed(1)} instead of ${bound}`);
        }
    expect(dear).toEqual([]);
  }

  it('of the relay', () => expectBounds(relayCosts(largest), site.relay.app, getOfRelay));

  it('of the voting front end', () =>
    expectBounds(votingCosts(largest), site.server, (path, headers) => creator.get(path, headers)));
});

/** Texts of many scripts, and letters that have to be escaped. */
function long(at: number, length: number): string {
  return `${at} قطار منتصف الليل, é́ шоссе เพลง 夜行 "&<>'`.padEnd(length, 'Ä,W');
}

async function fill(relay: TestRelay): Promise<Largest> {
  const api = `${relay.url}/api`;
  const write = async (method: string, path: string, body?: unknown, key = OPERATOR) => {
    const { status, text, json } = await send(`${api}${path}`, method, body, key);
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return json;
  };
  const upload = async (path: string, image: Buffer) => {
    const reply = await ask(`${api}${path}`, {
      method: 'PUT',
      headers: { 'x-api-key': OPERATOR },
      body: new Uint8Array(image),
    });
    if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
    return reply.json;
  };
  await write('POST', '/show', { show: { name: 'largest', title: long(0, 100) } });
  const answers = Array.from({ length: ANSWERS }, (_, at) => ({ answer: long(at, 200), color: '#1e90ff' }));
  const texts = { title: long(0, 300), description: long(1, 2_000), answers };
  const poll = { ...texts, mip: true, co: true, ma: true, join_code: true, verifiable: true };
  const polls: { id: string; poll_answers: { id: string }[]; join_code: string }[] = [];
  while (polls.length < POLLS) polls.push(await write('POST', '/show/largest/poll', { poll }));
  const [first, second] = polls as [(typeof polls)[0], (typeof polls)[0]];
  let image = '';
  for (const [at, { id }] of first.poll_answers.entries()) {
    const changed = await upload(`/poll/${first.id}/answer/${id}/image`, png(8, 8, [at, 0, 0], 190 * KB));
    image = changed.poll_answers[at].image;
  }
  const { logo } = await upload('/show/largest/logo', png(8, 8, [0, 0, 0], 190 * KB));
  const { ground } = await upload('/show/largest/ground', png(8, 8, [0, 0, 0], 900 * KB));
  await relay.cast(first.id, 1, BALLOTS);
  await relay.cast(second.id, 1, BALLOTS);
  await write('PATCH', `/poll/${second.id}`, { poll: { status: 'closed' } });
  await write('POST', '/show/largest/next');
  const made = await write('POST', '/webhook', {
    webhook: { url: 'https://example.org/', events: ['poll.closed'] },
  });
  return {
    id: first.id,
    closed: second.id,
    key: OPERATOR,
    image,
    logo,
    ground,
    webhook: made.id,
    joinCode: first.join_code,
  };
}
