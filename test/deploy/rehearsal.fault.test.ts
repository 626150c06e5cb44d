// @module-tag caddy
// @module-tag nginx
// @module-tag redis-server
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import { watchPoll } from '../../src/client/watch-poll.ts';
import { type Engine, openEngine } from '../../src/engine/open-engine.ts';
import { kill } from '../support/child-process.ts';
import { Ledger } from '../support/ledger.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { solveForm } from '../voting/visitor.ts';
import { readComposition, readShipped } from './composition.ts';
import { OverTls } from './over-tls.ts';
import { type Rehearsal, rehearse, START_MS } from './rehearsal.ts';

/** docker-compose.yml as processes: normal use, and failures. */

const SERVICES = ['redis', 'relay-1', 'relay-2', 'voting-1', 'voting-2', 'front-door'];
const RELAY = 'https://relay.localhost:8443';
const VOTE = 'https://vote.localhost:8443';
const SCREENS = 60;
const BALLOTS = 400;
const VOTERS = 6;
const PATIENCE_MS = 60_000;
const VISITOR = '203.0.113.77';

let rehearsal: Rehearsal;
let engine: Engine;
let url: string;
let tls: OverTls;
beforeAll(async () => {
  rehearsal = await rehearse({
    // With a trailing slash, as people paste them.
    PUBLIC_URL: `${RELAY}/`,
    VOTE_PUBLIC_URL: `${VOTE}/`,
    CREATE_PER_MINUTE: '1000',
    CADDY_GLOBAL_OPTIONS: 'http_port 8880\nhttps_port 8443',
  });
  engine = await openEngine({ redisUrl: rehearsal.redisUrl });
  url = rehearsal.url('front-door', 8080);
  tls = new OverTls(rehearsal);
}, START_MS);
afterAll(async () => {
  await engine?.close();
  await rehearsal?.stop();
});

/** Votes over TLS with the headers of a browser. @returns the status of the reply */
async function vote(id: string, voter: number): Promise<number> {
  const from = { 'x-forwarded-for': `198.51.100.${voter}` };
  const page = await tls.ask(`${VOTE}/${id}`, { accept: 'text/html', ...from });
  const cookies = (page.headers['set-cookie'] ?? []).map(cookie => cookie.split(';')[0]);
  expect(cookies.join()).toContain('__Host-');
  const form = (await solveForm(page.text)) as Record<string, string>;
  const answer = (await engine.polls.find(id))?.poll.answers[0]?.id as string;
  const headers = {
    ...from,
    accept: 'application/json',
    origin: VOTE,
    cookie: cookies.join('; '),
    'content-type': 'application/x-www-form-urlencoded',
  };
  return (await tls.ask(`${VOTE}/${id}/ballot`, headers, `${new URLSearchParams({ ...form, answer })}`))
    .status;
}

describe('the compose file, as processes', () => {
  it('serves both names over TLS with local certificates, and redirects plain HTTP', async () => {
    expect((await tls.ask(`${RELAY}/readyz`)).status).toBe(200);
    expect((await tls.ask(`${VOTE}/readyz`)).status).toBe(200);
    const led = await fetch(rehearsal.url('front-door', 8880), {
      headers: { host: 'relay.localhost' },
      redirect: 'manual',
    });
    expect(led.status).toBe(308);
    const poll = JSON.stringify({ poll: { title: 'Which song next?', answers: ['Waterloo', 'Volare'] } });
    const created = JSON.parse((await tls.ask(`${RELAY}/api/poll`, {}, poll)).text);
    for (const link of Object.values(created.links)) expect(link).toMatch(/^(https|wss):/);
    const socket = new WebSocket(`${RELAY.replace('https', 'wss')}/api/poll/${created.id}/live`, {
      ca: tls.ca,
      lookup: (_, options, done) => {
        const address = new URL(url).hostname;
        if (options.all) (done as (...found: unknown[]) => void)(null, [{ address, family: 4 }]);
        else done(null, address, 4);
      },
    });
    const first = await new Promise((done, fail) => {
      socket.on('message', data => done(JSON.parse(`${data}`).type)).on('error', fail);
    });
    expect(first).toBe('results');
    socket.terminate();
  });

  it('loses no vote when a relay is killed under load, and every screen is exact', {
    timeout: 180_000,
  }, async () => {
    const { id } = await createPoll(url, { mip: true });
    const answer = (await engine.polls.find(id))?.poll.answers[0]?.id as string;
    const totals = Array.from({ length: SCREENS }, () => 0);
    const watches = totals.map((_, index) =>
      watchPoll(`${url}/api/poll/${id}`, {
        WebSocket,
        onResults: ({ total_votes }) => {
          totals[index] = total_votes;
        },
      }),
    );
    const ledger = new Ledger(id);
    let votes = 0;
    const cast = async (from: number, to: number) => {
      for (let n = from; n < to; n += 1) await ledger.cast(engine, ledger.draw(answer, n));
    };
    await cast(0, BALLOTS / 2);
    await until(() => totals.every(total => total > 0), 'all screens', PATIENCE_MS);
    const going = cast(BALLOTS / 2, BALLOTS);
    await kill(rehearsal.child('relay-1'));
    expect(await rehearsal.health('relay-1')).not.toBe(0);
    for (; votes < VOTERS; votes += 1) expect(await vote(id, votes)).toBe(200);
    await going;
    await ledger.settle(engine);
    await until(() => totals.every(total => total === BALLOTS + votes), 'exact screens', PATIENCE_MS);
    expect(ledger.accepted).toBe(BALLOTS);
    await rehearsal.start('relay-1');
    for (const watch of watches) watch.close();
  });

  it('reports each service as healthy by its command, and as unhealthy once it is killed', async () => {
    for (const name of SERVICES) expect([name, await rehearsal.health(name)]).toEqual([name, 0]);
    await kill(rehearsal.child('voting-2'));
    expect(await rehearsal.health('voting-2')).not.toBe(0);
    await rehearsal.start('voting-2');
  });

  it('serves metrics of all four servers to Prometheus only', async () => {
    const text = readShipped('src/deploy/monitoring/prometheus.yml');
    const { scrape_configs, rule_files } = parse(text);
    const targets = scrape_configs[0].static_configs.flatMap((group: { targets: string[] }) => group.targets);
    expect(targets.length).toBe(4);
    for (const target of targets) {
      const [name, port] = target.split(':');
      const metrics = await fetch(`${rehearsal.url(name, Number(port))}/metrics`);
      expect([target, metrics.status]).toEqual([target, 200]);
      expect(await metrics.text()).toContain('tallycast_build_info');
    }
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    const prometheus = readComposition().find(({ name }) => name === 'prometheus');
    const beside = Object.keys(prometheus?.files ?? {}).map(path => basename(path));
    expect(beside).toEqual(['prometheus.yml', ...rule_files]);
    const sites = readComposition({ PUBLIC_URL: 'https://relay.example' }).find(
      ({ name }) => name === 'prometheus',
    )?.texts;
    const [file] = scrape_configs.find((job: { job_name: string }) => job.job_name === 'public')
      .file_sd_configs[0].files;
    expect(parse(sites?.[`/etc/prometheus/${file}`] ?? '')).toEqual([
      { targets: ['https://relay.example', ''] },
    ]);
  });

  it('answers as documented to large requests, and while no relay is up', async () => {
    const post = { method: 'POST', body: 'x'.repeat(200_000) };
    const large = await fetch(`${url}/api/poll`, post);
    expect([large.status, (await large.json()).error.code]).toEqual([413, 'body_too_large']);
    const long = await fetch(`${url}/api/poll/x`, { headers: { 'x-much': 'x'.repeat(9_000) } });
    expect([long.status, (await long.json()).success]).toEqual([400, 0]);
    await Promise.all(['relay-1', 'relay-2'].map(name => kill(rehearsal.child(name), 'SIGTERM')));
    const away = await fetch(`${url}/api/poll/x`);
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await away.json()).error.code).toBe('engine_unavailable');
    await Promise.all(['relay-1', 'relay-2'].map(name => rehearsal.start(name)));
  });

  it('logs no address, key or vote', async () => {
    const { id, view_key } = await createPoll(url, { results_visibility: 'hidden', mip: true });
    const from = { 'x-forwarded-for': VISITOR };
    expect((await fetch(`${url}/api/poll/${id}?key=${view_key}`, { headers: from })).status).toBe(200);
    expect(await vote(id, 1)).toBe(200);
    await Promise.all(['voting-1', 'voting-2'].map(name => kill(rehearsal.child(name))));
    await tls.ask(`${VOTE}/${id}/ballot?key=${view_key}`, from, 'a=b');
    await Promise.all(['voting-1', 'voting-2'].map(name => rehearsal.start(name)));
    for (const name of SERVICES) {
      const log = rehearsal.log(name);
      expect(log).not.toBe('');
      for (const secret of [VISITOR, '198.51.100', view_key, id, '/ballot'])
        expect(log).not.toContain(secret);
    }
  });
});
