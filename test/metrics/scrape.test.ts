import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { METRICS } from '../../src/metrics/catalogue.ts';
import * as closeEvents from '../../src/protocol/close-event.ts';
import { EventClient } from '../support/event-client.ts';
import { LiveClient } from '../support/live-client.ts';
import type { CreatedPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { startMeasuredServers } from './measured-servers.ts';
import { type ParsedSample, parseOpenMetrics, sumOf } from './open-metrics.ts';

/** The metrics after some votes, and whether alert rules and dashboard query existing metrics. */

const folder = new URL('../../src/deploy/monitoring/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
/** Labels added by Prometheus, and by the supervisor of workers. */
const ADDED = ['instance', 'job', 'worker'];
/** Metrics of Prometheus and of the exporters, with the labels that queries use. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  up: ['role'],
  ALERTS: ['alertname', 'alertstate'],
  probe_ssl_earliest_cert_expiry: [],
  probe_success: ['role'],
  node_filesystem_avail_bytes: ['device', 'fstype', 'mountpoint'],
  node_filesystem_readonly: ['device', 'fstype', 'mountpoint'],
  node_filesystem_size_bytes: ['device', 'fstype', 'mountpoint'],
  redis_aof_last_write_status: [],
  redis_cpu_sys_main_thread_seconds_total: [],
  redis_cpu_user_main_thread_seconds_total: [],
  redis_memory_max_bytes: [],
  redis_memory_used_bytes: [],
  redis_up: [],
};
/** Label values that do not occur in this test. */
const NOT_SEEN = [
  'internal_error',
  'failed',
  'rate_limited',
  ...Object.values(closeEvents).map(({ reason }) => reason),
];

let servers: Awaited<ReturnType<typeof startMeasuredServers>>;
let created: CreatedPoll;
let answer: string;
let samples: ParsedSample[];
/** Test files share one process and its counts. */
let before: ParsedSample[];
let text: string;

beforeAll(async () => {
  servers = await startMeasuredServers();
  before = parseOpenMetrics(await servers.scrape());
  const { relay, site } = servers;
  created = await relay.create();
  const { id } = created;
  const live = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live`);
  const many = await LiveClient.open(`${relay.wsUrl}/api/live`);
  many.send({ type: 'subscribe', id });
  many.send({ type: 'subscribe', id: 'nosuchpoll00' });
  const events = await EventClient.open(`${relay.url}/api/poll/${id}/live`);
  await live.results(0);
  await until(() => many.of('results').length === 1, 'the first results on the other wires');
  const visitor = site.visitor();
  answer = (await relay.read(id)).poll_answers[0]?.id as string;
  await visitor.vote(id, [answer]);
  await live.results(1);
  await until(() => many.of('results').length > 1, 'the vote on a socket of many polls');
  await until(() => events.events.length > 1, 'the vote on an event stream');
  await site.visitor().get('/nosuchpoll00');
  await fetch(`${relay.url}/api/poll/nosuchpoll00`);
  await fetch(`${relay.url}/secret/${id}`);
  text = await servers.scrape();
  samples = parseOpenMetrics(text);
  events.close();
});
afterAll(() => servers.close());

const sumSince = (name: string, labels: Readonly<Record<string, string>> = {}) =>
  sumOf(samples, name, labels) - sumOf(before, name, labels);

describe('a scrape', () => {
  it('counts events', () => {
    const figures = [
      ['tallycast_ballots_total', { outcome: 'accepted' }],
      ['tallycast_connections', {}],
      ['tallycast_subscribers', {}],
      ['tallycast_watched_polls', {}],
      ['tallycast_upgrades_total', { outcome: 'accepted' }],
      ['tallycast_engine_call_duration_seconds_count', { operation: 'polls.cast' }],
      [
        'tallycast_http_requests_total',
        { server: 'relay', route: '/api/poll', method: 'POST', status: '201' },
      ],
      ['tallycast_http_requests_total', { server: 'relay', route: 'none', status: '404' }],
      ['tallycast_refusals_total', { surface: 'rest', code: 'poll_not_found' }],
      ['tallycast_refusals_total', { surface: 'live', code: 'poll_not_found' }],
      ['tallycast_refusals_total', { surface: 'voting', code: 'poll_not_found' }],
    ] as const;
    const found = figures.map(([name, labels]) => sumSince(name, labels));
    expect(found).toEqual([1, 3, 3, 1, 2, 1, 1, 1, 1, 1, 1]);
    for (const wire of ['websocket', 'multiplexed', 'sse']) {
      expect(sumSince('tallycast_sent_frames_total', { wire })).toBeGreaterThan(1);
      expect(sumSince('tallycast_sent_bytes_total', { wire })).toBeGreaterThan(200);
    }
    expect(sumSince('tallycast_ballot_to_send_seconds_count')).toBeGreaterThan(0);
    expect(sumSince('tallycast_ballot_to_send_seconds_sum')).toBeGreaterThan(0);
    expect(sumSince('tallycast_broadcast_duration_seconds_count')).toBeGreaterThan(0);
    expect(sumSince('tallycast_hints_total')).toBeGreaterThan(0);
  });

  it('contains every declared metric, in base units, with our prefix', () => {
    const names = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name as string));
    for (const { name } of METRICS) expect([...names]).toContain(name);
    expect([...names].filter(name => !name.startsWith('tallycast_'))).toEqual([]);
    expect([...names].filter(name => /_(ms|milliseconds|kb|mb|total)$/.test(name))).toEqual([]);
    expect(text).not.toContain(' summary\n');
  });

  it('contains no poll, address or URL', () => {
    const { id, admin_key, view_key } = created;
    const secrets = [id, admin_key, view_key, answer, '127.0.0', 'nosuchpoll', '/secret', 'http:'];
    expect(
      secrets.filter(secret => samples.some(({ labels }) => JSON.stringify(labels).includes(secret))),
    ).toEqual([]);
  });
});

interface Query {
  readonly where: string;
  readonly expr: string;
}

const rules = (parse(read('alerts.yml')) as { groups: { rules: { alert: string; expr: string }[] }[] }).groups
  .flatMap(group => group.rules)
  .map(({ alert, expr }): Query => ({ where: alert, expr }));
const panels = (
  JSON.parse(read('dashboard.json')).panels as { title: string; targets?: { expr: string }[] }[]
).flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }): Query => ({ where: title, expr: expr.replaceAll('$__rate_interval', '1m') })),
);

/** Parses the selectors and grouping labels of a query. @throws Error unless it is PromQL */
function readQuery(expr: string) {
  const selectors: { name: string; matchers: [label: string, op: string, value: string][] }[] = [];
  const grouped = new Set<string>();
  const textOf = ({ from, to }: { from: number; to: number }) => expr.slice(from, to);
  parser.parse(expr).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`not PromQL: ${expr}`);
      if (node.name === 'VectorSelector') selectors.push({ name: '', matchers: [] });
      const selector = selectors.at(-1);
      if (node.name === 'Identifier' && selector) selector.name = textOf(node);
      if (node.name === 'UnquotedLabelMatcher') {
        const [, label = '', op = '', value = ''] =
          /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(textOf(node)) ?? [];
        selector?.matchers.push([label, op, value]);
      }
      if (node.name === 'LabelName' && node.node.parent?.name === 'GroupingLabels') grouped.add(textOf(node));
    },
  });
  return { selectors, grouped };
}

describe('alert rules and dashboard', () => {
  it('are not empty', () => {
    expect(rules.length).toBeGreaterThan(12);
    expect(panels.length).toBeGreaterThan(30);
  });

  it.each([...rules, ...panels])('$where queries existing metrics: $expr', ({ expr }) => {
    const { selectors, grouped } = readQuery(expr);
    expect(selectors.length).toBeGreaterThan(0);
    const labels = new Set(ADDED);
    for (const { name, matchers } of selectors) {
      const declared = METRICS.find(
        metric => name.replace(/_(total|bucket|sum|count)$/, '') === metric.name || name === metric.name,
      );
      const found = samples.filter(sample => sample.name === name);
      const foreign = FOREIGN[name];
      if (!foreign && !declared) expect(found, name).not.toEqual([]);
      const sampled = Object.keys(found[0]?.labels ?? {});
      const known = [...(foreign ?? []), ...(declared?.labels ?? []), ...sampled, ...ADDED];
      for (const label of known) labels.add(label);
      for (const [label, op, value] of matchers) {
        expect(known, expr).toContain(label);
        if (foreign || ADDED.includes(label) || op === '!~') continue;
        const values = [...found.map(sample => sample.labels[label]), ...NOT_SEEN];
        for (const part of op === '=~' ? value.split('|') : [value]) {
          expect(values, `${label} of ${name}`).toContain(part);
        }
      }
    }
    if (selectors.some(({ name }) => name.endsWith('_bucket'))) expect([...grouped]).toContain('le');
    for (const label of grouped) expect([...labels]).toContain(label);
  });

  it('cover every metric', () => {
    const queried = [...rules, ...panels].flatMap(({ expr }) =>
      readQuery(expr).selectors.map(({ name }) => name),
    );
    const unseen = METRICS.filter(({ name }) => !queried.some(other => other.startsWith(name)));
    expect(unseen.map(({ name }) => name)).toEqual([]);
  });
});
