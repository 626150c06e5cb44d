import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { engineWith } from '../../src/engine/engine-with.ts';
import { PollError } from '../../src/poll/poll-error.ts';
import { anyText } from '../support/any-text.ts';
import { visibleText } from './visitor.ts';
import { startVotingSite, type TestPoll, type VotingSite } from './voting-site.ts';

let site: VotingSite;
let test: TestPoll;
beforeAll(async () => {
  site = await startVotingSite();
  test = await site.createPoll({ mip: true, co: true, enter_name: true });
});
afterAll(() => site.close());

const NAMES = [
  'answer',
  'ballot',
  'proof',
  'name',
  'text',
  'comment',
  'key',
  'once',
  'title',
  'deadline',
  '__proto__',
  'constructor',
];

describe('any form', () => {
  it('gets a page, and never an internal error', async () => {
    const form = fc.dictionary(
      fc.oneof(fc.constantFrom(...NAMES), fc.string()),
      fc.oneof(anyText(), fc.json(), fc.array(fc.string(), { maxLength: 4 })),
      { maxKeys: 6 },
    );
    const path = fc.constantFrom(
      '/ballot',
      '/comments',
      '/manage/key',
      '/manage/close',
      '/manage/x',
      '/challenge',
    );
    await fc.assert(
      fc.asyncProperty(form, fc.option(path), async (fields, part) => {
        const visitor = site.visitor();
        const reply = await visitor.post(part === null ? '/new' : `/${test.id}${part}`, fields);
        expect(reply.statusCode).toBeGreaterThanOrEqual(300);
        expect(reply.statusCode).toBeLessThan(500);
        expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
        expect(reply.body).not.toMatch(/\bat \S+ \(|node_modules/);
      }),
      { numRuns: 150 },
    );
    expect((await site.counts(test.id)).voters).toBe(0);
  });

  it.each([
    ['no form at all', { 'content-type': 'application/json' }, 400],
    ['a strange type', { 'content-type': 'application/x-strange' }, 400],
    ['no type', { 'content-type': '' }, 400],
  ])('(%s) is rejected with a page', async (_, headers, status) => {
    const reply = await site.visitor().post(`/${test.id}/ballot`, { a: 'b' }, headers);
    expect(reply.statusCode).toBe(status);
    expect(visibleText(reply.body)).toContain('We couldn’t read that request Nothing was changed.');
  });

  it('that is too large is rejected with a page', async () => {
    const reply = await site.visitor().post(`/${test.id}/ballot`, { name: 'x'.repeat(40_000) });
    expect(reply.statusCode).toBe(413);
    expect(visibleText(reply.body)).toContain('Shorten the text');
  });
});

describe('any URL', () => {
  it.each([
    '/abc',
    '/abcdefghijkl',
    '/abcdefghijkl/manage',
    '/../etc/passwd',
    '/assets/../../package.json',
    '/a/b/c/d',
  ])('%s is a page with status 404', async path => {
    const reply = await site.visitor().get(path);
    expect(reply.statusCode).toBe(404);
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('that cannot be decoded gets a page', async () => {
    const reply = await site.visitor().get('/%ff%fe');
    expect(reply.statusCode).toBe(400);
    expect(visibleText(reply.body)).toContain('We couldn’t read that request');
  });
});

describe('without an engine', () => {
  it('every page is 503 with Retry-After', async () => {
    const failing = await startVotingSite({ engine: withoutPolls(site.engine) });
    for (const path of ['/', `/${test.id}`, `/${test.id}/manage`]) {
      const reply = await failing.visitor().get(path);
      expect(reply.statusCode).toBe(503);
      expect(reply.headers['retry-after']).toBe('1');
      expect(visibleText(reply.body)).toContain('Voting is unavailable right now');
    }
    await failing.close();
  });
});

function withoutPolls(engine: Engine): Engine {
  const fail = async () => {
    throw new PollError('engine_unavailable');
  };
  return engineWith(engine, { polls: { find: fail, listPublic: fail } });
}

describe('the simulated poll', () => {
  it.each(['/rehearsal', '/rehearsal/manage', '/rehearsal?x=1'])(
    'has no page, and %s says why',
    async path => {
      const reply = await site.visitor().get(path);
      expect(reply.statusCode).toBe(404);
      expect(visibleText(reply.body)).toContain('simulated');
      expect((await site.visitor().get('/rehearsals')).body).not.toContain('simulated');
    },
  );
});
