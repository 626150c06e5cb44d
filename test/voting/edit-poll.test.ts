import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultColor } from '../../src/creator/editor/edit-poll.ts';
import { attribute, type Visitor, visibleText } from './visitor.ts';
import { type LiveSite, reword, startLiveSite, type TestPoll } from './voting-site.ts';

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

interface Editor extends TestPoll {
  readonly creator: Visitor;
  /** The form of the manage page, as a browser sends it. */
  save(changed?: Record<string, string>): Promise<{ status: number; body: string; text: string }>;
}

async function editor(draft: Record<string, unknown> = {}): Promise<Editor> {
  const test = await site.createPoll({ title: 'Wich song?', answers: ['One', 'Two', 'Three'], ...draft });
  const { id, adminKey } = test;
  const creator = site.visitor({ origin: site.url });
  await creator.post(`/${id}/manage/key`, { key: adminKey });
  const fields = fieldsIn((await creator.get(`/${id}/manage`)).body);
  return {
    ...test,
    creator,
    async save(changed = {}) {
      const sent = await creator.post(`/${id}/manage/edit`, { ...fields, ...changed });
      const { location } = sent.headers;
      const reply = location === undefined ? sent : await creator.get(String(location));
      return { status: reply.statusCode, body: reply.body, text: visibleText(reply.body) };
    },
  };
}

/** What a browser sends of the editor when nothing is typed: its lines end in CRLF. */
function fieldsIn(page: string): Record<string, string> {
  const [form = ''] = /<form method="post" action="[^"]*\/edit">.*?<\/form>/s.exec(page) ?? [];
  const fields: Record<string, string> = {};
  for (const [tag] of form.matchAll(/<input[^>]*>/g))
    fields[attribute(tag, 'name') ?? ''] = attribute(tag, 'value') ?? '';
  for (const [, name = '', text = ''] of form.matchAll(/<textarea name="(\w+)"[^>]*>(.*?)<\/textarea>/gs))
    fields[name] = text.replaceAll('\n', '\r\n');
  return fields;
}

const read = async (id: string) => (await site.engine.polls.find(id))!.poll;

describe('the editor of the manage page', () => {
  it('corrects question, description, answers and colors, and leaves the rest as it is', async () => {
    const { id, poll, save } = await editor({ description: 'Two\nlines' });
    const [one, two, three] = poll.answers;
    const { status, text } = await save({
      title: ' Which song? ',
      answers: 'One\r\n\r\n Second \r\nThree',
      [`color.${one!.id}`]: '#123456',
    });
    expect(status).toBe(200);
    expect(text).toContain('The poll has been corrected');
    expect(await read(id)).toMatchObject({
      title: 'Which song?',
      description: 'Two\nlines',
      answers: [{ ...one, color: '#123456' }, { ...two, text: 'Second' }, three],
    });
  });

  it('says that nothing was changed where the form is as it was', async () => {
    const { id, save } = await editor({ description: 'Two\nlines' });
    const before = await read(id);
    expect((await save()).text).toContain('Nothing was changed');
    expect(await read(id)).toEqual(before);
  });

  it('adds, removes and reorders answers until the first vote, and takes a color back', async () => {
    const { id, poll, save } = await editor({
      answers: [{ answer: 'One', color: '#123456' }, 'Two', 'Three'],
    });
    const [one, , three] = poll.answers;
    const { text } = await save({
      answers: 'Three\r\nOne\r\nFour\r\nFive',
      [`color.${one!.id}`]: defaultColor(0),
    });
    expect(text).toContain('The poll has been corrected');
    const { answers } = await read(id);
    expect(answers.map(({ text }) => text)).toEqual(['Three', 'One', 'Four', 'Five']);
    expect(answers[0]).toEqual(three);
    expect(answers[1]).toEqual({ id: one!.id, text: 'One' });
  });

  it('is public after the first vote, which it says before, and keeps the list of answers', async () => {
    const { id, poll, creator, save } = await editor();
    await site.visitor().vote(id, poll.answers[0]!.id);
    expect(visibleText((await creator.get(`/${id}/manage`)).body)).toContain('so your correction is public');
    const rejected = await save({ answers: 'One\r\nTwo', title: 'Typed' });
    expect(rejected.status).toBe(400);
    expect(rejected.text).toContain('only its wording can still be corrected');
    expect(fieldsIn(rejected.body)).toMatchObject({ answers: 'One\r\nTwo', title: 'Typed' });
    expect((await save({ title: 'Which song?' })).status).toBe(200);
    expect(visibleText((await site.visitor().get(`/${id}`)).body)).toMatch(/Which song\?.*Edited on .*Wich/s);
  });

  it.each<[what: string, Record<string, string>, why: string]>([
    ['an empty question', { title: '  ' }, 'Question: Fill this in.'],
    ['a long question', { title: 'x'.repeat(301) }, 'Question: Use at most 300 characters.'],
    ['a long description', { description: 'x'.repeat(5_001) }, 'Description: Use at most 5,000 characters.'],
    ['one answer', { answers: 'One' }, 'Answers, one per line: Add at least two answers.'],
    ['two answers alike', { answers: 'One\r\nOne' }, 'Answers, one per line: This is the same as answer 1.'],
    [
      'a long answer',
      { answers: `One\r\n${'x'.repeat(201)}` },
      'Answers, one per line: Use at most 200 characters.',
    ],
  ])('explains %s, changes nothing and keeps what was typed', async (_, changed, why) => {
    const { id, save } = await editor();
    const before = await read(id);
    const { status, text, body } = await save({ description: 'Typed', ...changed });
    expect(status).toBe(400);
    expect(text).toContain(why);
    expect(body).toMatch(/<details class="fold" data-edit open>/);
    expect(fieldsIn(body)).toMatchObject({
      description: 'Typed',
      ...changed,
      title: (changed['title'] ?? 'Wich song?').trim(),
    });
    expect(await read(id)).toEqual(before);
  });

  it('does not replace a correction that its page did not show, until it is saved again', async () => {
    const { id, save } = await editor();
    await reword(site, id, { title: 'Which song now?' });
    const { status, text, body } = await save({ title: 'Which song?' });
    expect(status).toBe(400);
    expect(text).toContain('This poll has been corrected in the meantime.');
    expect((await read(id)).title).toBe('Which song now?');
    expect((await save(fieldsIn(body))).text).toContain('The poll has been corrected');
    expect((await read(id)).title).toBe('Which song?');
  });

  it('needs the session of the manage page', async () => {
    const { id } = await editor();
    const stranger = site.visitor({ origin: site.url });
    expect((await stranger.post(`/${id}/manage/edit`, { title: 'Taken over' })).statusCode).toBe(403);
    expect((await read(id)).title).toBe('Wich song?');
  });
});
