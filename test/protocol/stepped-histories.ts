import { expect } from 'vitest';
import { pollSettings, type Results } from '../../src/poll/poll.ts';
import { seededRandom } from '../../src/poll/rehearsal.ts';
import { nextReveal } from '../../src/poll/reveal-steps.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { until } from '../support/until.ts';
import type { LiveSite } from '../voting/voting-site.ts';

/** Two polls that are revealed down to a place, and differ in nothing but what is not revealed then. */
export interface Pair {
  readonly id: string;
  readonly histories: readonly [readonly number[], readonly number[]];
  /** The best place at which both show the same. */
  readonly lastFrom: number;
  readonly finalTwo: boolean;
  readonly allowMultiple: boolean;
}

const FORMATS = ['', '?format=rows', '?format=csv', '?format=xml', '?format=text', '?max_age=60'];
const LIVE = ['?hz=20', '?hz=20&compact=1'];
/** By time alone, as pings are. */
const KEEP_ALIVE = /[0-9a-f]+\r\n: keep-alive\n\n\r\n/g;
const FEW = 4;
/** A raw socket answers no ping, so each pair has to be done within half a minute. */
const AT_ONCE = 6;

/** Polls of up to seven answers with many ties. The same seed draws the same pair. */
export function drawPair(seed: number): Pair {
  const random = seededRandom(seed);
  const draw = (below: number) => Math.floor(random() * below);
  const revealed = Array.from({ length: 1 + draw(4) }, () => draw(FEW));
  const least = Math.max(...revealed) + 1;
  const length = 2 + draw(2);
  const extra = 2 + draw(9);
  const hidden = () => {
    const counts = Array.from({ length }, () => least);
    for (let vote = 0; vote < extra; vote += 1) counts[draw(length)]! += 1;
    return counts;
  };
  const one = hidden();
  let other = hidden();
  while (other.join() === one.join()) other = hidden();
  // The hidden answers are in between the others.
  const order = [...revealed, ...one].map(() => random());
  const shuffled = (votes: readonly number[]) =>
    [...votes.keys()].sort((a, b) => order[a]! - order[b]!).map(index => votes[index]!);
  return {
    id: `Pair${`${seed}`.padStart(8, '0')}`,
    histories: [shuffled([...revealed, ...one]), shuffled([...revealed, ...other])],
    lastFrom: length + 1,
    finalTwo: random() < 0.5,
    allowMultiple: random() < 0.3,
  };
}

/**
 * A closed poll with hidden results. The version, and the votes that were removed, differ between
 * the two histories.
 */
export function closedResults({ histories, allowMultiple }: Pair, which: 0 | 1): Results {
  const votes = histories[which];
  const total = votes.reduce((sum, count) => sum + count, 0);
  return {
    version: [17, 4_321][which]!,
    votes,
    totalVoters: allowMultiple ? Math.ceil(total / 2) : total,
    voidedVotes: [undefined, 5][which],
    status: 'closed',
    deadlineMs: null,
    resultsVisibility: 'hidden',
    readAtMs: 1_900_000_000_000,
  };
}

/** The places that steps reveal in both histories, best last. With `finalTwo`, one may have its last step earlier. */
export function commonSteps(pair: Pair): number[] {
  const stepsOf = (which: 0 | 1): number[] => {
    const steps: number[] = [];
    for (let results = closedResults(pair, which); ; ) {
      const { revealedFrom } = nextReveal(results, pair) ?? {};
      if (typeof revealedFrom !== 'number' || revealedFrom < pair.lastFrom) return steps;
      steps.push(revealedFrom);
      results = { ...results, revealedFrom };
    }
  };
  const [one, other] = [stepsOf(0), stepsOf(1)];
  const common = one.filter((from, index) => other[index] === from);
  expect(common.length).toBe(Math.min(one.length, other.length));
  return common;
}

/** Plays each history on a site of its own, and expects the same bytes on all ways to an outsider after each step. */
export async function expectSameBytes(
  sites: readonly [LiveSite, LiveSite],
  seeds: readonly number[],
): Promise<void> {
  for (let start = 0; start < seeds.length; start += AT_ONCE)
    await Promise.all(
      seeds.slice(start, start + AT_ONCE).map(async seed => {
        const pair = drawPair(seed);
        const [one, other] = await Promise.all([play(sites[0], pair, 0), play(sites[1], pair, 1)]);
        expect(other, `pair ${seed}`).toEqual(one);
        for (const from of commonSteps(pair)) expect(one?.join()).toContain(`"revealed_from":${from}`);
      }),
    );
}

/** Returns all that outsiders got. */
async function play(site: LiveSite, pair: Pair, which: 0 | 1): Promise<string[]> {
  const { engine, relay } = site;
  const { id } = pair;
  await addPoll(site, pair, which);
  const path = `/api/poll/${id}/live`;
  const live = await Promise.all(LIVE.map(query => RawSocket.upgrade(relay.url, path + query)));
  const events = await RawSocket.open(relay.url);
  events.send(`GET ${path}?hz=20 HTTP/1.1\r\nHost: a\r\n\r\n`);
  const open = [...live, events];
  await until(() => open.every(raw => raw.text.includes('"type":"hidden"')), 'the first message');
  const visitor = site.visitor({ address: '192.0.2.1' });
  const replies: string[] = [];
  for (const revealedFrom of commonSteps(pair)) {
    expect(await engine.polls.change(id, { revealedFrom })).toBe(true);
    const isPushed = (raw: RawSocket) => raw.text.includes(`"revealed_from":${revealedFrom},`);
    await until(() => open.every(isPushed), 'the step');
    for (const query of FORMATS) replies.push(...(await read(relay.url, `/api/poll/${id}${query}`)));
    replies.push(...(await read(relay.url, `/api/poll/${id}/definition`)));
    await until(async () => {
      const { statusCode, body } = await visitor.get(`/${id}`);
      return statusCode === 200 && replies.push(body) > 0;
    }, 'the page');
  }
  const state = async () => (await visitor.get(`/${id}/state`)).body.replace(/"(nowMs|againMs)":\d+/g, '');
  // Kept for a second.
  const last = commonSteps(pair).at(-1);
  if (last) await until(async () => (await state()).includes(`"revealedFrom":${last},`), 'the state');
  replies.push(await state());
  for (const raw of open) raw.close();
  const isPing = ({ opcode }: { opcode: number }) => opcode === 9;
  const frames = live.flatMap(raw => raw.frames().filter(frame => !isPing(frame)));
  const pushed = [...frames.map(({ payload }) => payload.toString()), events.text.replace(KEEP_ALIVE, '')];
  return [...replies, ...pushed].map(text =>
    text
      .replaceAll(relay.url, '<relay>')
      .replaceAll(site.url, '<site>')
      .replace(/(x-request-id: |"request_id":")[^"\r]+/gi, '$1<request id>')
      .replace(/date: [^\r]+/i, 'date: <now>')
      .replace(/\nretry: \d{4}\n/, '\nretry: <random>\n'),
  );
}

/** The reply, and the one to a request that has it already. */
async function read(url: string, path: string): Promise<string[]> {
  const ask = async (head: string): Promise<string> => {
    const raw = await RawSocket.open(url);
    raw.send(`${head}\r\nHost: a\r\nConnection: close\r\n\r\n`);
    await until(() => raw.closed, 'the reply');
    // An engine that is late on a busy machine is late for any history.
    return raw.text.startsWith('HTTP/1.1 503') ? ask(head) : raw.text;
  };
  const whole = await ask(`GET ${path} HTTP/1.1`);
  const etag = /\r\netag: ([^\r]+)/i.exec(whole)?.[1];
  expect(whole).toMatch(/^HTTP\/1.1 200 /);
  const same = await ask(`GET ${path} HTTP/1.1\r\nIf-None-Match: ${etag}`);
  expect(same).toMatch(/^HTTP\/1.1 304 /);
  return [whole, same];
}

async function addPoll({ engine }: LiveSite, pair: Pair, which: 0 | 1): Promise<void> {
  const { readAtMs: _, status: __, totalVoters, ...results } = closedResults(pair, which);
  const archived = {
    ...results,
    type: 'poll' as const,
    poll: {
      id: pair.id,
      title: 'Which song next?',
      description: '',
      answers: results.votes.map((_, index) => ({ id: `a${index}`, text: `Answer ${index}` })),
      settings: pollSettings({ allowMultiple: pair.allowMultiple }),
      image: null,
      createdAtMs: 1_800_000_000_000,
    },
    keys: { adminKeyHash: 'a'.repeat(64), viewKeyHash: 'b'.repeat(64) },
    voters: totalVoters,
    closed: 1_800_000_100_000,
    settledDeadlineMs: null,
    retentionMs: 0,
    expiresAtMs: null,
  };
  const noEntries = async function* () {};
  expect(await engine.archive.addPoll(archived, noEntries())).toBe(true);
}
