import { pbkdf2Sync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueTask } from '../../src/pages/human-check/altcha-check.ts';
import { VotingSecret } from '../../src/pages/voter/voting-secret.ts';
import { pointShow } from '../support/point-show.ts';
import { type Fields, solveForm, solveTask, type Visitor, visibleText } from './visitor.ts';
import { readSecret, startVotingSite, type TestPoll, type VotingSite } from './voting-site.ts';

const UNUSED_PROVIDER = { issuer: 'https://id.test', clientId: 'x', clientSecret: 'y', name: 'Unused' };

let nowMs = Date.now();
let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite({ clock: () => nowMs, oidc: UNUSED_PROVIDER });
});
afterAll(() => site.close());

const MALFORMED = [
  'no JSON',
  '[]',
  'null',
  '{}',
  '{"challenge":null}',
  `"${'x'.repeat(5_000)}"`,
  '{"challenge":{"parameters":{"data":null},"signature":"a"},"solution":{"derivedKey":"a"}}',
  '{"challenge":{"parameters":{"data":{"poll":"a"}},"signature":"a"},"solution":{"derivedKey":1}}',
  '{"challenge":{"parameters":{"data":{"poll":["a"]}},"signature":"a"},"solution":{"derivedKey":"a"}}',
];

async function vote(visitor: Visitor, { id, poll }: TestPoll, form: Fields) {
  return visitor.post(`/${id}/ballot`, { ...form, answer: poll.answers[0]!.id });
}

describe('the proof of work', () => {
  it('is rejected for another voter, in another poll, or if it was changed', async () => {
    const [one, other] = [await site.createPoll({ mip: true }), await site.createPoll({ mip: true })];
    const [visitor, stranger] = [site.visitor(), site.visitor()];
    const form = await visitor.fillForm(one.id);
    const strange = await stranger.fillForm(one.id);
    const foreign = await visitor.fillForm(other.id);
    const payload = JSON.parse(form['proof'] as string);
    const cheaper = {
      ...payload,
      challenge: {
        ...payload.challenge,
        parameters: { ...payload.challenge.parameters, cost: 1, keyPrefix: '00' },
      },
    };
    const wrong = { ...payload, solution: { ...payload.solution, derivedKey: '00'.repeat(32) } };
    const elsewhere = structuredClone(payload);
    elsewhere.challenge.parameters.data.poll = other.id;
    const longer = structuredClone(payload);
    longer.challenge.parameters.expiresAt += 1;
    const prefix = { ...payload, solution: { derivedKey: payload.challenge.parameters.keyPrefix } };
    const tries = [
      await vote(stranger, one, { ...strange, proof: form['proof']! }),
      await vote(visitor, other, { ...foreign, proof: form['proof']! }),
      await vote(visitor, other, { ...foreign, proof: JSON.stringify(elsewhere) }),
      await vote(visitor, one, { ...form, proof: JSON.stringify(cheaper) }),
      await vote(visitor, one, { ...form, proof: JSON.stringify(wrong) }),
      await vote(visitor, one, { ...form, proof: JSON.stringify(longer) }),
      await vote(visitor, one, { ...form, proof: JSON.stringify(prefix) }),
    ];
    for (const proof of MALFORMED) tries.push(await vote(visitor, one, { ...form, proof }));
    for (const reply of tries) {
      expect(reply.statusCode).toBe(400);
      expect(visibleText(reply.body)).toContain('The check that you’re human failed');
    }
    expect((await site.counts(one.id)).voters + (await site.counts(other.id)).voters).toBe(0);
    expect((await vote(visitor, one, form)).statusCode).toBe(303);
  });

  it('counts one ballot of its voter, from any address and with any form', async () => {
    const test = await site.createPoll({ mip: true });
    const visitor = site.visitor();
    const form = await visitor.fillForm(test.id);
    const secret = await readSecret(site.engine);
    const voter = secret.unseal('voter', visitor.cookie('voter'))!;
    const posts = Array.from({ length: 20 }, (_, n) => {
      const twin = site.visitor();
      for (const [key, cookie] of visitor.cookies) twin.cookies.set(key, cookie);
      const ballot = secret.seal('ballot', `form ${n}`, test.id, voter);
      return twin.post(`/${test.id}/ballot`, { ...form, ballot, answer: test.poll.answers[n % 2]!.id });
    });
    const statuses = (await Promise.all(posts)).map(({ statusCode }) => statusCode);
    expect(statuses.filter(status => status === 303)).toHaveLength(1);
    expect(statuses.filter(status => status === 409)).toHaveLength(19);
    expect((await site.counts(test.id)).voters).toBe(1);
  });

  it('expires, and the page returns a new one and keeps the choice', async () => {
    const test = await site.createPoll();
    const visitor = site.visitor();
    const form = await visitor.fillForm(test.id);
    nowMs += 601_000;
    const reply = await vote(visitor, test, form);
    expect(reply.statusCode).toBe(400);
    expect(visibleText(reply.body)).toContain('This page was open too long');
    expect(reply.body).toContain(`value="${test.poll.answers[0]!.id}" checked`);
    expect((await site.counts(test.id)).voters).toBe(0);
  });
});

describe('a poll that is not open', () => {
  const STOCK = 40;

  it('gives out no task, so that no proof can be made before the opening', async () => {
    const { id, poll } = await site.createPoll({ mip: true, status: 'upcoming' });
    await pointShow(site.engine, 'stocked', id);
    const cheats = Array.from({ length: STOCK }, () => site.visitor());
    const stocked = await Promise.all(
      cheats.map(async cheat => {
        const form = await solveForm((await cheat.get(`/${id}?show=stocked`)).body);
        const task = await cheat.get(`/${id}/challenge`);
        expect([task.statusCode, task.json()]).toEqual([409, { error: 'poll_not_open' }]);
        return { answer: poll.answers[0]!.id, ...form };
      }),
    );
    await site.engine.polls.change(id, { closed: false });
    const send = (form: Fields, index: number) => cheats[index]!.post(`/${id}/ballot`, form);
    const early = await Promise.all(stocked.map(send));
    expect(new Set(early.map(({ statusCode }) => statusCode))).toEqual(new Set([400]));
    expect((await site.counts(id)).voters).toBe(0);
    const solved = await Promise.all(
      stocked.map(async (form, index) => {
        const task = await cheats[index]!.get(`/${id}/challenge`);
        return { ...form, proof: await solveTask(task.body) };
      }),
    );
    const late = await Promise.all(solved.map(send));
    expect(new Set(late.map(({ statusCode }) => statusCode))).toEqual(new Set([303]));
    expect((await site.counts(id)).voters).toBe(STOCK);
  });

  it('rejects requests for a task once it is closed, and if there is no such poll', async () => {
    const { id } = await site.createPoll();
    const visitor = site.visitor();
    await site.engine.polls.change(id, { closed: true });
    const closed = await visitor.get(`/${id}/challenge`);
    expect([closed.statusCode, closed.json()]).toEqual([409, { error: 'poll_closed' }]);
    expect(closed.headers['cache-control']).toBe('private, no-store');
    expect((await visitor.get('/NoSuchPoll00/challenge')).statusCode).toBe(404);
    await site.engine.polls.change(id, { closed: false });
    expect((await visitor.get(`/${id}/challenge`)).statusCode).toBe(200);
  });
});

describe('a task of the proof of work', () => {
  const secret = new VotingSecret(Buffer.alloc(32, 1));
  const subject = { pollId: 'AAAAAAAAAAAA', voter: 'voter' };
  const taskOf = (cost: number) => issueTask(secret, subject, cost, 0);

  it.each([1, 4, 7])('of cost %i takes between 0.5 and 1.5 times 256 as many iterations', cost => {
    for (let n = 0; n < 30; n += 1) {
      const { nonce, salt, cost: iterations, keyLength, keyPrefix } = taskOf(cost).parameters;
      const isSolved = (counter: number) => {
        const password = Buffer.from(nonce + counter.toString(16).padStart(8, '0'), 'hex');
        const key = pbkdf2Sync(password, Buffer.from(salt, 'hex'), iterations, keyLength, 'sha256');
        return key.toString('hex').startsWith(keyPrefix);
      };
      let counter = 0;
      while (!isSolved(counter)) counter += 1;
      expect(counter * iterations).toBeGreaterThanOrEqual((cost * 256) / 2 - 1);
      expect(counter * iterations).toBeLessThanOrEqual(cost * 256 * 1.5 + 1);
    }
  });
});
