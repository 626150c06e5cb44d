import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { engineWith } from '../../src/engine/engine-with.ts';
import { logLines } from '../support/log-lines.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let direct: VotingSite;
let behindProxy: VotingSite;
beforeAll(async () => {
  direct = await startVotingSite();
  behindProxy = await startVotingSite({ engine: direct.engine, trustProxy: ['10.0.0.0/8', '::1/128'] });
});
afterAll(async () => {
  await behindProxy.close();
  await direct.close();
});

const FORGED: Record<string, string>[] = [
  { 'x-forwarded-for': '198.51.100.1' },
  { 'x-forwarded-for': '198.51.100.2, 198.51.100.3' },
  { forwarded: 'for=198.51.100.4' },
  { 'x-real-ip': '198.51.100.5' },
  { 'cf-connecting-ip': '198.51.100.6' },
  { 'true-client-ip': '198.51.100.7' },
];

describe('forged forwarding headers', () => {
  it('do not make one address two voters without a trusted proxy', async () => {
    const { id, poll } = await direct.createPoll();
    const answer = poll.answers[0]!.id;
    await direct.visitor({ address: '203.0.113.1' }).vote(id, answer);
    for (const headers of FORGED) {
      const reply = await direct.visitor({ address: '203.0.113.1', headers }).vote(id, answer);
      expect(reply.statusCode).toBe(409);
    }
    expect((await direct.counts(id)).voters).toBe(1);
  });

  it('are ignored from a peer that is not a trusted proxy', async () => {
    const { id, poll } = await direct.createPoll();
    const answer = poll.answers[0]!.id;
    await behindProxy.visitor({ address: '203.0.113.1' }).vote(id, answer);
    const headers = { 'x-forwarded-for': '198.51.100.1' };
    expect((await behindProxy.visitor({ address: '203.0.113.1', headers }).vote(id, answer)).statusCode).toBe(
      409,
    );
  });

  it('of a client are ignored in front of what the proxy adds', async () => {
    const { id, poll } = await direct.createPoll();
    const answer = poll.answers[0]!.id;
    const through = (header: string) =>
      behindProxy.visitor({ address: '10.1.2.3', headers: { 'x-forwarded-for': header } }).vote(id, answer);
    expect((await through('203.0.113.50')).statusCode).toBe(303);
    expect((await through('6.6.6.6, 203.0.113.50')).statusCode).toBe(409);
    expect((await through('6.6.6.6, 203.0.113.50, 10.9.9.9')).statusCode).toBe(409);
    expect((await through('203.0.113.51')).statusCode).toBe(303);
  });
});

describe('a trusted proxy with unusual addresses', () => {
  const through = (header: string, id: string, answer: string) =>
    behindProxy.visitor({ address: '10.1.2.3', headers: { 'x-forwarded-for': header } }).vote(id, answer);

  it.each<[string, string[]]>([
    ['with a port', ['203.0.113.60:4711', '203.0.113.60:4712', '203.0.113.60']],
    ['IPv6 with a port', ['[2001:db8::1]:4711', '[2001:db8::2]:80', '2001:db8::3']],
    ['no address at all', ['unknown', '_hidden', '4711', 'a.b', '']],
    ['a port on the way', ['203.0.113.61, 10.9.9.9:4711', '203.0.113.61, 10.9.9.8:4712']],
  ])('(%s) makes one address one voter', async (_, headers) => {
    const { id, poll } = await behindProxy.createPoll();
    const statuses = [];
    for (const header of headers) statuses.push((await through(header, id, poll.answers[0]!.id)).statusCode);
    expect(statuses).toEqual([303, ...headers.slice(1).map(() => 409)]);
    expect((await behindProxy.counts(id)).voters).toBe(1);
  });

  it('(a port on the way) still distinguishes its clients', async () => {
    const { id, poll } = await behindProxy.createPoll();
    for (const header of ['203.0.113.62, 10.9.9.9:4711', '203.0.113.63:1, 10.9.9.9:4711'])
      expect((await through(header, id, poll.answers[0]!.id)).statusCode).toBe(303);
  });
});

describe('many voters from one private address', () => {
  const { logger, lines: warnings } = logLines('warn');

  it('are logged once, because it is probably a proxy', async () => {
    const site = await startVotingSite({ engine: direct.engine, logger });
    const { id, poll } = await site.createPoll();
    for (let n = 0; n < 25; n += 1)
      await site.visitor({ address: '172.18.0.1' }).vote(id, poll.answers[0]!.id);
    const logged = warnings.filter(line => line.includes('TRUST_PROXY'));
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0]!)).toMatchObject({ address: '172.18.0.1' });
    await site.close();
  });

  it('are not logged for many private addresses or one public one', async () => {
    warnings.length = 0;
    const site = await startVotingSite({ engine: direct.engine, logger });
    const { id, poll } = await site.createPoll({ mip: true });
    for (let n = 0; n < 25; n += 1) {
      await site.visitor({ address: `192.168.0.${n + 1}` }).vote(id, poll.answers[0]!.id);
      await site.visitor({ address: '198.51.100.7' }).vote(id, poll.answers[0]!.id);
    }
    expect(warnings).toEqual([]);
    await site.close();
  });
});

describe('the stored address', () => {
  it('is a keyed hash, different in each poll', async () => {
    const seen: string[] = [];
    const cast: Engine['castBallot'] = ballot => {
      seen.push(ballot.address, ballot.voter);
      return direct.engine.castBallot(ballot);
    };
    const site = await startVotingSite({ engine: engineWith(direct.engine, { polls: { cast } }) });
    const polls = [await site.createPoll(), await site.createPoll()];
    const visitor = site.visitor({ address: '203.0.113.99' });
    for (const { id, poll } of polls) await visitor.vote(id, poll.answers[0]!.id);
    expect(new Set(seen).size).toBe(4);
    for (const key of seen) expect(key).toMatch(/^[\w-]{32}$/);
    await site.close();
  });
});
