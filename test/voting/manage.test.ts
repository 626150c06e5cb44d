import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { idOfRound } from '../../src/poll/poll.ts';
import { hashKey } from '../../src/poll/poll-key.ts';
import { createShow, findShow } from '../../src/show/shows.ts';
import { EventClient } from '../support/event-client.ts';
import { heldClock } from '../support/held-clock.ts';
import { LiveClient } from '../support/live-client.ts';
import { type TestShow, takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { type Fields, fieldValue, type Visitor, visibleText } from './visitor.ts';
import { type LiveSite, startLiveSite, startVotingSite, type TestPoll } from './voting-site.ts';

let site: LiveSite;
let nowMs = Date.now();
beforeAll(async () => {
  site = await startLiveSite({
    clock: () => nowMs,
    operatorKeys: ['the key of the operator'],
  });
});
afterAll(() => site.close());

interface Managed extends TestPoll {
  readonly creator: Visitor;
  act(action: string, fields?: Fields): Promise<{ status: number; text: string; body: string }>;
}

async function managed(draft: Record<string, unknown> = {}): Promise<Managed> {
  const test = await site.createPoll({ mip: true, ...draft });
  const creator = site.visitor({ origin: site.url });
  const opened = await creator.post(`/${test.id}/manage/key`, { key: test.adminKey });
  expect(opened.headers.location).toBe(`/${test.id}/manage`);
  return {
    ...test,
    creator,
    async act(action, fields = {}) {
      const answer = await creator.post(`/${test.id}/manage/${action}`, fields);
      const { location } = answer.headers;
      const reply = location === undefined ? answer : await creator.get(String(location));
      return { status: reply.statusCode, text: visibleText(reply.body), body: reply.body };
    },
  };
}

/** The token of the form that renews a key. */
const onceOf = (action: string, body: string) =>
  new RegExp(`manage/${action}"><input type="hidden" name="once" value="([^"]+)"`).exec(body)![1]!;
const newVisitor = () => site.visitor({ origin: site.url });
const watch = (id: string, key?: string) =>
  LiveClient.open(`${site.relay.wsUrl}/api/poll/${id}/live${key === undefined ? '' : `?key=${key}`}`);

it('takes changes from a budget of the poll, and what they add to it from that of the address', async () => {
  const poor = await startVotingSite({ createBytesPerDay: 6_000, clock: heldClock() });
  onTestFinished(() => poor.close());
  const made = [await poor.createPoll(), await poor.createPoll()];
  const address = '203.0.113.5';
  const creator = poor.visitor({ address });
  for (const { id, adminKey } of made) await creator.post(`/${id}/manage/key`, { key: adminKey });
  const [one, other] = made.map(({ id }) => id);
  const statusOf = async (id: string | undefined, action: string, fields: object = {}) =>
    (await creator.post(`/${id}/manage/${action}`, { ...fields })).statusCode;
  // A neighbor at the same address.
  const create = async () => {
    const visitor = poor.visitor({ address });
    const once = fieldValue((await visitor.get('/new')).body, 'once')!;
    const draft = { once, title: 'Lunch?', answer: ['Soup', 'Salad'], mip: '0' };
    return (await visitor.post('/new', draft)).statusCode;
  };
  expect([await create(), await create()]).toEqual([303, 429]);
  const { body } = await creator.get(`/${one}/manage`);
  const edit = { answer_id: made[0]!.poll.answers.map(({ id }) => id), title: fieldValue(body, 'title') };
  const answer = ['One', 'Two', 'Three'];
  expect(await statusOf(one, 'edit', { ...edit, answer, description: 'x'.repeat(1_900) })).toBe(429);
  expect([await statusOf(one, 'close'), await statusOf(other, 'close')]).toEqual([303, 303]);
  expect([await statusOf(one, 'reopen'), await statusOf(other, 'reopen')]).toEqual([429, 303]);
});

describe('the session', () => {
  it('is a cookie for one poll, in exchange for its admin key', async () => {
    const { id, adminKey } = await site.createPoll();
    const other = await site.createPoll();
    const creator = newVisitor();
    const reply = await creator.post(`/${id}/manage/key`, { key: ` ${adminKey} ` });
    expect(reply.cookies).toEqual([
      expect.objectContaining({
        name: 'tallycast-manage',
        path: `/${id}/manage`,
        httpOnly: true,
        sameSite: 'Lax',
      }),
    ]);
    expect(visibleText((await creator.get(`/${id}/manage`)).body)).toContain('Voting is open');
    creator.setCookie('manage', creator.cookie('manage')!, `/${other.id}/manage`);
    expect(visibleText((await creator.get(`/${other.id}/manage`)).body)).not.toContain('Voting is open');
    nowMs += 30 * 86_400_000 + 1;
    expect(visibleText((await creator.get(`/${id}/manage`)).body)).not.toContain('Voting is open');
  });

  it("opens with an operator's key, and not with a view key or a key of another poll", async () => {
    const { id, viewKey } = await site.createPoll();
    const { adminKey: foreign } = await site.createPoll();
    for (const key of [viewKey, foreign, '', 'x'.repeat(1_000)]) {
      const reply = await newVisitor().post(`/${id}/manage/key`, { key });
      expect(reply.statusCode).toBe(403);
      expect(visibleText(reply.body)).toContain('This key doesn’t open this poll');
      expect(reply.cookies).toEqual([]);
    }
    expect(
      (await newVisitor().post(`/${id}/manage/key`, { key: 'the key of the operator' })).statusCode,
    ).toBe(303);
  });

  it('is required for every action and page', async () => {
    const { id } = await site.createPoll({ enter_name: true });
    const stranger = newVisitor();
    for (const action of [
      'visibility',
      'close',
      'reopen',
      'deadline',
      'view-key',
      'admin-key',
      'remove-comment',
      'remove-ballots',
      'put-back',
      'show',
      'delete',
    ])
      expect((await stranger.post(`/${id}/manage/${action}`, { confirmation: 'delete' })).statusCode).toBe(
        403,
      );
    for (const path of ['live', 'ballots', 'ballots.csv', 'names'])
      expect((await stranger.get(`/${id}/manage/${path}`)).statusCode).toBe(403);
    expect((await site.engine.polls.find(id))?.results).toMatchObject({ status: 'open', version: 1 });
  });
});

describe('without a session', () => {
  it('a rejected action leads to the form for the key, which says why it asks', async () => {
    const { id, adminKey } = await site.createPoll();
    const stranger = newVisitor();
    const { body } = await stranger.post(`/${id}/manage/close`, {});
    const [, address = ''] = /href="([^"]+)">Manage poll</.exec(body) ?? [];
    const page = (await stranger.get(address)).body;
    expect(visibleText(page)).toContain('Only the poll’s creator can open this page');
    const [, action = ''] = /action="([^"]+)" data-key-form/.exec(page) ?? [];
    expect((await stranger.post(action, { key: adminKey })).headers.location).toBe(address);
  });
});

describe('live streams receive', () => {
  it('the opening of an upcoming poll', async () => {
    const { id, act } = await managed({ status: 'upcoming' });
    const client = await watch(id);
    expect((await act('reopen')).text).toContain('Voting is open People can vote.');
    await client.message(message => message.type === 'results' && message.status === 'open');
    client.close();
  });

  it('a new deadline, no deadline, and no deadline after reopening', async () => {
    const { id, act } = await managed();
    const client = await watch(id);
    const changed = await act('deadline', { deadline: '2099-01-01T12:00', offset: '60' });
    expect(changed.text).toContain('The deadline has been changed');
    await client.message(
      message => message.type === 'results' && message.deadline === '2099-01-01T11:00:00.000Z',
    );
    await act('visibility', { results_visibility: 'after_deadline' });
    await act('deadline', { deadline: '' });
    const reading = await site.engine.polls.find(id);
    expect(reading?.results).toMatchObject({ deadlineMs: null, resultsVisibility: 'hidden' });
    await site.engine.polls.change(id, { deadlineMs: Date.now() - 1 });
    expect((await act('reopen')).text).toContain('The old deadline had passed, so it was removed');
    expect((await site.engine.polls.find(id))?.results).toMatchObject({ status: 'open', deadlineMs: null });
    client.close();
  });

  it('nothing for an old view key; the new one is shown once, and is the same if the form is sent again', async () => {
    const { id, act, creator, viewKey } = await managed({ results_visibility: 'hidden' });
    const once = onceOf('view-key', (await creator.get(`/${id}/manage`)).body);
    const made = await act('view-key', { once });
    const key = /value="(view_[\w-]{43})"/.exec(made.body)![1]!;
    expect(key).not.toBe(viewKey);
    expect(made.body).toContain(`/overlay/${id}#key=${key}`);
    expect((await act('view-key', { once })).body).toContain(key);
    expect((await creator.get(`/${id}/manage`)).body).not.toContain(key);
    const read = (one: string) =>
      fetch(`${site.relay.url}/api/poll/${id}`, { headers: { 'x-api-key': one } });
    expect((await read(key)).status).toBe(200);
    expect((await read(viewKey)).status).toBe(403);
  });

  it('nothing for an old admin key, whose sessions and pages end; the page shows the new one', async () => {
    const { id, act, creator, adminKey } = await managed();
    const thief = newVisitor();
    await thief.post(`/${id}/manage/key`, { key: adminKey });
    const cookie = `tallycast-manage=${encodeURIComponent(thief.cookie('manage')!)}`;
    const feed = await EventClient.open(`${site.url}/${id}/manage/live`, { cookie });
    await until(() => feed.text.includes('"voters"'), 'the counts');
    const once = onceOf('admin-key', (await creator.get(`/${id}/manage`)).body);
    const before = creator.cookie('manage')!;
    const made = await act('admin-key', { once });
    const key = /value="(admin_[\w-]{43})"/.exec(made.body)![1]!;
    expect(made.body).toContain(`/${id}/manage#key=${key}`);
    expect(made.text).toContain('Your new admin key is ready');
    await until(() => feed.ended, 'the end of the feed');
    expect((await thief.post(`/${id}/manage/close`, {})).statusCode).toBe(403);
    expect((await newVisitor().post(`/${id}/manage/key`, { key: adminKey })).statusCode).toBe(403);
    expect((await newVisitor().post(`/${id}/manage/key`, { key })).statusCode).toBe(303);
    // The second of two clicks comes with the session that the first one ended.
    creator.setCookie('manage', before, `/${id}/manage`);
    expect((await act('admin-key', { once })).body).toContain(key);
    expect((await creator.get(`/${id}/manage`)).body).toContain(key);
    expect((await act('close')).text).toContain('Voting is closed');
  });

  it('the end of a poll that was deleted, which needs a typed word', async () => {
    const { id, act } = await managed();
    const client = await watch(id);
    const unsure = await act('delete', { confirmation: 'yes' });
    expect(unsure.status).toBe(400);
    expect(unsure.text).toContain('The poll hasn’t been deleted');
    expect((await act('delete', { confirmation: ' Delete ' })).text).toContain('The poll has been deleted');
    expect((await client.end()).code).toBe(4410);
    expect((await newVisitor().get(`/${id}`)).statusCode).toBe(410);
  });
});

describe('a form', () => {
  it.each<[string, Fields, string]>([
    ['visibility', { results_visibility: 'sometimes' }, 'Choose who can see the results'],
    ['visibility', { results_visibility: 'after_deadline' }, 'Set a deadline first'],
    ['deadline', { deadline: '2001-01-01T00:00' }, 'Choose a time in the future'],
    ['deadline', { deadline: 'x' }, 'Choose a date and a time'],
    ['close-in', { minutes: '7' }, 'Choose how long voting stays open'],
    ['show', { show: 'Friday Night!' }, 'lowercase letters, digits and hyphens'],
    ['view-key', { once: 'made up' }, 'This page has expired. Try again'],
    ['admin-key', { once: 'made up' }, 'This page has expired. Try again'],
  ])('%s %o is rejected with a reason', async (action, fields, words) => {
    const { id, act } = await managed();
    const reply = await act(action, fields);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('Nothing was changed');
    expect(reply.text).toContain(words);
    expect((await site.engine.polls.find(id))?.results.version).toBe(1);
  });

  it.each(['constructor', '__proto__', 'nonsense'])(
    'with the unknown action %s is rejected',
    async action => {
      const { act } = await managed();
      expect((await act(action)).status).toBe(404);
    },
  );

  it('redirects to the page, which shows the outcome once', async () => {
    const { id, creator } = await managed();
    const answer = await creator.post(`/${id}/manage/close`, {});
    expect([answer.statusCode, answer.headers.location]).toEqual([303, `/${id}/manage`]);
    expect(visibleText((await creator.get(`/${id}/manage`)).body)).toContain(
      'You can reopen it at any time.',
    );
    expect(visibleText((await creator.get(`/${id}/manage`)).body)).not.toContain(
      'You can reopen it at any time.',
    );
  });

  it('has no effect on the page of another poll, and its outcome cannot be forged', async () => {
    const [first, second] = [await managed(), await managed()];
    await first.creator.post(`/${first.id}/manage/close`, {});
    const note = first.creator.cookie('outcome')!;
    const forged = `${Buffer.from('{"title":"Forged","text":"x"}').toString('base64url')}.${'x'.repeat(32)}`;
    for (const value of [note, forged, 'x']) {
      second.creator.setCookie('outcome', value, `/${second.id}/manage`);
      const page = visibleText((await second.creator.get(`/${second.id}/manage`)).body);
      expect(page).not.toMatch(/Voting is closed|Forged/);
    }
  });

  it('puts no new key into a cookie', async () => {
    const { id, creator } = await managed();
    const once = onceOf('view-key', (await creator.get(`/${id}/manage`)).body);
    await creator.post(`/${id}/manage/view-key`, { once });
    const note = creator.cookie('outcome')!;
    const key = /value="(view_[\w-]{43})"/.exec((await creator.get(`/${id}/manage`)).body)![1]!;
    const carried = note + Buffer.from(note.split('.')[0]!, 'base64url').toString();
    expect(carried).not.toContain(key.slice('view_'.length));
    expect((await creator.get(`/${id}/manage`)).body).not.toContain(key);
  });

  it('keeps its outcome for the page that follows, also if an open page refreshes itself first', async () => {
    const { id, creator } = await managed();
    await creator.post(`/${id}/manage/close`, {});
    const read = async (address: string) => visibleText((await creator.get(address)).body);
    const closed = 'You can reopen it at any time.';
    const open = await read(`/${id}/manage?refresh`);
    const next = await read(`/${id}/manage`);
    expect([open.includes(closed), next.includes(closed)]).toEqual([false, true]);
  });

  it('shows the deletion only to the browser that sent it', async () => {
    const { id } = await managed();
    expect((await newVisitor().get(`/${id}/manage/deleted`)).headers.location).toBe(`/${id}/manage`);
  });

  it('redirects a reload of its address to the page', async () => {
    const { id, creator } = await managed();
    expect((await creator.get(`/${id}/manage/close`)).headers.location).toBe(`/${id}/manage`);
  });
});

describe('a show', () => {
  const onAir = async () => (await findShow(site.engine, 'friday-night'))?.onAir;

  it('points to the poll with its own key or an operator’s', async () => {
    await createShow(site.engine, { name: 'friday-night', title: '' }, hashKey('show_of_friday'));
    for (const show_key of ['show_of_friday', 'the key of the operator']) {
      const { id, act } = await managed();
      const reply = await act('show', { show: 'friday-night', show_key });
      expect(reply.text).toContain('/overlay/show/friday-night');
      expect(await onAir()).toBe(id);
    }
  });

  it.each([
    ['no key', {}, 'Enter the show key'],
    ['the key of another show', { show_key: 'show_of_monday' }, 'This key doesn’t open this show'],
  ])('is not changed with %s', async (_, fields, words) => {
    const before = await onAir();
    const { act } = await managed();
    const reply = await act('show', { show: 'friday-night', ...fields });
    expect([reply.status, await onAir()]).toEqual([400, before]);
    expect(reply.text).toContain(words);
  });
});

describe('ballots', () => {
  it('are a CSV file with names, in which no cell is a formula', async () => {
    const { id, poll, creator } = await managed({
      enter_name: true,
      ma: true,
      answers: ['=1+1', 'Plain', '-2'],
    });
    const [first, second, third] = poll.answers.map(answer => answer.id);
    await newVisitor().vote(id, [first!, second!], { name: '=HYPERLINK("http://evil.test","x")' });
    await newVisitor().vote(id, third!, { name: ' ＠cmd' });
    await newVisitor().vote(id, second!, { name: 'Mira "M", O\'Hara' });
    const reply = await creator.get(`/${id}/manage/ballots.csv`);
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(reply.headers['content-disposition']).toBe(`attachment; filename="ballots-${id}.csv"`);
    const lines = reply.body
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/,"'?[\w-]{16}",/g, ',"TAG",')
      .split('\r\n');
    expect(lines).toEqual([
      '\uFEFF"cast_at","name","answers","network","source","voided"',
      '"TIME","\'=HYPERLINK(""http://evil.test"",""x"")","\'=1+1 | Plain","TAG","page","false"',
      '"TIME","\'＠cmd","\'-2","TAG","page","false"',
      '"TIME","Mira ""M"", O\'Hara","Plain","TAG","page","false"',
      '',
    ]);
    const names = visibleText((await creator.get(`/${id}/manage/names`)).body);
    expect(names).toMatch(/Mira "M", O'Hara .* Plain .*＠cmd/);
  });

  it.each(['\u200B=1+1', '\u2060@x', '\u2212 1', '"=1+1'])(
    'escape the name %j, a formula after invisible characters',
    async name => {
      const { id, poll, creator } = await managed({ enter_name: true });
      await newVisitor().vote(id, poll.answers[0]!.id, { name });
      const { body } = await creator.get(`/${id}/manage/ballots.csv`);
      expect(body).toContain(`,"'${name.replaceAll('"', '""')}",`);
    },
  );

  it('have no names if the poll asks for none', async () => {
    const { id, poll, creator } = await managed();
    await newVisitor().vote(id, poll.answers[0]!.id, { name: 'Mira' });
    expect((await creator.get(`/${id}/manage/ballots.csv`)).body).not.toContain('Mira');
    expect((await creator.get(`/${id}/manage/names`)).statusCode).toBe(404);
  });
});

describe('the key of a show', () => {
  let show: TestShow;
  let id: string;
  beforeAll(async () => {
    show = await takeShow(site.relay);
    const { json } = await show.addPoll({ results_visibility: 'hidden', enter_name: true, mip: true });
    id = json.id;
  });

  const manage = (path = '', poll = id) => `/${poll}/manage${path}`;
  const statusesOf = async (visitor: Visitor) => {
    const statuses: number[] = [];
    for (const path of ['/ballots.csv', '/names'])
      statuses.push((await visitor.get(manage(path))).statusCode);
    return statuses;
  };

  it('opens a poll again, whose winner then waits for its press again', async () => {
    const press = await takeShow(site.relay);
    await press.patch({ winner: 'press' });
    const { id: poll } = (await press.addPoll({ status: 'upcoming' })).json;
    for (const button of ['next', 'open', 'close', 'step']) await press.press(button);
    expect((await press.get()).json.aired_winner).toEqual({ round: 1 });
    const producer = site.visitor({ origin: site.url });
    await producer.post(manage('/key', poll), { key: press.key });
    for (const action of ['/reopen', '/close']) await producer.post(manage(action, poll), {});
    expect((await press.get()).json.aired_winner).toEqual({ round: null });
  });

  it('manages its polls, until it is renewed', async () => {
    const producer = site.visitor({ origin: site.url });
    expect((await producer.post(manage('/key'), { key: show.key })).headers.location).toBe(manage());
    expect(visibleText((await producer.get(manage())).body)).toContain('Voting is open');
    expect(await statusesOf(producer)).toEqual([200, 200]);
    expect((await producer.post(manage('/close'), {})).statusCode).toBe(303);
    expect((await site.relay.read(id, { 'x-api-key': show.key })).status).toBe('closed');
    const reader = await EventClient.open(`${site.url}${manage('/live')}`, {
      cookie: `tallycast-manage=${encodeURIComponent(producer.cookie('manage')!)}`,
    });
    await until(() => reader.text.includes('"voters":0'), 'the counts');

    const before = show.key;
    show.key = (await show.press('show_key')).json.show_key;
    await until(() => reader.ended, 'the end of the feed');
    expect(await statusesOf(producer)).toEqual([403, 403]);
    expect((await producer.post(manage('/reopen'), {})).statusCode).toBe(403);
    const stranger = site.visitor({ origin: site.url });
    expect((await stranger.post(manage('/key'), { key: before })).statusCode).toBe(403);
    expect((await stranger.post(manage('/key'), { key: show.key })).statusCode).toBe(303);
  });

  it('does not manage polls of other owners, even on air', async () => {
    const foreign = await site.relay.create();
    const { json } = await (await takeShow(site.relay)).addPoll();
    await show.patch({ rundown: [id, foreign.id, json.id], on_air: foreign.id });
    for (const other of [foreign.id, json.id]) {
      const visitor = site.visitor({ origin: site.url });
      expect((await visitor.post(manage('/key', other), { key: show.key })).statusCode).toBe(403);
    }
  });
});

describe('another round', () => {
  it('takes its bytes from the budget once, however often another change is faster', async () => {
    const spent = async (faster: number) => {
      const { id, act } = await managed();
      const spend = vi.spyOn(site.engine.records, 'spend');
      const again = vi.spyOn(site.engine.polls, 'again');
      for (let change = 0; change < faster; change += 1) again.mockResolvedValueOnce(false);
      expect((await act('again', { round: '1' })).text).toContain('The next round has begun');
      expect([again.mock.calls.length, (await site.engine.polls.find(id))!.poll.round]).toEqual([
        faster + 1,
        2,
      ]);
      const taken = spend.mock.calls.flatMap(([name, bytes]) =>
        name.startsWith('limits:bytes:') ? bytes : [],
      );
      vi.restoreAllMocks();
      return taken;
    };
    expect(await spent(3)).toEqual(await spent(0));
  });

  it('begins once for each form, behind a fold that explains it, and leaves the results before it', async () => {
    const { id, poll, creator, act } = await managed();
    await site.phone().vote(id, poll.answers[0]!.id);
    const page = (await creator.get(`/${id}/manage`)).body;
    const form = /<details class="fold"><summary>Another round<\/summary>.*?<\/details>/s.exec(page)![0];
    expect(visibleText(form)).toContain('kept as round 1');
    expect(form).toContain('Begin round 2');
    const round = fieldValue(form, 'round');
    expect((await act('again', { round: round! })).text).toContain('The next round has begun');
    expect((await act('again', { round: round! })).text).toContain('The next round had already begun.');
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 0], voters: 0 });
    const { poll: present } = (await site.engine.polls.find(id))!;
    expect(present.round).toBe(2);
    expect((await site.engine.polls.find(idOfRound(id, 1)))!.results.totalVoters).toBe(1);
    const next = (await creator.get(`/${id}/manage`)).body;
    expect(next).toContain('Begin round 3');
    const [file] = /\/[^"]+ballots.csv\?round=\d+/.exec(next)!;
    const ballots = await creator.get(file);
    expect(ballots.headers['content-disposition']).toBe(`attachment; filename="ballots-${id}.csv"`);
    expect(ballots.body).toContain(`"${poll.answers[0]!.text}"`);
    expect((await creator.get(`/${id}/manage/ballots.csv?round=2`)).body.split('\r\n')).toHaveLength(2);
    for (const round of ['3', '0', 'x', '']) {
      const { statusCode } = await creator.get(`/${id}/manage/ballots.csv?round=${round}`);
      expect([round, statusCode]).toEqual([round, 404]);
    }
  });

  it('is not offered for a poll that has not opened', async () => {
    const { id, creator } = await managed({ status: 'upcoming' });
    expect((await creator.get(`/${id}/manage`)).body).not.toContain('Another round');
  });
});
