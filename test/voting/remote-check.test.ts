import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from '../support/until.ts';
import { visibleText } from './visitor.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

/** A stub of the service. Each valid token passes once. */
let service: Server;
let verifyUrl: string;
let verified: URLSearchParams[] = [];
let answer: (token: string) => { status: number; body: string } | Promise<{ status: number; body: string }>;
const spent = new Set<string>();

beforeAll(async () => {
  service = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', async () => {
      const fields = new URLSearchParams(body);
      verified.push(fields);
      const reply = await answer(fields.get('response') ?? '');
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
    });
  });
  await new Promise<void>(done => service.listen(0, '127.0.0.1', done));
  verifyUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/siteverify`;
});
afterAll(() => new Promise(done => service.close(done)));
beforeEach(() => {
  // A busy machine answers later than a voter would wait.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  verified = [];
  spent.clear();
  answer = token => {
    const success = token.startsWith('good') && !spent.has(token);
    spent.add(token);
    return { status: 200, body: JSON.stringify({ success }) };
  };
});

const CHECKS = [
  ['turnstile', 'cf-turnstile-response', 'https://challenges.cloudflare.com'],
  ['hcaptcha', 'h-captcha-response', 'https://*.hcaptcha.com'],
] as const;

describe.each(CHECKS)('%s', (name, field, source) => {
  async function withSite(run: (site: VotingSite) => Promise<void>): Promise<void> {
    const site = await startVotingSite({ [name]: { siteKey: 'site-key', secret: 'the-secret', verifyUrl } });
    try {
      await run(site);
    } finally {
      await site.close();
    }
  }

  it('is in the form, and in the policy of the page', () =>
    withSite(async site => {
      const { id } = await site.createPoll();
      const reply = await site.visitor().get(`/${id}`);
      expect(reply.body).toContain('data-sitekey="site-key"');
      expect(reply.body).not.toContain('data-challenge');
      expect(reply.headers['content-security-policy']).toContain(
        `frame-src ${source === 'https://*.hcaptcha.com' ? 'https://hcaptcha.com ' : ''}${source}`,
      );
      expect(reply.body).not.toContain('the-secret');
    }));

  it('has no task of its own, whether or not the poll is open', () =>
    withSite(async site => {
      const [open, upcoming] = [await site.createPoll(), await site.createPoll({ status: 'upcoming' })];
      expect((await site.visitor().get(`/${open.id}/challenge`)).statusCode).toBe(404);
      expect((await site.visitor().get(`/${upcoming.id}/challenge`)).statusCode).toBe(409);
    }));

  it('passes a ballot and its retries, and no other ballot with its token', () =>
    withSite(async site => {
      const { id, poll } = await site.createPoll({ mip: true });
      const visitor = site.visitor({ address: '203.0.113.5' });
      const form = { ...(await visitor.fillForm(id)), [field]: 'good token', answer: poll.answers[0]!.id };
      const replies = await Promise.all([1, 2, 3].map(() => visitor.post(`/${id}/ballot`, form)));
      expect(replies.map(reply => reply.statusCode)).toEqual([303, 303, 303]);
      expect((await visitor.post(`/${id}/ballot`, form)).statusCode).toBe(303);
      expect(verified).toHaveLength(1);
      expect(Object.fromEntries(verified[0]!)).toEqual({
        secret: 'the-secret',
        response: 'good token',
        remoteip: '203.0.113.5',
      });
      const other = await site.visitor().vote(id, poll.answers[0]!.id, { [field]: 'good token' });
      expect(other.statusCode).toBe(400);
      expect((await site.counts(id)).voters).toBe(1);
    }));

  it('passes a ballot that is sent to two front ends at the same time, and it is counted once', () =>
    withSite(async site => {
      const settings = { [name]: { siteKey: 'site-key', secret: 'the-secret', verifyUrl } };
      const other = await startVotingSite({ engine: site.engine, ...settings });
      const { id, poll } = await site.createPoll({ mip: true });
      const visitor = site.visitor();
      const form = { ...(await visitor.fillForm(id)), [field]: 'good twin', answer: poll.answers[0]!.id };
      const twin = other.visitor({ address: visitor.address });
      for (const [key, cookie] of visitor.cookies) twin.cookies.set(key, cookie);
      const passing = answer;
      let first: Promise<{ statusCode: number }> | undefined;
      // The second verification starts before the first ends, and ends after the first ballot is counted.
      answer = async token => {
        if (verified.length === 1) await until(() => verified.length === 2, 'the second');
        else await first;
        return passing(token);
      };
      first = visitor.post(`/${id}/ballot`, form);
      await until(() => verified.length === 1, 'the first');
      const replies = await Promise.all([first, twin.post(`/${id}/ballot`, form)]);
      expect(replies.map(reply => reply.statusCode)).toEqual([303, 303]);
      expect(verified).toHaveLength(2);
      expect((await site.counts(id)).voters).toBe(1);
      await other.close();
    }));

  it('rejects missing and invalid tokens, and any token while the service is down', () =>
    withSite(async site => {
      const { id, poll } = await site.createPoll({ mip: true });
      const vote = (token: string) => site.visitor().vote(id, poll.answers[0]!.id, { [field]: token });
      expect((await vote('')).statusCode).toBe(400);
      expect(visibleText((await vote('bad')).body)).toContain('The check that you’re human failed');
      answer = () => ({ status: 500, body: 'oh no' });
      const reply = await vote('good later');
      expect(reply.statusCode).toBe(503);
      expect(visibleText(reply.body)).toContain('is unavailable');
      expect((await site.counts(id)).voters).toBe(0);
    }));
});
