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
import { startEvening } from './evening.ts';
import { parseOpenMetrics, sumOf, type Told } from './open-metrics.ts';

/** What is told after an evening, and whether the rules and the dashboard ask for what is told. */

const folder = new URL('../../src/deploy/monitoring/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
/** What Prometheus itself adds, and the workers' supervisor. */
const ADDED = ['instance', 'job', 'worker'];
/** Values that nothing happened for on this evening. */
const ELSEWHERE = [
  'internal_error',
  'failed',
  'rate_limited',
  ...Object.values(closeEvents).map(({ reason }) => reason),
];

let evening: Awaited<ReturnType<typeof startEvening>>;
let created: CreatedPoll;
let answer: string;
let told: Told[];
/** Files of tests share a process, and so what it has counted before. */
let before: Told[];
let text: string;

beforeAll(async () => {
  evening = await startEvening();
  before = parseOpenMetrics(await evening.tell());
  const { relay, site } = evening;
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
  await until(() => many.of('results').length > 1, 'the vote on the other wires');
  await site.visitor().get('/nosuchpoll00');
  await fetch(`${relay.url}/api/poll/nosuchpoll00`);
  await fetch(`${relay.url}/secret/${id}`);
  text = await evening.tell();
  told = parseOpenMetrics(text);
  events.close();
});
afterAll(() => evening.close());

const sumSince = (name: string, labels: Readonly<Record<string, string>> = {}) =>
  sumOf(told, name, labels) - sumOf(before, name, labels);

describe('a scrape', () => {
  it('counts what happened', () => {
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
    expect(sumSince('tallycast_ballot_to_send_seconds_count')).toBe(1);
    expect(sumSince('tallycast_ballot_to_send_seconds_sum')).toBeGreaterThan(0);
    expect(sumSince('tallycast_broadcast_duration_seconds_count')).toBeGreaterThan(0);
    expect(sumSince('tallycast_hints_total')).toBeGreaterThan(0);
  });

  it('gives every metric that is declared, in base units, under names of ours', () => {
    const names = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name as string));
    for (const { name } of METRICS) expect([...names]).toContain(name);
    expect([...names].filter(name => !name.startsWith('tallycast_'))).toEqual([]);
    expect([...names].filter(name => /_(ms|milliseconds|kb|mb|total)$/.test(name))).toEqual([]);
    expect(text).not.toContain(' summary\n');
  });

  it('names no poll, no address and no URL', () => {
    const { id, admin_key, view_key } = created;
    const secrets = [id, admin_key, view_key, answer, '127.0.0', 'nosuchpoll', '/secret', 'http:'];
    expect(
      secrets.filter(secret => told.some(({ labels }) => JSON.stringify(labels).includes(secret))),
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

/** The selectors of a query with the labels that it groups by. @throws Error where it is no PromQL */
function readQuery(expr: string) {
  const selectors: { name: string; matchers: [label: string, op: string, value: string][] }[] = [];
  const grouped = new Set<string>();
  const textOf = ({ from, to }: { from: number; to: number }) => expr.slice(from, to);
  parser.parse(expr).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`no PromQL: ${expr}`);
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

describe('the rules and the dashboard', () => {
  it('are many', () => {
    expect(rules.length).toBeGreaterThan(12);
    expect(panels.length).toBeGreaterThan(30);
  });

  it.each([...rules, ...panels])('$where asks for what is told: $expr', ({ expr }) => {
    const { selectors, grouped } = readQuery(expr);
    expect(selectors.length).toBeGreaterThan(0);
    const labels = new Set(ADDED);
    for (const { name, matchers } of selectors) {
      const declared = METRICS.find(
        metric => name.replace(/_(total|bucket|sum|count)$/, '') === metric.name || name === metric.name,
      );
      const samples = told.filter(sample => sample.name === name);
      if (name !== 'up' && !declared) expect(samples, name).not.toEqual([]);
      const known = [...(declared?.labels ?? []), ...Object.keys(samples[0]?.labels ?? {}), ...ADDED];
      for (const label of known) labels.add(label);
      for (const [label, op, value] of matchers) {
        expect(known, expr).toContain(label);
        if (ADDED.includes(label) || op === '!~') continue;
        const values = [...samples.map(sample => sample.labels[label]), ...ELSEWHERE];
        for (const part of op === '=~' ? value.split('|') : [value]) {
          expect(values, `${label} of ${name}`).toContain(part);
        }
      }
    }
    if (selectors.some(({ name }) => name.endsWith('_bucket'))) expect([...grouped]).toContain('le');
    for (const label of grouped) expect([...labels]).toContain(label);
  });

  it('leaves no metric of ours unseen', () => {
    const asked = [...rules, ...panels].flatMap(({ expr }) =>
      readQuery(expr).selectors.map(({ name }) => name),
    );
    const unseen = METRICS.filter(({ name }) => !asked.some(other => other.startsWith(name)));
    expect(unseen.map(({ name }) => name)).toEqual([]);
  });
});
