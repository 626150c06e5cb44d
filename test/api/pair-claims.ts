import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../src/poll/rehearsal.ts';
import { type ApiReply, send } from '../support/api-request.ts';
import { SEED } from '../support/seed.ts';
import type { TestRelay } from '../support/test-relay.ts';
import { type TestShow, takeShow } from '../support/test-show.ts';
import type { Fields, Visitor } from '../voting/visitor.ts';
import { startVotingSite, type VotingSite } from '../voting/voting-site.ts';

/** Two changes at the same time end as one after the other does, in one order or the other. */

/** `all` tries every pair so often; otherwise a sample of them is tried once. */
const TIMES_OF_ALL = Number(process.env['PAIRS'] ?? 0);
const SAMPLED = 24;
const MAX_APART_MS = 5;

interface Evening {
  readonly show: TestShow;
  /** Browsers with the manage page of the poll on air, by the address of the relay beside their front end. */
  readonly pages: ReadonlyMap<string, Visitor>;
  readonly onAir: string;
  readonly next: string;
}

type Change = (evening: Evening, url: string) => Promise<Pick<ApiReply, 'status'>>;

const patch =
  (poll: object): Change =>
  ({ show, onAir }, url) =>
    send(`${url}/api/poll/${onAir}`, 'PATCH', { poll }, show.key);
const press =
  (button: string, members: object = {}): Change =>
  ({ show }, url) =>
    show.at(url).press(button, members);

const page =
  (action: string, fields: Fields = {}): Change =>
  async ({ pages, onAir }, url) => {
    const { statusCode } = await pages.get(url)!.post(`/${onAir}/manage/${action}`, fields);
    expect([303, 409]).toContain(statusCode);
    return { status: statusCode };
  };

const CHANGES: Readonly<Record<string, Change>> = {
  'poll closes': patch({ status: 'closed' }),
  'poll opens': patch({ status: 'open' }),
  'poll is hidden': patch({ results_visibility: 'hidden' }),
  'poll is shown': patch({ results_visibility: 'always' }),
  'poll closes later': patch({ closes_in: 3_600 }),
  'poll has no deadline': patch({ deadline: null }),
  'title is corrected': patch({ title: 'Which one is it?' }),
  'total is shown': patch({ change_vote: true }),
  'round begins': ({ show, onAir }, url) => send(`${url}/api/poll/${onAir}/again`, 'POST', {}, show.key),
  'show goes on': press('next'),
  'show goes back': press('previous'),
  'air is cleared': press('clear'),
  'show opens': press('open'),
  'show opens for an hour': press('open', { closes_in: 3_600 }),
  'show closes': press('close'),
  'show steps': press('step'),
  'show reveals': press('reveal', { confirm: true }),
  'press is undone': press('undo'),
  'next poll is taken': ({ show, next }, url) => show.at(url).patch({ on_air: next }),
  'rundown is turned': ({ show, onAir, next }, url) => show.at(url).patch({ rundown: [next, onAir] }),
  'show is renamed': ({ show }, url) => show.at(url).patch({ title: 'Another evening' }),
  'page closes': page('close'),
  'page opens': page('reopen'),
  'page hides': page('visibility', { results_visibility: 'hidden' }),
  'page shows': page('visibility', { results_visibility: 'always' }),
  'page begins the round': page('again', { round: '1' }),
  'page closes in a while': page('close-in', { minutes: '10' }),
  'two are last': ({ show }, url) => show.at(url).patch({ final_two: true }),
};
const NAMES = Object.keys(CHANGES);
/** Before each pair. The history then has a press of each kind. */
const BEGINNINGS = ['open and hidden', 'closed and hidden', 'open and public'] as const;

/** @param relays two on one engine, or twice the same one */
export function pairClaims(relays: () => readonly [TestRelay, TestRelay]): void {
  const sites = new Map<string, VotingSite>();
  beforeAll(async () => {
    for (const { url, engine } of new Set(relays())) sites.set(url, await startVotingSite({ engine }));
  });
  afterAll(() => Promise.all([...sites.values()].map(site => site.close())));

  async function begin(beginning: (typeof BEGINNINGS)[number]): Promise<Evening> {
    const [relay] = relays();
    const show = await takeShow(relay);
    const hidden = { results_visibility: beginning.endsWith('hidden') ? 'hidden' : 'always' };
    const members = { answers: ['One', 'Two', 'Three'], status: 'upcoming', ...hidden };
    const onAir = (await show.addPoll(members)).json.id as string;
    const next = (await show.addPoll({ ...members, title: 'The next' })).json.id as string;
    await show.press('next');
    await show.press('open');
    for (const [answer, votes] of [3, 2, 1].entries()) await relay.cast(onAir, answer, votes);
    if (beginning.startsWith('closed')) await show.press('close');
    const pages = new Map([...sites].map(([url, site]) => [url, site.visitor()]));
    for (const visitor of pages.values()) await visitor.post(`/${onAir}/manage/key`, { key: show.key });
    return { show, pages, onAir, next };
  }

  /**
   * Everything that a reader, a holder of the key and a viewer of the show can see, without what
   * differs between two evenings.
   */
  async function seen({ show, onAir, next }: Evening): Promise<string> {
    const [, other] = relays();
    const at = show.at(other.url);
    const read = (id: string, key?: string) =>
      send(`${other.url}/api/poll/${id}`, 'GET', undefined, key === undefined ? {} : key);
    const replies = [
      await read(onAir),
      await read(onAir, show.key),
      await read(`${onAir}?round=1`),
      await read(next, show.key),
      await at.get(),
    ];
    const names = new Map([
      [onAir, 'first'],
      [next, 'second'],
      [show.name, 'show'],
    ]);
    const text = JSON.stringify(
      replies.map(({ status, json }) => [status, json]),
      (name, value) => {
        if (name === 'poll_answers') return value.map((one: { votes?: number }) => one.votes ?? 'none');
        if (['deadline', 'edited_at', 'images'].includes(name)) return value === null ? null : 'set';
        return UNLIKE.has(name) ? undefined : value;
      },
    );
    return [...names].reduce((said, [id, name]) => said.replaceAll(id, name), text);
  }

  async function oneAfterTheOther(beginning: (typeof BEGINNINGS)[number], names: readonly string[]) {
    const evening = await begin(beginning);
    for (const name of names) await CHANGES[name]!(evening, relays()[0].url);
    return seen(evening);
  }

  it('two changes at the same time end as one after the other', {
    timeout: TIMES_OF_ALL ? 7_200_000 : 150_000,
  }, async () => {
    const random = seededRandom(SEED);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
    const every = BEGINNINGS.flatMap(from =>
      NAMES.flatMap(one => NAMES.map(two => [from, one, two] as const)),
    );
    const tried = TIMES_OF_ALL ? every : Array.from({ length: SAMPLED }, () => pick(every));
    for (const [from, one, two] of tried) {
      const ends = new Set([
        await oneAfterTheOther(from, [one, two]),
        await oneAfterTheOther(from, [two, one]),
      ]);
      for (let time = 0; time < Math.max(TIMES_OF_ALL, 1); time += 1) {
        const evening = await begin(from);
        const apartMs = random() * MAX_APART_MS;
        const [first, second] = await Promise.all([
          CHANGES[one]!(evening, relays()[0].url),
          pause(apartMs).then(() => CHANGES[two]!(evening, relays()[1].url)),
        ]);
        const end = await seen(evening);
        const possible = new Set(ends);
        // A change that is rejected for the other one leaves the other one alone.
        if (!ends.has(end) && first.status === 409) possible.add(await oneAfterTheOther(from, [two]));
        if (!ends.has(end) && second.status === 409) possible.add(await oneAfterTheOther(from, [one]));
        const what = `SEED=${SEED}, ${from}: "${one}" (${first.status}) and ${apartMs.toFixed(1)} ms later "${two}" (${second.status})`;
        expect([...possible], what).toContain(end);
      }
    }
  });
}

/** Differ between two evenings, or with each read. */
const UNLIKE = new Set([
  'request_id',
  'timestamp',
  'version',
  'position',
  'links',
  'message',
  'earlier',
  'screens',
  'id',
  'created_at',
  'view_key',
  'now',
]);
