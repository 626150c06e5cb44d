import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestShow, takeShow } from '../support/test-show.ts';
import { EventReader } from './event-reader.ts';
import { type Visitor, visibleText } from './visitor.ts';
import { type LiveSite, startLiveSite } from './voting-site.ts';

let site: LiveSite;
let show: TestShow;
let id: string;
beforeAll(async () => {
  site = await startLiveSite();
  show = await takeShow(site.relay);
  const { json } = await show.addPoll({ results_visibility: 'hidden', enter_name: true, mip: true });
  id = json.id;
});
afterAll(() => site.close());

const manage = (path = '', poll = id) => `/${poll}/manage${path}`;
const statusesOf = async (visitor: Visitor) => {
  const statuses: number[] = [];
  for (const path of ['/ballots.csv', '/names']) statuses.push((await visitor.get(manage(path))).statusCode);
  return statuses;
};

it('the key of a show manages its polls on their pages, and is none any more once there is another one', async () => {
  const producer = site.visitor({ origin: site.url });
  expect((await producer.post(manage('/key'), { key: show.key })).headers.location).toBe(manage());
  expect(visibleText((await producer.get(manage())).body)).toContain('Voting is open');
  expect(await statusesOf(producer)).toEqual([200, 200]);
  expect((await producer.post(manage('/close'), {})).statusCode).toBe(303);
  expect((await site.relay.read(id, { 'x-api-key': show.key })).status).toBe('closed');
  const reader = await EventReader.open(`${site.url}${manage('/live')}`, {
    cookie: `tallycast-manage=${encodeURIComponent(producer.cookie('manage')!)}`,
  });
  await reader.until(text => JSON.parse(text).voters === 0);

  const before = show.key;
  show.key = (await show.press('show_key')).json.show_key;
  await reader.end();
  expect(await statusesOf(producer)).toEqual([403, 403]);
  expect((await producer.post(manage('/reopen'), {})).statusCode).toBe(403);
  const stranger = site.visitor({ origin: site.url });
  expect((await stranger.post(manage('/key'), { key: before })).statusCode).toBe(403);
  expect((await stranger.post(manage('/key'), { key: show.key })).statusCode).toBe(303);
});

it('the key of a show opens no page of a poll that is merely on air there, or of another show', async () => {
  const foreign = await site.relay.create();
  const { json } = await (await takeShow(site.relay)).addPoll();
  await show.patch({ rundown: [id, foreign.id, json.id], on_air: foreign.id });
  for (const other of [foreign.id, json.id]) {
    const visitor = site.visitor({ origin: site.url });
    expect((await visitor.post(manage('/key', other), { key: show.key })).statusCode).toBe(403);
  }
});
