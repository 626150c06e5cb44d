import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OnAirMessage, StateMessage } from '../../src/pages/page/messages.ts';
import { pointShow } from '../support/point-show.ts';
import { attribute, visibleText } from './visitor.ts';
import { type LiveSite, reword, startLiveSite } from './voting-site.ts';

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

const pageOf = async (id: string) => (await site.visitor().get(`/${id}`)).body;

describe('a correction', () => {
  it('before the first ballot is on the page at once, without a note', async () => {
    const { id, poll } = await site.createPoll();
    await pageOf(id);
    await reword(site, id, {
      title: 'Corrected?',
      answers: [...poll.answers.slice(1), { text: 'Added <b>' }],
    });
    const page = await pageOf(id);
    expect(visibleText(page)).toContain('Corrected?');
    expect(page).toContain('Added &lt;b&gt;');
    expect(page).not.toContain(poll.title);
    expect(page).not.toContain('class="fold edited"');
  });

  it('after the first ballot is on the page with the earlier wording, also for a voter', async () => {
    const { id, poll } = await site.createPoll({ title: 'Wich song?', description: 'Old <i>' });
    const voter = site.visitor();
    await voter.vote(id, poll.answers[0]!.id);
    const answers = poll.answers.map((answer, index) => (index ? answer : { ...answer, text: 'New text' }));
    await reword(site, id, { title: 'Which song?', description: '', answers });
    await reword(site, id, { title: 'Which song now?' });
    for (const page of [await pageOf(id), (await voter.get(`/${id}`)).body]) {
      const text = visibleText(page);
      // One item of the flexible box, so that no gap parts the words.
      expect(page).toContain('<summary><span>Edited on <time');
      expect(text).toMatch(
        /Which song now\?.*Edited on .*Until .*Which song\?.*Until .*Wich song\?.*Old <i>/s,
      );
      expect(text).toContain(`Answer 1: ${poll.answers[0]!.text}`);
    }
    expect(visibleText((await voter.get(`/${id}`)).body)).toContain('You chose New text .');
  });

  it('is on the manage page', async () => {
    const { id, poll, adminKey } = await site.createPoll({ title: 'Wich song?' });
    await site.visitor().vote(id, poll.answers[0]!.id);
    await reword(site, id, { title: 'Which song?' });
    const creator = site.visitor();
    await creator.post(`/${id}/manage/key`, { key: adminKey });
    const text = visibleText((await creator.get(`/${id}/manage`)).body);
    expect(text).toMatch(/Which song\?.*Edited on .*Wich song\?/s);
  });

  it('reaches open pages by the state of the poll and by that of a show', async () => {
    const { id } = await site.createPoll();
    const editionOf = async () => attribute(await pageOf(id), 'data-edition');
    expect(await editionOf()).toBe('');
    await pointShow(site.engine, 'evening-of-corrections', id);
    const follow = async (mark?: string) => {
      const query = mark === undefined ? '' : `&mark=${mark}`;
      const reply = await fetch(`${site.url}/show/evening-of-corrections/live?known=${id}${query}`);
      return (await reply.json()) as OnAirMessage;
    };
    const before = await follow('none');
    const outdated = follow(before.poll?.mark);
    await reword(site, id, { description: 'More' });
    const edition = await editionOf();
    expect(edition).not.toBe('');
    expect((await outdated).poll?.state?.edition).toBe(edition);
    const state = (await (await fetch(`${site.url}/${id}/state`)).json()) as StateMessage;
    expect(state.edition).toBe(edition);
  });
});
