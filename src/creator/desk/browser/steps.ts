import { desk as words } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { wording } from '../../../pages/page/browser/i18n.ts';
import { placesOf } from '../../../poll/ranking.ts';
import { originOfTwin, twinOf } from '../../../poll/rehearsal.ts';
import { nextReveal } from '../../../poll/reveal-steps.ts';
import {
  type Command,
  changePoll,
  type PollPress,
  pressPoll,
  pressShow,
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

/** The title of a poll or of its twin. @param id on the wire */
function titleOnWire(connection: DeskConnection, id: string): string {
  return titleOf(connection, originOfTwin(id) ?? id);
}

/** A button and its key. */
export interface Step {
  readonly name: string;
  readonly key: string;
  readonly label: string;
  /** The title of the poll that the step changes: another one may be selected, with buttons of the same names. */
  readonly detail?: string | undefined;
  readonly subject: string;
  /** What to send, or why there is nothing to send. */
  readonly command: Command | string;
  /** Asks for a second press within two seconds. */
  readonly confirm?: string | undefined;
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
  const detail = id && titleOnWire(connection, id);
  return { name, key, label, subject: id ?? '', detail, command };
}

/** @param chosen a poll that the operator selected in the rundown */
export function stepsOf(connection: DeskConnection, position: Position, chosen: string | undefined): Step[] {
  const { onAir, cleared, next, previous, isRehearsing } = position;
  const showStep = (name: string, key: string, label: string, command: Command | string): Step => ({
    name,
    key,
    label,
    command,
    subject: 'show',
  });
  const takeStep = (
    [name, key, label]: readonly [string, string, string],
    id: string | undefined,
    why: string,
    command = (taken: string) => putOnAir(connection, wireId(taken, position)),
  ): Step => ({
    ...showStep(name, key, label, id === undefined ? why : command(id)),
    detail: id && titleOf(connection, id),
  });
  const toNext = () => pressShow(connection, { button: 'next' });
  const toPrevious = () => pressShow(connection, { button: 'previous' });
  const clear = pressShow(connection, { button: 'clear' });
  const aired = onAir === undefined ? undefined : wireId(onAir, position);
  const [open, results, soon] = pollSteps(connection, aired) as [Step, Step, Step];
  return [
    takeStep(['next', 'N', WORDS.next], next, NOTHING.next, toNext),
    closeAndNextStep(
      connection,
      position,
      takeStep(['close-next', 'W', WORDS.closeNext], next, NOTHING.next, toNext),
    ),
    open,
    revealStep(connection, aired),
    results,
    soon,
    takeStep(['previous', 'P', WORDS.previous], previous, NOTHING.previous, toPrevious),
    takeStep(['take', 'T', WORDS.take], chosen, NOTHING.take),
    cleared
      ? takeStep(['clear', 'C', WORDS.bringBack], cleared, '')
      : showStep('clear', 'C', WORDS.clear, onAir ? clear : NOTHING.onAir),
    undoStep(connection),
    isRehearsing
      ? showStep('rehearse', 'H', WORDS.endRehearsal, clear)
      : {
          ...showStep('rehearse', 'H', WORDS.rehearse, startRehearsal(connection, position)),
          confirm: connection.show?.place === null ? undefined : words.confirmRehearse,
        },
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
  return { ...step, command: pressShow(connection, { button: 'next', close_before_next: true }) };
}

/** Begins the next round of the poll on air. Not while it is open: viewers would lose what they see. */
function againStep(connection: DeskConnection, id: string | undefined): Step {
  const why = { upcoming: NOTHING.closed, open: NOTHING.stillOpen, closed: undefined };
  const poll = findOwnPoll(connection, id);
  const isVoted = typeof poll !== 'string' && hasVotes(poll);
  const command =
    typeof poll === 'string'
      ? poll
      : (why[poll.status] ?? pressPoll(connection, poll.id, { button: 'again', confirm: isVoted }));
  const confirm = isVoted ? words.confirmAgain : undefined;
  return { ...stepWith(connection, id, ['again', 'G', WORDS.again], command), confirm };
}

/** Takes back the last press, from any desk. */
function undoStep(connection: DeskConnection): Step {
  const step = { name: 'undo', key: 'Z', label: WORDS.undo, subject: 'show' };
  const { undo } = connection.show ?? {};
  if (!undo) return { ...step, command: undo === null ? NOTHING.undo : words.loading };
  const command = pressShow(connection, { button: 'undo', undo: undo.id });
  return { ...step, detail: pressText(connection, undo), command };
}

const PRESSES: Readonly<Record<UndoneBody['press'], string>> = {
  ...WORDS,
  keep_open: WORDS.keepOpen,
  add: words.add,
  edit: words.edit.edit,
};

/** Such as "Close voting: Which song next?". */
export function pressText(
  connection: DeskConnection,
  { press, poll }: Pick<UndoneBody, 'press' | 'poll'>,
): string {
  const action = PRESSES[press];
  return poll === null ? action : fill(words.actionOn, { action, title: titleOnWire(connection, poll) });
}

/** What was taken back, and that viewers have seen it. */
export function undoneText(connection: DeskConnection, undone: UndoneBody): string {
  const press = pressText(connection, undone);
  return [fill(words.undone, { press }), ...(undone.seen ? [words.undoneSeen] : [])].join(' · ');
}

/**
 * Reveals the next place of the poll on air. It names the place that the operator sees, so that two
 * desks reveal one.
 */
function revealStep(connection: DeskConnection, id: string | undefined): Step {
  const poll = findPoll(connection, id);
  const next = poll && nextPlace(poll, connection.show?.final_two ?? false);
  const cue = poll && cueOf(connection, poll);
  if (cue) {
    const press: PollPress = { button: 'step', ...(cue === 'winner' && { to: 1 }) };
    const label = cue === 'winner' ? WORDS.showWinner : WORDS.backToTable;
    return stepWith(connection, id, ['step', 'S', label], pressOf(connection, id, press));
  }
  const late = poll?.status === 'open' && lateText(connection, poll);
  const why = late || (poll?.status === 'open' ? NOTHING.stillOpen : NOTHING.reveal);
  const command = poll && !next ? why : pressOf(connection, id, { button: 'step', to: next?.to ?? 1 });
  return { ...stepWith(connection, id, ['step', 'S', WORDS.step], command), detail: next?.names };
}

/** What the next step brings after the results are shown, where the winner comes on a press. */
function cueOf({ show }: DeskConnection, poll: DeskPoll): 'winner' | 'table' | undefined {
  if (!show?.aired_winner || poll.id !== show.on_air || poll.status !== 'closed' || !isShown(poll))
    return undefined;
  const { round, past } = show.aired_winner;
  if (round !== (poll.round ?? 1)) return 'winner';
  return past ? undefined : 'table';
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
  const areShown = poll !== undefined && isShown(poll);
  const isRevealing = !areShown && poll?.revealed_from !== undefined;
  const step = (name: string, key: string, label: string, press: PollPress, confirm?: string | false) => ({
    ...stepWith(connection, id, [name, key, label], pressOf(connection, id, press)),
    confirm: confirm || undefined,
  });
  const confirmed = isRevealing && words.confirmRevealing;
  return [
    isOpen && !lateText(connection, poll)
      ? step('open', 'O', WORDS.close, { button: 'close' })
      : step('open', 'O', WORDS.open, { button: 'open', confirm: isRevealing }, confirmed),
    areShown
      ? step('results', 'R', WORDS.hide, { button: 'hide' })
      : step(
          'results',
          'R',
          WORDS.reveal,
          { button: 'reveal', confirm: isOpen || isRevealing },
          isOpen ? words.confirmReveal : confirmed,
        ),
    closesByItself(poll) ? keepOpenStep(connection, id) : closingStep(connection, id, CLOSE_SOON_S),
  ];
}

/** The vote has ended on air, and votes of viewers who are behind still count; undefined otherwise. */
function lateText({ show, clock }: DeskConnection, { deadline }: DeskPoll): string | undefined {
  const leftMs = Date.parse(deadline ?? '') - clock.now();
  const isLate = leftMs <= (show?.delay ?? 0) * 1_000 && leftMs > 0;
  return isLate ? fill(words.lateVotes, { seconds: wording.number(Math.ceil(leftMs / 1_000)) }) : undefined;
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
  const press: PollPress = { button: 'close', closes_in: seconds };
  const command = poll?.status === 'closed' ? NOTHING.closed : pressOf(connection, id, press);
  const label = fill(WORDS.closeSoon, { seconds: wording.number(seconds) });
  return stepWith(connection, id, ['soon', 'X', label], command);
}

/** Undoes `closingStep`. Without a command where nothing would close the poll. */
export function keepOpenStep(connection: DeskConnection, id: string | undefined): Step {
  const poll = findPoll(connection, id);
  const command = closesByItself(poll) ? pressOf(connection, id, { button: 'keep_open' }) : NOTHING.staysOpen;
  return stepWith(connection, id, ['soon', 'X', WORDS.keepOpen], command);
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

/** The command, or why there is nothing to send. */
function changeOf(connection: DeskConnection, id: string, wanted: WantedPoll): Command | string {
  const poll = findOwnPoll(connection, id);
  return typeof poll === 'string' ? poll : changePoll(connection, poll.id, wanted);
}

function pressOf(connection: DeskConnection, id: string | undefined, press: PollPress): Command | string {
  const poll = findOwnPoll(connection, id);
  return typeof poll === 'string' ? poll : pressPoll(connection, poll.id, press);
}
