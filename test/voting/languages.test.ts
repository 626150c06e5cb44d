import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite();
});
afterAll(() => site.close());

const linksFrom = async (referer?: string) => {
  const { body } = await site.visitor().get('/languages', referer === undefined ? {} : { referer });
  return [...body.matchAll(/href="([^"]+)" lang="(\w+)"/g)].map(([, href, language]) => [language, href]);
};

describe('the menu of languages', () => {
  it('is in the foot of each page, which names the language in itself', async () => {
    const { id } = await site.createPoll();
    for (const path of ['/', `/${id}`, '/new', '/join'])
      expect((await site.visitor().get(`${path}?lang=de`)).body).toMatch(
        /<footer>.*<a href="\/languages">[^<]*Deutsch<\/a><\/footer>/,
      );
  });

  it('leads back to the page before it, with the parameters of that page', async () => {
    const links = await linksFrom('http://vote.test/abc?show=friday-night&lang=de');
    expect(links).toHaveLength(17);
    expect(links).toContainEqual(['fr', '/abc?show=friday-night&amp;lang=fr']);
  });

  it.each([
    [undefined, '/?lang=fr'],
    ['no address', '/?lang=fr'],
    ['https://elsewhere.example//evil.example/x', '/evil.example/x?lang=fr'],
    ['http://vote.test/languages', '/?lang=fr'],
  ])('leads to this site from %s', async (referrer, address) => {
    expect(await linksFrom(referrer)).toContainEqual(['fr', address]);
  });
});
