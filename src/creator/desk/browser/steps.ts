import { desk as words } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { wording } from '../../../pages/page/browser/i18n.ts';
import { winnerCueOf } from '../../../poll/aired-winner.ts';
import { placesOf } from '../../../poll/ranking.ts';
import { originOfTwin, twinOf } from '../../../poll/rehearsal.ts';
import { nextReveal } from '../../../poll/reveal-steps.ts';
import {
  type Command,
  changePoll,
  type PollButton,
  type PressOptions,
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
  const poll = polls.get(originOfTwin(id) ?? id);
  if (poll === 'gone') return words.gone;
  return poll?.title ?? words.loading;
}

/** The poll on air, or its twin. */
export function findAired(connection: DeskConnection, position: Position): DeskPoll | undefined {
  return findPoll(connection, position.onAir && wireId(position.onAir, position));
}

/** The name of the step that comes next in the cue. */
export function cueOf(connection: DeskConnection, position: Position): string {
  const { onAir, next, isRehearsing } = position;
  const poll = findAired(connection, position);
  if (poll && connection.isOwn(poll.id)) {
    if (poll.status !== 'closed' && !lateText(connection, poll)) return 'open';
    if (!isShown({ ...poll, status: 'closed' }) || winnerCue(connection, poll) === 'winner') return 'step';
  }
  if (onAir === undefined || next !== undefined) return 'next';
  return isRehearsing ? 'rehearse' : 'clear';
}

/** A button and its key. */
export interface Step {
  readonly name: string;
  readonly key: string;
  readonly label: string;
  /** The title of the poll that the step changes: another one may be selected, with buttons of the same names. */
  readonly detail?: string | undefined;
  /** What to send, or why there is nothing to send. */
  readonly command: Command | string;
  /** Asks for a second press within two seconds. */
  readonly confirm?: string | undefined;
}

const WORDS = words.steps;
const NOTHING = words.nothingToDo;

type StepKey = readonly [name: string, key: string, label: string];

/** A step with one poll. @param id on the wire; undefined for none */
function stepWith(
  connection: DeskConnection,
  id: string | undefined,
  [name, key, label]: StepKey,
  command: Command | string,
): Step {
  return { name, key, label, detail: id && titleOf(connection, id), command };
}

/** @param chosen a poll that the operator selected in the rundown */
export function stepsOf(connection: DeskConnection, position: Position, chosen: string | undefined): Step[] {
  const { onAir, cleared, next, previous, isRehearsing } = position;
  const aired = onAir === undefined ? undefined : wireId(onAir, position);
  const take = (id: string) => putOnAir(connection, wireId(id, position));
  const move = (button: 'next' | 'previous', options?: PressOptions) =>
    position[button] === undefined ? NOTHING[button] : pressShow(connection, button, options);
  const clear = pressShow(connection, 'clear');
  const isForeign = findPoll(connection, aired)?.status === 'open' && !connection.isOwn(aired!);
  const closeAndNext = isForeign ? NOTHING.foreign : move('next', { close_before_next: true });
  const [open, results, soon] = pollSteps(connection, aired) as [Step, Step, Step];
  const step = (id: string | undefined, key: StepKey, command: Command | string) =>
    stepWith(connection, id, key, command);
  return [
    step(next, ['next', 'N', WORDS.next], move('next')),
    step(next, ['close-next', 'W', WORDS.closeNext], aired === undefined ? NOTHING.onAir : closeAndNext),
    open,
    revealStep(connection, aired),
    results,
    soon,
    step(previous, ['previous', 'P', WORDS.previous], move('previous')),
    step(chosen, ['take', 'T', WORDS.take], chosen === undefined ? NOTHING.take : take(chosen)),
    cleared
      ? step(cleared, ['clear', 'C', WORDS.bringBack], take(cleared))
      : step(onAir, ['clear', 'C', WORDS.clear], onAir ? clear : NOTHING.onAir),
    undoStep(connection),
    isRehearsing
      ? step(undefined, ['rehearse', 'H', WORDS.endRehearsal], clear)
      : {
          ...step(undefined, ['rehearse', 'H', WORDS.rehearse], startRehearsal(connection, position)),
          confirm: connection.show?.place === null ? undefined : words.confirmRehearse,
        },
    ...(isRehearsing ? [] : [againStep(connection, aired)]),
  ];
}

/** Begins the next round of the poll on air. Not while it is open: viewers would lose what they see. */
function againStep(connection: DeskConnection, id: string | undefined): Step {
  const poll = findPoll(connection, id);
  const confirm = poll && hasVotes(poll) ? words.confirmAgain : undefined;
  const why = { upcoming: NOTHING.closed, open: NOTHING.stillOpen, closed: undefined };
  const asked = { confirm, why: poll && why[poll.status] };
  return pressStep(connection, id, ['again', 'G', WORDS.again], 'again', {}, asked);
}

/** Takes back the last press, from any desk. */
function undoStep(connection: DeskConnection): Step {
  const step = { name: 'undo', key: 'Z', label: WORDS.undo };
  const { undo } = connection.show ?? {};
  if (!undo) return { ...step, command: undo === null ? NOTHING.undo : words.loading };
  const command = pressShow(connection, 'undo', { undo: undo.id });
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
  return poll === null ? action : fill(words.actionOn, { action, title: titleOf(connection, poll) });
}

/** What was taken back, and that viewers have seen it. */
export function undoneText(connection: DeskConnection, undone: UndoneBody): string {
  const press = pressText(connection, undone);
  return [fill(words.undone, { press }), ...(undone.seen ? [words.undoneSeen] : [])].join(' · ');
}

/**
 * Reveals the next place of the poll on air, and says so before the names. It names the place that
 * the operator sees, so that two desks reveal one.
 */
function revealStep(connection: DeskConnection, id: string | undefined): Step {
  const poll = findPoll(connection, id);
  const next = poll && nextPlace(poll, connection.show?.final_two ?? false);
  const cue = poll && winnerCue(connection, poll);
  if (cue) {
    const label = cue === 'winner' ? WORDS.showWinner : WORDS.backToTable;
    return pressStep(connection, id, ['step', 'S', label], 'step', cue === 'winner' ? { to: 1 } : {});
  }
  const why = poll?.status === 'open' ? NOTHING.stillOpen : NOTHING.reveal;
  const key = ['step', 'S', next?.effect ?? WORDS.step] as const;
  const asked = { why: next ? undefined : ((poll && lateText(connection, poll)) ?? why) };
  return { ...pressStep(connection, id, key, 'step', { to: next?.to ?? 1 }, asked), detail: next?.names };
}

/** What the next step brings after the results are shown, where the winner comes on a press. */
function winnerCue({ show }: DeskConnection, poll: DeskPoll): 'winner' | 'table' | undefined {
  const aired = poll.id === show?.on_air ? show.aired_winner : undefined;
  return winnerCueOf(aired, poll, poll.status === 'closed' && isShown(poll));
}

/** The best place of the next step, what the step is, and what it shows, such as "3. Volare". */
function nextPlace(
  { status, results_visibility: resultsVisibility, revealed_from: revealedFrom, poll_answers }: DeskPoll,
  finalTwo: boolean,
): { readonly to: number; readonly effect: string; readonly names: string } | undefined {
  const votes = poll_answers.map(({ votes = 0 }) => votes);
  const change = nextReveal({ votes, status, resultsVisibility, revealedFrom }, { finalTwo });
  if (!change) return undefined;
  const to = change.revealedFrom ?? 1;
  const shown = placesOf(votes)
    .map((place, index) => ({ place, name: poll_answers[index]!.answer }))
    .filter(({ place }) => place >= to && place < (revealedFrom ?? Number.POSITIVE_INFINITY))
    .sort((one, other) => other.place - one.place);
  const last = shown[0]?.place === 1 ? shown.length === 1 && WORDS.winner : WORDS.lastTwo;
  return {
    to,
    effect: (to === 1 && last) || WORDS.step,
    names: shown.map(({ place, name }) => `${wording.number(place)}. ${name}`).join(' · '),
  };
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
  const late = poll && lateText(connection, poll);
  const confirm = isRevealing ? words.confirmRevealing : undefined;
  const early = late ? `${late} · ${words.confirmAnyway}` : isOpen ? words.confirmReveal : confirm;
  const step = (key: StepKey, button: PollButton, confirm?: string) =>
    pressStep(connection, id, key, button, {}, { confirm });
  return [
    isOpen && !late
      ? step(['open', 'O', WORDS.close], 'close')
      : step(['open', 'O', WORDS.open], 'open', confirm),
    areShown
      ? step(['results', 'R', WORDS.hide], 'hide')
      : step(['results', 'R', WORDS.reveal], 'reveal', early),
    endsByItself(connection, poll) ? keepOpenStep(connection, id) : closingStep(connection, id, CLOSE_SOON_S),
  ];
}

/** How long the vote of a poll is on air, and how long votes of viewers who are behind count after that. */
export function timeLeft({ show, clock }: DeskConnection, { status, deadline }: DeskPoll) {
  const leftMs = status === 'open' && deadline !== null ? Date.parse(deadline) - clock.now() : 0;
  const lateMs = Math.min(Math.max(0, leftMs), (show?.delay ?? 0) * 1_000);
  const lateText = fill(words.lateVotes, { seconds: wording.number(Math.ceil(lateMs / 1_000)) });
  return { airMs: leftMs - lateMs, lateText: lateMs > 0 ? lateText : undefined };
}

/** The vote has ended on air, and late votes still count; undefined otherwise. */
export function lateText(connection: DeskConnection, poll: DeskPoll): string | undefined {
  const { airMs, lateText } = timeLeft(connection, poll);
  return airMs > 0 ? undefined : lateText;
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
  const own = findOwnPoll(connection, id);
  const setting = (
    name: string,
    label: string,
    isOn: boolean,
    reason: string | false | undefined,
    wanted: WantedPoll,
  ) => {
    const why = reason || (typeof own === 'string' && own);
    return {
      ...stepWith(connection, id, [name, '', label], why || changePoll(connection, id, wanted)),
      isOn,
    };
  };
  return [
    setting('network', words.onePerNetwork, mip === false, unvoted, { mip: mip === false }),
    setting('change', words.changeVote, change_vote, unvoted, { change_vote: !change_vote }),
    setting('join-code', words.joinCode, hasCode, unclosed, { join_code: !hasCode }),
  ];
}

/** Closes an open poll in so many seconds; an upcoming one, so many seconds after it is opened. */
export function closingStep(connection: DeskConnection, id: string | undefined, seconds: number): Step {
  const poll = findPoll(connection, id);
  const label = fill(WORDS.closeSoon, { seconds: wording.number(seconds) });
  const isClosed = poll?.status === 'closed' || (poll && lateText(connection, poll));
  const asked = { why: isClosed ? NOTHING.closed : undefined };
  return pressStep(connection, id, ['soon', 'X', label], 'close', { closes_in: seconds }, asked);
}

/** Undoes `closingStep`. Without a command where nothing would close the poll. */
export function keepOpenStep(connection: DeskConnection, id: string | undefined): Step {
  const asked = { why: endsByItself(connection, findPoll(connection, id)) ? undefined : NOTHING.staysOpen };
  return pressStep(connection, id, ['soon', 'X', WORDS.keepOpen], 'keep_open', {}, asked);
}

function endsByItself(connection: DeskConnection, poll: DeskPoll | undefined): boolean {
  if (!poll || lateText(connection, poll)) return false;
  return poll.closes_in !== undefined || (poll.status === 'open' && poll.deadline !== null);
}

/** The poll, or why it cannot be changed at this desk. */
export function findOwnPoll(connection: DeskConnection, id: string | undefined): DeskPoll | string {
  if (id === undefined) return NOTHING.onAir;
  if (connection.polls.get(originOfTwin(id) ?? id) === 'gone') return NOTHING.gone;
  if (!connection.isOwn(id)) return NOTHING.foreign;
  return findPoll(connection, id) ?? words.loading;
}

/** Presses a button for a poll. @param confirm asks for a second press @param why the poll can't be pressed now */
function pressStep(
  connection: DeskConnection,
  id: string | undefined,
  key: StepKey,
  button: PollButton,
  options: PressOptions = {},
  { confirm, why }: { readonly confirm?: string | undefined; readonly why?: string | undefined } = {},
): Step {
  const poll = findOwnPoll(connection, id);
  const wanted = confirm === undefined ? options : { ...options, confirm: true };
  const command = typeof poll === 'string' ? poll : (why ?? pressPoll(connection, poll.id, button, wanted));
  return { ...stepWith(connection, id, key, command), confirm };
}
