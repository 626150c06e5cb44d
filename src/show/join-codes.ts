import { randomInt } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { engineWith } from '../engine/engine-with.ts';
import type { WantedWording } from '../poll/correct-poll.ts';
import { createEdition, newSeed, type PollSeed } from '../poll/create-poll.ts';
import { JOIN_CODE, JOIN_HELD_MS, JOIN_VALID_MS } from '../poll/join-code.ts';
import { isPollId, type Poll, type PollId, type Reading } from '../poll/poll.ts';
import type { PollChange } from '../poll/poll-change.ts';
import { PollError } from '../poll/poll-error.ts';
import type { PollDraft } from '../poll/poll-schema.ts';
import { findText } from './rewrite-show.ts';
import { parseShow } from './show.ts';

/**
 * Which poll or show a join code leads to. The record of a code names its owner, and a code is
 * valid only while its owner names it too, so two owners never share one. Nothing is written at a
 * close or a deletion: a reader decides by the owner as it is.
 *
 * A draw claims a code for some minutes. The claim is made lasting before its owner is stored, so a
 * process that dies in between leaves at most a claim without an owner. Such a claim, and that of a
 * deleted owner, is marked with the time when it was noticed.
 */

type Ports = Pick<Engine, 'polls' | 'records'>;

const RECORD = 'join:';
/**
 * Codes made lasting since the last sweep, and those that were live then. Deletions lower it at the
 * next sweep only.
 */
const LIVE_CODES = 'limits:join-codes';
const MANY_LIVE = 20_000;
const YEAR_MS = 365 * 24 * 3_600_000;
/** From a draw until its owner is stored. A later retry claims the code again. */
const CLAIM_MS = 600_000;
/** Six digits are left for seven after so many: nearly all are taken. */
const SHORT_TRIES = 50;
const MAX_TRIES = 100;
const SWEPT_AT_ONCE = 50;

/** What a code leads to. */
export type Joined =
  | { readonly poll: PollId; readonly show?: undefined }
  | { readonly show: string; readonly poll?: undefined };

export const ownerPoll = (id: PollId) => `poll:${id}`;
export const ownerShow = (name: string, id: string) => `show:${name}/${id}`;

/** Claims a code for an owner that is about to be stored. */
export async function drawJoinCode(engine: Ports, owner: string): Promise<string> {
  const isLong = Number((await engine.records.find(LIVE_CODES)) ?? 0) > MANY_LIVE;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const digits = isLong || tries >= SHORT_TRIES ? 7 : 6;
    const code = `${randomInt(10 ** digits)}`.padStart(digits, '0');
    if (await claim(engine, code, owner)) return code;
  }
  throw new PollError('rate_limited', { message: 'All join codes are in use. Try again later.' });
}

/** The random parts of a poll, with a code if its draft asks for one. */
export async function drawSeed(engine: Ports, draft: PollDraft, nowMs: number): Promise<PollSeed> {
  const seed = newSeed(draft, nowMs);
  if (!draft.join_code) return seed;
  const { poll } = seed.created;
  return {
    ...seed,
    created: { poll: { ...poll, joinCode: await drawJoinCode(engine, ownerPoll(poll.id)) } },
  };
}

/** @returns a code for a poll that has none and is to have one */
export async function joinCodeFor(
  engine: Ports,
  { id, joinCode }: Pick<Poll, 'id' | 'joinCode'>,
  { hasJoinCode }: WantedWording,
): Promise<string | undefined> {
  return hasJoinCode && joinCode === undefined ? drawJoinCode(engine, ownerPoll(id)) : undefined;
}

/**
 * Makes a claim lasting. Safe to repeat. MUST be called before its owner is stored.
 *
 * @throws PollError `idempotency_key_reused` if the claim has expired and the code belongs to another owner
 */
export async function keepJoinCode(engine: Ports, code: string, owner: string): Promise<void> {
  if (!(await takeJoinCode(engine, code, owner)))
    throw new PollError('idempotency_key_reused', {
      message: 'The join code of this request has expired. Send it again with another Idempotency-Key.',
    });
  await engine.records.spend(LIVE_CODES, 1, Number.MAX_SAFE_INTEGER, YEAR_MS);
}

/** Makes a claim lasting, or takes the code if it is free. @returns whether the owner has it */
export async function takeJoinCode(engine: Ports, code: string, owner: string): Promise<boolean> {
  for (;;) {
    const text = await reserve(engine, code, owner);
    if (text === undefined) return false;
    if (await engine.records.replace(RECORD + code, text, owner)) return true;
  }
}

/** @param code as `parseJoinCode` returns it @returns undefined unless the code is valid now */
export async function findJoined(engine: Ports, code: string): Promise<Joined | undefined> {
  const text = JOIN_CODE.test(code) ? await engine.records.find(RECORD + code) : undefined;
  if (text === undefined) return undefined;
  const { owner } = parseRecord(text);
  const validity = await validityOf(engine, code, owner);
  if (validity === undefined || validity.untilMs < validity.nowMs) return undefined;
  const [kind, name] = splitOwner(owner);
  return kind === 'poll' ? { poll: name } : { show: name };
}

/**
 * Stores no code of a poll before it is the poll's own, and gives a poll that opens after its code
 * has expired another one.
 */
export function withJoinCodes(engine: Engine): Engine {
  const { polls } = engine;
  return engineWith(engine, {
    polls: {
      create: async made => {
        const { id, joinCode } = made.poll;
        if (joinCode !== undefined) await keepJoinCode(engine, joinCode, ownerPoll(id));
        return polls.create(made);
      },
      change: async (id, change) => {
        const wanted = await renewed(engine, id, change);
        const { before, after } = wanted.correction ?? {};
        if (after?.joinCode !== undefined && after.joinCode !== before?.joinCode)
          await keepJoinCode(engine, after.joinCode, ownerPoll(id));
        return polls.change(id, wanted);
      },
      again: async (id, next) => {
        const joinCode = await renewedCode(engine, id);
        if (joinCode === undefined) return polls.again(id, next);
        await keepJoinCode(engine, joinCode, ownerPoll(id));
        return polls.again(id, { ...next, poll: { ...next.poll, joinCode } });
      },
    },
  });
}

/** @returns another code if that of the poll has expired */
async function renewedCode(engine: Engine, id: PollId, known?: Reading): Promise<string | undefined> {
  const reading = known ?? (await engine.polls.find(id));
  if (reading?.poll.joinCode === undefined || untilOf(reading) >= reading.results.readAtMs) return undefined;
  return drawJoinCode(engine, ownerPoll(id));
}

/** From then on its old code belongs to no poll, so that no draw that saw it closed takes the code of an open one. */
async function renewed(engine: Engine, id: PollId, change: PollChange): Promise<PollChange> {
  if (change.closed === undefined && change.deadlineMs === undefined) return change;
  if (change.correction && change.correction.after.joinCode === undefined) return change;
  const reading = await engine.polls.find(id);
  const joinCode = reading && (await renewedCode(engine, id, reading));
  if (!joinCode) return change;
  const { before, after, isUnvoted, ...rest } = change.correction ?? {
    before: reading.poll,
    after: { ...reading.poll, edition: createEdition() },
    isUnvoted: false,
  };
  return { ...change, correction: { ...rest, before, after: { ...after, joinCode }, isUnvoted } };
}

/** Removes codes that may be given out again, marks those without an owner, and counts the live ones. */
export async function sweepJoinCodes(engine: Pick<Engine, 'polls' | 'records' | 'archive'>): Promise<void> {
  const { records, archive } = engine;
  const before = Number((await records.find(LIVE_CODES)) ?? 0);
  let live = 0;
  let batch: { readonly name: string; readonly text: string }[] = [];
  const sweep = async () => {
    const swept = batch.map(async ({ name, text }) => {
      const state = await stateOf(engine, name.slice(RECORD.length), text);
      if (state === 'live') live += 1;
      if (state === 'free') await records.replace(name, text, undefined);
    });
    await Promise.all(swept);
    batch = [];
  };
  // Others are claims.
  for await (const record of archive.readRecords(name => name.startsWith(RECORD)))
    if (record.expiresAtMs === null && batch.push(record) >= SWEPT_AT_ONCE) await sweep();
  await sweep();
  for (;;) {
    const text = await records.putIfAbsent(LIVE_CODES, `${live}`);
    // Codes of this moment may be counted twice: the count is never too small.
    const since = Math.max(0, Number(text) - before);
    if (await records.replace(LIVE_CODES, text, `${live + since}`)) return;
  }
}

async function claim(engine: Ports, code: string, owner: string): Promise<boolean> {
  const text = await reserve(engine, code, owner);
  return text === owner || (text !== undefined && engine.records.replace(RECORD + code, text, owner));
}

/** @returns the record as it is now, if it is the owner's or free */
async function reserve(engine: Ports, code: string, owner: string): Promise<string | undefined> {
  const text = await engine.records.putIfAbsent(`${RECORD}${code}`, owner, CLAIM_MS);
  const isOwn = parseRecord(text).owner === owner;
  return isOwn || (await stateOf(engine, code, text)) === 'free' ? text : undefined;
}

/** Marks a record without an owner. */
async function stateOf(engine: Ports, code: string, text: string): Promise<'live' | 'held' | 'free'> {
  const { owner, goneAtMs } = parseRecord(text);
  const validity = await validityOf(engine, code, owner);
  if (validity && validity.untilMs >= validity.nowMs) return 'live';
  const nowMs = validity?.nowMs ?? (await engine.polls.now());
  const untilMs = validity?.untilMs ?? goneAtMs;
  if (untilMs !== undefined) return untilMs + JOIN_HELD_MS < nowMs ? 'free' : 'held';
  await engine.records.replace(RECORD + code, text, `${owner} ${nowMs}`);
  return 'held';
}

/** @returns until when the code finds its owner; undefined without an owner that names it */
async function validityOf(
  { polls, records }: Ports,
  code: string,
  owner: string,
): Promise<{ readonly untilMs: number; readonly nowMs: number } | undefined> {
  const [kind, name, id] = splitOwner(owner);
  if (kind === 'poll') {
    const reading = isPollId(name) ? await polls.find(name) : undefined;
    if (reading?.poll.joinCode !== code) return undefined;
    return { untilMs: untilOf(reading), nowMs: reading.results.readAtMs };
  }
  const text = await findText(records, name);
  const show = text === undefined ? undefined : parseShow(text);
  return show?.joinCode === code && show.id === id
    ? { untilMs: Number.POSITIVE_INFINITY, nowMs: 0 }
    : undefined;
}

function untilOf({ closedAtMs }: Reading): number {
  return closedAtMs === undefined ? Number.POSITIVE_INFINITY : closedAtMs + JOIN_VALID_MS;
}

function parseRecord(text: string): { readonly owner: string; readonly goneAtMs: number | undefined } {
  const [owner = '', gone] = text.split(' ');
  return { owner, goneAtMs: gone === undefined ? undefined : Number(gone) };
}

function splitOwner(owner: string): [kind: string, name: string, id: string] {
  const [kind = '', name = '', id = ''] = owner.split(/[:/]/);
  return [kind, name, id];
}
