import type { Press } from './commands.ts';
import type { Answer, PollBody, ShowBody } from './desk-relay.ts';
import type { DeskPoll, DeskState } from './desk-state.ts';

/** What the desk asks of the relay. Every press names what is wanted, never "the other way round": sent to a relay that has it already, it changes nothing. */

const SHOW = 'show';
const CLOSE_SOON_S = 30;

export function putOnAir(state: DeskState, id: string | null): Press {
  return changeShow(state, { on_air: id }, ({ on_air }) => on_air ?? '');
}

export function setOrder(state: DeskState, rundown: readonly string[]): Press {
  return changeShow(state, { rundown }, show => show.rundown.join());
}

/**
 * With the version that this desk has seen: where another one was first, nothing is done. Where the other one changed something else,
 * what was pressed means the same as before, and is sent with the newer version.
 *
 * @param part of the show that the press is about
 */
function changeShow(
  state: DeskState,
  change: Record<string, unknown>,
  part: (show: Pick<ShowBody, 'on_air' | 'rundown'>) => string,
): Press {
  const { relay, show } = state;
  return {
    subject: SHOW,
    send: async () => {
      for (let version = show?.version; ; ) {
        const body = { show: { ...change, version } };
        const answer = took(state, await relay.askShow('', { method: 'PATCH', body }));
        if (answer.kind !== 'refused' || answer.code !== 'show_changed' || !show) return answer;
        const now = took(state, await relay.askShow(''));
        if (now.kind !== 'done' || now.body.version === version || part(now.body) !== part(show))
          return answer;
        version = now.body.version;
      }
    },
    look: async () => took(state, await relay.askShow('')).kind === 'done',
    isDone: () => !!show && !!state.show && part(state.show) === part({ ...show, ...change }),
  };
}

export interface NewPoll {
  readonly title: string;
  readonly answers: readonly string[];
}

/** @param once the same for each try of the same line: it is added once */
export function addPoll(state: DeskState, poll: NewPoll, once: string): Press {
  const { relay, show } = state;
  return {
    subject: 'add',
    send: async () => {
      const body = { poll: { ...poll, status: 'upcoming', mip: true } };
      const answer = await relay.askShow<{ id: string }>('/poll', { method: 'POST', body, once });
      if (answer.kind === 'done') void state.look();
      return answer;
    },
    look: async () => took(state, await relay.askShow('')).kind === 'done',
    isDone: () => !!state.show?.rundown.some(id => !show?.rundown.includes(id)),
  };
}

export function openPoll(state: DeskState, id: string): Press {
  const poll = state.polls.get(id);
  const deadlineMs = poll && poll !== 'gone' ? poll.deadlineMs : null;
  const isPast = deadlineMs !== null && deadlineMs <= state.clock.now();
  const wanted = { status: 'open', ...(isPast && { deadline: null }) };
  return changePoll(state, id, wanted, ({ status }) => status === 'open');
}

export function closePoll(state: DeskState, id: string): Press {
  return changePoll(state, id, { status: 'closed' }, ({ status }) => status === 'closed');
}

export function showResults(state: DeskState, id: string, shown: boolean): Press {
  const wanted = { results_visibility: shown ? 'always' : 'hidden' };
  return changePoll(state, id, wanted, ({ isShown }) => isShown === shown);
}

export function closeSoon(state: DeskState, id: string): Press {
  const latestMs = state.clock.now() + 2 * CLOSE_SOON_S * 1_000;
  const isSoon = ({ deadlineMs }: DeskPoll) => deadlineMs !== null && deadlineMs < latestMs;
  return changePoll(state, id, { closes_in: CLOSE_SOON_S }, isSoon);
}

export function keepOpen(state: DeskState, id: string): Press {
  return changePoll(state, id, { deadline: null }, ({ deadlineMs }) => deadlineMs === null);
}

function changePoll(
  state: DeskState,
  id: string,
  wanted: Record<string, unknown>,
  isAsWanted: (poll: DeskPoll) => boolean,
): Press {
  const { relay } = state;
  const take = (answer: Answer<PollBody>) => {
    if (answer.kind === 'done') state.takePoll(answer.body);
    return answer;
  };
  return {
    subject: id,
    send: async () => take(await relay.askPoll(id, { method: 'PATCH', body: { poll: wanted } })),
    look: async () => take(await relay.askPoll(id)).kind === 'done',
    isDone: () => {
      const poll = state.polls.get(id);
      return poll !== undefined && poll !== 'gone' && isAsWanted(poll);
    },
  };
}

function took(state: DeskState, answer: Answer<ShowBody>): Answer<ShowBody> {
  if (answer.kind === 'done') state.take(answer.body);
  return answer;
}
