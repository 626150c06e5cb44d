import { CHAT_PLATFORMS, type ChatVoters } from './chat-platform.ts';

/** What a poll is. Pure, runs in browsers. */

export const DAY_MS = 86_400_000;

export type PollId = string;
export type AnswerId = string;
/** An upcoming poll can be read and watched, and accepts no ballot until its creator opens it. */
export const POLL_STATUSES = ['upcoming', 'open', 'closed'] as const;
export type PollStatus = (typeof POLL_STATUSES)[number];
export const VISIBILITIES = ['always', 'after_deadline', 'after_vote', 'hidden'] as const;
export type ResultsVisibility = (typeof VISIBILITIES)[number];

/** An unknown value, of a newer version of Tallycast, hides the results. */
export function parseVisibility(text: string | null | undefined): ResultsVisibility {
  return VISIBILITIES.find(visibility => visibility === text) ?? 'hidden';
}

/** Order in the form on the voting page: as the creator gave them, or shuffled for each voter. */
export const ANSWER_ORDERS = ['given', 'random'] as const;

/** Begins the `hand` of a desk; the rest is random. */
export const DESK_HAND = 'desk-';
export const POLL_ID = /^[0-9A-Za-z]{12}$/;
/** A show: 3 to 40 of `a-z`, `0-9` and `-`, and no `-` at the beginning. */
export const SHOW_NAME = /^[a-z0-9][a-z0-9-]{2,39}$/;
export const SHOW_NAME_RULE = 'must be 3 to 40 of a-z, 0-9 and -, and not begin with -';
/** Characters of a key of any kind. */
export const MAX_KEY_LENGTH = 512;

/** Checks text before it becomes part of an engine's key. */
export function isPollId(text: string): boolean {
  return POLL_ID.test(text);
}

export const MAX_ROUNDS = 100;
const ROUND_ID = /^([0-9A-Za-z]{12})~([1-9]\d?|100)$/;

/** The id by which engines read an earlier round of a poll, and the log of any round. @param round from 1 */
export function idOfRound(id: PollId, round: number): PollId {
  return `${id}~${round}`;
}

/** @returns the poll and number of a round; undefined if this is not the id of one */
export function pollOfRound(id: string): { readonly id: PollId; readonly round: number } | undefined {
  const [, poll, round] = ROUND_ID.exec(id) ?? [];
  return poll === undefined ? undefined : { id: poll, round: Number(round) };
}

/** The round's name in its log, in seals and in addresses: in the first round the id of the poll. */
export function nameOfRound({ id, round = 1 }: PollRound): PollId {
  return round === 1 ? id : idOfRound(id, round);
}

/** Whether an engine may store something under this id: of a poll, or of a round of one. */
export function isStoredId(text: string): boolean {
  return isPollId(pollOfRound(text)?.id ?? text);
}

interface FlagTexts {
  readonly wire: string;
  readonly option: string | undefined;
  readonly meaning: string;
  readonly shown?: string;
}

/**
 * Every flag of a poll, by its name in the code: `wire` is its name in requests, stored data and
 * archives, `option` that of `tallycast poll create`. `shown` describes the flag in replies to
 * readers of the poll; only keys that manage the poll read the others. A new flag starts here;
 * polls stored before it read as false.
 */
export const FLAGS = {
  isPrivate: { wire: 'priv', option: 'private', meaning: 'do not list the poll' },
  sharedAddress: {
    wire: 'mip',
    option: 'shared-address',
    meaning: 'allow several ballots from one address, as in one hall',
  },
  allowComments: {
    wire: 'co',
    option: 'comments',
    meaning: 'allow comments',
    shown: 'Comments are allowed.',
  },
  allowMultiple: {
    wire: 'ma',
    option: 'multiple',
    meaning: 'allow several answers in one ballot',
    shown: 'A ballot may have several answers.',
  },
  requireName: {
    wire: 'enter_name',
    option: 'names',
    meaning: 'ask voters for a name',
    shown: 'A ballot needs a name.',
  },
  requireSignIn: {
    wire: 'only_reg',
    option: 'sign-in',
    meaning: 'require voters to sign in',
    shown: 'Voters have to sign in.',
  },
  allowVpn: {
    wire: 'vpn',
    option: 'vpn',
    meaning: 'allow voters behind a VPN',
    shown: 'Voters behind a VPN are allowed.',
  },
  allowChange: {
    wire: 'change_vote',
    option: 'change-vote',
    meaning: 'let voters change or withdraw their vote while the poll is open',
    shown: 'Voters may change or withdraw their vote while the poll is open.',
  },
  isVerifiable: {
    wire: 'verifiable',
    option: 'verifiable',
    meaning: 'keep a public log of the ballots, by which anyone can check the result',
    shown: 'The poll has a log, by which anyone can check the result.',
  },
  showLogSize: {
    wire: 'show_log_size',
    option: 'show-log-size',
    meaning: 'let the log of hidden results be followed, which shows the number of ballots',
  },
  showTotal: {
    wire: 'show_total_while_hidden',
    option: 'show-total',
    meaning: 'show the number of votes, and nothing else, while results are hidden',
  },
  chatWords: {
    wire: 'chat_words',
    option: 'chat-words',
    meaning: 'votes from chat are letters, others for each poll of a show, and no numbers',
    shown: 'Votes from chat are letters, not numbers.',
  },
  hasJoinCode: {
    wire: 'join_code',
    option: 'join-code',
    meaning: 'give the poll a code of six digits, by which voters find it',
  },
  hasImage: { wire: 'has_image', option: undefined, meaning: 'no effect: `image` decides' },
} as const satisfies Record<string, FlagTexts>;

type Flag = keyof typeof FLAGS;
export type FlagWireName = (typeof FLAGS)[Flag]['wire'];
type PublicFlag = {
  [Name in Flag]: (typeof FLAGS)[Name] extends { readonly shown: string } ? Name : never;
}[Flag];
export type PublicFlagWireName = (typeof FLAGS)[PublicFlag]['wire'];
export type PollSettings = Readonly<Record<Flag, boolean>>;
type StoredSettings = Readonly<Record<FlagWireName, boolean>>;

// Marked as pure, so that bundles for browsers leave out what they do not use.
const FLAG_NAMES = /* @__PURE__ */ Object.keys(FLAGS) as Flag[];
const PUBLIC_FLAGS = /* @__PURE__ */ FLAG_NAMES.filter(name => 'shown' in FLAGS[name]) as PublicFlag[];

/** As it is stored. */
export const ANSWER_COLOR = /^#[0-9a-f]{6}$/;

/** The point of an image that a crop keeps, in percent of its width and height from the top left. */
export type ImageFocus = readonly [x: number, y: number];

/** Where none is chosen: at this height, heads are whole. */
export const IMAGE_FOCUS: ImageFocus = [50, 28];

export interface Answer {
  readonly id: AnswerId;
  readonly text: string;
  /** `#rrggbb` in lower case; absent for none. */
  readonly color?: string | undefined;
  /** File of an image that is stored with the poll, named as in `stored-image.ts`; absent for none. */
  readonly image?: string | undefined;
  /** Absent for `IMAGE_FOCUS`. */
  readonly imageFocus?: ImageFocus | undefined;
}

/** An image as engines and archives store it. */
export interface EncodedImage {
  readonly file: string;
  /** Base64. */
  readonly data: string;
}

/**
 * What the creator fixed. Changes only with `edition`, so it can be cached for as long as reads
 * have the same edition.
 */
export interface Poll {
  readonly id: PollId;
  /** Random; absent before the first correction and the second round. */
  readonly edition?: string | undefined;
  /** From 2 on; absent in the first round. */
  readonly round?: number | undefined;
  /** The version at which this round began: smaller versions are of earlier rounds. Absent in the first round. */
  readonly roundFrom?: number | undefined;
  /** The wordings before corrections that voters may have missed, oldest first: see `planCorrection`. */
  readonly earlier?: readonly EarlierWording[] | undefined;
  readonly title: string;
  readonly description: string;
  readonly answers: readonly Answer[];
  readonly settings: PollSettings;
  /** How many answers a ballot has at least, with `allowMultiple` only: see `choicesOf`. Absent for the defaults. */
  readonly minChoices?: number | undefined;
  /** At most. */
  readonly maxChoices?: number | undefined;
  /** Absent for the given order. */
  readonly answerOrder?: 'random' | undefined;
  /** The file of an image that is stored with the poll, or an absolute https URL, which no server fetches. */
  readonly image: string | null;
  /** As that of an answer. */
  readonly imageFocus?: ImageFocus | undefined;
  /** UNIX time in milliseconds of a deadline sent with `has_deadline` off. Has no effect. */
  readonly inactiveDeadlineMs?: number | null | undefined;
  /** UNIX time in milliseconds, by the engine's clock. */
  readonly createdAtMs: number;
  /** Milliseconds for which the poll is kept without a ballot; absent means as long as any other. */
  readonly emptyRetentionMs?: number | undefined;
  /** False keeps the poll to the page; absent means that chats of its show count. */
  readonly chat?: false | undefined;
  /** With `chatWords`: the letter of its first answer, from 0 for A. Absent for 0. */
  readonly firstLetter?: number | undefined;
  /** Simulated votes; nothing is stored. */
  readonly rehearsal?: true | undefined;
  /** The show in which it was created. */
  readonly show?: PollOwner | undefined;
  /**
   * Secret, 128 bits as base64url, for the hashes of voters' networks. Absent in polls from before
   * ballots had networks. MUST NOT leave the servers.
   */
  readonly networkKey?: string | undefined;
  /** Six or seven digits: see `show/join-codes.ts`. */
  readonly joinCode?: string | undefined;
  /** For copies: as it was before its opening, which changes these members. Absent for the defaults. */
  readonly initial?: InitialState | undefined;
}

export interface InitialState {
  /** Milliseconds from opening to deadline. */
  readonly closesInMs?: number | undefined;
  readonly resultsVisibility?: ResultsVisibility | undefined;
}

/** The texts that a correction replaced; absent members stayed as they were. */
export interface EarlierWording extends Partial<Pick<Poll, 'title' | 'description' | 'answers'>> {
  /** When they were replaced: UNIX time in milliseconds, by the engine's clock. */
  readonly untilMs: number;
}

/** A poll as engines and archives store it. */
export interface StoredPoll extends Omit<Poll, 'settings'> {
  readonly settings: StoredSettings;
}

/** A show that owns polls. Its name may later belong to another show, its id never does. */
export interface PollOwner {
  readonly name: string;
  readonly id: string;
}

/** Counts and state of a poll at one version: one consistent snapshot, by the engine's clock. */
export interface Results {
  /** Grows with every accepted ballot and every change of the poll's state. */
  readonly version: number;
  /** In the order of `poll.answers`. */
  readonly votes: readonly number[];
  /** Ballots, not votes: a ballot may have several answers. */
  readonly totalVoters: number;
  /** Those of `totalVoters` that came from chat; absent for none. The others are of the voting page. */
  readonly chatVoters?: ChatVoters | undefined;
  /** Votes of voided ballots, which `votes` and `totalVoters` leave out; absent for none. */
  readonly voidedVotes?: number | undefined;
  /** Ballots that their voters have withdrawn, which count nowhere; absent for none. */
  readonly withdrawn?: number | undefined;
  readonly status: PollStatus;
  /** UNIX time in milliseconds; null without an active deadline. */
  readonly deadlineMs: number | null;
  /** Upcoming polls only: milliseconds from opening to deadline. `deadlineMs` is null until then. */
  readonly closesInMs?: number | undefined;
  readonly resultsVisibility: ResultsVisibility;
  /**
   * The best place that a closed poll with hidden results shows already, 2 or more; absent before
   * the first step of its reveal.
   */
  readonly revealedFrom?: number | undefined;
  /** That of the poll: `votes` belong to its answers. */
  readonly edition?: string | undefined;
  /** UNIX time in milliseconds of the read. */
  readonly readAtMs: number;
}

/** A poll as it is now. */
export type PollNow = Pick<Reading, 'poll' | 'results'>;

/** Names a round of a poll. */
export type PollRound = Pick<Poll, 'id' | 'round'>;

/** What a creator decides about a poll, without its ballots. */
export type ExpectedState = Pick<
  Results,
  'status' | 'deadlineMs' | 'closesInMs' | 'resultsVisibility' | 'revealedFrom' | 'edition'
>;

/** The state of a round at the time of a read. */
export type SeenState = ExpectedState & Pick<Poll, 'round'> & Pick<Results, 'readAtMs'>;

/** SHA-256 digests (hex) of the keys of a poll. */
export interface PollKeys {
  readonly adminKeyHash: string;
  readonly viewKeyHash: string;
  /** Keys of the show that owns the poll. They come from the show's record, not from a read of the poll. */
  readonly showKeys?: ShowKeys | undefined;
}

/** SHA-256 digests (hex) of the keys of a show. */
export interface ShowKeys {
  readonly keyHash: string;
  /** Absent in older shows until its first use. */
  readonly viewKey?: { readonly hash: string } | undefined;
}

/** What an engine needs to create a poll. An upcoming one may have `closesInMs` in place of a deadline. */
export interface NewPoll extends Pick<Results, 'deadlineMs' | 'closesInMs' | 'resultsVisibility'> {
  readonly poll: Poll;
  readonly keys: PollKeys;
  readonly upcoming?: boolean | undefined;
  /** Those that its answers name. */
  readonly images?: readonly EncodedImage[] | undefined;
}

/** The next round of a poll, under the same id and keys. */
export interface NextRound extends Omit<NewPoll, 'keys' | 'images'> {
  /**
   * As it was read: all that the round takes over comes from it. `poll` has another edition, and of
   * the images those that it has now.
   */
  readonly before: SeenState;
}

/** The result of one read of a poll. */
export interface Reading {
  readonly poll: Poll;
  readonly results: Results;
  readonly keys: PollKeys;
  /** For metrics only: UNIX time in milliseconds, by the engine's clock, of the newest hinted ballot; 0 if none. */
  readonly hintedAtMs: number;
  /**
   * When its creator or its deadline closed it: UNIX time in milliseconds, by the engine's clock;
   * absent unless it is closed.
   */
  readonly closedAtMs?: number | undefined;
}

/** @param byHandMs when the creator closed the poll, null if it is not closed so @returns `closedAtMs` of a reading */
export function closedAtMs(
  byHandMs: number | null,
  deadlineMs: number | null,
  nowMs: number,
): number | undefined {
  const ends = [byHandMs, deadlineMs].filter(ms => ms !== null && ms <= nowMs) as number[];
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** @returns the wire names of all flags that have an effect */
export function effectiveFlags(): FlagWireName[] {
  return FLAG_NAMES.filter(name => FLAGS[name].option !== undefined).map(name => FLAGS[name].wire);
}

/** @returns every flag that readers of a poll see, by its wire name */
export function publicFlags(settings: PollSettings): Readonly<Record<PublicFlagWireName, boolean>> {
  return Object.fromEntries(PUBLIC_FLAGS.map(name => [FLAGS[name].wire, settings[name]])) as Record<
    PublicFlagWireName,
    boolean
  >;
}

/** @returns every flag, as in `otherwise` or off unless given */
export function pollSettings(
  given: Partial<PollSettings> = {},
  otherwise: Partial<PollSettings> = {},
): PollSettings {
  return Object.fromEntries(
    FLAG_NAMES.map(name => [name, given[name] ?? otherwise[name] ?? false]),
  ) as PollSettings;
}

/** @param written may have other members, which are left out */
export function givenSettings(
  written: {
    readonly [Name in FlagWireName]?: boolean | undefined;
  },
): Partial<PollSettings> {
  return Object.fromEntries(FLAG_NAMES.map(name => [name, written[FLAGS[name].wire]]));
}

export function readSettings(stored: Partial<StoredSettings>): PollSettings {
  return pollSettings(givenSettings(stored));
}

/** @returns how many answers a ballot of the poll has, at least and at most */
export function choicesOf({
  answers,
  settings: { allowMultiple },
  minChoices = 1,
  maxChoices = allowMultiple ? answers.length : 1,
}: Pick<Poll, 'answers' | 'settings' | 'minChoices' | 'maxChoices'>): readonly [least: number, most: number] {
  return [minChoices, maxChoices];
}

/** @returns undefined for the defaults */
export function initialState({ closesInMs, resultsVisibility }: InitialState): InitialState | undefined {
  const isVisible = resultsVisibility === undefined || resultsVisibility === 'always';
  if (closesInMs === undefined && isVisible) return undefined;
  return { ...(closesInMs !== undefined && { closesInMs }), ...(!isVisible && { resultsVisibility }) };
}

export function toStoredPoll(poll: Poll): StoredPoll {
  const settings = FLAG_NAMES.map(name => [FLAGS[name].wire, poll.settings[name]]);
  return { ...poll, settings: Object.fromEntries(settings) as StoredSettings };
}

export function fromStoredPoll(stored: StoredPoll): Poll {
  return { ...stored, settings: readSettings(stored.settings) };
}

/** @returns UNIX time in milliseconds until which a poll without a ballot is kept; null if that makes no difference */
export function emptyUntilMs(
  {
    createdAtMs,
    emptyRetentionMs,
  }: { readonly [Name in 'createdAtMs' | 'emptyRetentionMs']?: number | undefined },
  deadlineMs: number | null,
): number | null {
  if (!emptyRetentionMs || createdAtMs === undefined) return null;
  return Math.max(createdAtMs, deadlineMs ?? 0) + emptyRetentionMs;
}

/** Whether a ballot was ever accepted, also if it is voided or withdrawn now. */
export function hasBallots({
  totalVoters,
  voidedVotes = 0,
  withdrawn = 0,
}: Pick<Results, 'totalVoters' | 'voidedVotes' | 'withdrawn'>): boolean {
  return totalVoters > 0 || voidedVotes > 0 || withdrawn > 0;
}

export const IMAGE_FILE = /^[0-9a-f]{64}\.(png|jpg|webp)$/;

/** Returns the files of the images that are stored with a poll: of its question, and of its answers. */
export function imageFiles({ image, answers }: Pick<Poll, 'image' | 'answers'>): string[] {
  const files = answers.flatMap(answer => answer.image ?? []);
  return [...new Set(image !== null && IMAGE_FILE.test(image) ? [image, ...files] : files)];
}

/** When the poll was last corrected after its first ballot: UNIX time in milliseconds; undefined if it was not. */
export function editedAtMs({ earlier }: Pick<Poll, 'earlier'>): number | undefined {
  return earlier?.at(-1)?.untilMs;
}

/** The one rule of when counts are visible without a key. @param isPast whether the deadline has passed */
export function isVisible(
  visibility: ResultsVisibility,
  status: PollStatus,
  { isPast = status === 'closed', hasVoted = false }: { isPast?: boolean; hasVoted?: boolean } = {},
): boolean {
  switch (visibility) {
    case 'always':
      return true;
    case 'after_deadline':
      return isPast;
    case 'after_vote':
      return hasVoted || status === 'closed';
    case 'hidden':
      return false;
  }
}

/** Whether the counts are visible without a key at the time of the read. */
export function areResultsPublic(results: Results): boolean {
  return areResultsVisible(results, false);
}

/** The same on the voting page of a browser. @param hasVoted in this poll */
export function areResultsVisible(
  { resultsVisibility, status, deadlineMs, readAtMs }: Results,
  hasVoted: boolean,
): boolean {
  const isPast = deadlineMs !== null && readAtMs >= deadlineMs;
  return isVisible(resultsVisibility, status, { isPast, hasVoted });
}

/**
 * Whether two reads differ in their time at most. Compares everything, because after a loss of data
 * an engine can reach the same version with other results.
 */
export function areSameResults(a: Results, b: Results): boolean {
  return (
    a.version === b.version &&
    a.totalVoters === b.totalVoters &&
    CHAT_PLATFORMS.every(platform => a.chatVoters?.[platform] === b.chatVoters?.[platform]) &&
    a.voidedVotes === b.voidedVotes &&
    a.withdrawn === b.withdrawn &&
    a.status === b.status &&
    a.deadlineMs === b.deadlineMs &&
    a.closesInMs === b.closesInMs &&
    a.resultsVisibility === b.resultsVisibility &&
    a.revealedFrom === b.revealedFrom &&
    a.edition === b.edition &&
    a.votes.length === b.votes.length &&
    a.votes.every((votes, index) => votes === b.votes[index])
  );
}

export function countVotes(results: Results): number {
  let total = 0;
  for (const votes of results.votes) total += votes;
  return total;
}
