import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import {
  commitmentOf,
  GrowingTree,
  hashLeaf,
  hashNode,
  nonceOf,
  proveInclusion,
} from '../../src/audit/merkle.ts';
import { CheckpointSigner, createLogKey } from '../../src/audit/note.ts';
import {
  type Bytes,
  checkResult,
  checkVote,
  type LogFault,
  leafOf,
  rootOf,
  type SeenCheckpoint,
} from '../../src/voting/check/browser/log.ts';
import type { LoggedVote } from '../../src/voting/check/verdict.ts';

/** The checks of the browser, against logs that the code of the server builds. */

const POLL = 'AbCdEf123456';
const POLL_URL = `https://relay.test/api/poll/${POLL}`;
const ORIGIN = `relay.test/api/poll/${POLL}/log`;
const signer = new CheckpointSigner(createLogKey());
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

interface Vote {
  receipt: string;
  answers: string[];
  voided?: true;
  lost?: true;
}

const votesOf = (count: number): Vote[] =>
  Array.from({ length: count }, (_, index) => ({
    receipt: randomUUID(),
    answers: [index % 3 === 0 ? 'a' : 'b'],
  }));

const leavesOf = (votes: readonly Vote[]) =>
  votes.map(({ receipt, answers, lost }, index) =>
    hashLeaf(lost ? new Uint8Array(32) : commitmentOf(nonceOf(receipt), POLL, index + 1, answers)),
  );

function noteOf(votes: readonly Vote[], origin = ORIGIN): string {
  const tree = new GrowingTree();
  for (const leaf of leavesOf(votes)) tree.append(leaf);
  return signer.sign({ origin, size: tree.size, root: tree.root() });
}

async function provenVote(votes: readonly Vote[], sequence: number): Promise<LoggedVote> {
  const leaves = leavesOf(votes);
  const read = (level: number, index: number): Uint8Array =>
    level === 0 ? leaves[index]! : hashNode(read(level - 1, 2 * index), read(level - 1, 2 * index + 1));
  const path = await proveInclusion(sequence - 1, votes.length, read);
  return {
    found: true,
    answers: votes[sequence - 1]!.answers,
    sequence,
    path: path.map(base64),
    checkpoint: noteOf(votes),
    key: signer.verifierKey(ORIGIN),
  };
}

it.each([1, 2, 3, 7, 8, 255, 256, 257, 1_000])('%i votes have the root of the server', async count => {
  const leaves = leavesOf(votesOf(count));
  const tree = new GrowingTree();
  for (const leaf of leaves) tree.append(leaf);
  expect(base64(await rootOf(leaves as Bytes[]))).toBe(base64(tree.root()));
  expect(base64(await leafOf(leaves[0] as Bytes))).toBe(base64(hashLeaf(leaves[0]!)));
});

describe('a vote', () => {
  it.each([1, 2, 3, 5, 8, 13, 33])('is found at each place of a log of %i', async count => {
    const votes = votesOf(count);
    for (let sequence = 1; sequence <= count; sequence += 1) {
      const checked = checkVote(
        POLL,
        votes[sequence - 1]!.receipt,
        await provenVote(votes, sequence),
        undefined,
      );
      expect(await checked).toMatchObject({ isSigned: true, values: { sequence } });
    }
  });

  const votes = votesOf(21);
  const { receipt } = votes[6]!;
  const fault = async (change: (vote: LoggedVote) => Partial<LoggedVote>, code = receipt) => {
    const vote = await provenVote(votes, 7);
    return checkVote(POLL, code, { ...vote, ...change(vote) }, undefined).then(
      () => 'none',
      (error: LogFault) => error.fault,
    );
  };

  it.each<[string, (vote: LoggedVote) => Partial<LoggedVote>]>([
    ['other answers', () => ({ answers: ['b'] })],
    ['another sequence', () => ({ sequence: 8 })],
    ['a sequence beyond the log', () => ({ sequence: 22 })],
    ['no sequence', () => ({ sequence: 0 })],
    ['a shorter path', ({ path }) => ({ path: path!.slice(1) })],
    ['a longer path', ({ path }) => ({ path: [...path!, path![0]!] })],
    ['another path', ({ path }) => ({ path: path!.toReversed() })],
    ['a path that is none', () => ({ path: ['%'] })],
    ['another checkpoint', () => ({ checkpoint: noteOf(votes.slice(0, 20)) })],
    ['the checkpoint of another log', () => ({ checkpoint: noteOf(votes, 'elsewhere.test') })],
    ['an unsigned checkpoint', ({ checkpoint }) => ({ checkpoint: checkpoint!.split('\n—')[0]! })],
    [
      'a checkpoint with another signature',
      ({ checkpoint }) => ({
        checkpoint: `${checkpoint!.split('\n—')[0]}\n—${noteOf(votes.slice(1)).split('\n—')[1]}`,
      }),
    ],
    ['another key', () => ({ key: new CheckpointSigner(createLogKey()).verifierKey(ORIGIN) })],
    ['no key', () => ({ key: '' })],
    ['no checkpoint', () => ({ checkpoint: '' })],
  ])('with %s is not confirmed', async (_, change) => {
    expect(await fault(() => ({}))).toBe('none');
    expect(await fault(change)).toBe('log');
  });

  it('of another receipt is not confirmed', async () => {
    expect(await fault(() => ({}), votes[7]!.receipt)).toBe('log');
  });

  it.each<[string, (votes: Vote[]) => SeenCheckpoint, string]>([
    ['the same log', all => seenOf(all), 'none'],
    ['an earlier log', all => seenOf(all.slice(0, 5)), 'none'],
    ['a longer log', all => seenOf([...all, ...votesOf(1)]), 'memory'],
    ['another log of the same size', all => seenOf([...all.slice(1), ...votesOf(1)]), 'memory'],
    ['a log of another origin', all => seenOf([...all, ...votesOf(1)], 'relay.test/old'), 'none'],
    ['the same log with another key', all => ({ ...seenOf(all), key: 'other' }), 'memory'],
  ])('after the browser saw %s has the fault %3$s', async (_, see, expected) => {
    const vote = await provenVote(votes, 7);
    const found = await checkVote(POLL, receipt, vote, see(votes)).then(
      () => 'none',
      (error: LogFault) => error.fault,
    );
    expect(found).toBe(expected);
  });
});

const seenOf = (votes: readonly Vote[], origin = ORIGIN): SeenCheckpoint => ({
  note: noteOf(votes, origin),
  key: signer.verifierKey(ORIGIN),
});

/** What a relay publishes of a closed poll. */
interface Published {
  votes: Vote[];
  note: string;
  lines: object[];
  breaks: { checkpoint: string; found_at: string }[];
  results: {
    poll_answers: { id: string; votes: number }[];
    total_voters: number;
    voided_votes?: number;
  };
}

function publish(votes: Vote[]): Published {
  const counted = votes.filter(({ voided, lost }) => !voided && !lost);
  const count = (id: string) => counted.filter(({ answers }) => answers.includes(id)).length;
  const voided = votes.filter(vote => vote.voided).flatMap(({ answers }) => answers).length;
  return {
    votes,
    note: noteOf(votes),
    breaks: [],
    lines: votes.map(({ receipt, answers, voided, lost }, index) =>
      lost
        ? { sequence: index + 1, lost }
        : { sequence: index + 1, nonce: base64(nonceOf(receipt)), answers, ...(voided && { voided }) },
    ),
    results: {
      poll_answers: ['a', 'b', 'c'].map(id => ({ id, votes: count(id) })),
      total_voters: counted.length,
      ...(voided > 0 && { voided_votes: voided }),
    },
  };
}

/** At most so many lines in one reply. */
const PAGE = 100;

function serve({ note, lines, breaks, results }: Published): void {
  vi.stubGlobal('fetch', async (url: string) => {
    const path = url.slice(POLL_URL.length);
    const from = Number(/from=(\d+)/.exec(path)?.[1]) - 1;
    if (path === '') return Response.json(results);
    if (path === '/log')
      return Response.json({ log: { origin: ORIGIN, key: signer.verifierKey(ORIGIN), ended: true, breaks } });
    if (path === '/log/checkpoint') return new Response(note);
    return new Response(
      lines
        .slice(from, from + PAGE)
        .map(line => `${JSON.stringify(line)}\n`)
        .join(''),
    );
  });
}

function check(published: Published, seen?: SeenCheckpoint) {
  serve(published);
  const progress: number[] = [];
  const onProgress = (done: number) => progress.push(done);
  return checkResult({ pollUrl: POLL_URL, pollId: POLL, allowsMultiple: false, seen, onProgress }).then(
    checked => ({ ...checked, progress, fault: 'none' }),
    (error: LogFault) => ({ fault: error.fault, values: error.values }),
  );
}

describe('a result', () => {
  it('is right, page by page', async () => {
    const votes = votesOf(257);
    expect(await check(publish(votes), seenOf(votes.slice(0, 100)))).toMatchObject({
      size: 257,
      voided: 0,
      isSigned: true,
      fault: 'none',
      progress: [100, 200, 257],
    });
  });

  it('waits for a log that is being built', async () => {
    const published = publish(votesOf(3));
    serve(published);
    const { fetch: ready } = globalThis;
    const replies = [
      new Response('', { status: 503 }),
      Response.json({ log: { origin: ORIGIN, key: signer.verifierKey(ORIGIN), ended: false, breaks: [] } }),
    ];
    vi.stubGlobal('fetch', async (url: string) => replies.shift() ?? ready(url));
    const options = { pollUrl: POLL_URL, pollId: POLL, allowsMultiple: false, seen: undefined };
    expect(await checkResult({ ...options, onProgress() {} })).toMatchObject({ size: 3 });
  });

  it('without votes is right', async () => {
    expect(await check(publish([]))).toMatchObject({ size: 0, fault: 'none' });
  });

  it('is right with removed votes', async () => {
    const votes = votesOf(9);
    votes[3] = { ...votes[3]!, voided: true };
    expect(await check(publish(votes))).toMatchObject({ size: 9, voided: 1, fault: 'none' });
  });

  it('with lost votes is not confirmed', async () => {
    const votes = votesOf(9);
    votes[4] = { ...votes[4]!, lost: true };
    expect(await check(publish(votes))).toMatchObject({ fault: 'loss', values: { lost: [5] } });
  });

  const someVotes = votesOf(130);
  it.each<[string, string, (published: Published) => unknown]>([
    ['a changed answer', 'log', ({ lines }) => Object.assign(lines[5]!, { answers: ['c'] })],
    ['two swapped votes', 'log', ({ lines }) => lines.splice(0, 2, lines[1]!, lines[0]!)],
    ['a removed vote', 'log', ({ lines }) => lines.splice(5, 1)],
    ['a vote called lost', 'log', ({ lines }) => lines.splice(5, 1, { sequence: 6, lost: true })],
    ['missing votes at the end', 'log', ({ lines }) => lines.splice(120)],
    ['another nonce', 'log', ({ lines }) => Object.assign(lines[5]!, { nonce: base64(nonceOf('x')) })],
    ['a wrong count', 'counts', ({ results }) => (results.poll_answers[0]!.votes += 1)],
    [
      'moved counts',
      'counts',
      ({ results }) => results.poll_answers.reverse().map((row, i) => (row.id = 'abc'[i]!)),
    ],
    ['a missing answer', 'counts', ({ results }) => results.poll_answers.shift()],
    [
      'a vote that is said to be removed',
      'counts',
      ({ lines }) => Object.assign(lines[5]!, { voided: true }),
    ],
    ['too many voters', 'counts', ({ results }) => (results.total_voters += 1)],
    ['too many removed votes', 'counts', ({ results }) => (results.voided_votes = 1)],
    ['a checkpoint of fewer votes', 'counts', p => (p.note = noteOf(p.votes.slice(0, 100)))],
    ['a checkpoint of more votes', 'log', p => (p.note = noteOf([...p.votes, ...votesOf(1)]))],
    ['an unsigned checkpoint', 'log', p => (p.note = p.note.split('\n—')[0]!)],
  ])('with %s is not confirmed', async (_, fault, manipulate) => {
    const published = publish(someVotes.map(vote => ({ ...vote })));
    expect((await check(published)).fault).toBe('none');
    manipulate(published);
    expect(await check(published)).toMatchObject({ fault });
  });

  it('with two answers in one vote is not confirmed where one is allowed', async () => {
    const votes = votesOf(3);
    votes[1]!.answers = ['a', 'b'];
    expect(await check(publish(votes))).toMatchObject({ fault: 'counts' });
    votes[1]!.answers = ['a', 'a'];
    expect(await check(publish(votes))).toMatchObject({ fault: 'counts' });
  });

  it('of a log whose past was rewritten since the browser saw it is not confirmed', async () => {
    const rewritten = [...votesOf(1), ...someVotes.slice(1)];
    expect((await check(publish(rewritten))).fault).toBe('none');
    expect(await check(publish(rewritten), seenOf(someVotes.slice(0, 60)))).toMatchObject({
      fault: 'memory',
      values: { seen: { note: noteOf(someVotes.slice(0, 60)) } },
    });
  });

  it('of a new log needs a published loss of the one that the browser saw', async () => {
    const seen = seenOf(someVotes.slice(0, 60), 'relay.test/old');
    const published = publish(someVotes);
    expect(await check(published, seen)).toMatchObject({ fault: 'memory' });
    const breaks = (size: number) => [
      { checkpoint: noteOf(someVotes.slice(0, size), 'relay.test/old'), found_at: '2026-01-01T00:00:00Z' },
    ];
    expect(await check({ ...published, breaks: breaks(59) }, seen)).toMatchObject({ fault: 'memory' });
    expect(await check({ ...published, breaks: breaks(60) }, seen)).toMatchObject({
      fault: 'loss',
    });
  });
});
