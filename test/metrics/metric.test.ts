import { describe, expect, it } from 'vitest';
import { Counter, Durations, Gauge, Histogram } from '../../src/metrics/metric.ts';

describe('a counter', () => {
  it('keeps one number for each set of labels, shown from the first time that it is asked for', () => {
    const counter = new Counter({ name: 'tallycast_a', help: '', labels: ['x', 'y'] });
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
  it('adds up what its readers find at the moment, and forgets those that have ended', async () => {
    const gauge = new Gauge({ name: 'tallycast_b', help: '', labels: ['x'] });
    let held = 1;
    const end = gauge.read(() => [[{ x: 'one' }, held]]);
    gauge.read(async () => [
      [{ x: 'one' }, 10],
      [{ x: 'two' }, 5],
    ]);
    held = 2;
    expect([...(await gauge.samples())]).toEqual([
      { labels: { x: 'one' }, value: 12 },
      { labels: { x: 'two' }, value: 5 },
    ]);
    end();
    expect([...(await gauge.samples())][0]).toEqual({ labels: { x: 'one' }, value: 10 });
  });
});

describe('durations', () => {
  const told = (durations: Durations) =>
    Object.fromEntries(
      [...durations.samples('d', {})].map(({ metricName = '', labels, value }) => [
        metricName + (labels['le'] ?? ''),
        value,
      ]),
    );

  it('fall into buckets that hold all below their bound, the bound included', () => {
    const durations = new Durations([0.01, 0.1]);
    for (const ms of [10, 11, 100, 2_000]) durations.observe(ms);
    expect(told(durations)).toEqual({
      'd_bucket0.01': 1,
      'd_bucket0.1': 3,
      'd_bucket+Inf': 4,
      d_sum: 2.121,
      d_count: 4,
    });
  });

  it('that clocks make negative are none', () => {
    const durations = new Durations([0.01]);
    durations.observe(-5);
    expect(told(durations)).toMatchObject({ 'd_bucket0.01': 1, d_sum: 0 });
  });

  it('are kept apart by labels', () => {
    const histogram = new Histogram({ name: 'tallycast_c', help: '', labels: ['x'] }, [1]);
    histogram.of({ x: 'a' }).observe(1);
    histogram.of({ x: 'b' }).observe(1);
    expect([...histogram.samples()].filter(({ metricName }) => metricName?.endsWith('_count'))).toEqual([
      { labels: { x: 'a' }, value: 1, metricName: 'tallycast_c_count' },
      { labels: { x: 'b' }, value: 1, metricName: 'tallycast_c_count' },
    ]);
  });
});
