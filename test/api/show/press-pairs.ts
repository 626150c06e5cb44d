import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { type ApiReply, ask } from '../../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../../support/test-relay.ts';
import { type TestShow, takeShow } from '../../support/test-show.ts';

/** Two presses within a second, by a held clock: the end is what one of them meant, and the other is told why. */

const KEYS = ['N', 'P', 'T', 'C', 'O', 'X', 'S', 'R', 'W', 'G', 'H', 'Z', 'Delete'] as const;
type Key = (typeof KEYS)[number];
/** Before the desk shows the first press, and after it. */
const DISTANCES_MS = [0, 40, 120, 250, 400, 800];

let relay: TestRelay;

/** Starts a relay for the pairs of a test file, whose clock is held. @param findRedis undefined for the embedded engine */
export function startPressing(findRedis?: () => Promise<string>): void {
  beforeAll(async () => {
    relay = await startTestRelay({ changesPerMinute: 1_000_000, redisUrl: await findRedis?.() });
  });
  afterAll(() => relay.close());
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());
}

export type Status = 'open' | 'closed';

/** What presses second: another desk, the same desk, or a button with `guard`. */
export const SECOND = { 'two desks': 'right', 'one desk': 'left', 'a button with guard': '' } as const;
export type Second = keyof typeof SECOND;

interface View {
  readonly show: ApiReply['json'];
  readonly poll: ApiReply['json'] | undefined;
}

async function viewOf(show: TestShow): Promise<View> {
  const { json } = await show.get();
  const headers = { 'x-api-key': show.key };
  const read = json.on_air && (await ask(`${relay.url}/api/poll/${json.on_air}`, { headers }));
  return { show: json, poll: read?.json };
}

/** As the desk sends it: what the button says in the view, with what the operator sees. */
function press(show: TestShow, key: Key, { show: seen, poll }: View, hand: string): Promise<ApiReply> {
  const { status, round = 1, results_visibility, revealed_from = null, deadline } = poll ?? {};
  const ofPoll = poll && { status, round, results_visibility, revealed_from, deadline };
  const by = { hand, if: { on_air: seen.on_air, ...ofPoll } };
  const { rundown, version } = seen;
  const send = (button: string, members = {}) => show.press(button, { ...by, ...members });
  switch (key) {
    case 'N':
      return send('next', { version });
    case 'W':
      return send('next', { version, close_before_next: true });
    case 'P':
      return send('previous', { version });
    case 'T':
      return show.patch({ ...by, on_air: rundown[2] });
    case 'C':
      return seen.on_air ? send('clear', { version }) : show.patch({ ...by, on_air: seen.place });
    case 'O':
      return send(status === 'open' ? 'close' : 'open', { ...(status !== 'open' && { confirm: true }) });
    case 'X':
      return deadline ? send('keep_open') : send('close', { closes_in: 30 });
    case 'S':
      return send('step');
    case 'R':
      return results_visibility === 'always' ? send('hide') : send('reveal', { confirm: true });
    case 'G':
      return send('again', { confirm: true });
    case 'H':
      return show.patch({ ...by, on_air: `rehearsal-${rundown[0]}` });
    case 'Z':
      return show.press('undo', { hand, undo: seen.undo?.id ?? 'none' });
    case 'Delete':
      return show.patch({ rundown: rundown.slice(0, -1), version, confirm: true });
  }
}

async function setUp(status: Status): Promise<TestShow> {
  const show = await takeShow(relay);
  const poll = { status: 'upcoming', results_visibility: 'hidden', answers: ['One', 'Two', 'Three'] };
  for (let at = 0; at < 4; at += 1) await show.addPoll(poll);
  const { rundown } = (await show.get()).json;
  await show.patch({ on_air: rundown[1] });
  await show.press('open');
  for (const [answer, votes] of [3, 2, 1].entries()) await relay.cast(rundown[1], answer, votes);
  if (status === 'closed') await show.press('close');
  vi.setSystemTime(Date.now() + 10_000);
  return show;
}

/** The place in the rundown of what is on air, the rundown's length, and the state of every poll. */
async function stateOf(show: TestShow): Promise<string> {
  const { rundown, removed, on_air } = (await show.get('/rundown')).json;
  const all = [...rundown, ...removed].map(({ id }: { id: string }) => id);
  const readings = await Promise.all(all.map(id => relay.engine.polls.find(id)));
  const polls = readings.map(reading => {
    const { status, deadlineMs, resultsVisibility, revealedFrom } = reading!.results;
    return [reading!.poll.round ?? 1, status, deadlineMs !== null, resultsVisibility, revealedFrom].join();
  });
  const at = on_air && all.findIndex((id: string) => on_air.endsWith(id));
  return JSON.stringify([at, on_air?.startsWith('rehearsal'), rundown.length, polls]);
}

async function after(status: Status, key: Key): Promise<string> {
  const show = await setUp(status);
  await press(show, key, await viewOf(show), 'left');
  return stateOf(show);
}

/** Every pair of keys, at every distance. */
export const PAIRS = KEYS.flatMap(first =>
  KEYS.flatMap(next => DISTANCES_MS.map(distanceMs => ({ first, next, distanceMs }))),
);

const OTHER_DISTANCES = DISTANCES_MS.length - 1;

/** Every pair of keys, at two distances each: 0 and another one. */
export const THIRD_OF_PAIRS = PAIRS.filter((_, at) => {
  const [pair, distance] = [Math.floor(at / DISTANCES_MS.length), at % DISTANCES_MS.length];
  return distance === 0 || distance === 1 + (pair % OTHER_DISTANCES);
});

/** Presses each pair, and expects the end that the first press has alone, wherever the second may not follow. */
export async function pressPairs(status: Status, by: Second, pairs: typeof PAIRS): Promise<void> {
  const second = SECOND[by];
  const isGuarded = by === 'a button with guard';
  const alone = new Map<Key, string>();
  for (const { first, next, distanceMs } of pairs) {
    const where = `${first} ${next} after ${distanceMs} ms`;
    if (!alone.has(first)) alone.set(first, await after(status, first));
    const show = await setUp(status);
    const [before, unchanged] = [await viewOf(show), await stateOf(show)];
    const one = await press(show, first, before, 'left');
    vi.setSystemTime(Date.now() + distanceMs);
    const shown = distanceMs === 0 ? before : await viewOf(show);
    const isOn = one.status === 200 && (await stateOf(show)) !== unchanged;
    const two = isGuarded
      ? await show.press(next === 'N' ? 'next' : 'clear', { guard: true })
      : await press(show, next, shown, second);
    const end = await stateOf(show);
    if (!isOn || first === 'Delete') continue;
    const isLate = two.status === 200 && distanceMs > 0;
    // A named undo is judged by its name, the rundown by its version, and a hand goes on from its own press.
    const mayFollow =
      next === 'Z' ||
      next === 'Delete' ||
      (second === 'left' && next !== first && !(first === 'T' && next === 'C'));
    if (isLate && mayFollow && !isGuarded) continue;
    expect([where, two.status === 200 ? 'silent' : 'told', end]).toEqual([where, 'told', alone.get(first)]);
  }
}
