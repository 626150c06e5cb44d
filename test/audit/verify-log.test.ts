import { describe, expect, it } from 'vitest';
import { CheckpointSigner, createLogKey } from '../../src/audit/note.ts';
import { type LogToVerify, type Verdict, verifyLog } from '../../src/audit/verify-log.ts';
import { ScriptedLog } from './scripted-log.ts';

const seenIn = (note: string, name = 'the checkpoint in seen.txt') => ({ name, note });

function verify(log: ScriptedLog, more: Partial<LogToVerify> = {}): Promise<Verdict> {
  const { pollId, read, results } = log;
  return verifyLog({ pollId, read, results, seen: [], ...more });
}

describe('an ended poll', () => {
  it.each([0, 1, 255, 256, 257, 1_000])('of %i ballots is verified', async size => {
    const log = new ScriptedLog().add(size);
    log.pageSize = 256;
    const seen = [size, Math.floor(size / 2), 0].map(each => seenIn(log.checkpoint(each), `at ${each}`));
    const verdict = await verify(log, { seen });
    expect(verdict).toMatchObject({ faults: [], isComplete: true, checkpoint: { size }, voided: 0 });
    expect(verdict.contained.map(each => each.size)).toEqual([0, Math.floor(size / 2), size]);
  });

  it('shows the ballot of a receipt', async () => {
    const log = new ScriptedLog().add(20);
    const { ballotId, answers } = log.ballots[7]!;
    const { ballot } = await verify(log, { receipt: ballotId });
    expect(ballot).toEqual({ sequence: 8, answers, isVoided: false });
    const without = await verify(log, { receipt: 'another' });
    expect(without.faults).toEqual(['No published ballot has this receipt.']);
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
  it('grows from each earlier checkpoint, by some tiles', async () => {
    const log = new ScriptedLog().add(70_000);
    log.ended = false;
    const seen = [1, 255, 256, 257, 4_711, 65_535, 65_536, 65_537].map(size => seenIn(log.checkpoint(size)));
    log.asked.length = 0;
    const verdict = await verify(log, { seen });
    expect(verdict).toMatchObject({ faults: [], isComplete: false, checkpoint: { size: 70_000 } });
    expect(verdict.contained).toHaveLength(seen.length);
    expect(log.asked.length).toBeLessThan(20);
    expect(log.asked.join(' ')).not.toContain('entries');
  });

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
