import { desk as words } from '../../../locales/en.json';
import { fill } from '../../../web/i18n.ts';
import { wording } from '../../page/browser/i18n.ts';
import type { Answer, Refused } from './desk-relay.ts';
import type { DeskState } from './desk-state.ts';

/** Something that a producer asks for by one key. */
export interface Press {
  /** Presses of one subject wait for each other: the show, or a poll. */
  readonly subject: string;
  /** Sends it once. */
  send(): Promise<Answer<unknown>>;
  /** Reads what the press is about. @returns whether somebody answered */
  look(): Promise<boolean>;
  /** Whether what is known is as was asked for. */
  isDone(): boolean;
}

const LOOK_AGAIN_MS = 500;
/** As long as nobody answers; by then the desk has long said that the relay is away. */
const LOOKS = 120;

/**
 * Carries presses to the relay. Each is sent once and is done when the relay says so. Where the answer is lost, what is true is
 * read, and said; nothing waits to be sent later, and nothing is sent twice.
 */
export class Commands {
  readonly #state: DeskState;
  readonly #say: (text: string) => void;
  readonly #onChange: () => void;
  /** By subject. */
  readonly #onTheWay = new Map<string, Press>();

  constructor(state: DeskState, say: (text: string) => void, onChange: () => void) {
    this.#state = state;
    this.#say = say;
    this.#onChange = onChange;
  }

  /** The live stream may say that it is done before the answer does. */
  isOnTheWay(subject: string): boolean {
    const press = this.#onTheWay.get(subject);
    return press !== undefined && !press.isDone();
  }

  /** @returns whether it was done */
  async carry(press: Press): Promise<boolean> {
    if (this.#state.way !== 'live') {
      this.#say(words.notSent);
      return false;
    }
    if (this.isOnTheWay(press.subject)) {
      this.#say(words.still);
      return false;
    }
    this.#onTheWay.set(press.subject, press);
    this.#say(words.sending);
    this.#onChange();
    try {
      return await this.#settle(press, await press.send());
    } finally {
      if (this.#onTheWay.get(press.subject) === press) this.#onTheWay.delete(press.subject);
      this.#onChange();
    }
  }

  async #settle(press: Press, answer: Answer<unknown>): Promise<boolean> {
    if (answer.kind === 'done') {
      this.#say('');
      return true;
    }
    if (answer.kind === 'refused') {
      this.#say(wordsOfRefusal(answer));
      void this.#state.look();
      return false;
    }
    this.#say(words.unknown);
    void this.#state.look();
    for (let look = 0; look < LOOKS; look += 1) {
      if (await press.look()) {
        const isDone = press.isDone();
        this.#say(isDone ? words.wasDone : words.wasNotDone);
        void this.#state.look();
        return isDone;
      }
      await new Promise(done => setTimeout(done, LOOK_AGAIN_MS));
    }
    this.#say(words.wasNotDone);
    return false;
  }
}

const REFUSED: Readonly<Record<string, string>> = {
  show_changed: words.otherWasFirst,
  request_expired: words.wasNotDone,
  // By the clock of the relay, which this desk has read since: the next press opens the poll without a deadline.
  deadline_passed: words.wasNotDone,
  rundown_full: words.runDownFull,
  poll_not_found: words.nothingToDo.gone,
  show_not_found: words.showGone,
  show_name_taken: words.taken,
  api_key_required: words.keyRejected,
  api_key_rejected: words.keyRejected,
  origin_rejected: words.siteRejected,
};

/** Why the relay refused, in the language of the page. An error that has no words here is named by its code. */
export function wordsOfRefusal({ code, path, retryAfterS }: Refused): string {
  if (code === 'rate_limited') return fill(words.tooMany, { seconds: wording.number(retryAfterS) });
  if (path === 'show.name') return words.malformed;
  if (path.startsWith('poll.')) return words.unusablePoll;
  return REFUSED[code] ?? fill(words.refused, { message: `(${code})` });
}
