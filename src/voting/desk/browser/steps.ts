import { desk as words } from '../../../locales/en.json';
import { originOfTwin, twinOf } from '../../../poll/rehearsal.ts';
import { type Command, changePoll, changeShow } from './commands.ts';
import { type DeskConnection, isShown, type ShowBody } from './desk-connection.ts';

const CLOSE_SOON_S = 30;

/** Where a show is in its run-down, by the same rules as the relay's `next` and `previous`. Polls that were deleted are skipped. */
export interface Position {
  readonly isRehearsing: boolean;
  /** The poll itself, also while its rehearsal twin is on air. */
  readonly onAir: string | undefined;
  readonly cleared: string | undefined;
  readonly next: string | undefined;
  readonly previous: string | undefined;
}

export function positionOf({ on_air, place, rundown }: ShowBody, polls: DeskConnection['polls']): Position {
  const exists = (id: string) => polls.get(id) !== 'gone';
  const origin = originOfTwin(on_air ?? '');
  const onAir = origin ?? on_air ?? undefined;
  const index = rundown.indexOf(place ?? '');
  const before = rundown.slice(0, onAir !== undefined && onAir === place ? index : index + 1);
  return {
    isRehearsing: origin !== undefined,
    onAir,
    cleared: onAir === undefined && place !== null && exists(place) ? place : undefined,
    next: rundown.slice(index + 1).find(exists),
    previous: before.reverse().find(exists),
  };
}

/** The id on the wire: during a rehearsal that of the poll's twin. */
export function wireId(id: string, { isRehearsing }: Position): string {
  return isRehearsing ? twinOf(id) : id;
}

export function titleOf({ polls }: DeskConnection, id: string): string {
  const poll = polls.get(id);
  if (poll === 'gone') return words.gone;
  return poll?.title ?? words.loading;
}

/** A button and its key. The same key takes the step back. */
export interface Step {
  readonly name: string;
  readonly key: string;
  readonly label: string;
  /** The poll that the step changes, where that is not the one on air. */
  readonly detail?: string | undefined;
  readonly subject: string;
  /** What to send, or why there is nothing to send. */
  readonly command: Command | string;
}

const WORDS = words.steps;
const NOTHING = words.nothingToDo;

/**
 * @param chosen a poll that the operator selected in the run-down
 * @param rundownBefore the order before this desk last changed it
 */
export function stepsOf(
  connection: DeskConnection,
  position: Position,
  chosen: string | undefined,
  rundownBefore: readonly string[] | undefined,
): Step[] {
  const { onAir, cleared, next, previous, isRehearsing } = position;
  const showStep = (name: string, key: string, label: string, command: Command | string): Step => ({
    ...{ name, key, label, command, subject: 'show' },
  });
  const takeStep = (name: string, key: string, label: string, id: string | undefined, why: string): Step => ({
    ...showStep(
      name,
      key,
      label,
      id === undefined ? why : changeShow(connection, 'on_air', wireId(id, position)),
    ),
    detail: id && titleOf(connection, id),
  });
  return [
    takeStep('next', 'N', WORDS.next, next, NOTHING.next),
    takeStep('previous', 'P', WORDS.previous, previous, NOTHING.previous),
    takeStep('take', 'T', WORDS.take, chosen, NOTHING.take),
    ...pollSteps(connection, position),
    cleared
      ? takeStep('clear', 'C', WORDS.bringBack, cleared, '')
      : showStep('clear', 'C', WORDS.clear, onAir ? changeShow(connection, 'on_air', null) : NOTHING.onAir),
    isRehearsing
      ? showStep('rehearse', 'H', WORDS.endRehearsal, changeShow(connection, 'on_air', null))
      : showStep('rehearse', 'H', WORDS.rehearse, startRehearsal(connection, position)),
    showStep(
      'undo',
      'Z',
      WORDS.undo,
      rundownBefore ? changeShow(connection, 'rundown', rundownBefore) : NOTHING.undo,
    ),
  ];
}

function startRehearsal(connection: DeskConnection, { onAir, next, previous }: Position): Command | string {
  const first = next ?? previous;
  if (onAir !== undefined) return NOTHING.clearFirst;
  return first === undefined ? NOTHING.next : changeShow(connection, 'on_air', twinOf(first));
}

function pollSteps(connection: DeskConnection, position: Position): Step[] {
  const { onAir } = position;
  const id = onAir === undefined ? '' : wireId(onAir, position);
  const known = connection.polls.get(id);
  const poll = known === 'gone' ? undefined : known;
  const isOpen = poll?.status === 'open';
  const isEnding = isOpen && poll.deadline !== null;
  const isPast = !!poll?.deadline && Date.parse(poll.deadline) <= connection.clock.now();
  const areShown = poll !== undefined && isShown(poll);
  const why = whyNot(connection, onAir, poll !== undefined);
  const step = (
    name: string,
    key: string,
    label: string,
    wanted: Parameters<typeof changePoll>[2],
  ): Step => ({
    ...{ name, key, label, subject: id, command: why ?? changePoll(connection, id, wanted) },
  });
  const soon = isEnding
    ? step('soon', 'X', WORDS.keepOpen, { deadline: null })
    : step('soon', 'X', WORDS.closeSoon, { closes_in: CLOSE_SOON_S });
  return [
    isOpen
      ? step('open', 'O', WORDS.close, { status: 'closed' })
      : step('open', 'O', WORDS.open, { status: 'open', ...(isPast && { deadline: null }) }),
    areShown
      ? step('results', 'R', WORDS.hide, { results_visibility: 'hidden' })
      : step('results', 'R', WORDS.reveal, { results_visibility: 'always' }),
    isOpen || why ? soon : { ...soon, command: NOTHING.closed },
  ];
}

function whyNot(connection: DeskConnection, onAir: string | undefined, isKnown: boolean): string | undefined {
  if (onAir === undefined) return NOTHING.onAir;
  if (connection.polls.get(onAir) === 'gone') return NOTHING.gone;
  if (!connection.isOwn(onAir)) return NOTHING.foreign;
  return isKnown ? undefined : words.loading;
}
