import { desk as words } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { wording } from '../../../pages/page/browser/i18n.ts';
import type { ChatLink } from '../../../poll/chat-link.ts';
import { SHOW_NAME } from '../../../poll/poll.ts';
import { visibleText } from '../../../poll/visible-text.ts';
import {
  type Answer,
  type DeskConnection,
  type DeskPoll,
  type Failure,
  findPoll,
  isShown,
  type ShowBody,
  type UndoneBody,
} from './desk-connection.ts';

/**
 * A change that a key or a button requests. It names the wanted state and never "the opposite", so
 * repeating it is harmless.
 */
export interface Command {
  /** Commands of one subject run one at a time: `show`, `add`, or the id of a poll. */
  readonly subject: string;
  send(): Promise<Answer<unknown>>;
  isDone(): boolean;
  /** It is a press of the show, which `undo` takes back. */
  readonly isPress?: true;
}

/**
 * Sends the version that the command is based on, and again a newer one, unless another desk
 * changed the same field.
 */
export function changeShow(
  connection: DeskConnection,
  field: 'on_air' | 'rundown' | 'delay' | 'chat',
  value: string | null | readonly string[] | number | readonly ChatLink[],
): Command {
  const { show } = connection;
  const fieldOf = (of: ShowBody | undefined) => JSON.stringify(of?.[field]);
  return {
    subject: 'show',
    send: async () => {
      for (let version = show?.version; ; ) {
        // What the operator saw: a press from an older picture is not carried out.
        const seen = field === 'on_air' ? { if_on_air: show?.on_air } : {};
        const body = { show: { [field]: value, version, ...seen } };
        const answer = await connection.sendShow({ method: 'PATCH', body });
        if (answer.kind !== 'rejected' || answer.code !== 'show_changed') return answer;
        const now = await connection.sendShow();
        if (now.kind !== 'done' || now.body.version === version || fieldOf(now.body) !== fieldOf(show))
          return answer;
        version = now.body.version;
      }
    },
    isDone: () => fieldOf(connection.show) === JSON.stringify(value),
  };
}

/**
 * Takes back the last press that the operator saw, of any desk.
 *
 * @param report called with what was taken back
 */
export function undoPress(connection: DeskConnection, report: (undone: UndoneBody) => void): Command {
  const { on_air, undo, version } = connection.show ?? {};
  return {
    subject: 'show',
    send: async () => {
      const body = { show: { if_on_air: on_air, version } };
      const answer = await connection.sendShow<ShowBody & { readonly undone: UndoneBody | null }>(
        { method: 'POST', body },
        '/undo',
      );
      if (answer.kind === 'done' && answer.body.undone) report(answer.body.undone);
      return answer;
    },
    isDone: () => connection.show?.undo !== undefined && !isSamePress(connection.show.undo, undo),
  };
}

function isSamePress(one: UndoneBody | null, other: UndoneBody | null | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Takes the next poll and closes the one on air, as one press. @param next on the wire */
export function closeAndTakeNext(connection: DeskConnection, next: string): Command {
  const { on_air, version } = connection.show ?? {};
  const body = { show: { if_on_air: on_air, version, close_before_next: true } };
  return {
    subject: 'show',
    send: () => connection.sendShow({ method: 'POST', body }, '/next'),
    isDone: () => connection.show?.on_air === next,
  };
}

/** What a button does with the poll on air, with the members of its body. */
export type PollPress =
  | { readonly button: 'open' }
  | { readonly button: 'close'; readonly closes_in?: number }
  | { readonly button: 'step'; readonly to: number }
  | { readonly button: 'reveal'; readonly confirm: boolean };

/** Presses a button of the show, which acts on the poll on air. @param id of that poll */
export function pressButton(
  connection: DeskConnection,
  id: string,
  { button, ...members }: PollPress,
): Command {
  const find = () => findPoll(connection, id);
  const { status: statusBefore, deadline: before } = find() ?? {};
  const wanted: { closes_in?: number; to?: number; confirm?: boolean } = members;
  const { closes_in, to = 1 } = wanted;
  return {
    subject: id,
    isPress: true,
    send: () =>
      connection.sendShow({ method: 'POST', body: { show: { if_on_air: id, ...members } } }, `/${button}`),
    isDone: () => {
      const poll = find();
      if (!poll) return false;
      // With a delay, an open poll whose vote has ended on air is opened by another deadline, and closed by one.
      const isMoved = poll.deadline !== before;
      if (button === 'open') return poll.status === 'open' && (statusBefore !== 'open' || isMoved);
      if (button === 'reveal') return isShown(poll);
      if (button === 'step') return isShown(poll) || (poll.revealed_from ?? to + 1) <= to;
      if (closes_in !== undefined && poll.status === 'upcoming') return poll.closes_in === closes_in;
      const isClosing = poll.deadline !== null && isMoved;
      return closes_in === undefined && !connection.show?.delay ? poll.status === 'closed' : isClosing;
    },
  };
}

/** Begins the round after the one that the operator saw, so that two desks begin one. */
export function beginAgain(connection: DeskConnection, id: string): Command {
  const { round = 1 } = findPoll(connection, id) ?? {};
  return {
    subject: id,
    send: () => connection.sendPoll(id, { method: 'POST', body: { round, poll: {} } }, '/again'),
    isDone: () => (findPoll(connection, id)?.round ?? 1) > round,
  };
}

/** What the form for a new poll says beside the line. */
export interface AddSettings {
  readonly isHidden: boolean;
  /** Whether viewers see the number of votes while results are hidden. */
  readonly showTotal: boolean;
  readonly onePerNetwork: boolean;
  /** Whether voters may change or withdraw their vote. */
  readonly allowChange: boolean;
  readonly hasJoinCode: boolean;
  readonly isVerifiable: boolean;
  /** Whether its log shows the number of votes while results are hidden. */
  readonly showLogSize: boolean;
  /** Seconds from opening to closing. */
  readonly closesIn: number | undefined;
}

/**
 * Adds the poll of a line like `Question? | Answer | Answer`. Returns undefined without a question or a second answer.
 *
 * @param idempotencyKey the same for each attempt at one poll, so that it is added once
 */
export function addPoll(
  connection: DeskConnection,
  line: string,
  {
    isHidden,
    showTotal,
    onePerNetwork,
    allowChange,
    hasJoinCode,
    isVerifiable,
    showLogSize,
    closesIn,
  }: AddSettings,
  idempotencyKey: string,
): Command | undefined {
  const [title = '', ...texts] = line.split('|').map(text => text.trim());
  const answers = texts.filter(text => visibleText(text) !== '');
  if (visibleText(title) === '' || answers.length < 2) return undefined;
  const poll = {
    title,
    answers,
    status: 'upcoming',
    mip: !onePerNetwork,
    ...(hasJoinCode && { join_code: true }),
    ...(isHidden && { results_visibility: 'hidden', show_total_while_hidden: showTotal }),
    ...(allowChange && { change_vote: true }),
    ...(isVerifiable && { verifiable: true, show_log_size: showLogSize }),
    ...(closesIn !== undefined && { closes_in: closesIn }),
  };
  return additionTo(connection, () =>
    connection.askShow('/poll', { method: 'POST', body: { poll }, idempotencyKey }),
  );
}

/**
 * Adds a poll with the texts and settings of another, without votes, after it.
 *
 * @param idempotencyKey as of `addPoll`
 */
export function copyPoll(connection: DeskConnection, id: string, idempotencyKey: string): Command {
  return additionTo(connection, () =>
    connection.askPoll(id, '/copy', { method: 'POST', body: { poll: {} }, idempotencyKey }),
  );
}

function additionTo(connection: DeskConnection, send: Command['send']): Command {
  const { show } = connection;
  return {
    subject: 'add',
    send: async () => {
      const answer = await send();
      if (answer.kind === 'done') void connection.refresh();
      return answer;
    },
    isDone: () => !!connection.show?.rundown.some(id => !show?.rundown.includes(id)),
  };
}

/** Members of a poll as in `PATCH /api/poll/<id>`; absent ones stay as they are. */
export interface WantedPoll
  extends Pick<
    Partial<DeskPoll>,
    'title' | 'description' | 'status' | 'results_visibility' | 'deadline' | 'closes_in'
  > {
  readonly answers?: readonly { readonly id?: string; readonly answer: string }[];
  /** False is one vote per network. */
  readonly mip?: boolean;
  readonly change_vote?: boolean;
  /** True asks for a code, false gives it up. */
  readonly join_code?: boolean;
}

export function changePoll(connection: DeskConnection, id: string, wanted: WantedPoll): Command {
  const find = () => findPoll(connection, id);
  const before = find()?.deadline;
  return {
    subject: id,
    send: async () => {
      const answer = await connection.sendPoll(id, { method: 'PATCH', body: { poll: wanted } });
      const { mip, change_vote } = wanted;
      if (answer.kind === 'done' && (mip ?? change_vote) !== undefined)
        connection.changeSettings(id, {
          ...(mip !== undefined && { onePerNetwork: !mip }),
          ...(change_vote !== undefined && { allowChange: change_vote }),
        });
      return answer;
    },
    isDone: () => {
      const poll = find();
      if (!poll) return false;
      return Object.entries(wanted).every(([name, value]) => {
        if (name === 'closes_in' && poll.status !== 'upcoming')
          return poll.deadline !== null && poll.deadline !== before;
        if (name === 'deadline' && poll.closes_in !== undefined) return false;
        if (name === 'mip') return connection.settings.get(id)?.onePerNetwork === !value;
        if (name === 'change_vote') return connection.settings.get(id)?.allowChange === value;
        if (name === 'join_code') return (poll.join_code !== undefined) === value;
        if (name === 'answers') return textsOf(poll.poll_answers) === textsOf(wanted.answers ?? []);
        return poll[name as keyof DeskPoll] === value;
      });
    },
  };
}

/** Changes the color or the image of an answer; null removes it. */
export function changeFace(
  connection: DeskConnection,
  id: string,
  answerId: string,
  face: { readonly color: string | null } | { readonly image: Blob | null },
): Command {
  const find = () => findPoll(connection, id)?.poll_answers.find(answer => answer.id === answerId);
  const before = find()?.image;
  return {
    subject: id,
    send: () => {
      if ('color' in face) {
        const answers = [{ id: answerId, color: face.color }];
        return connection.sendPoll(id, { method: 'PATCH', body: { poll: { answers } } });
      }
      const { image } = face;
      const request = image ? ({ method: 'PUT', body: image } as const) : ({ method: 'DELETE' } as const);
      return connection.sendPoll(id, request, `/answer/${answerId}/image`);
    },
    isDone: () => {
      const now = find();
      return 'color' in face ? (now?.color ?? null) === face.color : now?.image !== before;
    },
  };
}

/** Answers as text, one per line. */
export function textsOf(answers: readonly { readonly answer: string }[]): string {
  return answers.map(({ answer }) => answer).join('\n');
}

/**
 * What changes a poll to a corrected wording; undefined for nothing. Lines that match no answer
 * replace those in their place; with more or fewer lines than answers, they are new.
 *
 * @param lines the answers, one per line
 */
export function correctionOf(
  { title, description = '', poll_answers: answers }: DeskPoll,
  corrected: Pick<DeskPoll, 'title'> & { readonly description: string },
  lines: string,
): WantedPoll | undefined {
  const texts = lines
    .split('\n')
    .map(text => text.trim())
    .filter(text => visibleText(text) !== '');
  const known = new Map(answers.map(({ id, answer }) => [answer, id]));
  const kept = new Set(texts.map(text => known.get(text)));
  const idInPlace = (index: number) => {
    const id = answers[index]?.id;
    return texts.length === answers.length && !kept.has(id) ? id : undefined;
  };
  const wanted = texts.map((answer, index) => {
    const id = known.get(answer) ?? idInPlace(index);
    return { ...(id !== undefined && { id }), answer };
  });
  const change = {
    ...(corrected.title.trim() !== title && { title: corrected.title.trim() }),
    ...(corrected.description.trim() !== description.trim() && { description: corrected.description.trim() }),
    ...(texts.join('\n') !== textsOf(answers) && { answers: wanted }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

const READ_AGAIN_MS = 500;
const READS = 120;

/**
 * Sends each command once: it is never queued and never repeated. After a lost reply it reads the
 * state and reports it.
 */
export class Commands {
  readonly #connection: DeskConnection;
  readonly #report: (text: string) => void;
  readonly #pending = new Map<string, Command>();

  /** @param report shows a text at the desk, and renders the desk again */
  constructor(connection: DeskConnection, report: (text: string) => void) {
    this.#connection = connection;
    this.#report = report;
  }

  /** A command ends when the live stream shows its result, even before the reply. */
  isPending(subject: string): boolean {
    const command = this.#pending.get(subject);
    return command !== undefined && !command.isDone();
  }

  async run(command: Command): Promise<boolean> {
    const { subject } = command;
    const isLive = this.#connection.state === 'live';
    if (!isLive || this.isPending(subject)) {
      this.#report(isLive ? words.still : words.notSent);
      return false;
    }
    this.#pending.set(subject, command);
    this.#report(words.sending);
    const [isDone, text] = await this.#settle(command, await command.send());
    if (this.#pending.get(subject) === command) this.#pending.delete(subject);
    this.#report(text);
    return isDone;
  }

  /** Resolves to whether the command was carried out, and a text for the operator. */
  async #settle(command: Command, answer: Answer<unknown>): Promise<readonly [boolean, string]> {
    if (answer.kind === 'done') return [true, ''];
    void this.#connection.refresh();
    if (answer.kind === 'rejected') return [false, failureText(answer)];
    this.#report(words.unknown);
    for (let read = 0; read < READS; read += 1) {
      if (await this.#connection.read(command.subject)) break;
      await new Promise(done => setTimeout(done, READ_AGAIN_MS));
    }
    return command.isDone() ? [true, words.wasDone] : [false, words.wasNotDone];
  }
}

const REJECTIONS: Readonly<Record<string, string>> = {
  show_changed: words.otherWasFirst,
  on_air_changed: words.justChanged,
  nothing_on_air: words.nothingToDo.onAir,
  poll_open: words.nothingToDo.stillOpen,
  nothing_to_reveal: words.nothingToDo.reveal,
  nothing_to_undo: words.undoOver,
  request_expired: words.wasNotDone,
  // The desk has the relay's time by now, so the next press opens the poll without its deadline.
  deadline_passed: words.wasNotDone,
  round_begun: words.otherWasFirst,
  rundown_full: words.runDownFull,
  chat_full: words.chat.full,
  poll_not_found: words.nothingToDo.gone,
  show_not_found: words.showGone,
  api_key_required: words.keyRejected,
  api_key_rejected: words.keyRejected,
  origin_rejected: words.siteRejected,
  ballots_cast: words.nothingToDo.ballotsCast,
  answer_not_found: words.edit.otherAnswers,
};

/** Why the name of a show was rejected; undefined for other reasons. A well-formed name may be taken or reserved. */
export function nameFaultOf(failure: Failure, name: string): string | undefined {
  if (failure.kind === 'lost') return undefined;
  const { code, path } = failure;
  if (code !== 'show_name_taken' && path !== 'show.name') return undefined;
  return SHOW_NAME.test(name) ? words.copyShow.taken : words.malformed;
}

/** Why a request failed, in the language of the page. Unknown errors are shown by their code. */
export function failureText(failure: Failure): string {
  if (failure.kind === 'lost') return words.relayAway;
  const { code, path, retryAfterS } = failure;
  if (code === 'rate_limited') return fill(words.tooMany, { seconds: wording.number(retryAfterS) });
  if (code === 'invalid_request' && path.startsWith('show.chat')) return words.chat.unusable;
  const isUnusable = code === 'invalid_request' && path.startsWith('poll.');
  return (
    (isUnusable && words.unusablePoll) || REJECTIONS[code] || fill(words.refused, { message: `(${code})` })
  );
}
