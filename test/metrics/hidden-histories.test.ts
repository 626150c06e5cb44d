import { describe, expect, it, vi } from 'vitest';
import type { Reading } from '../../src/poll/poll.ts';
import { logLines } from '../support/log-lines.ts';
import { voidBallots } from '../support/void-ballots.ts';

/**
 * Metrics, readiness and log of a hidden poll depend on the number of its ballots, which the
 * operator may know, but not on their answers, nor on how many the creator removed.
 */

/** Counts of different length: 12 and 0, or 6 and 6. */
const HISTORIES = [
  { answers: Array.from({ length: 12 }, () => 0), removed: 11 },
  { answers: Array.from({ length: 12 }, (_, index) => index % 2), removed: 2 },
] as const;
/** Longer than the windows of hints and rate groups, so that each ballot causes one broadcast. */
const APART_MS = 120;
/** Engine calls on timers, whose number depends on the duration: sweeps, events and audiences. */
const TIMED_CALLS = /operation="(?:polls\.find|records\.|events\.)/;
/** Durations, and metrics of Node.js. */
const DURATION =
  /_bucket|_sum\b|^tallycast_(process|nodejs|event_loop)_|^tallycast_(broadcast_duration|ballot_to_send)_seconds_count/;

interface History {
  readonly metrics: string[];
  readonly ready: string[];
  readonly log: string[];
}

/** Loads all modules anew, so that counts start at 0. */
async function play({ answers, removed }: (typeof HISTORIES)[number]): Promise<History> {
  vi.resetModules();
  const { startMeasuredServers } = await import('./measured-servers.ts');
  const { LiveClient } = await import('../support/live-client.ts');
  const { logRejections } = await import('../../src/start/log.ts');
  const { logger, lines } = logLines();
  const servers = await startMeasuredServers(logger);
  const endLog = logRejections(logger);
  const { relay, site } = servers;
  const { id, view_key } = await relay.create({ results_visibility: 'hidden', answers: ['a', 'b', 'c'] });
  const { poll } = (await servers.engine.polls.find(id)) as Reading;
  const outsider = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live`);
  const insider = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live?hz=20&key=${view_key}`);
  await insider.results(0);
  for (const [index, answer] of answers.entries()) {
    await site.visitor().vote(id, [poll.answers[answer]?.id as string]);
    await insider.results(index + 1);
    await new Promise(done => setTimeout(done, APART_MS));
  }
  const castAtMs: number[] = [];
  for await (const ballots of servers.engine.polls.readBallots(id))
    castAtMs.push(...ballots.map(ballot => ballot.castAtMs));
  await voidBallots(servers.engine.polls, id, { fromMs: 0, toMs: castAtMs[removed - 1] as number });
  const remaining = (votes: number) =>
    insider.message(
      message =>
        message.type === 'results' && message.voided_votes === removed && message.total_votes === votes,
    );
  await remaining(answers.length - removed);
  await new Promise(done => setTimeout(done, APART_MS));
  // A repeated vote, and a poll that does not exist.
  const twice = site.visitor();
  for (const _ of [1, 2]) await twice.vote(id, [poll.answers[answers[0] as number]?.id as string]);
  await remaining(answers.length - removed + 1);
  await site.visitor().get('/nosuchpoll00');
  const ready = await Promise.all(
    ['/readyz', '/livez'].map(async path => (await fetch(relay.url + path)).text()),
  );
  const metrics = (await servers.scrape()).split('\n');
  expect(outsider.of('hidden').length).toBe(1);
  await servers.close();
  endLog();
  return {
    metrics: metrics.filter(line => !DURATION.test(line) && !TIMED_CALLS.test(line)),
    ready: ready.map(body => body.replace(/"timestamp":\d+/, '')),
    // Rejections are logged on a timer, so it varies which of them share a line, and the order of lines.
    log: lines
      .map(line => line.replace(/"(?:time|durationMs)":\d+|127\.0\.0\.\d:\d+|"requestId":"[^"]*"/g, ''))
      .flatMap(line => /"rejected":\{(.*?)\}/.exec(line)?.[1]?.split(',') ?? [line])
      .sort(),
  };
}

describe('two histories of a hidden poll', () => {
  it('have the same metrics, readiness and log', async () => {
    const [one, other] = [await play(HISTORIES[0]), await play(HISTORIES[1])];
    expect(one.metrics).toContain('tallycast_ballots_total{outcome="accepted"} 13');
    expect(one.metrics.join()).toMatch(/tallycast_sent_frames_total\{wire="websocket"\} 1[67]/);
    expect(one.metrics.join()).toMatch(/tallycast_sent_bytes_total\{wire="websocket"\} [1-9]/);
    expect(one.log.join()).toContain('poll_not_found');
    expect(other).toEqual(one);
  });
});
