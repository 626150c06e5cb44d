import type { Engine } from '../engine/engine.ts';
import type { Read } from '../engine/shared-read.ts';
import { withRehearsal } from '../engine/with-rehearsal.ts';
import { catalogues } from '../locales/catalogues.ts';
import { countVotes, type PollId, type Reading } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { POLL_BUTTONS, planPress } from './poll-press.ts';
import type { PressName } from './press-guard.ts';
import { ownsPoll, type StoredShow, stepFrom } from './show.ts';
import type { ShowBoard } from './show-board.ts';
import { airOf, findUndo, goneIn } from './shows.ts';
import { nextCue } from './winner.ts';

/** What each button of a show does now, for a program that draws them. */

const { steps, add, edit } = catalogues.en.desk;
/** As the desk calls them. */
const LABELS: Readonly<Record<PressName | 'undo' | 'winner' | 'table', string>> = {
  ...steps,
  keep_open: steps.keepOpen,
  add,
  edit: edit.edit,
};

interface ShowButton {
  readonly possible: boolean;
  /** The code of the error that a press gets; `unchanged` for one that changes nothing; null if it is possible. */
  readonly why: string | null;
  readonly label: string;
  /** The tally: red for what is on air, green for what comes next. */
  readonly color: 'red' | 'green' | 'white' | 'gray';
}

interface ButtonSource {
  readonly engine: Pick<Engine, 'polls' | 'hints' | 'records' | 'events'>;
  readonly readPoll: Read;
}

export interface ShowButtons {
  readonly on_air: {
    readonly id: PollId;
    readonly title: string;
    readonly status: string;
    readonly total_votes: number;
    readonly deadline: string | null;
    readonly time_left: number | null;
  } | null;
  readonly next: { readonly id: PollId; readonly title: string } | null;
  readonly buttons: Readonly<Record<string, ShowButton>>;
}

export async function readButtons(source: ButtonSource, stored: StoredShow): Promise<ShowButtons> {
  const aired = stored.onAir === null ? undefined : await source.readPoll(stored.onAir);
  const [next, previous] = await Promise.all([
    stepButton(stored, 'next', source),
    stepButton(stored, 'previous', source),
  ]);
  const undo = await findUndo(source.engine, stored);
  const ofPoll = [...POLL_BUTTONS, 'again' as const].map(name => [name, pollButton(stored, aired, name)]);
  const buttons: Readonly<Record<string, ShowButton>> = {
    next: next.button,
    previous: previous.button,
    clear: buttonOf('clear', stored.onAir === null ? 'nothing_on_air' : null, 'red', aired?.poll.title),
    ...Object.fromEntries(ofPoll),
    undo: buttonOf('undo', undo ? null : 'nothing_to_undo', 'white', undo && LABELS[undo.press]),
  };
  return { on_air: airedBody(stored.onAir, aired), next: next.poll, buttons };
}

function buttonOf(
  name: keyof typeof LABELS,
  why: string | null,
  color: ShowButton['color'],
  what?: string,
): ShowButton {
  const label = what === undefined ? LABELS[name] : `${LABELS[name]}: ${what}`;
  return { possible: why === null, why, label, color: why === null ? color : 'gray' };
}

async function stepButton(stored: StoredShow, name: 'next' | 'previous', { engine, readPoll }: ButtonSource) {
  try {
    const { to: id } = await stepFrom(stored, name, goneIn(engine));
    const title = (await readPoll(id))?.poll.title ?? '';
    return { poll: { id, title }, button: buttonOf(name, null, 'green', title) };
  } catch (error) {
    if (!(error instanceof PollError) || error.status >= 500) throw error;
    return { poll: null, button: buttonOf(name, error.code, 'green') };
  }
}

function pollButton(
  stored: StoredShow,
  aired: Reading | undefined,
  name: (typeof POLL_BUTTONS)[number] | 'again',
): ShowButton {
  const cue = aired && nextCue(stored, aired);
  const isCue = cue !== undefined && (name === 'step' || (name === 'reveal' && cue === 'winner'));
  return buttonOf(isCue ? cue : name, whyNot(), 'red');

  function whyNot(): string | null {
    if (!aired) return stored.onAir === null ? 'nothing_on_air' : 'poll_not_found';
    if (!ownsPoll(stored, aired.poll.show)) return 'api_key_rejected';
    if (name === 'again' || isCue) return null;
    try {
      const options = { ...airOf(stored), confirm: true };
      return planPress(aired.results, name, options) ? null : 'unchanged';
    } catch (error) {
      if (error instanceof PollError) return error.code;
      throw error;
    }
  }
}

function airedBody(id: PollId | null, aired: Reading | undefined): ShowButtons['on_air'] {
  if (id === null || !aired) return null;
  const { poll, results } = aired;
  const { status, deadlineMs, readAtMs } = results;
  return {
    id,
    title: poll.title,
    status,
    total_votes: countVotes(results),
    deadline: deadlineMs === null ? null : new Date(deadlineMs).toISOString(),
    time_left: status === 'open' && deadlineMs !== null ? (deadlineMs - readAtMs) / 1_000 : null,
  };
}

/** Between two reads of one show: for followers, votes change by then. */
const REST_MS = 500;
/** Deadlines pass, polls of the rundown change, and hints may be lost. */
const CHECK_MS = 1_000;

/** The buttons of the shows that are followed with a key in this process. */
export class ButtonBoard {
  readonly #source: ButtonSource;
  readonly #shows: ShowBoard;
  readonly #watched = new Map<string, WatchedButtons>();

  constructor(source: ButtonSource, shows: ShowBoard) {
    this.#source = source;
    this.#shows = shows;
  }

  /** Calls back with the message, now and on each change but that of the time left. @returns stops */
  follow(show: string, follower: (text: string) => void): () => void {
    const watched = this.#watched.get(show) ?? new WatchedButtons(show, this.#source, this.#shows);
    this.#watched.set(show, watched);
    watched.add(follower);
    return () => {
      watched.followers.delete(follower);
      if (watched.followers.size > 0) return;
      watched.close();
      this.#watched.delete(show);
    };
  }
}

class WatchedButtons {
  readonly followers = new Set<(text: string) => void>();
  readonly #name: string;
  readonly #source: ButtonSource;
  readonly #unfollowShow: () => void;
  #stored: StoredShow | undefined;
  #aired: { readonly id: PollId | null; readonly unfollow: () => void } | undefined;
  /** What was told, without the time left. */
  #told = '';
  #isReading = false;
  #isDue = false;
  #restsUntilMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(name: string, source: ButtonSource, shows: ShowBoard) {
    this.#name = name;
    this.#source = source;
    this.#unfollowShow = shows.followShow(name, stored => {
      this.#stored = stored;
      this.#followPoll(stored?.onAir ?? null);
      this.#request();
    });
  }

  /** All are told again, with the time that is left now. */
  add(follower: (text: string) => void): void {
    this.followers.add(follower);
    this.#told = '';
    this.#request();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#unfollowShow();
    this.#aired?.unfollow();
    this.followers.clear();
  }

  #followPoll(id: PollId | null): void {
    if (this.#aired?.id === id) return;
    this.#aired?.unfollow();
    const { hints } = withRehearsal(this.#source.engine);
    const following = id === null ? undefined : hints.follow(id, () => this.#request());
    this.#aired = { id, unfollow: () => following?.unfollow() };
  }

  #request(): void {
    this.#isDue = true;
    if (!this.#isReading) this.#readIn(this.#restsUntilMs - performance.now());
  }

  #readIn(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#read(), Math.max(0, delayMs)).unref();
  }

  async #read(): Promise<void> {
    this.#isDue = false;
    this.#isReading = true;
    try {
      if (this.#stored) this.#tell(await readButtons(this.#source, this.#stored));
    } catch {
      // The engine is unavailable, and the next read is soon.
    }
    this.#isReading = false;
    this.#restsUntilMs = performance.now() + REST_MS;
    if (this.followers.size > 0) this.#readIn(this.#isDue ? REST_MS : CHECK_MS);
  }

  #tell(buttons: ShowButtons): void {
    const told = JSON.stringify({ ...buttons, on_air: { ...buttons.on_air, time_left: null } });
    if (told === this.#told) return;
    this.#told = told;
    const text = JSON.stringify({ type: 'buttons', show: this.#name, ...buttons });
    for (const follower of this.followers) follower(text);
  }
}
