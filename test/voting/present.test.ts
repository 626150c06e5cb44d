import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../support/api-request.ts';
import { takeShow } from '../support/test-show.ts';
import { attribute, visibleText } from './visitor.ts';
import { type LiveSite, startLiveSite } from './voting-site.ts';

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

const get = (path: string, headers = {}) => site.visitor().get(path, headers);
const withoutScript = (body: string) => /<noscript>([\s\S]*)<\/noscript>/.exec(body)![1]!;

describe('the page for a room', () => {
  it('follows the poll or the show on the relay, as the full picture with its code', async () => {
    const { id } = await site.createPoll();
    const show = await takeShow(site.relay);
    for (const path of [`/${id}`, `/show/${show.name}`]) {
      const { statusCode, body } = await get(`${path}/present`);
      expect(statusCode).toBe(200);
      expect(attribute(body, 'data-overlay')).toBe(`${site.relay.url}/overlay${path}?scene=full&qr=right`);
    }
  });

  it('is rejected as the voting page is: for an unknown poll, a deleted one, an unknown show', async () => {
    const { id } = await site.createPoll();
    await site.engine.polls.remove(id);
    for (const path of [
      `/${id}`,
      '/nopenopenope',
      '/no-poll',
      '/show/no-such-show',
      '/show/No',
      '/rehearsal',
    ]) {
      const [page, present] = [await get(path), await get(`${path}/present`)];
      expect([path, present.statusCode]).toEqual([path, page.statusCode]);
      expect(present.statusCode).toBeGreaterThanOrEqual(404);
      expect(visibleText(present.body)).toBe(visibleText(page.body));
    }
  });

  it('is open to anyone with the link of a private poll, and is in no search engine', async () => {
    const { id, poll } = await site.createPoll({ priv: true });
    const { statusCode, headers, body } = await get(`/${id}/present`);
    expect([statusCode, headers['x-robots-tag']]).toEqual([200, 'noindex, nofollow']);
    expect(body).toContain(`<title>${poll.title} - Tallycast</title>`);
  });

  it('may connect to this server and the relay, and load images from there, and nothing else', async () => {
    const { id } = await site.createPoll();
    const policy = (await get(`/${id}/present`)).headers['content-security-policy'] as string;
    const { relay } = site;
    expect(policy.split('; ').filter(rule => /^(connect|img|script|style|frame)-src/.test(rule))).toEqual([
      "script-src 'self'",
      "style-src 'self'",
      `img-src 'self' ${relay.url}`,
      `connect-src 'self' ${relay.url} ${relay.wsUrl}`,
    ]);
  });

  it('has the look of the show that owns the poll', async () => {
    const show = await takeShow(site.relay);
    await show.patch({ look: { theme: 'light', style: 'donut' } });
    const { id } = (await show.addPoll()).json;
    const address = new URL(attribute((await get(`/${id}/present`)).body, 'data-overlay')!);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      style: 'donut',
      theme: 'light',
      scene: 'full',
      qr: 'right',
    });
  });

  it('says in each language that its code opens on this computer only, where it does', async () => {
    const { id } = await site.createPoll();
    const note = async (headers = {}) => attribute((await get(`/${id}/present`, headers)).body, 'data-note');
    expect(await note()).toBe('Opens on this computer only');
    expect(await note({ 'accept-language': 'de' })).toBe('Öffnet sich nur auf diesem Computer');
  });

  it('without a script has the picture, and the code until the close, and loads itself again', async () => {
    const { id, adminKey } = await site.createPoll({ status: 'upcoming' });
    const read = async () => withoutScript((await get(`/${id}/present`)).body);
    const change = (status: string) =>
      send(`${site.relay.url}/api/poll/${id}`, 'PATCH', { poll: { status } }, adminKey);
    const seen = async () => {
      const text = await read();
      const has = (part: string) => text.includes(part);
      return [
        has('http-equiv="refresh"'),
        has(`${id}/picture.png`),
        has(`${id}/qr.svg`),
        has('Voting opens soon'),
      ];
    };
    expect(await seen()).toEqual([true, false, true, true]);
    await change('open');
    expect(await seen()).toEqual([true, true, true, false]);
    expect(await read()).toContain(`${site.url.slice('http://'.length)}/${id}`);
    await change('closed');
    expect(await seen()).toEqual([true, true, false, false]);
  });

  it('without a script has the code of a poll whose id begins like the path of a show', async () => {
    const { poll } = await site.createPoll();
    const keys = { adminKeyHash: 'a'.repeat(64), viewKeyHash: 'b'.repeat(64) };
    const state = { deadlineMs: null, resultsVisibility: 'always', upcoming: false } as const;
    const id = `show${poll.id.slice('show'.length)}`;
    await site.engine.polls.create({ poll: { ...poll, id }, keys, ...state });
    const { body } = await get(`/${id}/present`);
    expect(withoutScript(body)).toContain(`${site.relay.url}/api/poll/${id}/qr.svg`);
  });

  it('of a show without a script has the poll on air, and between polls its title and code', async () => {
    const show = await takeShow(site.relay);
    await show.patch({ title: 'Friday night' });
    const { id } = (await show.addPoll()).json;
    const read = async () => withoutScript((await get(`/show/${show.name}/present`)).body);
    expect(await read()).toContain('Friday night');
    expect(await read()).toContain(`/api/show/${show.name}/qr.svg`);
    await show.press('next');
    await show.press('open');
    expect(await read()).toContain(`/api/poll/${id}/picture.png`);
  });

  it('of a show without a script has no winner before its press', async () => {
    const show = await takeShow(site.relay);
    await show.patch({ winner: 'press' });
    await show.addPoll();
    const picture = async () => {
      const { body } = await get(`/show/${show.name}/present`);
      return new URL(
        /src="([^"]+picture\.png[^"]*)"/.exec(withoutScript(body))![1]!.replaceAll('&amp;', '&'),
      );
    };
    const hasWinner = async () => (await picture()).searchParams.get('winner') !== '0';
    for (const button of ['next', 'open', 'close']) await show.press(button);
    expect(await hasWinner()).toBe(false);
    expect((await fetch(await picture())).status).toBe(200);
    await show.press('step');
    expect(await hasWinner()).toBe(true);
  });

  it('is linked from the manage page of a poll and the share page of a show', async () => {
    const { id, adminKey } = await site.createPoll();
    const visitor = site.visitor();
    await visitor.post(`/${id}/manage/key`, { key: adminKey });
    expect((await visitor.get(`/${id}/manage`)).body).toMatch(
      `href="/${id}/present" target="_blank">Present<`,
    );

    const show = await takeShow(site.relay);
    expect((await get(`/show/${show.name}/share`)).body).toContain(
      `href="/show/${show.name}/present">Present<`,
    );
  });
});
