import { desk as words } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { wording } from '../../../pages/page/browser/i18n.ts';
import { placesOf } from '../../../poll/ranking.ts';
import { originOfTwin, twinOf } from '../../../poll/rehearsal.ts';
import { nextReveal } from '../../../poll/reveal-steps.ts';
import { closesInOf } from '../../../poll/show-delay.ts';
import {
  beginAgain,
  type Command,
  changePoll,
  changeShow,
  type PollPress,
  pressButton,
  putOnAir,
  type WantedPoll,
} from './commands.ts';
import {
  type DeskConnection,
  type DeskPoll,
  findPoll,
  hasVotes,
  isShown,
  type ShowBody,
  type UndoneBody,
} from './desk-connection.ts';

const CLOSE_SOON_S = 30;
/** The least that the relay takes. */
const LEAST_CLOSES_IN_S = 5;

/**
 * Where a show is in its rundown, by the same rules as the relay's `next` and `previous`. Polls
 * that were deleted are skipped.
 */
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
}

const WORDS = words.steps;
const NOTHING = words.nothingToDo;

/** A step with one poll. @param id on the wire; undefined for none */
function stepWith(
  connection: DeskConnection,
  id: string | undefined,
  [name, key, label]: readonly [name: string, key: string, label: string],
  command: Command | string,
): Step {
  const detail = id && titleOf(connection, originOfTwin(id) ?? id);
  return { name, key, label, subject: id ?? '', detail, command };
}

/**
 * @param chosen a poll that the operator selected in the rundown
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
    ...showStep(name, key, label, id === undefined ? why : putOnAir(connection, wireId(id, position))),
    detail: id && titleOf(connection, id),
  });
  const aired = onAir === undefined ? undefined : wireId(onAir, position);
  const [open, results, soon] = pollSteps(connection, aired) as [Step, Step, Step];
  return [
    takeStep('next', 'N', WORDS.next, next, NOTHING.next),
    closeAndNextStep(connection, position, takeStep('close-next', 'W', WORDS.closeNext, next, NOTHING.next)),
    open,
    revealStep(connection, aired),
    results,
    soon,
    takeStep('previous', 'P', WORDS.previous, previous, NOTHING.previous),
    takeStep('take', 'T', WORDS.take, chosen, NOTHING.take),
    cleared
      ? takeStep('clear', 'C', WORDS.bringBack, cleared, '')
      : showStep('clear', 'C', WORDS.clear, onAir ? putOnAir(connection, null) : NOTHING.onAir),
    undoStep(connection, rundownBefore),
    isRehearsing
      ? showStep('rehearse', 'H', WORDS.endRehearsal, putOnAir(connection, null))
      : showStep('rehearse', 'H', WORDS.rehearse, startRehearsal(connection, position)),
    ...(isRehearsing ? [] : [againStep(connection, aired)]),
  ];
}

function closeAndNextStep(connection: DeskConnection, position: Position, step: Step): Step {
  const { onAir, next } = position;
  const id = onAir && wireId(onAir, position);
  const isOpen = findPoll(connection, id)?.status === 'open';
  if (id === undefined) return { ...step, command: NOTHING.onAir };
  if (!isOpen || next === undefined) return step;
  if (!connection.isOwn(id)) return { ...step, command: NOTHING.foreign };
  return { ...step, command: pressButton(connection, { button: 'next', close_before_next: true }) };
}

/** Begins the next round of the poll on air. Not while it is open: viewers would lose what they see. */
function againStep(connection: DeskConnection, id: string | undefined): Step {
  const why = { upcoming: NOTHING.closed, open: NOTHING.stillOpen, closed: undefined };
  const poll = findOwnPoll(connection, id);
  const command = typeof poll === 'string' ? poll : (why[poll.status] ?? beginAgain(connection, poll));
  return stepWith(connection, id, ['again', 'G', WORDS.again], command);
}

/** Takes back the last press: a move of this desk, or else the last press of the show, from any desk. */
function undoStep(connection: DeskConnection, rundownBefore: readonly string[] | undefined): Step {
  const step = { name: 'undo', key: 'Z', subject: 'show' };
  if (rundownBefore)
    return { ...step, label: WORDS.undo, command: changeShow(connection, 'rundown', rundownBefore) };
  const { undo } = connection.show ?? {};
  const undone = { ...step, label: WORDS.undoOnAir };
  if (!undo) return { ...undone, command: undo === null ? NOTHING.undo : words.loading };
  const command = pressButton(connection, { button: 'undo' });
  return { ...undone, detail: detailOfUndo(connection, undo), command };
}

/** What is on air then, or what is taken back of the poll on air. */
function detailOfUndo(connection: DeskConnection, { press, on_air }: UndoneBody): string {
  return isPollPress(press) ? WORDS[press] : titleOnAir(connection, on_air);
}

/** What was taken back, and that viewers have seen it. */
export function undoneText(connection: DeskConnection, { press, poll, seen }: UndoneBody): string {
  const action = WORDS[press];
  const what = poll === null ? action : fill(words.actionOn, { action, title: titleOnAir(connection, poll) });
  return [fill(words.undone, { press: what }), ...(seen ? [words.undoneSeen] : [])].join(' · ');
}

function isPollPress(press: UndoneBody['press']): press is PollPress['button'] {
  return press === 'open' || press === 'close' || press === 'step' || press === 'reveal';
}

/**
 * Reveals the next place of the poll on air. It names the place that the operator sees, so that two
 * desks reveal one.
 */
function revealStep(connection: DeskConnection, id: string | undefined): Step {
  const poll = findPoll(connection, id);
  const next = poll && nextPlace(poll, connection.show?.final_two ?? false);
  const why = poll?.status === 'open' ? NOTHING.stillOpen : NOTHING.reveal;
  const command = poll && !next ? why : changeOf(connection, id, {}, { button: 'step', to: next?.to ?? 1 });
  return { ...stepWith(connection, id, ['step', 'S', WORDS.step], command), detail: next?.names };
}

/** The best place of the next step, and what it shows, such as "3. Volare". */
function nextPlace(
  { status, results_visibility: resultsVisibility, revealed_from: revealedFrom, poll_answers }: DeskPoll,
  finalTwo: boolean,
): { readonly to: number; readonly names: string } | undefined {
  const votes = poll_answers.map(({ votes = 0 }) => votes);
  const change = nextReveal({ votes, status, resultsVisibility, revealedFrom }, { finalTwo });
  if (!change) return undefined;
  const to = change.revealedFrom ?? 1;
  const shown = placesOf(votes)
    .map((place, index) => ({ place, name: poll_answers[index]!.answer }))
    .filter(({ place }) => place >= to && place < (revealedFrom ?? Number.POSITIVE_INFINITY))
    .sort((one, other) => other.place - one.place);
  return { to, names: shown.map(({ place, name }) => `${wording.number(place)}. ${name}`).join(' · ') };
}

function startRehearsal(connection: DeskConnection, { onAir, next, previous }: Position): Command | string {
  const first = next ?? previous;
  if (onAir !== undefined) return NOTHING.clearFirst;
  return first === undefined ? NOTHING.next : putOnAir(connection, twinOf(first));
}

/**
 * What opens and closes a poll, shows its results, and ends its vote soon.
 *
 * @param id on the wire; undefined for none
 */
export function pollSteps(connection: DeskConnection, id: string | undefined): Step[] {
  const poll = findPoll(connection, id);
  const isOpen = poll?.status === 'open';
  const delay = delayOf(connection);
  const isPast = Date.parse(poll?.deadline ?? '') - delay * 1_000 <= connection.clock.now();
  // The vote has ended on air, and votes of viewers who are behind still count.
  const isEnding = isPast && delay > 0;
  const areShown = poll !== undefined && isShown(poll);
  const step = (name: string, key: string, label: string, wanted: WantedPoll, press?: PollPress) =>
    stepWith(connection, id, [name, key, label], changeOf(connection, id, wanted, press));
  const opened: WantedPoll = {
    status: 'open',
    ...(isPast ? { deadline: null } : delay > 0 && closesIn(connection, poll?.closes_in)),
  };
  const reveal: PollPress = { button: 'reveal', confirm: isOpen };
  return [
    isOpen && !isEnding
      ? step('open', 'O', WORDS.close, closed(connection), { button: 'close' })
      : step('open', 'O', WORDS.open, opened, { button: 'open' }),
    areShown
      ? step('results', 'R', WORDS.hide, { results_visibility: 'hidden' })
      : step('results', 'R', WORDS.reveal, { results_visibility: 'always' }, reveal),
    closesByItself(poll) ? keepOpenStep(connection, id) : closingStep(connection, id, CLOSE_SOON_S),
  ];
}

/** The boxes of a poll, and whether they are ticked: two of them until the first vote, a code until the close. */
export function settingSteps(
  connection: DeskConnection,
  id: string,
): readonly (Step & { readonly isOn: boolean })[] {
  const poll = findPoll(connection, id);
  const { mip, change_vote = false } = connection.settings.get(id) ?? {};
  const hasCode = poll?.join_code !== undefined;
  const unvoted = poll && hasVotes(poll) && NOTHING.ballotsCast;
  const unclosed = poll?.status === 'closed' && NOTHING.closed;
  const setting = (
    name: string,
    label: string,
    isOn: boolean,
    why: string | false | undefined,
    wanted: WantedPoll,
  ) => ({
    ...stepWith(connection, id, [name, '', label], why || changeOf(connection, id, wanted)),
    isOn,
  });
  return [
    setting('network', words.onePerNetwork, mip === false, unvoted, { mip: mip === false }),
    setting('change', words.changeVote, change_vote, unvoted, { change_vote: !change_vote }),
    setting('join-code', words.joinCode, hasCode, unclosed, { join_code: !hasCode }),
  ];
}

/** Closes an open poll in so many seconds; an upcoming one, so many seconds after it is opened. */
export function closingStep(connection: DeskConnection, id: string | undefined, seconds: number): Step {
  const poll = findPoll(connection, id);
  const command =
    poll?.status === 'closed'
      ? NOTHING.closed
      : changeOf(
          connection,
          id,
          poll?.status === 'open' ? closesIn(connection, seconds) : { closes_in: seconds },
          { button: 'close', closes_in: seconds },
        );
  const label = fill(WORDS.closeSoon, { seconds: wording.number(seconds) });
  return stepWith(connection, id, ['soon', 'X', label], command);
}

/** Undoes `closingStep`. Without a command where nothing would close the poll. */
export function keepOpenStep(connection: DeskConnection, id: string | undefined): Step {
  const poll = findPoll(connection, id);
  const command = closesByItself(poll) ? changeOf(connection, id, { deadline: null }) : NOTHING.staysOpen;
  return stepWith(connection, id, ['soon', 'X', WORDS.keepOpen], command);
}

function delayOf({ show }: DeskConnection): number {
  return show?.delay ?? 0;
}

/** Closes a poll at once or, where viewers are behind, after their votes. */
function closed(connection: DeskConnection): WantedPoll {
  const seconds = closesInOf(delayOf(connection));
  return seconds === undefined ? { status: 'closed' } : { closes_in: Math.max(seconds, LEAST_CLOSES_IN_S) };
}

/** Ends the vote on air after so many seconds, and closes the poll after the votes of viewers who are behind. */
function closesIn(connection: DeskConnection, seconds: number | undefined): WantedPoll {
  return seconds === undefined ? {} : { closes_in: closesInOf(delayOf(connection), seconds) };
}

function closesByItself(poll: DeskPoll | undefined): boolean {
  return poll?.closes_in !== undefined || (poll?.status === 'open' && poll.deadline !== null);
}

/** The poll, or why it cannot be changed at this desk. */
export function findOwnPoll(connection: DeskConnection, id: string | undefined): DeskPoll | string {
  if (id === undefined) return NOTHING.onAir;
  if (connection.polls.get(originOfTwin(id) ?? id) === 'gone') return NOTHING.gone;
  if (!connection.isOwn(id)) return NOTHING.foreign;
  return findPoll(connection, id) ?? words.loading;
}

/**
 * The command, or why there is nothing to send.
 *
 * @param press the button of the show that does the same, for the poll on air
 */
function changeOf(
  connection: DeskConnection,
  id: string | undefined,
  wanted: WantedPoll,
  press?: PollPress,
): Command | string {
  const poll = findOwnPoll(connection, id);
  if (typeof poll === 'string') return poll;
  const isOnAir = connection.show?.on_air === poll.id;
  return press && isOnAir ? pressButton(connection, press) : changePoll(connection, poll.id, wanted);
}
