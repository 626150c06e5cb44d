import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visibleText } from './visitor.ts';
import { startVotingSite, type TestPoll, type VotingSite } from './voting-site.ts';

const MACHINE = hostname()
  .toLowerCase()
  .replace(/\.local$/, '');
let site: VotingSite;
let test: TestPoll;
beforeAll(async () => {
  site = await startVotingSite();
  test = await site.createPoll({ mip: true, co: true });
});
afterAll(() => site.close());

const REJECTED: [string, Record<string, string>][] = [
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }],
  ['another site with a forged origin', { 'sec-fetch-site': 'cross-site', origin: 'http://vote.test' }],
  ['a neighbor on the same domain', { 'sec-fetch-site': 'same-site', origin: 'http://other.vote.test' }],
  [
    'another site, from a browser without Fetch Metadata',
    { 'sec-fetch-site': '', origin: 'https://evil.test' },
  ],
  ['a sandboxed frame', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ['a page with no origin, from a browser without Fetch Metadata', { 'sec-fetch-site': '', origin: 'null' }],
  ['a program without either', { 'sec-fetch-site': '', origin: '' }],
  [
    'a foreign domain that resolves to this server',
    { 'sec-fetch-site': '', origin: 'http://evil.test', host: 'evil.test' },
  ],
  [
    'a neighbor that calls itself by a local name and resolves it to this server',
    { 'sec-fetch-site': '', origin: 'http://evil.local:8081', host: 'evil.local:8081' },
  ],
  [
    'a neighbor that does so with a name without a dot',
    { 'sec-fetch-site': '', origin: 'http://evil:8081', host: 'evil:8081' },
  ],
  ['another port of this machine', { 'sec-fetch-site': '', origin: 'http://vote.test:9999' }],
];

describe('a form that comes from', () => {
  it.each(REJECTED)('%s is rejected without effect', async (_, headers) => {
    const visitor = site.visitor();
    const form = { ...(await visitor.fillForm(test.id)), answer: test.poll.answers[0]!.id };
    const before = await site.counts(test.id);
    for (const path of [
      `/${test.id}/ballot`,
      `/${test.id}/comments`,
      `/${test.id}/check`,
      `/${test.id}/manage/close`,
      '/new',
      '/sign-out',
    ]) {
      const reply = await visitor.post(path, form, headers);
      expect(reply.statusCode).toBe(403);
      expect(visibleText(reply.body)).toContain('This request came from another site');
    }
    expect(await site.counts(test.id)).toEqual(before);
  });

  it.each([
    ['our page', { 'sec-fetch-site': 'same-origin', origin: 'http://vote.test' }],
    ['our page, in a browser without Fetch Metadata', { 'sec-fetch-site': '', origin: 'http://vote.test' }],
    [
      'our page under a local address of this server',
      { 'sec-fetch-site': '', origin: 'http://192.168.1.5:8081', host: '192.168.1.5:8081' },
    ],
    [
      "our page under this machine's name",
      { 'sec-fetch-site': '', origin: `http://${MACHINE}.local:8081`, host: `${MACHINE}.local:8081` },
    ],
  ])('%s is accepted', async (_, headers) => {
    const visitor = site.visitor();
    const form = { ...(await visitor.fillForm(test.id)), answer: test.poll.answers[0]!.id };
    expect((await visitor.post(`/${test.id}/ballot`, form, headers)).statusCode).toBe(303);
  });
});

describe('every reply', () => {
  it.each(['/', '/new', '/nothing', 'poll', 'manage', '/assets/none.js'])(
    'of %s forbids framing and inline scripts',
    async path => {
      const url = path === 'poll' ? `/${test.id}` : path === 'manage' ? `/${test.id}/manage` : path;
      const { headers, body } = await site.visitor().get(url);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("form-action 'self'");
      expect(policy).not.toContain('unsafe');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('same-origin');
      expect(body).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/);
    },
  );
});
