import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite();
});
afterAll(() => site.close());

const ENDS = ['.', ')', ',', '%20', '%C2%BB', '%E2%80%A6', '"', '!', '%20and%20vote?x=1', '/)', '%', '%ff'];

it('a link that was shared with what stood beside it leads to its page', async () => {
  const { id } = await site.createPoll();
  const visitor = site.visitor();
  const ofPoll = ['', '/manage', '/check', '/present'].map(page => `/${id}${page}`);
  const pages = [...ofPoll, '/show/friday-night', '/show/friday-night/present', '/desk/friday-night'];
  for (const page of pages)
    for (const end of ENDS) {
      const { statusCode, headers } = await visitor.get(`${page}${end}`);
      expect([page + end, statusCode, headers['location']]).toEqual([page + end, 302, page]);
    }
  expect((await visitor.get(`/${id}-_`)).headers['location']).toBe(`/${id}`);
});

it('below the path of a public address, too', async () => {
  const below = await startVotingSite({ engine: site.engine, voteUrl: 'https://show.example/polls' });
  const { id } = await site.createPoll();
  for (const end of ['.', '%'])
    expect((await below.visitor().get(`/${id}${end}`)).headers['location']).toBe(`/polls/${id}`);
  await below.close();
});

it('other addresses lead nowhere else', async () => {
  const { id } = await site.createPoll();
  for (const path of [
    `/${id}a`,
    `/${id}/no-page`,
    '/abc.',
    `/${'a'.repeat(11)}.`,
    `/show/${'a'.repeat(41)}.`,
  ])
    expect([path, (await site.visitor().get(path)).statusCode]).toEqual([path, 404]);
  expect((await site.visitor().get(`/${id}?lang=de.`)).statusCode).toBe(200);
});
