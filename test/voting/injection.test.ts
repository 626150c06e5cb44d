import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Visitor, visibleText } from './visitor.ts';
import { startVotingSite, type TestPoll, type VotingSite } from './voting-site.ts';

const ATTACKS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus=alert(1) x='",
  '</title><script>alert(1)</script>',
  '</textarea><script>alert(1)</script>',
  'javascript:alert(1)',
  '#{alert(1)} {{7*7}}',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
];

let site: VotingSite;
let test: TestPoll;
beforeAll(async () => {
  site = await startVotingSite();
});
beforeEach(async () => {
  test = await site.createPoll({
    title: ATTACKS.join(' '),
    description: ATTACKS.join('\n'),
    answers: ATTACKS,
    co: true,
    mip: true,
    enter_name: true,
    ma: true,
    has_image: true,
    image: 'https://pictures.example/"><script>alert(1)</script>',
  });
});
afterAll(() => site.close());

/** If input became markup, the tags would differ from those of a page with harmless texts. */
function tags(page: string): string[] {
  return [...page.matchAll(/<(\/?[a-z0-9-]+)/gi)].map(match => match[1]!.toLowerCase());
}

describe('script in a title, an answer, a name or a comment', () => {
  it('is text on the voting page, before and after the vote', async () => {
    const harmless = await site.createPoll({
      title: 'Title',
      description: 'Description',
      answers: ATTACKS.map((_, index) => `Answer ${index}`),
      co: true,
      mip: true,
      enter_name: true,
      ma: true,
      has_image: true,
      image: 'https://pictures.example/a.png',
    });
    const pages = async ({ id, poll }: TestPoll, words: string) => {
      const visitor = site.visitor();
      const before = (await visitor.get(`/${id}`)).body;
      const refused = (await visitor.vote(id, [], { name: words })).body;
      await visitor.vote(
        id,
        poll.answers.map(answer => answer.id),
        { name: words },
      );
      return [before, refused, (await visitor.get(`/${id}`)).body];
    };
    const attacked = await pages(test, ATTACKS[1]!);
    const plain = await pages(harmless, 'Name');
    for (const [index, page] of attacked.entries()) {
      expect(tags(page)).toEqual(tags(plain[index]!));
      for (const attack of ATTACKS) expect(visibleText(page)).toContain(attack.replace(/\s+/g, ' '));
    }
    expect(attacked[1]).toContain(
      `name="name" value="${ATTACKS[1]!.replace(/[<>"]/g, c => ({ '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!)}"`,
    );
  });

  it('is text on the home page and in comments', async () => {
    const before = tags((await site.visitor().get(`/${test.id}`)).body);
    const visitor = site.visitor();
    await visitor.vote(test.id, test.poll.answers[0]!.id, { name: 'Mira' });
    const page = (await visitor.get(`/${test.id}`)).body;
    const token = /name="comment" value="([^"]+)"/.exec(page)![1]!;
    const sent = await visitor.post(`/${test.id}/comments`, {
      comment: token,
      text: ATTACKS.join('\n'),
      name: ATTACKS[0]!,
    });
    expect(sent.statusCode).toBe(303);
    const after = tags((await site.visitor().get(`/${test.id}`)).body);
    expect(after.filter(tag => tag === 'script')).toEqual(before.filter(tag => tag === 'script'));
    expect(after.filter(tag => tag === 'img')).toHaveLength(1);
    expect(tags((await site.visitor().get('/')).body).filter(tag => tag === 'script')).toHaveLength(1);
  });

  it('is text on the manage page and the list of names', async () => {
    const visitor = site.visitor();
    await visitor.vote(test.id, [test.poll.answers[0]!.id], { name: ATTACKS[1]! });
    await visitor.post(`/${test.id}/manage/key`, { key: test.adminKey });
    for (const path of ['manage', 'manage/names']) {
      const page = (await visitor.get(`/${test.id}/${path}`)).body;
      expect(tags(page).filter(tag => tag === 'script')).toHaveLength(1);
      // The editor has a picture for the question and each answer, empty for these.
      const own = /<img(?: src="https:[^"<>]*")? alt="" title="[^"<>]*" width="44" height="44">/g;
      expect(page.replaceAll(own, '')).not.toContain('<img');
    }
  });

  it.each(['https://a;sandbox,default-src/x.png', 'https://a,b.example/x.png', "https://a'b.example/x.png"])(
    'cannot add a directive by the host of an image: %s',
    async image => {
      const { id } = await site.createPoll({ has_image: true, image });
      const { headers } = await site.visitor().get(`/${id}`);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("img-src 'self'; connect-src");
      expect(policy).not.toMatch(/sandbox|,|a'b/);
    },
  );

  it.each([
    ['https://xn--bcher-kva.example:8443/x', 'https://xn--bcher-kva.example:8443'],
    ['https://BÜCHER.example/x', 'https://xn--bcher-kva.example'],
    ['https://192.0.2.1/x', 'https://192.0.2.1'],
  ])('may come from %s', async (image, source) => {
    const { id } = await site.createPoll({ has_image: true, image });
    const { headers } = await site.visitor().get(`/${id}`);
    expect(headers['content-security-policy']).toContain(`img-src 'self' ${source};`);
  });

  it('is text in a rejected form', async () => {
    const visitor = new Visitor(site.server, {});
    for (const attack of ATTACKS) {
      const reply = await visitor.post('/new', {
        title: attack,
        answer: [attack],
        description: attack,
        image: attack,
      });
      expect(tags(reply.body).filter(tag => tag === 'script')).toHaveLength(1);
      expect(tags(reply.body)).not.toContain('img');
    }
  });
});
