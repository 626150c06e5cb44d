import { describe, expect, it, vi } from 'vitest';
import { scriptCrypto } from '../../src/audience/check/browser/script-crypto.ts';
import { CheckpointSigner, createLogKey } from '../../src/audit/checkpoint-signer.ts';
import { logHashes, nodeCrypto } from '../../src/audit/node-crypto.ts';
import {
  type BallotProof,
  type LogToVerify,
  type PublishedResults,
  type Verdict,
  verifyBallot,
  verifyLog,
} from '../../src/audit/verify-log.ts';
import { expectGrowth } from './growth-claim.ts';
import { ScriptedLog } from './scripted-log.ts';

const seenIn = (note: string, name = 'the checkpoint in seen.txt') => ({ name, note });

/** @returns the sentences of the faults, and the kinds among them */
async function verify(
  log: ScriptedLog,
  more: Partial<LogToVerify> = {},
): Promise<Omit<Verdict, 'faults'> & { faults: string[]; kinds: string[] }> {
  const { pollId, read, results } = log;
  const verdict = await verifyLog({ pollId, crypto: nodeCrypto, read, results, seen: [], ...more });
  const { faults } = verdict;
  return {
    ...verdict,
    faults: faults.map(({ text }) => text),
    kinds: [...new Set(faults.map(({ kind }) => kind))].sort(),
  };
}

describe('an ended poll', () => {
  it.each([
    [0, 'Node.js', nodeCrypto],
    [0, 'a page', scriptCrypto],
    [1, 'Node.js', nodeCrypto],
    [255, 'Node.js', nodeCrypto],
    [256, 'Node.js', nodeCrypto],
    [257, 'a page', scriptCrypto],
    [1_000, 'a page', scriptCrypto],
  ])('of %i ballots is verified in %s', async (size, _, crypto) => {
    const log = new ScriptedLog().add(size);
    log.pageSize = 256;
    const seen = [size, Math.floor(size / 2), 0].map(each => seenIn(log.checkpoint(each), `at ${each}`));
    const verdict = await verify(log, { seen, crypto });
    expect(verdict).toMatchObject({ faults: [], isComplete: true, checkpoint: { size }, voided: 0 });
    expect(verdict.contained.map(each => each.size)).toEqual([0, Math.floor(size / 2), size]);
  });

  it('waits a minute for the end of the log, and is not complete without it', async () => {
    vi.useFakeTimers();
    try {
      const log = new ScriptedLog().add(3);
      log.ended = false;
      const results: PublishedResults = { ...log.results, status: 'closed' };
      const late = verify(log, { results });
      await vi.advanceTimersByTimeAsync(30_000);
      log.ended = true;
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await late).toMatchObject({ faults: [], isComplete: true });
      log.ended = false;
      const unfinished = verify(log, { results });
      await vi.advanceTimersByTimeAsync(61_000);
      expect(await unfinished).toMatchObject({ kinds: ['unfinished'], isComplete: false });
    } finally {
      vi.useRealTimers();
    }
  });

  it('shows the ballot of a receipt', async () => {
    const log = new ScriptedLog().add(20);
    const { ballotId, answers } = log.ballots[7]!;
    const { ballot } = await verify(log, { receipt: ballotId });
    expect(ballot).toEqual({ sequence: 8, answers, isVoided: false });
    const without = await verify(log, { receipt: 'another' });
    expect(without.faults).toEqual(['No published ballot has this receipt.']);
  });

  it('counts the last change of each ballot, and none of a withdrawn or voided one', async () => {
    const log = new ScriptedLog().add(4);
    const change = (replaces: number, ...answers: string[]) =>
      log.ballots.push({ ballotId: `change ${log.ballots.length}`, answers, replaces });
    log.ballots[2] = { ...log.ballots[2]!, voided: true };
    change(1, 'b');
    change(2);
    change(3, 'c');
    change(1, 'c');
    const counts = {
      ...log.results,
      poll_answers: log.answers.map(id => ({
        id,
        answer: id,
        votes: (id === 'c' ? 1 : 0) + (log.ballots[3]!.answers[0] === id ? 1 : 0),
      })),
      total_voters: 2,
      voided_votes: 1,
    };
    const receipt = log.ballots[4]!.ballotId;
    const verdict = await verify(log, { results: counts, receipt });
    expect(verdict).toMatchObject({ faults: [], isComplete: true, voided: 1, changes: 4 });
    expect(verdict.ballot).toEqual({ sequence: 5, answers: ['b'], isVoided: false, changedBy: 8 });
    const last = await verify(log, { results: counts, receipt: log.ballots[7]!.ballotId });
    expect(last.ballot).toEqual({ sequence: 8, answers: ['c'], isVoided: false });

    const shown = await verify(log, { results: { ...counts, total_voters: 3 } });
    expect(shown.kinds).toEqual(['counts']);
    const { lie } = log;
    for (const [from, to] of [
      ['"replaces":1', '"replaces":4'],
      [',"replaces":2', ''],
      ['"replaces":3', '"replaces":6'],
    ] as const) {
      log.lie = (path, body) => (path.includes('entries') ? String(body).replace(from, to) : body);
      expect([from, (await verify(log, { results: counts })).kinds]).toEqual([
        from,
        expect.arrayContaining(['log']),
      ]);
    }
    log.lie = lie;
    for (const replaces of [5, 99, 0, 9]) {
      const other = new ScriptedLog().add(4);
      other.ballots.push({ ballotId: 'change', answers: ['b'], replaces: 1 });
      other.ballots.push({ ballotId: 'other', answers: ['b'], replaces });
      expect((await verify(other)).faults).toContain('Ballot 6 replaces no earlier ballot.');
    }
    const proof = { ...(await log.proof(5)), replaces: 1 };
    expect(verifyBallot(nodeCrypto, log.pollId, receipt, proof, undefined).faults).toEqual([]);
    const moved = { ...proof, replaces: 2 };
    expect(verifyBallot(nodeCrypto, log.pollId, receipt, moved, undefined).faults).toHaveLength(1);
  });

  it.each<[string, (line: Record<string, unknown>) => object | undefined, string]>([
    ['a gap', line => ({ ...line, sequence: 9 }), 'Where ballot 8 is expected, there is {"sequence":9,'],
    ['a lost ballot', () => ({ sequence: 8, lost: true }), 'Ballot 8 is missing'],
    [
      'a foreign answer',
      line => ({ ...line, answers: ['d'] }),
      'Ballot 8 has an answer that the poll does not',
    ],
    ['two answers', line => ({ ...line, answers: ['a', 'b'] }), 'Ballot 8 has several answers'],
    ['no answer', line => ({ ...line, answers: [] }), 'Ballot 8 has no answer.'],
    ['a short nonce', line => ({ ...line, nonce: 'AAAA' }), 'Ballot 8 has no nonce'],
    ['no nonce', ({ nonce: _, ...line }) => line, 'Ballot 8 has no nonce'],
    ['a missing line', () => undefined, 'Where ballot 8 is expected'],
  ])('with %s is not verified', async (_, change, words) => {
    const log = new ScriptedLog().add(20);
    log.lie = (path, body) => {
      if (!path.includes('entries')) return body;
      const lines = `${body}`.trimEnd().split('\n');
      const changed = lines.map((line, at) => (at === 7 ? change(JSON.parse(line)) : JSON.parse(line)));
      return changed.map(line => (line ? `${JSON.stringify(line)}\n` : '')).join('');
    };
    const { faults } = await verify(log);
    expect(faults.join(' ')).toContain(words);
  });

  it('allows several answers, none twice, where the poll does', async () => {
    const log = new ScriptedLog().add(2);
    log.ballots[1] = { ballotId: 'x', answers: ['a', 'c'] };
    const results = { ...log.results, ma: true };
    expect((await verify(log, { results })).faults).toEqual([]);
    log.ballots[1] = { ballotId: 'x', answers: ['a', 'a'] };
    const twice = await verify(log, { results: { ...log.results, ma: true } });
    expect(twice.faults).toContain('Ballot 2 has an answer twice.');
  });

  it.each([
    ['null\n', 'Where ballot 1 is expected, there is null'],
    ['{"sequence":1', 'Where ballot 1 is expected, there is {"sequence":1'],
    ['', 'The published ballots end at 0 of 20.'],
  ])('with %j for its ballots is not verified', async (body, words) => {
    const log = new ScriptedLog().add(20);
    log.lie = (path, real) => (path.includes('entries') ? body : real);
    expect((await verify(log)).faults).toContain(words);
  });

  it('is verified with voided ballots, page by page', async () => {
    const log = new ScriptedLog().add(257);
    log.ballots[3] = { ...log.ballots[3]!, voided: true };
    log.pageSize = 100;
    const progress: number[] = [];
    const onProgress = (verified: number) => void progress.push(verified);
    expect(await verify(log, { onProgress })).toMatchObject({ faults: [], voided: 1 });
    expect(progress).toEqual([100, 200, 257]);
  });

  it('waits until its log is complete', async () => {
    const log = new ScriptedLog().add(3);
    let asked = 0;
    log.lie = (path, body) => {
      if (path !== '/log') return body;
      asked += 1;
      return asked === 1 ? `${body}`.replace('"ended":true', '"ended":false') : body;
    };
    expect(await verify(log)).toMatchObject({ faults: [], isComplete: true });
    expect(asked).toBe(2);
  });

  it('names five invalid ballots and counts the others', async () => {
    const log = new ScriptedLog().add(20);
    log.lie = (path, body) => (path.includes('entries') ? `${body}`.replaceAll('"nonce"', '"once"') : body);
    const { faults } = await verify(log);
    expect(faults.filter(fault => fault.endsWith('has no nonce or no answers.'))).toHaveLength(5);
    expect(faults).toContain('15 more published ballots are not valid.');
  });

  it('with other counts is not verified', async () => {
    const log = new ScriptedLog().add(20);
    const { results } = log;
    const [first, ...rest] = results.poll_answers;
    const forged = { ...results, poll_answers: [{ ...first!, votes: first!.votes + 1 }, ...rest] };
    const { faults } = await verify(log, { results: { ...forged, total_voters: 21 } });
    expect(faults).toEqual([
      `The result has ${first!.votes + 1} votes for "A", but the ballots have ${first!.votes}.`,
      'The result has 21 voters, but the ballots have 20.',
    ]);
  });
});

describe('a checkpoint seen earlier', () => {
  it('bounds where a change is', async () => {
    const log = new ScriptedLog().add(600);
    const seen = [100, 300, 500].map(size => seenIn(log.checkpoint(size), `the checkpoint of ${size}`));
    log.ballots[250] = { ballotId: 'another', answers: ['a'] };
    for (const ended of [true, false]) {
      log.ended = ended;
      const { faults, contained } = await verify(log, { seen });
      expect(faults[0]).toContain('the checkpoint of 300 (300 ballots): at least one of ballots 101 to 300');
      expect(contained).toEqual([{ name: 'the checkpoint of 100', size: 100 }]);
    }
  });

  it('of more ballots than the log has now is a fault', async () => {
    const log = new ScriptedLog().add(20);
    const seen = [seenIn(log.checkpoint())];
    log.ballots.pop();
    expect((await verify(log, { seen })).faults).toEqual([
      'The log has 19 ballots, but the checkpoint in seen.txt has 20 ballots: at least 1 ballot disappeared.',
    ]);
  });

  it('is a fault if another key signed it, or another log, or nobody', async () => {
    const log = new ScriptedLog().add(20);
    const other = new ScriptedLog().add(20);
    const elsewhere = {
      origin: 'vote.example.org/api/poll/abcdefghijk1/log',
      size: 0,
      root: Buffer.alloc(32),
    };
    for (const note of [other.checkpoint(), log.signer.sign(elsewhere), 'x', '']) {
      const { faults } = await verify(log, { seen: [seenIn(note)] });
      expect(faults).toEqual([expect.stringContaining('Cannot trust the checkpoint in seen.txt')]);
    }
  });
});

describe('a fault', () => {
  type Row = [string, string[], (log: ScriptedLog) => unknown];
  const inLine = (log: ScriptedLog, change: (lines: string[]) => unknown) => {
    log.lie = (path, body) => {
      if (!path.includes('entries')) return body;
      const lines = `${body}`.trimEnd().split('\n');
      change(lines);
      return lines.join('\n');
    };
  };
  const inCheckpoint = (log: ScriptedLog, note: string) => {
    log.lie = (path, body) => (path === '/log/checkpoint' ? note : body);
  };

  it.each<Row>([
    [
      'a changed answer',
      ['counts', 'log'],
      log => inLine(log, lines => (lines[5] = lines[5]!.replace(/"[abc]"/, '"d"'))),
    ],
    ['two exchanged ballots', ['log'], log => inLine(log, lines => lines.splice(0, 2, lines[1]!, lines[0]!))],
    [
      'a ballot that is said to be lost',
      ['counts', 'log', 'loss'],
      log => inLine(log, lines => lines.splice(5, 1, '{"sequence":6,"lost":true}')),
    ],
    [
      'missing ballots at the end',
      ['counts', 'log'],
      log =>
        inLine(log, lines => lines.splice(0, 130, ...lines.filter(line => JSON.parse(line).sequence <= 120))),
    ],
    [
      'another nonce',
      ['log'],
      log =>
        inLine(log, lines => {
          lines[5] = lines[5]!.replace(/"nonce":"(.)/, (_, first) => `"nonce":"${first === 'A' ? 'B' : 'A'}`);
        }),
    ],
    [
      'a ballot that is said to be voided',
      ['counts'],
      log => inLine(log, lines => (lines[5] = lines[5]!.replace('}', ',"voided":true}'))),
    ],
    ['a lost ballot', ['loss'], log => (log.ballots[5] = { ...log.ballots[5]!, lost: true })],
    [
      'a logged ballot with two answers',
      ['counts'],
      log => (log.ballots[5] = { ballotId: 'x', answers: ['a', 'b'] }),
    ],
    ['an unsigned checkpoint', ['log'], log => inCheckpoint(log, log.checkpoint().split('\n—')[0]!)],
    [
      'a checkpoint of another log',
      ['log'],
      log =>
        inCheckpoint(log, log.signer.sign({ origin: 'elsewhere.test', size: 0, root: Buffer.alloc(32) })),
    ],
    ['a checkpoint of fewer ballots', ['counts'], log => inCheckpoint(log, log.checkpoint(100))],
    [
      'a checkpoint of more ballots',
      ['counts', 'log'],
      log => {
        inCheckpoint(log, log.checkpoint());
        log.ballots.pop();
      },
    ],
  ])('of %s has the kinds %j', async (_, kinds, change) => {
    const log = new ScriptedLog().add(130);
    const { results } = log;
    change(log);
    // The counts of the server leave out what it has lost.
    const hasLost = log.ballots.some(({ lost }) => lost);
    expect((await verify(log, { results: hasLost ? log.results : results })).kinds).toEqual(kinds);
  });

  it('of the past has the kind memory, unless the server admits the loss of what was seen', async () => {
    const log = new ScriptedLog().add(130);
    const seen = [seenIn(log.checkpoint(60))];
    const found_at = '2030-01-31T20:15:00Z';
    const breakAt = (size: number) => [{ checkpoint: log.checkpoint(size), found_at }];
    const [admitted, older] = [breakAt(60), breakAt(59)];
    log.ballots[0] = { ballotId: 'another', answers: ['a'] };
    expect((await verify(log, { seen })).kinds).toEqual(['memory']);
    log.epoch = 2;
    expect((await verify(log, { seen })).kinds).toEqual(['memory']);
    log.breaks = older;
    expect((await verify(log, { seen })).kinds).toEqual(['loss', 'memory']);
    log.breaks = admitted;
    expect((await verify(log, { seen })).kinds).toEqual(['loss']);
  });
});

describe.each([
  ['Node.js', nodeCrypto],
  ['a page', scriptCrypto],
])('the proof of a ballot in %s', (_, crypto) => {
  it.each([1, 2, 3, 5, 8, 13, 33])('is valid at each place of a log of %i', async size => {
    const log = new ScriptedLog().add(size);
    for (const [index, { ballotId }] of log.ballots.entries()) {
      const proof = await log.proof(index + 1);
      const { faults, values } = verifyBallot(crypto, log.pollId, ballotId, proof, undefined);
      expect([faults, values]).toEqual([[], expect.objectContaining({ ...proof })]);
    }
  });

  const log = new ScriptedLog().add(21);
  log.ballots[6] = { ballotId: 'the receipt', answers: ['a'] };
  const kindOf = async (change: Partial<BallotProof>, receipt = 'the receipt', seen?: string) => {
    const proof = { ...(await log.proof(7)), ...change };
    return verifyBallot(crypto, log.pollId, receipt, proof, seen).faults[0]?.kind;
  };

  it.each<[string, (proof: BallotProof) => Partial<BallotProof>]>([
    ['other answers', () => ({ answers: ['b'] })],
    ['another sequence', () => ({ sequence: 8 })],
    ['a sequence beyond the log', () => ({ sequence: 22 })],
    ['no sequence', () => ({ sequence: 0 })],
    ['a shorter path', ({ path }) => ({ path: path.slice(1) })],
    ['a longer path', ({ path }) => ({ path: [...path, path[0]!] })],
    ['another path', ({ path }) => ({ path: path.toReversed() })],
    ['a path that is none', () => ({ path: ['%'] })],
    ['another checkpoint', () => ({ checkpoint: log.checkpoint(20) })],
    [
      'the checkpoint of another log',
      () => ({ checkpoint: log.signer.sign({ origin: 'elsewhere.test', size: 21, root: Buffer.alloc(32) }) }),
    ],
    ['an unsigned checkpoint', ({ checkpoint }) => ({ checkpoint: checkpoint.split('\n—')[0]! })],
    [
      'a checkpoint with another signature',
      ({ checkpoint }) => ({
        checkpoint: `${checkpoint.split('\n—')[0]}\n—${log.checkpoint(20).split('\n—')[1]}`,
      }),
    ],
    ['another key', () => ({ key: new CheckpointSigner(createLogKey()).verifierKey(log.origin) })],
    ['no key', () => ({ key: '' })],
    ['no checkpoint', () => ({ checkpoint: '' })],
  ])('with %s is not valid', async (_, change) => {
    expect(await kindOf({})).toBeUndefined();
    expect(await kindOf(change(await log.proof(7)))).toBe('log');
  });

  it('of another receipt is not valid', async () => {
    expect(await kindOf({}, log.ballots[7]!.ballotId)).toBe('log');
  });

  it('contradicts a seen log that was longer, of the same size with another root, elsewhere, or of another key', async () => {
    const other = Buffer.alloc(32, 1);
    const sign = (size: number, origin = log.origin) => log.signer.sign({ origin, size, root: other });
    const stranger = new CheckpointSigner(createLogKey());
    expect(await kindOf({}, undefined, log.checkpoint())).toBeUndefined();
    expect(await kindOf({}, undefined, log.checkpoint(5))).toBeUndefined();
    expect(await kindOf({}, undefined, sign(22, `${log.origin}/2`))).toBeUndefined();
    const root = logHashes.emptyRoot();
    for (const seen of [
      sign(22),
      sign(21),
      sign(5, `elsewhere.test/api/poll/${log.pollId}/log`),
      stranger.sign({ origin: log.origin, size: 0, root }),
    ])
      expect(await kindOf({}, undefined, seen)).toBe('memory');
  });
});

describe('a break', () => {
  it('is a fault, and another if ballots signed before are not those of now', async () => {
    const log = new ScriptedLog().add(20);
    const before = { checkpoint: log.checkpoint(), found_at: '2030-01-31T20:15:00Z' };
    log.ballots.splice(12, 3);
    log.epoch = 2;
    log.breaks = [before];
    log.add(30);
    for (const ended of [true, false]) {
      log.ended = ended;
      const { faults } = await verify(log);
      expect(faults).toEqual([
        expect.stringContaining('The log broke at 2030-01-31T20:15:00Z'),
        expect.stringContaining('before the break of 2030-01-31T20:15:00Z (20 ballots)'),
      ]);
    }
  });

  it('names the checkpoint before it if all of its ballots are there', async () => {
    const log = new ScriptedLog().add(20);
    log.breaks = [{ checkpoint: log.checkpoint(), found_at: '2030-01-31T20:15:00Z' }];
    log.epoch = 2;
    log.add(300);
    for (const ended of [true, false]) {
      log.ended = ended;
      const { faults, contained } = await verify(log);
      expect(faults).toEqual([expect.stringContaining('Ballots cast shortly before may be missing.')]);
      expect(contained.map(({ size }) => size)).toEqual([20]);
    }
  });
});

describe('an open poll', () => {
  it('grows from each earlier checkpoint, by some tiles', () =>
    expectGrowth(5_000, [1, 255, 256, 257, 4_711]));

  it('is not verified with tiles that are not those of its checkpoint', async () => {
    const log = new ScriptedLog().add(1_000);
    log.ended = false;
    log.lie = (path, body) => (path.includes('tile') ? body.slice(0, -1) : body);
    expect((await verify(log)).faults).toEqual([
      expect.stringContaining("not those of the log's checkpoint"),
    ]);
  });

  it('and hidden results leave ballots unread', async () => {
    const log = new ScriptedLog().add(20);
    expect(await verify(log, { results: undefined })).toMatchObject({ faults: [], isComplete: false });
  });
});

describe('a key', () => {
  it('from another source rejects the checkpoints of any other', async () => {
    const log = new ScriptedLog().add(20);
    const pinnedKey = log.signer.verifierKey('vote.example.org/api/poll/anotherpoll/log');
    expect(await verify(log, { pinnedKey })).toMatchObject({ faults: [], key: log.key });
    const other = new CheckpointSigner(createLogKey()).verifierKey(log.origin);
    for (const wrong of [other, 'x']) {
      const { faults, checkpoint } = await verify(log, { pinnedKey: wrong });
      expect(faults).toEqual([expect.stringContaining("Cannot trust the log's checkpoint")]);
      expect(checkpoint).toBeUndefined();
    }
  });
});
