import type { ArchivedEntry, ArchivedPoll } from '../engine/archive.ts';
import type { Engine } from '../engine/engine.ts';
import { parseOperatorKeys } from '../operator/operator-keys.ts';
import { ArchiveFault, type ArchiveItem } from './archive-line.ts';
import { visitArchive } from './archived-polls.ts';
import { checkRecord, kindOfRecord, VOTING_SECRET } from './archived-records.ts';
import { PollSums } from './poll-sums.ts';

const NAMED = 5;

export interface ImportOptions {
  /** Gives the whole archive each time it is called. */
  readonly items: () => AsyncIterable<readonly ArchiveItem[]>;
  /** `empty`: refuses where there is anything. `replace`: what is there under the same id or name gives way. */
  readonly into?: 'empty' | 'replace' | undefined;
  /** Brings operator keys and kept replies as well. Without it they are skipped, because they open more than the polls. */
  readonly withKeys?: boolean | undefined;
  readonly nowMs: number;
  /** Told how far it is, often. */
  readonly onProgress?: ((ballots: number) => void) | undefined;
}

export interface ImportOutcome {
  polls: number;
  ballots: number;
  records: number;
  /** Records that were not brought, by kind. */
  skipped: { operatorKeys: number; keptReplies: number; passing: number };
  /** Operator keys that are valid here now, by name. */
  operatorKeys: string[];
  /** Polls that were there already, with every ballot of the archive. */
  known: number;
  /** Polls that have outlived their retention. */
  expired: number;
  /** Voters are known by another secret now: voting front ends have to be started anew. */
  restart: boolean;
}

/** What is found before anything is changed. */
interface Findings {
  /** Ids of polls that are there already. */
  readonly known: Set<string>;
  /** Those that lack ballots of the archive, and how many. */
  readonly lacking: Map<string, number>;
  secret: string | undefined;
}

/**
 * Adds to an engine what an archive holds and the engine does not. The archive is read twice: nothing is changed where
 * anything is wrong with it. Safe to do again.
 *
 * @throws ArchiveFault
 */
export async function importArchive(engine: Engine, options: ImportOptions): Promise<ImportOutcome> {
  const { items, into, withKeys = false, nowMs, onProgress } = options;
  const { archive, polls, records } = engine;
  if (into === 'empty') await requireEmpty(engine);
  const findings = await check(engine, items());
  if (into !== 'replace') refuseConflicts(findings);
  const outcome: ImportOutcome = {
    ...{ polls: 0, ballots: 0, records: 0, known: 0, expired: 0, restart: false, operatorKeys: [] },
    skipped: { operatorKeys: 0, keptReplies: 0, passing: 0 },
  };
  outcome.restart = await takeSecret(engine, findings.secret);
  await visitArchive(items(), {
    async onRecord({ name, text, expiresAtMs }) {
      const kind = kindOfRecord(name);
      const keys = kind === 'operatorKeys' ? parseOperatorKeys(text) : [];
      if (kind === 'votingSecret' || (expiresAtMs !== null && expiresAtMs <= nowMs)) return;
      if (kind === undefined) outcome.skipped.passing += 1;
      else if (kind === 'operatorKeys' && !withKeys) outcome.skipped.operatorKeys += keys.length;
      else if (kind === 'keptReply' && !withKeys) outcome.skipped.keptReplies += 1;
      else {
        const ttlMs = expiresAtMs === null ? undefined : expiresAtMs - nowMs;
        if (into === 'replace') await records.put(name, text, ttlMs);
        else if ((await records.find(name)) !== undefined) return;
        else await records.putIfAbsent(name, text, ttlMs);
        outcome.records += 1;
        outcome.operatorKeys.push(...keys.map(key => key.name));
      }
    },
    async onPoll(poll, entries) {
      const { id } = poll.poll;
      if (poll.expiresAtMs !== null && poll.expiresAtMs <= nowMs) outcome.expired += 1;
      else if (findings.known.has(id) && into !== 'replace') outcome.known += 1;
      else {
        if (findings.known.has(id)) await polls.remove(id);
        if (!(await archive.addPoll(poll, entries)))
          throw new ArchiveFault(`Poll ${id} has come meanwhile: do it again`);
        outcome.polls += 1;
        outcome.ballots += poll.voters;
        onProgress?.(outcome.ballots);
      }
    },
  });
  return outcome;
}

async function check(engine: Engine, items: AsyncIterable<readonly ArchiveItem[]>): Promise<Findings> {
  const findings: Findings = { known: new Set(), lacking: new Map(), secret: undefined };
  await visitArchive(items, {
    async onRecord(record) {
      const kind = kindOfRecord(record.name);
      if (kind !== undefined) checkRecord(record, kind);
      if (kind === 'votingSecret') findings.secret = record.text;
    },
    async onPoll(poll, entries) {
      const { id } = poll.poll;
      if (await engine.polls.find(id)) findings.known.add(id);
      const lacking = await checkPoll(engine, poll, entries, findings.known.has(id));
      if (lacking > 0) findings.lacking.set(id, lacking);
    },
  });
  return findings;
}

/** @returns how many ballots the poll that is there lacks */
async function checkPoll(
  { archive }: Engine,
  poll: ArchivedPoll,
  entries: AsyncIterable<readonly ArchivedEntry[]>,
  isKnown: boolean,
): Promise<number> {
  const sums = new PollSums(poll);
  let lacking = 0;
  for await (const batch of entries) {
    for (const entry of batch) sums.add(entry);
    const ballots = isKnown ? batch.flatMap(entry => (entry.type === 'ballot' ? entry.ballotId : [])) : [];
    if (ballots.length > 0) lacking += (await archive.findMissing(poll.poll.id, ballots)).length;
  }
  sums.check();
  return lacking;
}

function refuseConflicts({ lacking }: Findings): void {
  if (lacking.size === 0) return;
  const named = [...lacking].slice(0, NAMED).map(([id, count]) => `${id} (${count})`);
  throw new ArchiveFault(
    `Nothing was changed: ${lacking.size} polls are here already and lack ballots of this archive: ${named.join(', ')}${lacking.size > NAMED ? ', …' : ''}. Delete them here first, or restore with --replace`,
  );
}

/** Of two places with voters of their own one secret would let every voter of the other vote again. */
async function takeSecret({ archive, records }: Engine, secret: string | undefined): Promise<boolean> {
  if (secret === undefined) return false;
  const kept = await records.putIfAbsent(VOTING_SECRET, secret);
  if (kept === secret) return false;
  for await (const id of archive.listPolls())
    throw new ArchiveFault(
      `Nothing was changed: there are polls here already (${id}), whose voters are known by another secret than those of the archive. Take an empty place`,
    );
  await records.put(VOTING_SECRET, secret);
  return true;
}

async function requireEmpty({ archive }: Engine): Promise<void> {
  const advice = 'Restore into an empty place, or with --replace, which lets what has the same id give way';
  for await (const id of archive.listPolls())
    throw new ArchiveFault(`There are polls here already (${id}). ${advice}`);
  // Every server leaves a voting secret in an engine that is still unused, and a kept reply outlives its poll.
  const isInTheWay = (name: string) => ['show', 'operatorKeys'].includes(kindOfRecord(name) ?? '');
  for await (const { name } of archive.readRecords(isInTheWay))
    throw new ArchiveFault(`Something is here already (${name}). ${advice}`);
}
