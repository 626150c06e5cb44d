import { describe, expect, it } from 'vitest';
import { encodeSnapshot, Frame, ResultsFrame } from '../../src/live/frame.ts';
import { readingOf } from '../support/one-poll.ts';

const OPEN = readingOf({ version: 59, votes: [41, 17], totalVoters: 58 });
const CLOSED = readingOf({
  version: 60,
  votes: [41, 17],
  totalVoters: 58,
  status: 'closed',
  deadlineMs: 1_900_000_000_000,
});

describe('a frame', () => {
  it('is encoded once for each wire', () => {
    const frame = new ResultsFrame(OPEN);
    expect(frame.websocket).toBe(frame.websocket);
    expect(frame.sse).toBe(frame.sse);
    expect(frame.reset).toBe(frame.reset);
    expect(frame.reset.websocket).toBe(frame.reset.websocket);
    expect(frame.counts).toBe(frame.counts);
    expect(frame.current).toBe(frame.current);
  });

  it('has the same content on every wire', () => {
    const frame = new ResultsFrame(OPEN);
    const message = JSON.parse(frame.json);
    expect(message).toMatchObject({
      type: 'results',
      version: 59,
      total_votes: 58,
      success: 1,
      timestamp: 1_000,
    });
    expect(JSON.parse(frame.websocket.subarray(4).toString())).toEqual(message);
    expect(message.position).toMatch(/^59-[\w-]{12}$/);
    expect(frame.sse.toString()).toBe(`id: ${message.position}\ndata: ${frame.json}\n\n`);
  });

  it('has a variant with reset, for clients that hold lost results', () => {
    const frame = new ResultsFrame(CLOSED);
    expect(JSON.parse(frame.reset.json)).toEqual({ ...JSON.parse(frame.json), reset: true });
    expect(frame.reset.sse.toString()).toContain(`id: ${frame.position}\n`);
  });

  it('has a short form with every count, for clients that hold the definition', () => {
    const { counts, position } = new ResultsFrame(OPEN);
    expect(counts.json).toBe(
      `{"type":"counts","id":"stubbedPoll1","version":59,"timestamp":1000,"votes":[41,17],"total_voters":58,"position":"${position}"}`,
    );
    expect(counts.sse.toString()).toContain(`id: ${position}\n`);
  });

  it('names removed votes in every form with counts, and in none without', () => {
    const { results, hidden } = encodeSnapshot(
      readingOf({ votes: [41, 17], totalVoters: 58, voidedVotes: 3 }),
      undefined,
    );
    for (const { json } of [results, results.counts, results.reset])
      expect(json).toContain('"voided_votes":3,');
    for (const { json } of [hidden, results.current]) expect(json).not.toContain('voided');
  });

  it('is one line, as an event ends at a line feed', () => {
    const frame = Frame.of({ type: 'error', code: 'x', message: 'one\ntwo\r\n\u2028three' });
    expect(frame.sse.toString().split('\n')).toHaveLength(3);
  });
});

describe('a snapshot', () => {
  it('keeps its frames if nothing but the time has changed, with that time for clients that join later', () => {
    const first = encodeSnapshot(OPEN, undefined);
    const { json, websocket } = first.results;
    const later = OPEN.results.readAtMs + 12_000;
    const again = encodeSnapshot({ ...OPEN, results: { ...OPEN.results, readAtMs: later } }, first);
    expect(again.results).toBe(first.results);
    expect(again.hidden).toBe(first.hidden);
    const stampOf = (text: string) => JSON.parse(text).timestamp;
    expect([again.results.json, again.results.counts.json, again.results.reset.json].map(stampOf)).toEqual(
      [1, 1, 1].map(() => Math.floor(later / 1_000)),
    );
    expect(again.results.sse.toString()).toContain(`"timestamp":${Math.floor(later / 1_000)}`);
    expect(again.results.json.length).toBe(json.length);
    expect(websocket.includes(`"timestamp":${stampOf(json)}`)).toBe(true);
  });

  it('keeps the frame without counts while only counts change', () => {
    const first = encodeSnapshot(OPEN, undefined);
    const voted = encodeSnapshot(readingOf({ version: 60, votes: [42, 17] }), first);
    expect(voted.results).not.toBe(first.results);
    expect(voted.hidden).toBe(first.hidden);
    const removed = encodeSnapshot(readingOf({ version: 61, votes: [2, 17], voidedVotes: 40 }), voted);
    expect(removed.results).not.toBe(voted.results);
    expect(removed.hidden).toBe(first.hidden);
    expect(encodeSnapshot(CLOSED, voted).hidden).not.toBe(first.hidden);
  });

  it.each([
    { totalVoters: 57 },
    { voidedVotes: 1 },
    { votes: [40, 18] },
    { status: 'closed' },
    { deadlineMs: 2_000_000_000_000 },
    { resultsVisibility: 'hidden' },
  ] as const)('is encoded again if the engine lost a version and has another content for it: %o', changes => {
    const first = encodeSnapshot(OPEN, undefined);
    expect(encodeSnapshot(readingOf({ ...OPEN.results, ...changes }), first).results).not.toBe(first.results);
  });

  it('keeps its frames if the same definition is read again', () => {
    const first = encodeSnapshot(OPEN, undefined);
    const again = { ...OPEN, poll: { ...OPEN.poll, answers: [...OPEN.poll.answers] } };
    expect(encodeSnapshot(again, first).results).toBe(first.results);
    const other = { ...OPEN, poll: { ...OPEN.poll, title: 'Another' } };
    expect(encodeSnapshot(other, first).results).not.toBe(first.results);
  });
});
