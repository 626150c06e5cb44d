import { desk as words } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { originOfTwin, twinOf } from '../../../poll/rehearsal.ts';
import { wording } from '../../page/browser/i18n.ts';
import { type Command, changePoll, changeShow, undoOnAir, type WantedPoll } from './commands.ts';
import { type DeskConnection, type DeskPoll, hasVotes, isShown, type ShowBody } from './desk-connection.ts';

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
export function wireId(id: string, { isRehearsing }: Pick<Position, 'isRehearsing'>): string {
  return isRehearsing ? twinOf(id) : id;
}

export function titleOf({ polls }: DeskConnection, id: string): string {
  const poll = polls.get(id);
  if (poll === 'gone') return words.gone;
  return poll?.title ?? words.loading;
}

/** What the desk calls a poll that is on air, or its twin; null is nothing. */
export function titleOnAir(connection: DeskConnection, id: string | null): string {
  return id === null ? words.nothingOnAir : titleOf(connection, originOfTwin(id) ?? id);
}

/** A button and its key. The same key takes the step back. */
export interface Step {
  readonly name: string;
  readonly key: string;
  readonly label: string;
  /** The title of the poll that the step changes: another one may be selected, with buttons of the same names. */
  readonly detail?: string | undefined;
  readonly subject: string;
  /** What to send, or why there is nothing to send. */
  readonly command: Command | string;
  /** Sent once the command is carried out. */
  readonly followUp?: Command | undefined;
}

const WORDS = words.steps;
const NOTHING = words.nothingToDo;

/**
 * @param chosen a poll that the operator selected in the run-down
 * @param rundownBefore the order before this desk last changed it, if it pressed nothing else since
 */
export function stepsOf(
  connection: DeskConnection,
  position: Position,
  chosen: string | undefined,
  rundownBefore: readonly string[] | undefined,
): Step[] {
  const { onAir, cleared, next, previous, isRehearsing } = position;
  const showStep = (name: string, key: string, label: string, command: Command | string): Step => ({
    name,
    key,
    label,
    command,
    subject: 'show',
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
    closeAndNextStep(connection, position, takeStep('close-next', 'W', WORDS.closeNext, next, NOTHING.next)),
    ...pollSteps(connection, onAir === undefined ? undefined : wireId(onAir, position)),
    takeStep('previous', 'P', WORDS.previous, previous, NOTHING.previous),
    takeStep('take', 'T', WORDS.take, chosen, NOTHING.take),
    cleared
      ? takeStep('clear', 'C', WORDS.bringBack, cleared, '')
      : showStep('clear', 'C', WORDS.clear, onAir ? changeShow(connection, 'on_air', null) : NOTHING.onAir),
    undoStep(connection, rundownBefore),
    isRehearsing
      ? showStep('rehearse', 'H', WORDS.endRehearsal, changeShow(connection, 'on_air', null))
      : showStep('rehearse', 'H', WORDS.rehearse, startRehearsal(connection, position)),
  ];
}

/** The next poll is taken first, so that nothing is closed where another desk was first, and viewers do not see it close. */
function closeAndNextStep(connection: DeskConnection, { onAir, isRehearsing }: Position, next: Step): Step {
  const id = onAir && wireId(onAir, { isRehearsing });
  const isOpen = findPoll(connection, id)?.status === 'open';
  if (id === undefined) return { ...next, command: NOTHING.onAir };
  if (!isOpen || typeof next.command === 'string') return next;
  const close = changeOf(connection, id, { status: 'closed' });
  return typeof close === 'string' ? { ...next, command: close } : { ...next, followUp: close };
}

/** Takes back the last press: a move of this desk, or else the last change of what is on air, from any desk. */
function undoStep(connection: DeskConnection, rundownBefore: readonly string[] | undefined): Step {
  const step = { name: 'undo', key: 'Z', subject: 'show' };
  if (rundownBefore)
    return { ...step, label: WORDS.undo, command: changeShow(connection, 'rundown', rundownBefore) };
  const { undo } = connection.show ?? {};
  return {
    ...step,
    label: WORDS.undoOnAir,
    detail: undo ? titleOnAir(connection, undo.on_air) : undefined,
    command: undo ? undoOnAir(connection) : undo === null ? NOTHING.undo : words.loading,
  };
}

function startRehearsal(connection: DeskConnection, { onAir, next, previous }: Position): Command | string {
  const first = next ?? previous;
  if (onAir !== undefined) return NOTHING.clearFirst;
  return first === undefined ? NOTHING.next : changeShow(connection, 'on_air', twinOf(first));
}

/** What opens and closes a poll, shows its results, and ends its vote soon. @param id on the wire; undefined for none */
export function pollSteps(connection: DeskConnection, id: string | undefined): Step[] {
  const poll = findPoll(connection, id);
  const isOpen = poll?.status === 'open';
  const isPast = !!poll?.deadline && Date.parse(poll.deadline) <= connection.clock.now();
  const areShown = poll !== undefined && isShown(poll);
  const step = (name: string, key: string, label: string, wanted: WantedPoll): Step => ({
    name,
    key,
    label,
    subject: id ?? '',
    command: changeOf(connection, id, wanted),
    detail: titleOfStep(connection, id),
  });
  return [
    isOpen
      ? step('open', 'O', WORDS.close, { status: 'closed' })
      : step('open', 'O', WORDS.open, { status: 'open', ...(isPast && { deadline: null }) }),
    areShown
      ? step('results', 'R', WORDS.hide, { results_visibility: 'hidden' })
      : step('results', 'R', WORDS.reveal, { results_visibility: 'always' }),
    closesByItself(poll) ? keepOpenStep(connection, id) : closingStep(connection, id, CLOSE_SOON_S),
  ];
}

/** Sets whether a network may vote once or without limit, until the first vote. */
export function networkStep(connection: DeskConnection, id: string): Step {
  const poll = findPoll(connection, id);
  const command =
    poll && hasVotes(poll)
      ? NOTHING.ballotsCast
      : changeOf(connection, id, { mip: connection.settings.get(id)?.onePerNetwork ?? false });
  return { name: 'network', key: '', label: words.onePerNetwork, subject: id, command };
}

/** Closes an open poll in so many seconds; an upcoming one, so many seconds after it is opened. */
export function closingStep(connection: DeskConnection, id: string | undefined, seconds: number): Step {
  const poll = findPoll(connection, id);
  const command =
    poll?.status === 'closed' ? NOTHING.closed : changeOf(connection, id, { closes_in: seconds });
  const label = fill(WORDS.closeSoon, { seconds: wording.number(seconds) });
  return { name: 'soon', key: 'X', label, subject: id ?? '', command, detail: titleOfStep(connection, id) };
}

/** Undoes `closingStep`. Without a command where nothing would close the poll. */
export function keepOpenStep(connection: DeskConnection, id: string | undefined): Step {
  const poll = findPoll(connection, id);
  const command = closesByItself(poll) ? changeOf(connection, id, { deadline: null }) : NOTHING.staysOpen;
  const detail = titleOfStep(connection, id);
  return { name: 'soon', key: 'X', label: WORDS.keepOpen, subject: id ?? '', command, detail };
}

function titleOfStep(connection: DeskConnection, id: string | undefined): string | undefined {
  return id && titleOf(connection, originOfTwin(id) ?? id);
}

function closesByItself(poll: DeskPoll | undefined): boolean {
  return poll?.closes_in !== undefined || (poll?.status === 'open' && poll.deadline !== null);
}

/** The poll, or why it cannot be edited or copied at this desk. */
export function findOwnPoll(connection: DeskConnection, id: string): DeskPoll | string {
  const reason = changeOf(connection, id, {});
  return typeof reason === 'string' ? reason : findPoll(connection, id)!;
}

export function findPoll({ polls }: DeskConnection, id: string | undefined): DeskPoll | undefined {
  const poll = polls.get(id ?? '');
  return poll === 'gone' ? undefined : poll;
}

/** The command, or why there is nothing to send. */
function changeOf(connection: DeskConnection, id: string | undefined, wanted: WantedPoll): Command | string {
  if (id === undefined) return NOTHING.onAir;
  if (connection.polls.get(originOfTwin(id) ?? id) === 'gone') return NOTHING.gone;
  if (!connection.isOwn(id)) return NOTHING.foreign;
  return findPoll(connection, id) ? changePoll(connection, id, wanted) : words.loading;
}
