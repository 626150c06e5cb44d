import {
  type ANSWER_ORDERS,
  type Answer,
  choicesOf,
  type EarlierWording,
  type EncodedImage,
  hasBallots,
  type ImageFocus,
  initialState,
  type Poll,
  type PollNow,
  type PollSettings,
  pollSettings,
  toStoredPoll,
} from './poll.ts';
import { type Correction, endAfter, type PollChange } from './poll-change.ts';

/**
 * The definition that a creator asks for; absent members stay as they are. Until the first ballot
 * everything may change, afterwards texts, colors, crops of images and the join code.
 */
export interface WantedWording extends Partial<PollSettings> {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /**
   * All answers, in order. Without an id, it is the answer with this text, or else a new one. If
   * none has a text, only the listed ones change.
   */
  readonly answers?: readonly WantedAnswer[] | undefined;
  /** Null removes the limit. */
  readonly minChoices?: number | null | undefined;
  readonly maxChoices?: number | null | undefined;
  readonly answerOrder?: (typeof ANSWER_ORDERS)[number] | undefined;
  /** The crop of the question's image; null resets it. */
  readonly imageFocus?: ImageFocus | null | undefined;
}

export interface WantedAnswer {
  readonly id?: string | undefined;
  /** Without one, the answer keeps its own. */
  readonly text?: string | undefined;
  /** `#rrggbb`; null removes it. */
  readonly color?: string | null | undefined;
  /** Null resets it. */
  readonly imageFocus?: ImageFocus | null | undefined;
}

export type PlannedCorrection =
  /** `correction` is undefined if the poll already reads like that. */
  | { readonly correction: Correction | undefined; readonly fault?: undefined }
  | { readonly correction?: undefined; readonly fault: CorrectionFault }
  /** `index` is a position in the wanted list. */
  | { readonly correction?: undefined; readonly fault: 'unknown_answer'; readonly index: number }
  /** `rules` would change after the first ballot, by their names on the wire. */
  | { readonly correction?: undefined; readonly fault: 'rules_fixed'; readonly rules: readonly string[] };

export type CorrectionFault =
  /** Other answers, or another order, after the first ballot. */
  | 'ballots_cast'
  /** Fewer answers than `minChoices` or `maxChoices`, or a minimum above the maximum. */
  | 'choices_impossible'
  /** `minChoices` or `maxChoices` without `allowMultiple`. */
  | 'multiple_missing'
  /** `showLogSize` without `isVerifiable`. */
  | 'log_missing'
  /** A poll of a show is to be listed. */
  | 'show_unlisted';

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
  { poll, results }: PollNow,
  wanted: WantedWording,
  fresh: {
    readonly edition: string;
    readonly createAnswerId: () => string;
    readonly joinCode?: string | undefined;
  },
  change?: PollChange,
): PlannedCorrection {
  const { title = poll.title, description = poll.description } = wanted;
  const known = new Set(poll.answers.map(({ id }) => id));
  const unknown = (wanted.answers ?? []).findIndex(({ id }) => id !== undefined && !known.has(id));
  if (unknown >= 0) return { fault: 'unknown_answer', index: unknown };
  const answers = wantedAnswers(wanted.answers ?? []);
  const rules = rulesAfter(poll, wanted);
  if (typeof rules === 'string') return { fault: rules };
  const { hasJoinCode } = rules.settings;
  const joinCode = hasJoinCode ? (poll.joinCode ?? fresh.joinCode) : undefined;
  const initial = initialAfter({ poll, results }, change);
  const { imageFocus = poll.imageFocus } = wanted;
  const faces = { answers, imageFocus: imageFocus ?? undefined };
  const corrected = { ...poll, title, description, ...faces, ...rules, joinCode, initial };
  const isUnvoted = !hasBallots(results);
  const hasSameAnswers = idsOf(answers).join() === idsOf(poll.answers).join();
  if (!isUnvoted && !hasSameAnswers) return { fault: 'ballots_cast' };
  const [least, most] = choicesOf(corrected);
  if (least > most || most > answers.length) return { fault: 'choices_impossible' };
  const changedRules = rulesThatDiffer(poll, corrected);
  // Earlier rounds have ballots, and are listed with the present one.
  const fixed = isUnvoted ? changedRules.filter(rule => rule === 'priv' && poll.round) : changedRules;
  if (fixed.length > 0) return { fault: 'rules_fixed', rules: fixed };

  const replaced = replacedTexts(poll, corrected, results.readAtMs);
  const isInitial = JSON.stringify(initial) === JSON.stringify(poll.initial);
  const hasSameFaces = facesOf(corrected) === facesOf(poll);
  const hasSameLimits = limitsOf(corrected) === limitsOf(poll);
  const hasSameRules = changedRules.length === 0 && hasSameLimits && joinCode === poll.joinCode;
  if (hasSameAnswers && hasSameFaces && hasSameRules && isInitial && !replaced)
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

function changed(known: Answer, wanted: WantedAnswer): Answer {
  const { color: _, imageFocus: __, ...rest } = known;
  const { text = known.text, color = known.color, imageFocus = known.imageFocus } = wanted;
  return { ...rest, text, ...(color && { color }), ...(imageFocus && { imageFocus }) };
}

type Rules = Pick<Poll, 'settings' | 'minChoices' | 'maxChoices' | 'answerOrder'>;

/** A limit ends with `allowMultiple`, and so does `showLogSize` with the log. */
function rulesAfter(poll: Poll, wanted: WantedWording): Rules | CorrectionFault {
  const settings = pollSettings(wanted, poll.settings);
  const { allowMultiple, isVerifiable } = settings;
  if (poll.show && wanted.isPrivate === false) return 'show_unlisted';
  if (wanted.showLogSize && !isVerifiable) return 'log_missing';
  if (!allowMultiple && (wanted.minChoices || wanted.maxChoices)) return 'multiple_missing';
  const { minChoices = poll.minChoices, maxChoices = poll.maxChoices } = wanted;
  const { answerOrder = poll.answerOrder } = wanted;
  return {
    settings: { ...settings, showLogSize: settings.showLogSize && isVerifiable },
    minChoices: (allowMultiple && minChoices) || undefined,
    maxChoices: (allowMultiple && maxChoices) || undefined,
    answerOrder: answerOrder === 'random' ? answerOrder : undefined,
  };
}

/** @returns names on the wire */
function rulesThatDiffer(before: Poll, after: Poll): string[] {
  const old: Readonly<Record<string, unknown>> = rulesOf(before);
  return Object.entries(rulesOf(after)).flatMap(([name, value]) => (value === old[name] ? [] : name));
}

/** Those that the first ballot fixes. */
function rulesOf(poll: Poll) {
  const { join_code: _, has_image: __, ...flags } = toStoredPoll(poll).settings;
  const [min_choices, max_choices] = choicesOf(poll);
  return { ...flags, min_choices, max_choices, answer_order: poll.answerOrder };
}

/** As given: without a limit, the most is the number of answers. */
function limitsOf({ minChoices, maxChoices }: Poll): string {
  return `${minChoices} ${maxChoices}`;
}

/**
 * The correction that gives the question or an answer another image, or none. It is no public one.
 *
 * @param answerId undefined for the question
 * @param edition a new one
 * @returns undefined if it has that image, or there is no such answer
 */
export function planImage(
  { poll, results }: PollNow,
  answerId: string | undefined,
  image: EncodedImage | undefined,
  edition: string,
): Correction | undefined {
  const ofQuestion = answerId === undefined ? (image?.file ?? null) : poll.image;
  const keepsFocus = ofQuestion === poll.image || (image && poll.image === null);
  const answers = poll.answers.map(answer => {
    if (answer.id !== answerId || answer.image === image?.file) return answer;
    // The point is one of the image before, or was given for the first one.
    const { image: before, imageFocus, ...rest } = answer;
    if (!image) return rest;
    return { ...rest, image: image.file, ...(imageFocus && before === undefined && { imageFocus }) };
  });
  if (ofQuestion === poll.image && answers.every((answer, index) => answer === poll.answers[index]))
    return undefined;
  const imageFocus = keepsFocus ? poll.imageFocus : undefined;
  const after = { ...poll, edition, answers, image: ofQuestion, imageFocus };
  return { before: poll, after, isUnvoted: !hasBallots(results), image };
}

function initialAfter({ poll, results }: PollNow, change?: PollChange): Poll['initial'] {
  if (!change || results.status !== 'upcoming' || change.closed !== undefined || poll.rehearsal)
    return poll.initial;
  const { closesInMs } = endAfter(results, change, results.readAtMs);
  return initialState({
    closesInMs,
    resultsVisibility: change.resultsVisibility ?? results.resultsVisibility,
  });
}

function facesOf({ answers, imageFocus }: Pick<Poll, 'answers' | 'imageFocus'>): string {
  return JSON.stringify([imageFocus, ...answers.map(({ color, imageFocus }) => [color, imageFocus])]);
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
