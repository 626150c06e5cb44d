import type { Engine } from '../engine/engine.ts';
import { readProcessRecords } from '../engine/process-records.ts';
import type { ChatLink } from '../poll/chat-link.ts';
import type { ChatPlatform } from '../poll/chat-platform.ts';
import { PollError } from '../poll/poll-error.ts';
import { parseShow, type StoredShow, showTopic } from './show.ts';

/**
 * Which shows link chats: one record, by which chat processes find them and the limits are kept.
 * The links are in the shows.
 */

/** Name of the record, and topic of its hints. */
export const CHAT_LINKS = 'chat:links';

/** Channels of the shows that one address has linked. */
const CHANNELS_OF_ADDRESS = 5;
/** Shows on one channel count once, so the shows have a limit of their own. */
const SHOWS_OF_CHANNEL = 5;
/** By then the show has its links, or the request has failed. */
const CLAIM_MS = 60_000;
/** A show that has had nothing on air for so long gives its channels up to one that needs them. */
const IDLE_MS = 3_600_000;
/** Beyond it the one that was given up first is forgotten. */
const MAX_GIVEN_UP = 100;

export interface ChatClaim {
  readonly show: string;
  /** Keyed hash of the address that linked it; absent for an operator. */
  readonly by?: string | undefined;
  /** What it is about to link. */
  readonly chat: readonly ChatLink[];
  /** UNIX time in milliseconds. */
  readonly atMs: number;
  /** Another show needed the place. Claimed again when the show puts a poll on air. */
  readonly isGivenUp?: true | undefined;
}

type Ports = Pick<Engine, 'records' | 'hints'>;

export function parseChatClaims(text: string | undefined): readonly ChatClaim[] {
  return text === undefined ? [] : (JSON.parse(text) as readonly ChatClaim[]);
}

/**
 * Takes channels for a show that is about to link them, or frees those of one that links none.
 * Shows that link none any more lose theirs. Those of operators and all others have as many each.
 * Where there is no room, shows of others give theirs up that had nothing on air for an hour, or
 * whose channels cannot be joined.
 *
 * @param by undefined for an operator, who has no limit of an address
 * @param channels of operators, and of all others
 * @throws PollError `chat_full`
 */
export async function claimChannels(
  ports: Ports,
  { show, chat, by }: Pick<ChatClaim, 'show' | 'chat' | 'by'>,
  channels: number,
): Promise<void> {
  const { records } = ports;
  await rewriteClaims(ports, async all => {
    const claims = all.filter(claim => claim.show !== show);
    const shows = await records.findMany(claims.map(claim => showTopic(claim.show)));
    const nowMs = Date.now();
    const held = claims
      .map((claim, index) => heldBy(claim, shows[index], nowMs))
      .filter(({ links }) => links.length > 0);
    const mine = { claim: { show, chat, ...(by !== undefined && { by }), atMs: nowMs }, links: chat };
    const givenUp = chat.length > 0 ? await makeRoom(records, held, mine, channels) : new Set<ChatClaim>();
    const others = held.map(({ claim }) =>
      givenUp.has(claim) ? { ...claim, isGivenUp: true as const } : claim,
    );
    const forgotten = new Set(others.filter(({ isGivenUp }) => isGivenUp).slice(0, -MAX_GIVEN_UP));
    const kept = others.filter(claim => !forgotten.has(claim));
    return chat.length === 0 ? kept : [...kept, mine.claim];
  });
}

/** Adds claims of an archive for shows that have none. @returns false if all have one */
export function addChatClaims(ports: Ports, given: readonly ChatClaim[]): Promise<boolean> {
  return rewriteClaims(ports, async claims => {
    const added = given.filter(({ show }) => !claims.some(claim => claim.show === show));
    return added.length === 0 ? undefined : [...claims, ...added];
  });
}

/** Writes all claims, again where another process wrote in between. @param next undefined leaves them as they are */
async function rewriteClaims(
  { records, hints }: Ports,
  next: (claims: readonly ChatClaim[]) => Promise<readonly ChatClaim[] | undefined>,
): Promise<boolean> {
  for (;;) {
    const text = await records.putIfAbsent(CHAT_LINKS, '[]');
    const wanted = await next(parseChatClaims(text));
    if (!wanted) return false;
    if (!(await records.replace(CHAT_LINKS, text, JSON.stringify(wanted)))) continue;
    await hints.publish(CHAT_LINKS).catch(() => {});
    return true;
  }
}

interface HeldChannels {
  readonly claim: ChatClaim;
  readonly links: readonly ChatLink[];
  readonly isIdle?: boolean | undefined;
}

function heldBy(claim: ChatClaim, text: string | undefined, nowMs: number): HeldChannels {
  const stored = text === undefined ? undefined : parseShow(text);
  const linked = stored?.chat ?? [];
  const isNew = nowMs - claim.atMs < CLAIM_MS;
  const isIdle = !isNew && stored?.onAir === null && nowMs - (stored.changedAtMs ?? 0) > IDLE_MS;
  return { claim, links: isNew ? [...linked, ...claim.chat] : linked, isIdle };
}

/**
 * @returns the claims that are given up for it
 * @throws PollError `chat_full`
 */
async function makeRoom(
  records: Ports['records'],
  held: readonly HeldChannels[],
  mine: HeldChannels,
  channels: number,
): Promise<Set<ChatClaim>> {
  const { by } = mine.claim;
  const isOperators = by === undefined;
  const pool = held.filter(({ claim }) => !claim.isGivenUp && (claim.by === undefined) === isOperators);
  const ofAddress = pool.filter(({ claim }) => claim.by === by);
  if (!isOperators && !hasRoom([...ofAddress, mine], CHANNELS_OF_ADDRESS)) throw new PollError('chat_full');
  const givenUp = new Set<ChatClaim>();
  const rest = () => [...pool.filter(({ claim }) => !givenUp.has(claim)), mine];
  if (hasRoom(rest(), channels)) return givenUp;
  const reports = isOperators ? [] : await readReports(records);
  const isEnded = (link: ChatLink) => reports.some(known => known[nameOfLink(link)]?.state === 'ended');
  for (const { claim, links, isIdle } of isOperators ? [] : pool) {
    if (!isIdle && !links.every(isEnded)) continue;
    givenUp.add(claim);
    if (hasRoom(rest(), channels)) return givenUp;
  }
  throw new PollError('chat_full');
}

function hasRoom(held: readonly HeldChannels[], channels: number): boolean {
  const distinct = new Set(held.flatMap(({ links }) => links.map(nameOfLink)));
  return distinct.size <= channels && held.length <= channels * SHOWS_OF_CHANNEL;
}

export function nameOfLink({ platform, channel }: ChatLink): string {
  return `${platform}:${channel}`;
}

/** The worst first: it is the state of all processes together. `waiting`: nothing is on air. */
const STATES = ['lost', 'ended', 'connected', 'joining', 'waiting'] as const;

/** What a process knows of a link. */
export interface ChatReport {
  readonly state: (typeof STATES)[number];
  /** Each process gets all messages; otherwise each message comes to one of them. */
  readonly hearsAll: boolean;
  /** Why it is not connected. */
  readonly fault?: string | undefined;
  readonly messagesPerSecond: number;
  /** People counted since the poll was put on air. */
  readonly votes: number;
  /** Votes that were not counted since then, because there were too many at once or the engine was lost. */
  readonly lost: number;
  /** Votes that came before the poll on air was open. */
  readonly early: number;
  /** Seconds between the date of messages and their arrival, from 5 on; negative before their date. */
  readonly late?: number | undefined;
}

/** The kind of the records of processes: JSON of `ChatReports`. */
export const CHAT_STATE = 'chat:state';

/** By `nameOfLink`. */
export type ChatReports = Readonly<Record<string, ChatReport>>;

export interface ReportedLink extends Omit<ChatReport, 'state' | 'hearsAll'> {
  readonly platform: ChatPlatform;
  readonly channel: string;
  /** `off`: no process reads this platform. */
  readonly state: ChatReport['state'] | 'off';
}

/** The links of a show with what all processes know of them, in their order. */
export async function readChatReports(
  { records }: Pick<Ports, 'records'>,
  { chat = [] }: Pick<StoredShow, 'chat'>,
): Promise<readonly ReportedLink[]> {
  if (chat.length === 0) return [];
  const processes = await readReports(records);
  return chat.map(link => {
    const reports = processes.map(known => known[nameOfLink(link)]).filter(report => report !== undefined);
    return { ...link, ...together(reports) };
  });
}

async function readReports(
  records: Parameters<typeof readProcessRecords>[0],
): Promise<readonly ChatReports[]> {
  const texts = [...(await readProcessRecords(records, CHAT_STATE)).values()];
  return texts.map(text => JSON.parse(text) as ChatReports);
}

function together(reports: readonly ChatReport[]): Omit<ReportedLink, keyof ChatLink> {
  const rank = ({ state }: ChatReport) => STATES.indexOf(state);
  const [worst] = reports.toSorted((one, other) => rank(one) - rank(other));
  if (!worst) return { state: 'off', messagesPerSecond: 0, votes: 0, lost: 0, early: 0 };
  const figure = (name: 'messagesPerSecond' | 'votes' | 'lost' | 'early') => {
    const figures = reports.map(report => report[name]);
    return worst.hearsAll ? Math.max(...figures) : figures.reduce((sum, each) => sum + each, 0);
  };
  return {
    state: worst.state,
    fault: worst.fault,
    messagesPerSecond: figure('messagesPerSecond'),
    votes: figure('votes'),
    lost: figure('lost'),
    early: figure('early'),
    late: reports.find(({ late }) => late !== undefined)?.late,
  };
}
