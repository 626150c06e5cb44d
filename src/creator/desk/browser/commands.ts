import { desk as words } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { wording } from '../../../pages/page/browser/i18n.ts';
import { SHOW_NAME } from '../../../poll/poll.ts';
import { visibleText } from '../../../poll/visible-text.ts';
import { QUESTION, type WantedEdit } from '../../editor/edit-poll.ts';
import {
  type Answer,
  type Attempt,
  type DeskConnection,
  type DeskPoll,
  type Failure,
  findPoll,
  type ShowBody,
} from './desk-connection.ts';

/**
 * A change that a key or a button requests. It names the wanted state and never "the opposite", so
 * repeating it is harmless.
 */
export interface Command<Body = unknown> {
  /** Commands of one subject run one at a time: `show`, `add`, or the id of a poll. */
  readonly subject: string;
  /** It sends a file, which takes longer. */
  readonly isUpload?: boolean;
  send(attempt: Attempt): Promise<Answer<Body>>;
}

/** What the operator sees: the relay carries a press out for nothing else. @param id undefined for what is on air */
function seenBy(connection: DeskConnection, id = connection.show?.on_air ?? undefined) {
  const { show, hand } = connection;
  const {
    status,
    round = 1,
    results_visibility,
    revealed_from = null,
    deadline,
  } = findPoll(connection, id) ?? {};
  const ofPoll = status && { status, round, results_visibility, revealed_from, deadline };
  return { hand, if: { on_air: show?.on_air, ...ofPoll } };
}

/** @param button undefined for a change of the show */
export function showCommand(
  connection: DeskConnection,
  show: object,
  { button, subject = 'show' }: { readonly button?: string; readonly subject?: string } = {},
): Command {
  const [path, method] = button === undefined ? ['', 'PATCH' as const] : [`/${button}`, 'POST' as const];
  return {
    subject,
    send: attempt => connection.sendShow(path, { method, body: { show }, ...attempt }),
  };
}

/** Puts a poll on air in place of what the operator sees there. */
export function putOnAir(connection: DeskConnection, id: string): Command {
  return showCommand(connection, { on_air: id, ...seenBy(connection) });
}

/**
 * Sends the version that the command is based on, and again a newer one, unless another desk
 * changed the same field.
 */
export function changeShow<Field extends 'rundown' | 'delay' | 'chat'>(
  connection: DeskConnection,
  field: Field,
  value: ShowBody[Field],
  confirm?: boolean,
): Command {
  const { show } = connection;
  const fieldOf = (of: ShowBody | undefined) => JSON.stringify(of?.[field]);
  return {
    subject: 'show',
    send: async attempt => {
      for (let version = show?.version; ; ) {
        const body = { show: { [field]: value, version, confirm } };
        const answer = await connection.sendShow('', { method: 'PATCH', body, ...attempt });
        if (answer.kind !== 'rejected' || answer.code !== 'show_changed') return answer;
        const now = await connection.sendShow('');
        if (now.kind !== 'done' || now.body.version === version || fieldOf(now.body) !== fieldOf(show))
          return answer;
        version = now.body.version;
      }
    },
  };
}

/** Other members of the look stay, which another desk may have changed. @param value null is that of the show */
export function changeLook(
  connection: DeskConnection,
  id: string,
  name: string,
  value: string | null,
): Command {
  const body = { show: { looks: { [id]: { [name]: value } } } };
  return {
    subject: 'show',
    send: attempt => connection.sendShow('', { method: 'PATCH', body, ...attempt }),
  };
}

type ShowButton = 'next' | 'previous' | 'clear' | 'undo';
export type PollButton = 'open' | 'close' | 'keep_open' | 'step' | 'reveal' | 'hide' | 'again';

/** Members of a press. */
export interface PressOptions {
  readonly closes_in?: number;
  readonly to?: number;
  readonly confirm?: boolean;
  readonly close_before_next?: true;
  readonly undo?: string;
}

/** Presses a button of the show. The relay judges `undo` by the press that it names. */
export function pressShow(connection: DeskConnection, button: ShowButton, options?: PressOptions): Command {
  const { version } = connection.show ?? {};
  const { hand, ...seen } = seenBy(connection);
  const show = { hand, ...(button !== 'undo' && { ...seen, version }), ...options };
  return showCommand(connection, show, { button });
}

/** Presses a button for a poll, on air or not. */
export function pressPoll(
  connection: DeskConnection,
  id: string,
  button: PollButton,
  options?: PressOptions,
): Command {
  const isOnAir = id === connection.show?.on_air;
  const show = { ...seenBy(connection, id), ...(!isOnAir && { poll: id }), ...options };
  return showCommand(connection, show, { button, subject: id });
}

/**
 * Adds the poll of a line like `Question? | Answer | Answer`. Returns undefined without a question or a second answer.
 *
 * @param settings other members of the poll
 */
export function addPoll(connection: DeskConnection, line: string, settings: object): Command | undefined {
  const [title = '', ...texts] = line.split('|').map(text => text.trim());
  const answers = texts.filter(text => visibleText(text) !== '');
  if (visibleText(title) === '' || answers.length < 2) return undefined;
  const body = { poll: { title, answers, status: 'upcoming', ...settings } };
  return {
    subject: 'add',
    send: attempt => connection.askShow('/poll', { method: 'POST', body, ...attempt }),
  };
}

/** Adds a poll with the texts and settings of another, without votes, after it. */
export function copyPoll(connection: DeskConnection, id: string): Command {
  const body = { poll: {} };
  return {
    subject: 'add',
    send: attempt => connection.askPoll(id, '/copy', { method: 'POST', body, ...attempt }),
  };
}

interface CopiedShow {
  readonly links: { readonly desk: string };
  readonly left_out: readonly string[];
}

/** @param operatorKey empty without one */
export function copyShow(connection: DeskConnection, name: string, operatorKey: string): Command<CopiedShow> {
  const body = { show: { name } };
  const key = operatorKey === '' ? {} : { key: operatorKey };
  return {
    subject: 'copy',
    send: attempt => connection.askShow('/copy', { method: 'POST', body, ...key, ...attempt }),
  };
}

/** The old key stops working at once; with the same attempt, it gets the new one again. */
export function renewKey(connection: DeskConnection): Command<{ readonly show_key: string }> {
  return {
    subject: 'key',
    send: attempt => connection.askShow('/show_key', { method: 'POST', ...attempt }),
  };
}

/** The link of the presenter's screen has the new one. */
export function renewViewKey(connection: DeskConnection): Command<ShowBody> {
  return {
    subject: 'key',
    send: async attempt => {
      const answer = await connection.askShow('/view_key', { method: 'POST', ...attempt });
      return answer.kind === 'done' ? connection.sendShow('') : answer;
    },
  };
}

/** Members of a poll as in `PATCH /api/poll/<id>`; absent ones stay as they are. */
export interface WantedPoll extends WantedEdit {
  /** True asks for a code, false gives it up. */
  readonly join_code?: boolean;
}

export function changePoll(connection: DeskConnection, id: string, wanted: WantedPoll): Command {
  return {
    subject: id,
    send: attempt => connection.askPoll(id, '', { method: 'PATCH', body: { poll: wanted }, ...attempt }),
  };
}

/** @param owner an answer's id, or `QUESTION` @param image null removes it */
export function changeImage(
  connection: DeskConnection,
  id: string,
  owner: string,
  image: Blob | null,
): Command<DeskPoll> {
  const request = image ? ({ method: 'PUT', body: image } as const) : ({ method: 'DELETE' } as const);
  const path = owner === QUESTION ? '/image' : `/answer/${owner}/image`;
  return {
    subject: id,
    isUpload: image !== null,
    send: attempt => connection.askPoll(id, path, { ...request, ...attempt }),
  };
}

const RETRY_MS = 500;
const RETRIES = 120;

/**
 * Sends each command until it is answered. It has one `Idempotency-Key` and one expiry, so that it
 * is carried out once, and not long after its press.
 */
export class Commands {
  readonly #connection: DeskConnection;
  readonly #report: (text: string) => void;
  /** What the desk showed of a subject when its command was sent. */
  readonly #pending = new Map<string, { readonly state: string }>();

  /** @param report shows a text at the desk, and renders the desk again */
  constructor(connection: DeskConnection, report: (text: string) => void) {
    this.#connection = connection;
    this.#report = report;
  }

  /** A command ends when the desk shows its result, even before the reply. */
  isPending(subject: string): boolean {
    const sent = this.#pending.get(subject);
    return sent !== undefined && sent.state === this.#connection.stateOf(subject);
  }

  /** Every command has been answered. */
  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /** @returns the answer; undefined if the command was not sent */
  async run<Body>(command: Command<Body>): Promise<Answer<Body> | undefined> {
    const { subject } = command;
    const isLive = this.#connection.state === 'live';
    if (!isLive || this.isPending(subject)) {
      this.#report(isLive ? words.still : words.notSent);
      return undefined;
    }
    const sent = { state: this.#connection.stateOf(subject) };
    this.#pending.set(subject, sent);
    this.#report(words.sending);
    const attempt = this.#connection.createAttempt(command.isUpload);
    let answer = await command.send(attempt);
    const wasLost = answer.kind === 'lost';
    if (wasLost) this.#report(words.unknown);
    for (let retry = 0; wasLost && isUnanswered(answer) && retry < RETRIES; retry += 1) {
      await new Promise(done => setTimeout(done, RETRY_MS));
      answer = await command.send(attempt);
    }
    if (this.#pending.get(subject) === sent) this.#pending.delete(subject);
    if (answer.kind !== 'done' || wasLost || subject === 'add') void this.#connection.refresh();
    if (answer.kind !== 'done') this.#report(failureText(answer));
    else this.#report(wasLost ? words.wasDone : '');
    return answer;
  }
}

/** A retry that came too soon says nothing of the first attempt. */
function isUnanswered(answer: Answer<unknown>): boolean {
  return answer.kind === 'lost' || (answer.kind === 'rejected' && answer.code === 'rate_limited');
}

const REJECTIONS: Readonly<Record<string, string>> = {
  show_changed: words.otherWasFirst,
  on_air_changed: words.justChanged,
  poll_changed: words.justChanged,
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
