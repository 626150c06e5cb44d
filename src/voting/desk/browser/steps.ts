import { desk as words } from '../../../locales/en.json';
import type { Press } from './commands.ts';
import {
  closePoll,
  closeSoon,
  keepOpen,
  openPoll,
  putOnAir,
  setOrder,
  showResults,
} from './desk-commands.ts';
import type { DeskPoll, DeskState } from './desk-state.ts';
import type { RunOrder } from './run-order.ts';

/** One key and one button. */
export interface Step {
  readonly name: string;
  readonly key: string;
  readonly label: string;
  /** What it would do it to, for the eye. */
  readonly detail?: string | undefined;
  /** What is to be done, or the words why nothing can be. */
  readonly press: Press | string;
  readonly subject: string;
}

const WORDS = words.steps;
const NOTHING = words.nothingToDo;

/** What this desk knows by itself. */
interface OwnMemory {
  /** A poll of the run-down that somebody pointed at. */
  readonly chosen: string | undefined;
  /** The run-down before this desk changed it. */
  readonly orderBefore: readonly string[] | undefined;
}

/** What each key does now. A press of the same key takes it back. */
export function stepsOf(state: DeskState, order: RunOrder, { chosen, orderBefore }: OwnMemory): Step[] {
  const undo: Step = {
    name: 'undo',
    key: 'Z',
    label: WORDS.undo,
    subject: 'show',
    press: orderBefore ? setOrder(state, orderBefore) : NOTHING.undo,
  };
  return [...showSteps(state, order, chosen), ...pollSteps(state, order), ...endSteps(state, order), undo];
}

function showSteps(state: DeskState, order: RunOrder, chosen: string | undefined): Step[] {
  const take = (name: string, key: string, label: string, id: string | undefined, missing: string): Step => ({
    name,
    key,
    label,
    subject: 'show',
    detail: id && titleOf(state, id),
    press: id === undefined ? missing : putOnAir(state, order.wireId(id)),
  });
  return [
    take('next', 'N', WORDS.next, order.next, NOTHING.next),
    take('previous', 'P', WORDS.previous, order.previous, NOTHING.previous),
    take('take', 'T', WORDS.take, chosen, NOTHING.take),
  ];
}

function pollSteps(state: DeskState, order: RunOrder): Step[] {
  const id = order.onAir === undefined ? undefined : order.wireId(order.onAir);
  const poll = id === undefined ? undefined : known(state, id);
  const why = whyNot(state, order, poll);
  const isOpen = poll?.status === 'open';
  const isSoon = isOpen && poll.deadlineMs !== null;
  const step = (name: string, key: string, label: string, press: (id: string) => Press): Step => ({
    name,
    key,
    label,
    subject: id ?? '',
    press: why ?? press(id!),
  });
  const closing = isSoon
    ? step('soon', 'X', WORDS.keepOpen, one => keepOpen(state, one))
    : step('soon', 'X', WORDS.closeSoon, one => closeSoon(state, one));
  return [
    isOpen
      ? step('open', 'O', WORDS.close, one => closePoll(state, one))
      : step('open', 'O', WORDS.open, one => openPoll(state, one)),
    step('results', 'R', poll?.isShown ? WORDS.hide : WORDS.reveal, one =>
      showResults(state, one, !poll?.isShown),
    ),
    isOpen || why ? closing : { ...closing, press: NOTHING.closed },
  ];
}

function endSteps(state: DeskState, order: RunOrder): Step[] {
  const { onAir, cleared, isRehearsing } = order;
  const clear: Step = {
    name: 'clear',
    key: 'C',
    label: cleared ? WORDS.bringBack : WORDS.clear,
    detail: cleared && titleOf(state, cleared),
    subject: 'show',
    press: cleared ? putOnAir(state, cleared) : onAir === undefined ? NOTHING.onAir : putOnAir(state, null),
  };
  const first = order.next ?? order.previous;
  const rehearse: Step = {
    name: 'rehearse',
    key: 'H',
    label: isRehearsing ? WORDS.endRehearsal : WORDS.rehearse,
    subject: 'show',
    press: isRehearsing
      ? putOnAir(state, null)
      : onAir !== undefined
        ? NOTHING.clearFirst
        : first === undefined
          ? NOTHING.next
          : putOnAir(state, order.wireId(first, true)),
  };
  return [clear, rehearse];
}

function whyNot(state: DeskState, order: RunOrder, poll: DeskPoll | undefined): string | undefined {
  if (order.onAir === undefined) return NOTHING.onAir;
  if (state.polls.get(order.onAir) === 'gone') return NOTHING.gone;
  if (!state.isOwn(order.onAir)) return NOTHING.foreign;
  return poll === undefined ? words.loading : undefined;
}

function known(state: DeskState, id: string): DeskPoll | undefined {
  const poll = state.polls.get(id);
  return poll === 'gone' ? undefined : poll;
}

export function titleOf(state: DeskState, id: string): string {
  const poll = state.polls.get(id);
  if (poll === 'gone') return words.gone;
  return poll?.title ?? words.loading;
}
