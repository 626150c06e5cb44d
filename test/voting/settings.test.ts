import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visibleText } from './visitor.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite();
});
afterAll(() => site.close());

async function open(id: string): Promise<string> {
  return (await site.visitor().get(`/${id}`)).body;
}

describe('title, description, answers, image', () => {
  it('are shown, the image under a policy that names its origin', async () => {
    const { id } = await site.createPoll({
      title: 'Fish & chips?',
      description: 'First line\nsecond line',
      answers: ['5 < 6', 'Yes'],
      has_image: true,
      image: 'https://pictures.example/a/b.png?c=1',
    });
    const reply = await site.visitor().get(`/${id}`);
    const text = visibleText(reply.body);
    for (const words of ['Fish & chips?', 'First line second line', '5 < 6', 'Yes'])
      expect(text).toContain(words);
    expect(reply.body).toContain('<img class="picture" src="https://pictures.example/a/b.png?c=1" alt="">');
    expect(reply.headers['content-security-policy']).toContain("img-src 'self' https://pictures.example;");
  });

  it('allow no image from elsewhere without one', async () => {
    const { id } = await site.createPoll();
    const reply = await site.visitor().get(`/${id}`);
    expect(reply.headers['content-security-policy']).toContain("img-src 'self';");
  });
});

describe('priv', () => {
  it('keeps a poll from lists and search engines; its question names its page and its link', async () => {
    const { id } = await site.createPoll({ priv: true, title: 'A secret question' });
    const reply = await site.visitor().get(`/${id}`);
    const head = reply.body.slice(0, reply.body.indexOf('</head>'));
    expect(head).toContain('<meta name="robots" content="noindex, nofollow">');
    expect(reply.headers['x-robots-tag']).toBe('noindex, nofollow');
    expect(head).toContain('<title>A secret question - Tallycast</title>');
    expect(head).toContain('<meta property="og:title" content="A secret question">');
    expect(head).not.toContain('og:image');
    expect(await open('')).not.toContain(id);
  });

  it('off: the poll is on the home page, newest first, and has a preview', async () => {
    const older = await site.createPoll({ title: 'The older one' });
    // Polls of the same millisecond have no order.
    while ((await site.engine.polls.now()) <= older.poll.createdAtMs) await new Promise(setImmediate);
    await site.createPoll({ title: 'The newer one' });
    const list = visibleText(await open(''));
    expect(list.indexOf('The newer one')).toBeGreaterThan(-1);
    expect(list.indexOf('The older one')).toBeGreaterThan(list.indexOf('The newer one'));
    expect(await open(older.id)).toContain('<meta property="og:title" content="The older one">');
    expect(await open(older.id)).not.toContain('noindex');
  });

  it('off: the preview has a picture of the results at their position, or of their state while they are hidden', async () => {
    const { id } = await site.createPoll({ title: 'In a picture' });
    const urlOf = async (id: string) => /og:image" content="([^"]+)"/.exec(await open(id))?.[1];
    const first = await urlOf(id);
    expect(first).toMatch(
      new RegExp(`^https?://[^/]+/api/poll/${id}/picture\\.png\\?position=1-[\\w-]{12}$`),
    );
    await site.visitor().vote(id, [(await site.engine.polls.find(id))!.poll.answers[0]!.id]);
    expect(await urlOf(id)).toMatch(/position=2-/);
    const head = await open(id);
    expect(head).toContain('<meta property="og:image:width" content="1200">');
    expect(head).toContain('<meta property="og:image:alt" content="In a picture">');
    const hidden = await site.createPoll({ results_visibility: 'hidden' });
    expect(await urlOf(hidden.id)).toMatch(/picture\.png$/);
    const unlisted = await site.createPoll({ priv: true });
    expect(await urlOf(unlisted.id)).toBeUndefined();
  });
});

describe('ma', () => {
  it('on: accepts several answers in one ballot', async () => {
    const { id, poll } = await site.createPoll({ ma: true });
    const visitor = site.visitor();
    expect((await visitor.get(`/${id}`)).body).toContain('type="checkbox" name="answer"');
    const reply = await visitor.vote(id, [poll.answers[0]!.id, poll.answers[2]!.id]);
    expect(reply.statusCode).toBe(303);
    expect(await site.counts(id)).toEqual({ votes: [1, 0, 1], voters: 1 });
    expect(visibleText((await visitor.get(`/${id}`)).body)).toContain('You chose Waterloo , Hallelujah .');
  });
});

describe('mip', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.8', '::ffff:203.0.113.8'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
  ])('off: %s and %s are one address with one ballot', async (address, second) => {
    const { id, poll } = await site.createPoll();
    expect((await site.visitor({ address }).vote(id, poll.answers[0]!.id)).statusCode).toBe(303);
    const reply = await site.visitor({ address: second }).vote(id, poll.answers[0]!.id);
    expect(reply.statusCode).toBe(409);
    expect(visibleText(reply.body)).toContain('There’s already a vote from your network');
    expect((await site.counts(id)).voters).toBe(1);
  });

  it('off: another /64 is another address', async () => {
    const { id, poll } = await site.createPoll();
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:3::1'])
      expect((await site.visitor({ address }).vote(id, poll.answers[0]!.id)).statusCode).toBe(303);
    expect((await site.counts(id)).voters).toBe(2);
  });

  it('on: addresses do not matter', async () => {
    const { id, poll } = await site.createPoll({ mip: true });
    for (let n = 0; n < 3; n += 1)
      expect((await site.visitor({ address: '203.0.113.9' }).vote(id, poll.answers[0]!.id)).statusCode).toBe(
        303,
      );
    expect((await site.counts(id)).voters).toBe(3);
  });
});

describe('enter_name', () => {
  it('requires a name, and keeps the choice without one', async () => {
    const { id, poll } = await site.createPoll({ enter_name: true });
    const visitor = site.visitor();
    const missing = await visitor.vote(id, poll.answers[1]!.id, { name: '   ' });
    expect(missing.statusCode).toBe(400);
    expect(visibleText(missing.body)).toContain('Enter your name');
    expect(missing.body).toContain(`value="${poll.answers[1]!.id}" checked`);
    const unusable = await visitor.vote(id, poll.answers[1]!.id, { name: 'x'.repeat(81) });
    expect(visibleText(unusable.body)).toContain('This name can’t be used');
    expect((await visitor.vote(id, poll.answers[1]!.id, { name: ' Mira ' })).statusCode).toBe(303);
    const ballots = [];
    for await (const batch of site.engine.polls.readBallots(id))
      ballots.push(...batch.map(({ name }) => name));
    expect(ballots).toEqual(['Mira']);
  });
});

describe('only_reg', () => {
  it('says that sign-in is not set up without a provider', async () => {
    const { id, poll } = await site.createPoll({ only_reg: true });
    const page = await open(id);
    expect(page).not.toContain('<form class="vote"');
    expect(visibleText(page)).toContain('sign-in isn’t set up on this site');
    const visitor = site.visitor();
    const elsewhere = await site.createPoll();
    const form = await visitor.fillForm(elsewhere.id);
    const reply = await visitor.post(`/${id}/ballot`, { ...form, answer: poll.answers[0]!.id });
    expect(reply.statusCode).toBe(400);
    expect((await site.counts(id)).voters).toBe(0);
  });
});

describe('vpn', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tallycast-vpn-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('off: rejects listed addresses, on: accepts them, and the list is reloaded', async () => {
    const file = join(folder, 'list.txt');
    await writeFile(
      file,
      '# a comment\n198.51.100.0/24\n\n2001:db8:aa::/48 # another\nnonsense\n198.51.100.128/25\n',
    );
    let nowMs = 0;
    const listed = await startVotingSite({ vpnListFile: file, clock: () => Date.now() + nowMs });
    const refusing = await listed.createPoll({ mip: true });
    const allowing = await listed.createPoll({ mip: true, vpn: true });
    const answer = refusing.poll.answers[0]!.id;
    for (const address of ['198.51.100.1', '198.51.100.255', '::ffff:198.51.100.77', '2001:db8:aa:1::5']) {
      const page = await listed.visitor({ address }).get(`/${refusing.id}`);
      expect(visibleText(page.body)).toContain('This poll doesn’t accept votes over a VPN');
      const reply = await listed.visitor({ address }).vote(refusing.id, answer);
      expect(reply.statusCode).toBe(403);
      expect(visibleText(reply.body)).toContain('Your vote wasn’t counted. Turn off your VPN');
      const allowed = await listed.visitor({ address }).vote(allowing.id, allowing.poll.answers[0]!.id);
      expect(allowed.statusCode).toBe(303);
    }
    for (const address of ['198.51.101.0', '2001:db8:ab::1'])
      expect((await listed.visitor({ address }).vote(refusing.id, answer)).statusCode).toBe(303);
    await writeFile(file, '192.0.2.0/24\n');
    nowMs += 2_000;
    expect((await listed.visitor({ address: '198.51.100.1' }).vote(refusing.id, answer)).statusCode).toBe(
      303,
    );
    expect((await listed.visitor({ address: '192.0.2.200' }).vote(refusing.id, answer)).statusCode).toBe(403);
    await listed.close();
  });

  it('prevents the start if the list cannot be read', async () => {
    await expect(
      startVotingSite({ engine: site.engine, vpnListFile: join(folder, 'missing') }),
    ).rejects.toThrow('ENOENT');
  });
});

describe('results_visibility', () => {
  it('after_deadline: says when the results will be shown, and then shows them', async () => {
    const { id, poll } = await site.createPoll({
      has_deadline: true,
      deadline: '2099-05-01T18:30:00.000Z',
      results_visibility: 'after_deadline',
    });
    const visitor = site.visitor();
    await visitor.vote(id, poll.answers[1]!.id);
    const page = visibleText((await visitor.get(`/${id}`)).body);
    expect(page).toContain('They’ll appear here when it ends on May 1, 2099 at 6:30 PM UTC');
    expect(page).not.toMatch(/Volare your choice \d/);
    await site.engine.polls.change(id, { deadlineMs: Date.now() - 1 });
    expect(visibleText((await visitor.get(`/${id}`)).body)).toContain('Volare your choice 1 ');
  });
});
