import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { drawWeighted, seededRandom } from '../../../src/poll/rehearsal.ts';
import { parseShow, showTopic } from '../../../src/show/show.ts';
import { type ApiReply, ask, send as sendTo } from '../../support/api-request.ts';
import { castBallots, createPoll } from '../../support/test-relay.ts';
import { type TestShow, takeShow } from '../../support/test-show.ts';
import { ButtonModel, deadlineIn, type ModelPoll, type Press } from './button-model.ts';

const POLLS = 6;
/** No test lasts as long, so no deadline passes. */
const CLOSES_S = [2_000, 4_000, 6_000];
const TOLERANCE_S = 900;

/** Without an engine, nobody votes, and what only it knows is not compared. */
interface PressedRelay {
  readonly url: string;
  readonly engine?: Engine;
}

type Relays = readonly [PressedRelay, PressedRelay];

/** A press is on its way for so long at most when the relays are killed. */
const KILLED_AFTER_MS = 15;

/**
 * Presses everything at random, from two desks and by a program, and compares each outcome with the model.
 *
 * @param killAll kills the relays, one press of twenty being on its way, and starts them again
 */
export async function pressAtRandom(
  relays: Relays,
  seed: number,
  presses: number,
  killAll?: () => Promise<Relays>,
): Promise<void> {
  const random = seededRandom(seed);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const show = await takeShow(relays[0]);
  const { engine } = relays[0];
  let desks = [show, show.at(relays[1].url)] as const;
  const model = new ButtonModel(await createPolls(show, relays[0].url, pick));
  await show.patch({ rundown: model.rundown });
  let state = model;
  let newest: { readonly press: Press; readonly headers: Record<string, string> } | undefined;

  const actions: readonly [weight: number, act: (where: string) => Promise<void>][] = [
    [60, where => pressOne(where)],
    [10, where => pressTwo(where)],
    [6, where => pressAgain(where)],
    [10, () => vote()],
    [8, where => patchPoll(where)],
    [4, where => options(where)],
    [killAll ? 5 : 0, where => pressAndKill(where)],
  ];
  const weights = actions.map(([weight]) => weight);
  for (let at = 0; at < presses; at += 1) await actions[drawWeighted(weights, random)]![1](`${seed}/${at}`);

  function draw(): Press {
    const button = pick([
      ...[
        'open',
        'open',
        'close',
        'close',
        'reveal',
        'hide',
        'keep_open',
        'step',
        'step',
        'step',
        'undo',
        'undo',
        'undo',
      ],
      ...['next', 'next', 'previous', 'take', 'clear', 'list'],
    ]);
    const maybe = (chance: number, members: object) => (random() < chance ? members : {});
    const others = [...state.polls.keys()];
    const own = [...state.polls.values()].filter(({ isOwn }) => isOwn).map(({ id }) => id);
    const isOfPoll = ['open', 'close', 'keep_open', 'step', 'reveal', 'hide'].includes(button);
    return {
      button,
      show: {
        ...maybe(0.3, { if_on_air: random() < 0.8 ? state.onAir : pick(others) }),
        ...((button === 'open' || button === 'close') && maybe(0.3, { closes_in: pick(CLOSES_S) })),
        ...((button === 'reveal' || button === 'open') && maybe(0.5, { confirm: random() < 0.8 })),
        ...(isOfPoll && maybe(0.2, { poll: pick(others) })),
        ...(button === 'step' && maybe(0.3, { to: pick([1, 2, 3, 4]) })),
        ...(button === 'list' && { rundown: own.filter(() => random() < 0.8).sort(() => random() - 0.5) }),
        ...(button === 'list' && maybe(0.5, { confirm: true })),
        ...(button === 'take' && { on_air: pick(others) }),
      },
    };
  }

  async function pressOne(where: string): Promise<void> {
    const press = draw();
    const headers = keyOf(where);
    const expected = state.press(press);
    const outcome = outcomeOf(await send(pick(desks), press, headers));
    await compare(`${where} ${JSON.stringify(press)}`, outcome, expected);
    newest = expected === 200 ? { press, headers } : undefined;
  }

  /** At once, at two relays: as if one came after the other. */
  async function pressTwo(where: string): Promise<void> {
    const both = [draw(), draw()] as const;
    const replies = await Promise.all(
      both.map((press, at) => send(desks[at]!, press, keyOf(`${where}-${at}`))),
    );
    const outcomes = replies.map(outcomeOf);
    const orders = [both, both.toReversed()].map(order => {
      const after = state.clone();
      const expected = order.map(press => after.press(press));
      return { after, expected: order[0] === both[0] ? expected : expected.toReversed() };
    });
    const now = await readState();
    const found = orders.find(
      ({ after, expected }) =>
        expected.join() === outcomes.join() && JSON.stringify(stateOf(after)) === JSON.stringify(now),
    );
    const seen = { outcomes, now };
    if (!found)
      expect(seen, `${where} ${JSON.stringify(both)} ${JSON.stringify(orders[1])}`).toEqual({
        outcomes: orders[0]!.expected,
        now: stateOf(orders[0]!.after),
      });
    else state = found.after;
    newest = undefined;
  }

  async function pressAgain(where: string): Promise<void> {
    if (newest) await compare(where, outcomeOf(await send(pick(desks), newest.press, newest.headers)), 200);
  }

  /** The press is sent again, as a desk does: it is carried out once, whether it was before or not. */
  async function pressAndKill(where: string): Promise<void> {
    const press = draw();
    const expected = state.press(press);
    const lost = send(pick(desks), press, keyOf(where)).then(outcomeOf, () => 'lost');
    await pause(random() * KILLED_AFTER_MS);
    const [one, other] = await killAll!();
    desks = [show.at(one.url), show.at(other.url)];
    const acknowledged = await lost;
    const outcome = outcomeOf(await send(pick(desks), press, keyOf(where)));
    // Taken back halfway, nothing is left of it; and what took the last press away replies as one that was carried out.
    const isHalf = press.button === 'undo' && [200, 'nothing_to_undo'].includes(outcome);
    await compare(`${where} ${acknowledged} ${JSON.stringify(press)}`, isHalf ? expected : outcome, expected);
    newest = undefined;
  }

  async function vote(): Promise<void> {
    const poll = pick([...state.polls.values()].filter(({ status }) => status === 'open'));
    if (!poll || !engine) return;
    const answer = pick([0, 1, 2, 3]);
    await castBallots(engine, poll.id, answer, 1);
    poll.votes[answer]! += 1;
  }

  /** Not a press: `undo` knows nothing of it. */
  async function patchPoll(where: string): Promise<void> {
    const poll = pick([...state.polls.values()].filter(({ isOwn }) => isOwn));
    const wanted = pick<Partial<ModelPoll>>([
      { status: 'open' },
      { status: 'closed' },
      { visibility: 'hidden' },
      { visibility: 'always' },
    ]);
    const { visibility, status } = wanted;
    const body = { poll: { status, results_visibility: visibility } };
    const reply = await sendTo(`${desks[1].url}/api/poll/${poll.id}`, 'PATCH', body, show.key);
    if (status === 'open' && poll.status !== 'open') {
      Object.assign(poll, poll.closesInS !== null && deadlineIn(poll.closesInS), { revealedFrom: null });
      state.winners = state.winners.filter(([id]) => id !== poll.id);
    }
    if (visibility !== undefined && visibility !== poll.visibility) poll.revealedFrom = null;
    Object.assign(poll, wanted);
    newest = undefined;
    await compare(`${where} ${JSON.stringify(body)}`, reply.status, 200);
  }

  async function options(where: string): Promise<void> {
    const show = pick([
      { final_two: random() < 0.5 },
      { close_before_next: random() < 0.5 },
      { winner: pick(['close', 'press']) },
      { winner: 'press' },
    ]);
    const expected = state.press({ button: 'options', show });
    await compare(where, outcomeOf(await desks[0].patch(show)), expected);
  }

  async function compare(where: string, outcome: unknown, expected: unknown): Promise<void> {
    expect({ outcome, now: await readState() }, where).toEqual({ outcome: expected, now: stateOf(state) });
  }

  async function readState(): Promise<unknown> {
    const { on_air, place, rundown, undo } = (await desks[0].get()).json;
    const shown = { onAir: on_air, place, rundown, undo: undo?.press ?? null };
    const ids = [...state.polls.values()].filter(({ isOwn }) => engine || isOwn).map(({ id }) => id);
    if (!engine) return { ...shown, polls: await Promise.all(ids.map(readPoll)) };
    const stored = parseShow((await engine.records.find(showTopic(show.name)))!);
    const readings = await Promise.all(ids.map(id => engine.polls.find(id)));
    const polls = readings.map(reading => {
      const { status, resultsVisibility: visibility, revealedFrom = null, ...results } = reading!.results;
      const { deadlineMs, closesInMs, readAtMs, votes } = results;
      const leftS = deadlineMs === null ? null : nearest((deadlineMs - readAtMs) / 1_000);
      const closesInS = closesInMs === undefined ? null : closesInMs / 1_000;
      return { status, visibility, revealedFrom, leftS, closesInS, votes: [...votes] };
    });
    return {
      ...shown,
      history: namesOf(stored.history),
      winners: (stored.winners ?? []).map(({ poll, isPast = false }) => [poll, isPast]),
      polls,
    };
  }

  async function readPoll(id: string): Promise<unknown> {
    const { json } = await ask(`${desks[0].url}/api/poll/${id}`, { headers: { 'x-api-key': show.key } });
    const { status, results_visibility: visibility, revealed_from = null, deadline, closes_in = null } = json;
    const leftS = deadline === null ? null : nearest((Date.parse(deadline) - Date.now()) / 1_000);
    const votes = json.poll_answers.map((answer: { votes: number }) => answer.votes);
    return { status, visibility, revealedFrom: revealed_from, leftS, closesInS: closes_in, votes };
  }

  function stateOf(model: ButtonModel): unknown {
    const { onAir, place, rundown, history, winners, polls, undo } = model;
    const described = [...polls.values()]
      .filter(({ isOwn }) => engine || isOwn)
      .map(({ status, visibility, revealedFrom, leftS, closesInS, votes }) => ({
        ...{ status, visibility, revealedFrom, leftS, closesInS, votes },
      }));
    const stored = engine && { history: namesOf(history), winners };
    return { onAir, place, rundown, undo, ...stored, polls: described };
  }
}

/** Two presses at once may leave the same show and polls, but another history. */
function namesOf(
  history: readonly { press: string; poll?: { readonly id: string } | undefined }[],
): string[] {
  return history.map(({ press, poll }) => (poll ? `${press} of ${poll.id}` : press));
}

function nearest(seconds: number): number {
  return CLOSES_S.find(known => Math.abs(known - seconds) < TOLERANCE_S) ?? seconds;
}

function send(desk: TestShow, { button, show }: Press, headers: Record<string, string>): Promise<ApiReply> {
  return button === 'take' || button === 'list'
    ? desk.patch(show, headers)
    : desk.press(button, show, headers);
}

function outcomeOf({ status, json }: ApiReply): number | string {
  return json.error?.code ?? status;
}

function keyOf(where: string): Record<string, string> {
  return { 'idempotency-key': `random-press-${where.replace('/', '-of-')}` };
}

async function createPolls(
  show: TestShow,
  relayUrl: string,
  pick: <T>(of: readonly T[]) => T,
): Promise<ModelPoll[]> {
  const polls: ModelPoll[] = [];
  for (let at = 0; at < POLLS; at += 1) {
    const status = pick(['upcoming', 'open'] as const);
    const visibility = pick(['hidden', 'hidden', 'always'] as const);
    const seconds = pick([null, ...CLOSES_S]);
    const isOwn = at < POLLS - 1;
    const poll = {
      answers: ['One', 'Two', 'Three', 'Four'],
      status,
      results_visibility: visibility,
      ...(seconds !== null && { closes_in: seconds }),
      mip: true,
    };
    const { id } = isOwn ? (await show.addPoll(poll)).json : await createPoll(relayUrl, poll);
    const isUpcoming = status === 'upcoming';
    polls.push({
      ...{ id, isOwn, status, visibility, revealedFrom: null },
      ...(isUpcoming ? { ...deadlineIn(null), closesInS: seconds } : deadlineIn(seconds)),
      votes: [0, 0, 0, 0],
    });
  }
  return polls;
}
