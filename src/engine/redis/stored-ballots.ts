import type { BallotRecord, StoredBallot } from '../../poll/ballot.ts';
import type { ChatPlatform } from '../../poll/chat-platform.ts';
import type { VoterBallot } from '../engine.ts';
import type { RedisStore } from './redis-store.ts';

/** Prefixes of the fields of a poll's hash, as in create-poll-1.lua. */
export const BALLOT = 'b:';
export const SEQUENCE = 'l:';
export const MARKS = { voters: 'v:', addresses: 'a:', proofs: 'p:' } as const;

export interface BallotField extends BallotRecord {
  readonly sequence: number;
  /** The poll's version after it. */
  readonly version: number;
}

/** Before the tag of a voided ballot. */
const VOIDED = '!';
/** Before the platform of a ballot from chat, in place of a network. */
const CHAT = '@';

type Origin = Pick<StoredBallot, 'network' | 'source'>;

export function tagOf({ network, source }: Origin): string {
  return source ? CHAT + source : (network ?? '');
}

function originOf(tag: string): Origin {
  if (tag.startsWith(CHAT)) return { source: tag.slice(CHAT.length) as ChatPlatform };
  return tag ? { network: tag } : {};
}

type Marks = Pick<BallotField, 'network' | 'source' | 'voided' | 'replaces' | 'logged'>;

/** In place of the network of a change; and after the network of a changed ballot of a verifiable poll. */
const CHANGE = '<';
const CHANGED = '>';

/** @param text `<sequence> <version> <milliseconds> <network> <answers> <name>`, see create-poll-1.lua */
export function parseBallot(ballotId: string, text: string): BallotField {
  const [sequence, version, castAtMs, marks = '', answers = '', ...name] = text.split(' ');
  return {
    sequence: Number(sequence),
    version: Number(version),
    castAtMs: Number(castAtMs),
    ballotId,
    answers: idsIn(answers),
    name: name.join(' ') || null,
    ...parseMarks(marks),
  };
}

function parseMarks(text: string): Marks {
  if (text.startsWith(CHANGE)) return { replaces: Number(text.slice(CHANGE.length)) };
  const voided = text.startsWith(VOIDED);
  const [tag = '', last, answers = ''] = (voided ? text.slice(VOIDED.length) : text).split(CHANGED);
  return {
    ...originOf(tag),
    ...(voided && { voided }),
    ...(last && { logged: { answers: idsIn(answers), last: Number(last) } }),
  };
}

function idsIn(answers: string): string[] {
  return answers === '' ? [] : answers.split(',');
}

export function formatBallot(ballot: BallotField): string {
  const { sequence, version, castAtMs, voided, answers, name, replaces, logged } = ballot;
  const changed = logged ? `${CHANGED}${logged.last}${CHANGED}${logged.answers.join(',')}` : '';
  const marks = replaces === undefined ? (voided ? VOIDED : '') + tagOf(ballot) + changed : CHANGE + replaces;
  return [sequence, version, castAtMs, marks, answers.join(','), name ?? ''].join(' ');
}

/** @param marker of a voter: `<changes> <milliseconds> <ballot id>`, or empty */
export function parseVoter(marker: string): VoterBallot | null {
  const [, changes, changedAtMs, ballotId] = /^(\d+) (\d+) (.+)$/s.exec(marker) ?? [];
  return ballotId === undefined
    ? null
    : { ballotId, changes: Number(changes), changedAtMs: Number(changedAtMs) };
}

export function formatVoter(voter: VoterBallot | null | undefined): string {
  return voter ? `${voter.changes} ${voter.changedAtMs} ${voter.ballotId}` : '';
}

/** Ballots in memory at once while they are put in order. */
const WINDOW = 250_000;
const BATCH = 500;

/** Yields the fields of a hash with a prefix, at least once each, while others are added. */
export async function* scanFields(
  store: RedisStore,
  key: string,
  prefix: string,
): AsyncIterable<[name: string, value: string][]> {
  let cursor = '0';
  do {
    const [next, fields] = await store.send(client =>
      client.hscan(key, cursor, 'MATCH', `${prefix}*`, 'COUNT', BATCH),
    );
    const found: [string, string][] = [];
    for (let at = 0; at < fields.length; at += 2)
      found.push([fields[at]!.slice(prefix.length), fields[at + 1]!]);
    if (found.length > 0) yield found;
    cursor = next;
  } while (cursor !== '0');
}

export async function* readUnordered(store: RedisStore, key: string): AsyncIterable<BallotField[]> {
  for await (const batch of scanFields(store, key, BALLOT)) yield batch.map(field => parseBallot(...field));
}

/** Reads the whole hash for each quarter of a million ballots, because it has no order and memory is bounded. */
export async function* readInOrder(store: RedisStore, key: string): AsyncIterable<BallotField[]> {
  const last = Number(await store.send(client => client.hget(key, 'sequence')));
  for (let first = 1; first <= last; first += WINDOW) {
    const size = Math.min(WINDOW, last - first + 1);
    const found: ([ballotId: string, text: string] | undefined)[] = new Array(size);
    for await (const batch of scanFields(store, key, BALLOT))
      for (const field of batch) {
        const place = Number.parseInt(field[1], 10) - first;
        if (place >= 0 && place < size) found[place] = field;
      }
    for (let start = 0; start < size; start += BATCH)
      yield found.slice(start, start + BATCH).flatMap(field => (field ? parseBallot(...field) : []));
  }
}
