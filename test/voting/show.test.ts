import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OnAirMessage } from '../../src/pages/page/messages.ts';
import { heldClock } from '../support/held-clock.ts';
import { pointShow } from '../support/point-show.ts';
import { takeShow } from '../support/test-show.ts';
import { attribute, visibleText } from './visitor.ts';
import { type LiveSite, startLiveSite, startVotingSite } from './voting-site.ts';

let site: LiveSite;
let names = 0;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

const freshShow = async (onAir: string | null): Promise<string> => {
  names += 1;
  const name = `evening-${names}`;
  await pointShow(site.engine, name, onAir);
  return name;
};
const live = async (name: string, known?: string, mark?: string) => {
  const query = known === undefined ? '' : `?known=${known}${mark === undefined ? '' : `&mark=${mark}`}`;
  const reply = await fetch(`${site.url}/show/${name}/live${query}`);
  return (await reply.json()) as OnAirMessage;
};

describe('the address of a show', () => {
  it('redirects to the poll on air, and is not cached', async () => {
    const { id } = await site.createPoll();
    const name = await freshShow(id);
    const reply = await site.visitor().get(`/show/${name}`);
    expect([reply.statusCode, reply.headers.location]).toEqual([302, `/${id}?show=${name}`]);
    expect(reply.headers['cache-control']).toContain('no-store');
  });

  it('redirects to a page with a link to the next poll for browsers without scripts', async () => {
    const { id } = await site.createPoll();
    const name = await freshShow(id);
    const page = await site.visitor().get(`/${id}?show=${name}`);
    expect(page.body).toContain(
      `<noscript><p><a href="/show/${name}">Go to the poll on air</a></p></noscript>`,
    );
    // As on the page before the poll: what comes first has no space above it.
    expect(page.body).toMatch(/<article[^>]*>\s*<header>/);
    for (const other of ['', '?show=', '?show="><script>', '?show=a&show=b'])
      expect((await site.visitor().get(`/${id}${other}`)).body).not.toContain('/show/');
  });

  it.each([
    ['before the first vote', null],
    ['in a rehearsal', 'rehearsal'],
  ])('shows that the next vote opens soon %s', async (_, onAir) => {
    const name = await freshShow(onAir);
    const page = await site.visitor().get(`/show/${name}`);
    expect(page.statusCode).toBe(200);
    expect(visibleText(page.body)).toContain('The next poll opens soon');
  });

  it.each(['/show/no-such-show', '/show/Invalid', '/show/..%2Fadmin', '/show/no-such-show/share'])(
    'is 404 without such a show: %s',
    async path => {
      expect((await site.visitor().get(path)).statusCode).toBe(404);
    },
  );
});

it('pages of what is missing ask again by themselves, those of what was deleted do not', async () => {
  const { id } = await site.createPoll();
  await site.engine.polls.remove(id);
  const statuses = await Promise.all(
    ['/show/never-there', '/nopenopenope', `/${id}`].map(async path => {
      const { statusCode, body } = await site.visitor().get(path);
      return [statusCode, body.includes('data-may-return')];
    }),
  );
  expect(statuses).toEqual([
    [404, true],
    [404, true],
    [410, false],
  ]);
});

describe('the long poll of a page of a show', () => {
  it('is answered at the switch, by one engine read for all pages, with a spread', async () => {
    const [one, two] = [await site.createPoll(), await site.createPoll()];
    const name = await freshShow(one.id);
    const asked = Array.from({ length: 500 }, () => live(name, one.id));
    const answered = vi.fn();
    for (const answer of asked) void answer.then(answered);
    // The show has been read, and pages that know the poll are still held.
    expect(await live(name)).toMatchObject({ onAir: one.id });
    expect(answered).not.toHaveBeenCalled();
    const read = vi.spyOn(site.services.engine.records, 'findMany');
    await pointShow(site.engine, name, two.id);
    const answers = await Promise.all(asked);
    expect(answers.every(({ onAir, spreadMs }) => onAir === two.id && spreadMs === 200)).toBe(true);
    // One for the hint, and one for each sweep while a slow machine answers.
    const own = read.mock.calls.filter(([topics]) => topics.includes(`show:${name}`));
    expect(own.length).toBeLessThan(20);
    const reads = vi.spyOn(site.services.engine.polls, 'find');
    const pages = await Promise.all(
      Array.from({ length: 200 }, () => site.visitor().get(`/${two.id}?show=${name}`)),
    );
    expect(pages.every(({ statusCode }) => statusCode === 200)).toBe(true);
    expect(reads.mock.calls.length).toBeLessThan(20);
  });

  it('reports a rehearsal as nothing on air', async () => {
    const { id } = await site.createPoll();
    const name = await freshShow(id);
    const asked = live(name, id);
    await pointShow(site.engine, name, 'rehearsal');
    expect(await asked).toMatchObject({ onAir: null });
    const waits = live(name);
    await pointShow(site.engine, name, null);
    await pointShow(site.engine, name, id);
    expect(await waits).toMatchObject({ onAir: id });
  });

  it('is answered when the poll on air is opened, closed, revealed or deleted, but not for a ballot', async () => {
    const poll = { status: 'upcoming', results_visibility: 'hidden' };
    const { id } = await site.createPoll(poll);
    const name = await freshShow(id);
    const page = await site.visitor().get(`/${id}?show=${name}`);
    let mark = attribute(page.body, 'data-mark')!;
    const next = async (change: () => Promise<unknown>) => {
      const asked = live(name, id, mark);
      await change();
      const { onAir, poll } = await asked;
      expect(onAir).toBe(id);
      mark = poll!.mark;
      return poll!.state;
    };
    const { polls } = site.engine;
    expect(await next(() => polls.change(id, { closed: false }))).toMatchObject({ status: 'open' });
    const opened = mark;
    const [answer] = (await polls.find(id))!.poll.answers;
    const vote = async () => {
      await site.visitor({ origin: site.url }).vote(id, answer!.id);
      await polls.change(id, { closed: true });
    };
    expect(await next(vote)).toMatchObject({ status: 'closed', visible: false });
    expect((await polls.find(id))!.results.totalVoters).toBe(1);
    const shown = await next(() => polls.change(id, { resultsVisibility: 'always' }));
    expect(shown).toMatchObject({ status: 'closed', visible: true });
    expect((await live(name, id, opened)).poll?.state).toEqual(shown);
    expect(await next(() => polls.remove(id))).toBeNull();
  });

  it.each(['tv', '-evening', 'Evening', 'x'.repeat(41)])('is 404 for an invalid name: %s', async name => {
    expect((await fetch(`${site.url}/show/${name}/live`)).status).toBe(404);
  });

  it('is limited by voter, not by address', async () => {
    const { id } = await site.createPoll();
    const name = await freshShow(id);
    const strict = await startVotingSite({
      engine: site.engine,
      clock: heldClock(),
      rateLimits: { pages: 3 },
    });
    const url = await strict.server.listen({ host: '127.0.0.1', port: 0 });
    for (let voter = 0; voter < 2; voter += 1) {
      const page = await fetch(`${url}/show/${name}`, { redirect: 'manual' });
      const cookie = page.headers
        .getSetCookie()
        .map(text => text.split(';')[0])
        .join('; ');
      for (const status of [200, 200, 200, 429])
        expect((await fetch(`${url}/show/${name}/live`, { headers: { cookie } })).status).toBe(status);
    }
    await strict.close();
  });
});

describe('the rundown of a show', () => {
  it('is not listed on the home page, and its answers are hidden until they are on air', async () => {
    const show = await takeShow(site.relay);
    const [title, answers] = ['What is behind the curtain?', ['A white goat', 'A red car']];
    const ids: string[] = [];
    for (let at = 0; at < 6; at += 1) {
      const poll = { title, answers, priv: false, status: at === 0 ? 'open' : 'upcoming' };
      ids.push((await show.addPoll(poll)).json.id);
    }
    const visitor = site.visitor();
    const start = (await visitor.get('/')).body;
    expect(start).not.toContain(title);
    for (const id of ids) expect(start).not.toContain(id);

    const page = async (query = '') => (await visitor.get(`/${ids[1]}${query}`)).body;
    expect(visibleText(await page())).toContain(title);
    for (const body of [await page(), await page(`?show=${show.name}`)])
      for (const answer of answers) expect(body).not.toContain(answer);
    await show.patch({ on_air: ids[1] });
    for (const body of [await page(), await page(`?show=${show.name}`)])
      for (const answer of answers) expect(body).toContain(answer);
    await show.patch({ on_air: null });
    expect(await page()).not.toContain(answers[0]);
  });
});

describe('the page of a poll', () => {
  it('follows the show of its URL, if it exists', async () => {
    const { id } = await site.createPoll();
    const name = await freshShow(null);
    const follows = async (query: string) =>
      attribute((await site.visitor().get(`/${id}${query}`)).body, 'data-show');
    expect(await follows(`?show=${name}`)).toBe(name);
    for (const query of ['?show=no-such-show', '?show=No%20Show', '?show=a&show=b', ''])
      expect(await follows(query)).toBe('');
  });
});

describe('the share page of a show', () => {
  it('has the QR code and the links of audience and overlay, and none that needs a key', async () => {
    const name = await freshShow(null);
    const page = await site.visitor().get(`/show/${name}/share`);
    expect(page.statusCode).toBe(200);
    for (const address of [
      `${site.url}/show/${name}`,
      `${site.relay.url}/overlay/show/${name}`,
      `${site.relay.url}/overlay/show/${name}?style=code`,
    ])
      expect(page.body).toContain(`value="${address}"`);
    expect(page.body).toContain(`<title>${site.url}/show/${name}</title>`);
    expect(page.body).not.toContain('/desk/');
    expect(page.headers['x-robots-tag']).toContain('noindex');
  });
});

describe('the look of a show', () => {
  const setUp = async () => {
    const show = await takeShow(site.relay);
    const { json: poll } = await show.addPoll();
    await show.patch({ on_air: poll.id, look: { accent: '#ff0000', colors: ['#0000ff', '#00aa00'] } });
    return { show, id: poll.id as string };
  };
  const styleOf = (page: string) => /<style>([^<]*)<\/style>/.exec(page)?.[1];

  it('is on the pages of its audience, and allowed by their policy', async () => {
    const { show, id } = await setUp();
    for (const path of [`/${id}?show=${show.name}`, `/${id}`]) {
      const page = await site.visitor().get(path);
      const style = styleOf(page.body)!;
      expect(style).toContain('--accent:');
      const digest = createHash('sha256').update(style).digest('base64');
      const policy = String(page.headers['content-security-policy']);
      expect(policy).toContain(`style-src 'self' 'sha256-${digest}';`);
      expect(policy).not.toContain('unsafe');
    }
    await show.press('clear');
    const waiting = await takeShow(site.relay);
    await waiting.patch({ look: { accent: '#ff0000' } });
    expect(styleOf((await site.visitor().get(`/show/${waiting.name}`)).body)).toContain('--accent:');
  });

  it('is not on the page of a poll that it does not have', async () => {
    const { show } = await setUp();
    const { id } = await site.createPoll();
    expect(styleOf((await site.visitor().get(`/${id}?show=${show.name}`)).body)).toBeUndefined();
  });
});
