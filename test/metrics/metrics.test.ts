import { describe, expect, it } from 'vitest';
import { Counter, Durations, Gauge, Histogram } from '../../src/metrics/metric.ts';

describe('a counter', () => {
  it('has one value for each set of labels, from the first lookup on', () => {
    const counter = new Counter('tallycast_a', '', ['x', 'y']);
    counter.of({ x: '1', y: '2' }).value += 3;
    counter.of({ x: '1', y: '2' }).value += 1;
    counter.of({ x: '12', y: '' });
    expect([...counter.samples()]).toEqual([
      { labels: { x: '1', y: '2' }, value: 4 },
      { labels: { x: '12', y: '' }, value: 0 },
    ]);
  });
});

describe('a gauge', () => {
  it('adds up its readers at each scrape, without removed ones', async () => {
    const gauge = new Gauge('tallycast_b', '', ['x']);
    let held = 1;
    const remove = gauge.read(() => [[{ x: 'one' }, held]]);
    gauge.read(async () => [
      [{ x: 'one' }, 10],
      [{ x: 'two' }, 5],
    ]);
    held = 2;
    expect([...(await gauge.samples())]).toEqual([
      { labels: { x: 'one' }, value: 12 },
      { labels: { x: 'two' }, value: 5 },
    ]);
    remove();
    expect([...(await gauge.samples())][0]).toEqual({ labels: { x: 'one' }, value: 10 });
  });
});

describe('durations', () => {
  const samplesOf = (durations: Durations) =>
    Object.fromEntries(
      [...durations.samples('d', {})].map(({ metricName = '', labels, value }) => [
        metricName + (labels['le'] ?? ''),
        value,
      ]),
    );

  it('are counted in cumulative buckets, bounds included', () => {
    const durations = new Durations([0.01, 0.1]);
    for (const ms of [10, 11, 100, 2_000]) durations.observe(ms);
    expect(samplesOf(durations)).toEqual({
      'd_bucket0.01': 1,
      'd_bucket0.1': 3,
      'd_bucket+Inf': 4,
      d_sum: 2.121,
      d_count: 4,
    });
  });

  it('count as 0 if negative', () => {
    const durations = new Durations([0.01]);
    durations.observe(-5);
    expect(samplesOf(durations)).toMatchObject({ 'd_bucket0.01': 1, d_sum: 0 });
  });

  it('are separate for each set of labels', () => {
    const histogram = new Histogram('tallycast_c', '', ['x'], [1]);
    histogram.of({ x: 'a' }).observe(1);
    histogram.of({ x: 'b' }).observe(1);
    expect([...histogram.samples()].filter(({ metricName }) => metricName?.endsWith('_count'))).toEqual([
      { labels: { x: 'a' }, value: 1, metricName: 'tallycast_c_count' },
      { labels: { x: 'b' }, value: 1, metricName: 'tallycast_c_count' },
    ]);
  });
});
