import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { Reading } from '../../src/poll/poll.ts';

/**
 * Contract, section 5, promise 7, for those who run a server: a hidden poll with as many ballots at the same moments gives the
 * same figures, readiness and log, whichever answers the ballots were for. How many there were is the operator's to know.
 */

/** Twelve votes for one answer have three digits with the none for the others, six each have two. */
const HISTORIES = [
  Array.from({ length: 12 }, () => 0),
  Array.from({ length: 12 }, (_, index) => index % 2),
] as const;
/** Longer than a window of hints and than a lane rests, so that each ballot is a broadcast of its own. */
const APART_MS = 120;
/** What the clock does by itself, as often as a history is long: sweeps, second looks, limits that are shared. */
const CLOCKWORK = /operation="(?:polls\.find|records\.)/;
/** How long something took, in how many turns, and what Node does meanwhile. */
const DURATION =
  /_bucket|_sum\b|^tallycast_(process|nodejs|event_loop)_|^tallycast_(broadcast_duration|ballot_to_send)_seconds_count/;

interface History {
  readonly told: string[];
  readonly ready: string[];
  readonly log: string[];
}

/** With modules, and so with counts, of its own. */
async function play(answers: readonly number[]): Promise<History> {
  vi.resetModules();
  const { startEvening } = await import('./evening.ts');
  const { LiveClient } = await import('../support/live-client.ts');
  const { logRefusals } = await import('../../src/start/log.ts');
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const logger = pino({ level: 'info' }, sink);
  const evening = await startEvening(logger);
  const endLog = logRefusals(logger);
  const { relay, site } = evening;
  const { id, view_key } = await relay.create({ results_visibility: 'hidden', answers: ['a', 'b', 'c'] });
  const { poll } = (await evening.engine.polls.find(id)) as Reading;
  const outsider = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live`);
  const insider = await LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live?hz=20&key=${view_key}`);
  await insider.results(0);
  for (const [index, answer] of answers.entries()) {
    await site.visitor().vote(id, [poll.answers[answer]?.id as string]);
    await insider.results(index + 1);
    await new Promise(done => setTimeout(done, APART_MS));
  }
  // Twice the same voter, and one who finds nothing.
  const twice = site.visitor();
  for (const _ of [1, 2]) await twice.vote(id, [poll.answers[answers[0] as number]?.id as string]);
  await insider.results(answers.length + 1);
  await site.visitor().get('/nosuchpoll00');
  const ready = await Promise.all(
    ['/readyz', '/livez'].map(async path => (await fetch(relay.url + path)).text()),
  );
  const told = (await evening.tell()).split('\n');
  expect(outsider.of('hidden').length).toBe(1);
  await evening.close();
  endLog();
  return {
    told: told.filter(line => !DURATION.test(line) && !CLOCKWORK.test(line)),
    ready: ready.map(body => body.replace(/"timestamp":\d+/, '')),
    // What is refused is told by a clock, so that its line may come before or after another.
    log: lines
      .map(line => line.replace(/"(?:time|durationMs)":\d+|127\.0\.0\.\d:\d+|"requestId":"[^"]*"/g, ''))
      .sort(),
  };
}

describe('two histories of a hidden poll', { timeout: 60_000 }, () => {
  it('give the same figures, the same readiness and the same log', async () => {
    const [one, other] = [await play(HISTORIES[0]), await play(HISTORIES[1])];
    expect(one.told).toContain('tallycast_ballots_total{outcome="accepted"} 13');
    expect(one.told.join()).toMatch(/tallycast_sent_frames_total\{wire="websocket"\} 1[56]/);
    expect(one.told.join()).toMatch(/tallycast_sent_bytes_total\{wire="websocket"\} [1-9]/);
    expect(one.log.join()).toContain('poll_not_found');
    expect(other).toEqual(one);
  });
});
