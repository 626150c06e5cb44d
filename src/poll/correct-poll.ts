import {
  type Answer,
  choicesOf,
  type EarlierWording,
  type EncodedImage,
  hasBallots,
  initialState,
  type Poll,
  type Reading,
} from './poll.ts';
import { type Correction, endAfter, type PollChange } from './poll-change.ts';

/** The definition that a creator asks for; absent members stay as they are. */
export interface WantedWording {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /**
   * All answers, in order. Without an id, it is the answer with this text, or else a new one. If
   * none has a text, only the listed ones change.
   */
  readonly answers?: readonly WantedAnswer[] | undefined;
  /** Until the first ballot only. */
  readonly sharedAddress?: boolean | undefined;
  /** Until the first ballot only. */
  readonly showTotal?: boolean | undefined;
  /** Until the first ballot only. */
  readonly allowChange?: boolean | undefined;
  /** At any time. */
  readonly hasJoinCode?: boolean | undefined;
}

export interface WantedAnswer {
  readonly id?: string | undefined;
  /** Without one, the answer keeps its own. */
  readonly text?: string | undefined;
  /** `#rrggbb`; null removes it. */
  readonly color?: string | null | undefined;
}

export type PlannedCorrection =
  /** `correction` is undefined if the poll already reads like that. */
  | { readonly correction: Correction | undefined; readonly fault?: undefined }
  | {
      readonly correction?: undefined;
      /** Other answers, or another order, after the first ballot. */
      readonly fault: 'ballots_cast';
    }
  | {
      readonly correction?: undefined;
      /** Another `sharedAddress` after the first ballot. */
      readonly fault: 'network_fixed';
    }
  | {
      readonly correction?: undefined;
      /** Another `showTotal` after the first ballot. */
      readonly fault: 'total_fixed';
    }
  | {
      readonly correction?: undefined;
      /** Fewer answers than `minChoices` or `maxChoices`. */
      readonly fault: 'choices_impossible';
    }
  | {
      readonly correction?: undefined;
      /** Another `allowChange` after the first ballot. */
      readonly fault: 'change_fixed';
    }
  | {
      readonly correction?: undefined;
      readonly fault: 'unknown_answer';
      /** Its position in the wanted list. */
      readonly index: number;
    };

/** As many of the newest wordings are kept as fit, and at least one. */
const MAX_EARLIER = 10;
const MAX_EARLIER_CHARACTERS = 26_000;

/**
 * The rules for corrections. Before the first ballot anything may change; afterwards only texts,
 * and what they were is kept for voters to see.
 *
 * @param fresh random parts: the new edition, ids for new answers, and a claimed join code where the wish needs one
 * @param change at the same time: an upcoming poll remembers its state for copies
 */
export function planCorrection(
  { poll, results }: Pick<Reading, 'poll' | 'results'>,
  wanted: WantedWording,
  fresh: {
    readonly edition: string;
    readonly createAnswerId: () => string;
    readonly joinCode?: string | undefined;
  },
  change?: PollChange,
): PlannedCorrection {
  const { title = poll.title, description = poll.description } = wanted;
  const { sharedAddress = poll.settings.sharedAddress, showTotal = poll.settings.showTotal } = wanted;
  const { allowChange = poll.settings.allowChange, hasJoinCode = poll.settings.hasJoinCode } = wanted;
  const joinCode = hasJoinCode ? (poll.joinCode ?? fresh.joinCode) : undefined;
  const known = new Set(poll.answers.map(({ id }) => id));
  const unknown = (wanted.answers ?? []).findIndex(({ id }) => id !== undefined && !known.has(id));
  if (unknown >= 0) return { fault: 'unknown_answer', index: unknown };
  const answers = wantedAnswers(wanted.answers ?? []);
  const hasSameAnswers = idsOf(answers).join() === idsOf(poll.answers).join();
  const isUnvoted = !hasBallots(results);
  const hasSameNetworks = sharedAddress === poll.settings.sharedAddress;
  const hasSameTotal = showTotal === poll.settings.showTotal;
  const hasSameChanges = allowChange === poll.settings.allowChange;
  if (!isUnvoted && !hasSameAnswers) return { fault: 'ballots_cast' };
  if (Math.max(...choicesOf({ ...poll, answers })) > answers.length) return { fault: 'choices_impossible' };
  if (!isUnvoted && !hasSameNetworks) return { fault: 'network_fixed' };
  if (!isUnvoted && !hasSameTotal) return { fault: 'total_fixed' };
  if (!isUnvoted && !hasSameChanges) return { fault: 'change_fixed' };

  const settings = { ...poll.settings, sharedAddress, showTotal, allowChange, hasJoinCode };
  const initial = initialAfter({ poll, results }, change);
  const corrected = { ...poll, title, description, answers, settings, joinCode, initial };
  const replaced = replacedTexts(poll, corrected, results.readAtMs);
  const isInitial = JSON.stringify(initial) === JSON.stringify(poll.initial);
  const hasSameColors = colorsOf(answers) === colorsOf(poll.answers);
  const hasSameSettings = hasSameNetworks && hasSameTotal && hasSameChanges && joinCode === poll.joinCode;
  if (hasSameAnswers && hasSameColors && hasSameSettings && isInitial && !replaced)
    return { correction: undefined };
  const earlier = isUnvoted || !replaced ? poll.earlier : newestOf([...(poll.earlier ?? []), replaced]);
  const after = { ...corrected, edition: fresh.edition, ...(earlier && { earlier }) };
  return { correction: { before: poll, after, isUnvoted } };

  function wantedAnswers(all: readonly WantedAnswer[]): readonly Answer[] {
    const byId = new Map(all.map(one => [one.id, one]));
    if (all.every(({ text }) => text === undefined))
      return poll.answers.map(known => changed(known, byId.get(known.id) ?? {}));
    return all.map(one => {
      // By its text, so that repeating a request adds no answer twice.
      const isFree = ({ id, text }: Answer) => text === one.text && !byId.has(id);
      const known = poll.answers.find(one.id === undefined ? isFree : ({ id }) => id === one.id);
      return changed(known ?? { id: fresh.createAnswerId(), text: '' }, one);
    });
  }
}

function changed(known: Answer, { text = known.text, color = known.color }: WantedAnswer): Answer {
  const { color: _, ...rest } = known;
  return { ...rest, text, ...(color && { color }) };
}

/**
 * The correction that gives the question or an answer another image, or none. It is no public one.
 *
 * @param answerId undefined for the question
 * @param edition a new one
 * @returns undefined if it has that image, or there is no such answer
 */
export function planImage(
  { poll, results }: Pick<Reading, 'poll' | 'results'>,
  answerId: string | undefined,
  image: EncodedImage | undefined,
  edition: string,
): Correction | undefined {
  const ofQuestion = answerId === undefined ? (image?.file ?? null) : poll.image;
  const answers = poll.answers.map(answer => {
    if (answer.id !== answerId || answer.image === image?.file) return answer;
    const { image: _, ...rest } = answer;
    return image ? { ...rest, image: image.file } : rest;
  });
  if (ofQuestion === poll.image && answers.every((answer, index) => answer === poll.answers[index]))
    return undefined;
  const after = { ...poll, edition, answers, image: ofQuestion };
  return { before: poll, after, isUnvoted: !hasBallots(results), image };
}

function initialAfter(
  { poll, results }: Pick<Reading, 'poll' | 'results'>,
  change: PollChange | undefined,
): Poll['initial'] {
  if (!change || results.status !== 'upcoming' || change.closed !== undefined || poll.rehearsal)
    return poll.initial;
  const { closesInMs } = endAfter(results, change, results.readAtMs);
  return initialState({
    closesInMs,
    resultsVisibility: change.resultsVisibility ?? results.resultsVisibility,
  });
}

function colorsOf(answers: readonly Answer[]): string {
  return answers.map(({ color = '' }) => color).join();
}

function idsOf(answers: readonly Answer[]): string[] {
  return answers.map(({ id }) => id);
}

function replacedTexts(before: Poll, after: Poll, untilMs: number): EarlierWording | undefined {
  const textAfter = new Map(after.answers.map(({ id, text }) => [id, text]));
  const answers = before.answers
    .filter(({ id, text }) => text !== textAfter.get(id))
    .map(({ id, text }) => ({ id, text }));
  const { title, description } = before;
  if (answers.length === 0 && title === after.title && description === after.description) return undefined;
  return {
    untilMs,
    ...(title !== after.title && { title }),
    ...(description !== after.description && { description }),
    ...(answers.length > 0 && { answers }),
  };
}

function newestOf(wordings: readonly EarlierWording[]): readonly EarlierWording[] {
  const kept = wordings.slice(-MAX_EARLIER);
  const characters = () => kept.reduce((sum, wording) => sum + charactersOf(wording), 0);
  while (kept.length > 1 && characters() > MAX_EARLIER_CHARACTERS) kept.shift();
  return kept;
}

export function charactersOf({ title = '', description = '', answers = [] }: EarlierWording): number {
  return answers.reduce((sum, { text }) => sum + text.length, title.length + description.length);
}
