import type { Engine } from '../engine/engine.ts';
import { FollowedValues } from '../engine/followed-topics.ts';
import type { Read } from '../engine/shared-read.ts';
import { catalogues } from '../locales/catalogues.ts';
import { countVotes, type PollId, type Reading } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { POLL_BUTTONS, planPress } from './poll-press.ts';
import type { PressName } from './press-guard.ts';
import { ownsPoll, type StoredShow, showTopic, stepFrom } from './show.ts';
import type { ShowBoard } from './show-board.ts';
import { airOf, findUndo, goneIn } from './shows.ts';
import { nextCue } from './winner.ts';

/** What each button of a show does now, for a program that draws them. */

const { steps, add, edit } = catalogues.en.desk;
/** As the desk calls them. */
const LABELS: Readonly<Record<PressName | 'undo' | 'winner' | 'table', string>> = {
  ...steps,
  keep_open: steps.keepOpen,
  winner: steps.showWinner,
  table: steps.backToTable,
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

export async function readButtons(source: ButtonSource, stored: StoredShow) {
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

function airedBody(id: PollId | null, aired: Reading | undefined) {
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

/** Within this time followers learn what no hint of the show tells: votes, deadlines, polls that come next. */
const CHECK_MS = 1_000;

interface Told {
  /** JSON; empty without a show. */
  readonly text: string;
  readonly atMs: number;
}

const TIME_LEFT = /"time_left":([\d.]+)/;

/** The buttons of the shows that are followed with a key in this process. */
export class ButtonBoard {
  readonly #values: FollowedValues<Told>;

  constructor(source: ButtonSource, shows: Pick<ShowBoard, 'find'>) {
    const readOne = async (show: string): Promise<Told> => {
      const stored = await shows.find(show);
      const text = stored
        ? JSON.stringify({ type: 'buttons', show, ...(await readButtons(source, stored)) })
        : '';
      return { text, atMs: performance.now() };
    };
    const read = (names: readonly string[]) => Promise.all(names.map(readOne));
    const markOf = ({ text }: Told) => text.replace(TIME_LEFT, '');
    this.#values = new FollowedValues({
      hints: source.engine.hints,
      topicOf: showTopic,
      read,
      findMarks: async names => (await read(names)).map(markOf),
      isSame: (one, other) => markOf(one) === markOf(other),
      sweepIntervalMs: CHECK_MS,
    });
  }

  /** Calls back with the message, now and on each change but that of the time left. @returns stops */
  follow(show: string, follower: (text: string) => void): () => void {
    return this.#values.follow(show, ({ text, atMs }) => {
      const leftS = (told: string) => Math.max(0, Number(told) - (performance.now() - atMs) / 1_000);
      if (text !== '')
        follower(text.replace(TIME_LEFT, (_, told) => `"time_left":${leftS(told).toFixed(3)}`));
    });
  }

  close(): void {
    this.#values.close();
  }
}
