import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultColor } from '../../src/creator/editor/edit-poll.ts';
import { png } from '../support/images.ts';
import { attribute, type Visitor, visibleText } from './visitor.ts';
import { type LiveSite, reword, startLiveSite, type TestPoll } from './voting-site.ts';

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

interface Editor extends TestPoll {
  readonly creator: Visitor;
  readonly fields: Form;
  /** The form of the manage page, as a browser sends it. */
  save(changed?: Form): Promise<{ status: number; body: string; text: string }>;
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
    fields,
    async save(changed: Form = {}) {
      const sent = await creator.post(`/${id}/manage/edit`, { ...fields, ...changed });
      const { location } = sent.headers;
      const reply = location === undefined ? sent : await creator.get(String(location));
      return { status: reply.statusCode, body: reply.body, text: visibleText(reply.body) };
    },
  };
}

type Form = Record<string, string | string[]>;

/** What a browser sends of the editor when nothing is typed: its lines end in CRLF. @param hasScript leaves out `noscript` */
function fieldsIn(page: string, hasScript = true): Form {
  const [whole = ''] = /<form method="post" action="[^"]*\/edit" [^>]*>.*?<\/form>/s.exec(page) ?? [];
  const form = hasScript ? whole.replaceAll(/<noscript>.*?<\/noscript>/gs, '') : whole;
  const fields: Record<string, string[]> = {};
  const add = (name: string, value: string) => (fields[name] = [...(fields[name] ?? []), value]);
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const isOff = /type="(checkbox|radio)"/.test(tag) && !/ checked/.test(tag);
    if (!isOff && !/type="file"/.test(tag)) add(attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? '');
  }
  for (const [, name = '', text = ''] of form.matchAll(/<textarea name="(\w+)"[^>]*>(.*?)<\/textarea>/gs))
    add(name, text.replaceAll('\n', '\r\n'));
  return fields;
}

/** As browsers send it where it has a file. @returns the page that follows */
async function sendForm(creator: Visitor, id: string, fields: Form, picture: Buffer): Promise<string> {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields))
    for (const value of [values].flat()) form.append(name, value);
  form.append('picture', new Blob([new Uint8Array(picture)]), 'a.png');
  const body = new Response(form);
  const headers = { 'content-type': body.headers.get('content-type')! };
  const sent = await creator.post(`/${id}/manage/edit`, Buffer.from(await body.arrayBuffer()), headers);
  const { location } = sent.headers;
  return location === undefined ? sent.body : (await creator.get(String(location))).body;
}

const read = async (id: string) => (await site.engine.polls.find(id))!.poll;

describe('the editor of the manage page', () => {
  it('corrects question, description, answers and colors, and leaves the rest as it is', async () => {
    const { id, poll, save } = await editor({ description: 'Two\nlines' });
    const [one, two, three] = poll.answers;
    const { status, text } = await save({
      title: ' Which song? ',
      answer: ['One', ' Second ', 'Three'],
      color: ['#123456', defaultColor(1), defaultColor(2)],
    });
    expect(status).toBe(200);
    expect(text).toContain('The poll has been corrected');
    expect(await read(id)).toMatchObject({
      title: 'Which song?',
      description: 'Two\nlines',
      answers: [{ ...one, color: '#123456' }, { ...two, text: 'Second' }, three],
    });
  });

  it('crops pictures to a point by numbers alone, and leaves it where they are no numbers', async () => {
    const { id, poll, save } = await editor({
      image: 'https://pictures.example/a.png',
      answers: ['One', { answer: 'Two', image_focus: [30, 40] }, 'Three'],
    });
    const [one, two, three] = poll.answers;
    const wanted = { 'focus:question': ['50', '5'], [`focus:${two!.id}`]: ['1.5', '40'] };
    expect((await save(wanted)).text).toContain('The poll has been corrected');
    const cropped = { imageFocus: [50, 5], answers: [one, { ...two, imageFocus: [1.5, 40] }, three] };
    expect(await read(id)).toMatchObject(cropped);
    await save({ ...wanted, 'focus:question': ['', '7'] });
    for (const point of [
      ['900', '1'],
      ['x', '1'],
    ])
      expect((await save({ ...wanted, [`focus:${two!.id}`]: point })).text).toContain('Nothing was changed');
    expect(await read(id)).toMatchObject(cropped);
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
    const [one, two, three] = poll.answers;
    const { text } = await save({
      answer_id: [three!.id, one!.id, two!.id, '', ''],
      answer: ['Three', 'One', ' ', 'Four', 'Five'],
      color: [0, 0, 1, 3, 4].map(defaultColor),
    });
    expect(text).toContain('The poll has been corrected');
    const { answers } = await read(id);
    expect(answers.map(({ text }) => text)).toEqual(['Three', 'One', 'Four', 'Five']);
    expect(answers[0]).toEqual(three);
    expect(answers[1]).toEqual({ id: one!.id, text: 'One' });
  });

  it.each([
    ['the last answer first', ['3', 1], 'Three One Two'],
    ['the first answer last', ['1', 3], 'Two Three One'],
  ] as const)('moves %s without a script, and adds another', async (_, [answer, to], order) => {
    const { id, creator, poll } = await editor();
    const fields = fieldsIn((await creator.get(`/${id}/manage`)).body, false);
    const places = (fields['place'] as string[]).map(place => (place === answer ? `${to}` : place));
    const texts = (fields['answer'] as string[]).map((text, index) => (index === 3 ? 'Four' : text));
    await creator.post(`/${id}/manage/edit`, { ...fields, place: places, answer: texts });
    const { answers } = await read(id);
    expect(answers.map(({ text }) => text).join(' ')).toBe(`${order} Four`);
    expect(
      answers
        .map(({ id }) => id)
        .slice(0, 3)
        .sort(),
    ).toEqual(poll.answers.map(({ id }) => id).sort());
    expect(answers.every(({ color }) => color === undefined)).toBe(true);
  });

  it('changes the rules until the first vote', async () => {
    const { id, save } = await editor();
    const rules = {
      ma: '1',
      min_choices: '2',
      co: '1',
      mip: '1',
      priv: '1',
      verifiable: '1',
      show_log_size: '1',
    };
    expect((await save({ ...rules, answer_order: 'random' })).text).toContain('The poll has been corrected');
    expect(await read(id)).toMatchObject({
      minChoices: 2,
      answerOrder: 'random',
      settings: {
        ...{ allowMultiple: true, allowComments: true, sharedAddress: true, isPrivate: true },
        ...{ isVerifiable: true, showLogSize: true, requireName: false },
      },
    });
  });

  it.each<[what: string, fields: Form, why: string]>([
    ['more choices than answers', { ma: '1', max_choices: '4' }, 'Keep at least as many answers'],
    [
      'a limit that is no number',
      { ma: '1', min_choices: 'x' },
      'Fewest answers in a vote: Use whole numbers',
    ],
  ])('explains %s, and keeps what was chosen', async (_, fields, why) => {
    const { id, save } = await editor();
    const { status, text, body } = await save(fields);
    expect(status).toBe(400);
    expect(text).toContain(why);
    expect(fieldsIn(body)).toMatchObject(
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]])),
    );
    expect((await read(id)).edition).toBeUndefined();
  });

  it('keeps texts and a vote that came first, and changes no rule then', async () => {
    const { id, poll, save } = await editor();
    await site.visitor().vote(id, poll.answers[0]!.id);
    const { status, text } = await save({ ma: '1', title: 'Which song?' });
    expect(status).toBe(400);
    expect(text).toContain('its rules are fixed');
    expect((await save({ title: 'Which song?' })).status).toBe(200);
    expect(await read(id)).toMatchObject({ title: 'Which song?', settings: { allowMultiple: false } });
  });

  it('sent twice corrects once, and says so both times', async () => {
    const { id, fields, save } = await editor();
    const answer = ['One', 'Two', 'Three', 'Four'];
    const twice = { title: 'Which song?', answer, answer_id: [...(fields['answer_id'] as string[]), ''] };
    const [first, second] = [await save(twice), await save(twice)];
    for (const { text } of [first, second]) expect(text).toContain('The poll has been corrected');
    expect((await read(id)).answers.map(({ text }) => text)).toEqual(answer);
  });

  it('gives an answer a picture, shows it, and takes it back with what was typed', async () => {
    const { id, poll, creator, save } = await editor();
    const [one] = poll.answers;
    const send = (visitor: Visitor, bytes: Buffer) =>
      visitor.post(`/${id}/manage/picture/${one!.id}`, bytes, { 'content-type': 'image/png' });
    const sent = await send(creator, png(2, 2));
    expect(sent.json()).toMatchObject({
      image: expect.stringMatching(/^\/api\/poll\/.*\.png$/),
      editionBefore: '',
      edition: (await read(id)).edition,
    });
    // The same picture again.
    const { edition } = sent.json();
    expect((await send(creator, png(2, 2))).json()).toMatchObject({ editionBefore: edition, edition });
    expect((await creator.get(`/${id}/manage`)).body).toContain(sent.json().image);
    const { text } = await save({ edition: sent.json().edition, title: 'Which song?', no_picture: one!.id });
    expect(text).toContain('The poll has been corrected');
    expect(await read(id)).toMatchObject({ title: 'Which song?', answers: [one, {}, {}] });
    expect((await send(creator, Buffer.from('no image'))).statusCode).toBe(415);
    const stranger = site.visitor({ origin: site.url });
    expect((await send(stranger, png(2, 2))).statusCode).toBe(403);
  });

  it('takes a picture of the question without a script, with what was typed, and takes it back', async () => {
    const { id, creator, fields, save } = await editor();
    const image = png(2, 2);
    // A second press of the same form changes nothing again.
    for (const _ of [1, 2]) {
      const sent = await sendForm(creator, id, { ...fields, title: 'Which song?' }, image);
      expect(sent).toContain('The poll has been corrected');
    }
    const { title, image: file, edition = '' } = await read(id);
    expect({ title, file }).toEqual({ title: 'Which song?', file: expect.stringMatching(/\.png$/) });
    const shown = (await creator.get(`/${id}/manage`)).body;
    expect(shown).toContain(`/api/poll/${id}/image/${file}" alt=""`);
    expect((await save({ edition, no_picture: 'question' })).text).toContain('The poll has been corrected');
    expect((await read(id)).image).toBeNull();
  });

  it('explains a picture that cannot be used, and keeps what was typed', async () => {
    const { id, creator, fields } = await editor();
    const text = await sendForm(creator, id, { ...fields, title: 'Typed' }, Buffer.from('no image'));
    expect(text).toContain('Question: the picture couldn’t be saved. Choose a PNG, JPEG or WebP image.');
    expect(text).toContain('value="Typed"');
    expect(await read(id)).toMatchObject({ title: 'Wich song?', image: null });
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const broken = await creator.post(`/${id}/manage/edit`, Buffer.from('no form'), headers);
    expect(broken.statusCode).toBe(400);
  });

  it('sends the script what is stored of the question’s picture, as large as pictures may be', async () => {
    const { id, creator } = await editor();
    const large = png(2, 2, [1, 2, 3], 150_000);
    const send = (body: Buffer) =>
      creator.post(`/${id}/manage/picture/question`, body, { 'content-type': 'image/png' });
    expect((await send(large)).json()).toMatchObject({ image: expect.stringContaining('/image/') });
    expect((await send(Buffer.alloc(0))).json()).toMatchObject({ image: null });
  });

  it('saves a hundred long answers, and reads no form without the session', async () => {
    const answers = Array.from({ length: 100 }, (_, index) => `${index}${'ы'.repeat(190)}`);
    const { id, save } = await editor({ answers });
    expect((await save({ title: 'Which song?' })).text).toContain('The poll has been corrected');
    const stranger = site.visitor({ origin: site.url });
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const reply = await stranger.post(`/${id}/manage/edit`, Buffer.alloc(600_000), headers);
    expect(reply.statusCode).toBe(403);
  });

  it('is public after the first vote, which it says before, and keeps the list of answers', async () => {
    const { id, poll, creator, save } = await editor();
    await site.visitor().vote(id, poll.answers[0]!.id);
    expect(visibleText((await creator.get(`/${id}/manage`)).body)).toContain('so your correction is public');
    const rejected = await save({ answer: ['One', 'Two', ''], title: 'Typed' });
    expect(rejected.status).toBe(400);
    expect(rejected.text).toContain('answers can’t be added, removed or moved');
    expect(fieldsIn(rejected.body)).toMatchObject({ answer: ['One', 'Two', ''], title: ['Typed'] });
    expect((await save({ title: 'Which song?' })).status).toBe(200);
    expect(visibleText((await site.visitor().get(`/${id}`)).body)).toMatch(/Which song\?.*Edited on .*Wich/s);
  });

  it.each<[what: string, Form, why: string]>([
    ['an empty question', { title: '  ' }, 'Question: Fill this in.'],
    ['a long question', { title: 'x'.repeat(301) }, 'Question: Use at most 300 characters.'],
    ['a long description', { description: 'x'.repeat(5_001) }, 'Description: Use at most 5,000 characters.'],
    ['one answer', { answer: ['One', '', ''] }, 'Answers: Add at least two answers.'],
    ['two answers alike', { answer: ['One', 'One', 'Three'] }, 'Answers: This is the same as answer 1.'],
    ['a long answer', { answer: ['One', 'x'.repeat(201), 'T'] }, 'Answers: Use at most 200 characters.'],
  ])('explains %s, changes nothing and keeps what was typed', async (_, changed, why) => {
    const { id, save } = await editor();
    const before = await read(id);
    const { status, text, body } = await save({ description: 'Typed', ...changed });
    expect(status).toBe(400);
    expect(text).toContain(why);
    expect(body).toMatch(/<details class="fold" data-edit open>/);
    const typed = { title: 'Wich song?', description: 'Typed', ...changed };
    for (const [name, value] of Object.entries(typed))
      expect(fieldsIn(body)[name]).toEqual([value].flat().map(text => text.trim()));
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

  it('without a script, says how large a picture can be, and that a larger one was not saved', async () => {
    const { id, creator } = await editor();
    const { body } = await creator.get(`/${id}/manage`);
    expect(body).toMatch(
      /<noscript><input type="file"[^>]*><small[^>]*>PNG, JPEG, WebP ≤ 200 KB, ≤ 1024 px</,
    );
    const fields = fieldsIn(body, false);
    for (const [bytes, why] of [
      [300_000, 'Question: the picture couldn’t be saved.'],
      [3_000_000, 'choose a smaller picture'],
    ] as const)
      expect(visibleText(await sendForm(creator, id, fields, png(2, 2, [1, 2, 3], bytes)))).toContain(why);
    expect((await read(id)).image).toBeNull();
  });

  it('needs the session of the manage page', async () => {
    const { id } = await editor();
    const stranger = site.visitor({ origin: site.url });
    expect((await stranger.post(`/${id}/manage/edit`, { title: 'Taken over' })).statusCode).toBe(403);
    expect((await read(id)).title).toBe('Wich song?');
  });
});
