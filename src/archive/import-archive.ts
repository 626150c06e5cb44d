import { importedState } from '../audit/poll-logs.ts';
import type { ArchivedEntry, ArchivedPoll, ArchivedRecord, Engine } from '../engine/engine.ts';
import { kindOfRecord, type RecordName } from '../engine/record-names.ts';
import {
  addWebhook,
  parseWebhooks,
  progressRecord,
  type Webhook,
  type WebhookProgress,
} from '../events/webhooks.ts';
import { CHAT_PLATFORMS, type ChatPlatform } from '../poll/chat-platform.ts';
import { imageFiles } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { addChatClaims, parseChatClaims } from '../show/chat-links.ts';
import { ownerPoll, ownerShow, takeJoinCode } from '../show/join-codes.ts';
import { addOperatorKeys, parseOperatorKeys } from '../show/operator-keys.ts';
import { parseShow, showTopic } from '../show/show.ts';
import type { ArchiveCounts } from './archive-file.ts';
import { ArchiveFault, type ArchiveItem, checkRecord, VOTING_SECRET } from './archive-schema.ts';

const BATCH = 500;
const MAX_NAMED = 5;

export interface ImportOptions {
  /** Reads the whole archive each time it is called. */
  readonly items: () => AsyncIterable<readonly ArchiveItem[]>;
  /** `empty`: fails unless the engine is empty. `replace`: overwrites polls and records of the same id or name. */
  readonly into?: 'empty' | 'replace' | undefined;
  /**
   * Also imports operator keys, webhooks with their secrets, and kept replies, which grant more
   * access than the polls.
   */
  readonly withKeys?: boolean | undefined;
  readonly nowMs: number;
  readonly onProgress?: ((ballots: number) => void) | undefined;
}

export interface ImportOutcome extends ArchiveCounts {
  /** Skipped records by kind; `passing` are temporary. */
  skipped: { operatorKeys: number; webhooks: number; keptReplies: number; passing: number };
  /** Webhooks without room here, by their ids and URLs. */
  webhooksFull: string[];
  /** Names of the imported operator keys. */
  operatorKeys: string[];
  /** Polls that the engine already has, with every ballot of the archive. */
  known: number;
  /** Polls past their retention. */
  expired: number;
  /** The voting secret was replaced, so voting front ends must restart. */
  restart: boolean;
}

interface Findings {
  readonly known: Set<string>;
  /** Known polls that lack ballots of the archive, with the number of ballots. */
  readonly lacking: Map<string, number>;
  secret: string | undefined;
  /** Progress of the webhooks that were disabled, by their records. */
  readonly disabled: Map<string, WebhookProgress>;
}

/** Adds the data that the engine lacks. Safe to repeat, and checks everything first. @throws ArchiveFault */
export async function importArchive(engine: Engine, options: ImportOptions): Promise<ImportOutcome> {
  const { items, into, withKeys = false, nowMs, onProgress } = options;
  const { archive, polls, records } = engine;
  if (into === 'empty') await requireEmpty(engine);
  const findings = await check(engine, items());
  if (into !== 'replace') rejectConflicts(findings);
  const outcome: ImportOutcome = {
    polls: 0,
    ballots: 0,
    records: 0,
    known: 0,
    expired: 0,
    restart: false,
    operatorKeys: [],
    webhooksFull: [],
    skipped: { operatorKeys: 0, webhooks: 0, keptReplies: 0, passing: 0 },
  };
  outcome.restart = await importSecret(engine, findings.secret);
  await visitArchive(items(), {
    async onRecord({ name, text, expiresAtMs }) {
      const kind = kindOfRecord(name);
      const keys = kind === 'operatorKeys' ? parseOperatorKeys(text) : [];
      if (kind === 'votingSecret' || kind === 'webhookProgress') return;
      if (expiresAtMs !== null && expiresAtMs <= nowMs) return;
      if (kind === undefined) outcome.skipped.passing += 1;
      else if (kind === 'operatorKeys' && !withKeys) outcome.skipped.operatorKeys += keys.length;
      else if (kind === 'webhooks' && !withKeys) outcome.skipped.webhooks += parseWebhooks(text).length;
      else if (kind === 'webhooks') {
        for (const webhook of parseWebhooks(text))
          if (!(await importWebhook(engine, webhook, findings.disabled)))
            outcome.webhooksFull.push(`${webhook.id} (${webhook.url})`);
        outcome.records += 1;
      } else if (kind === 'operatorKeys') {
        const added = await addOperatorKeys(engine, keys);
        outcome.operatorKeys.push(...added.map(key => key.name));
        if (added.length > 0) outcome.records += 1;
      } else if (kind === 'chatLinks') {
        if (await addChatClaims(engine, parseChatClaims(text))) outcome.records += 1;
      } else if (kind === 'keptReply' && !withKeys) outcome.skipped.keptReplies += 1;
      else {
        const ttlMs = expiresAtMs === null ? undefined : expiresAtMs - nowMs;
        const kept = kind === 'show' ? await withFreeCode(engine, name, text) : text;
        // Another key would end all logs here. Those of imported polls start over in any case.
        if (into === 'replace' && kind !== 'logKey') await records.put(name as RecordName, kept, ttlMs);
        else if ((await records.find(name)) !== undefined) return;
        else await records.putIfAbsent(name as RecordName, kept, ttlMs);
        outcome.records += 1;
      }
    },
    async onPoll(poll, entries) {
      const { id } = poll.poll;
      const count = poll.type === 'poll' ? 1 : 0;
      if (poll.expiresAtMs !== null && poll.expiresAtMs <= nowMs) outcome.expired += count;
      else if (findings.known.has(id) && into !== 'replace') outcome.known += count;
      else {
        if (findings.known.delete(id)) await polls.remove(id);
        const { log } = poll;
        const { joinCode, ...rest } = poll.poll;
        const hasCode = joinCode !== undefined && (await takeJoinCode(engine, joinCode, ownerPoll(id)));
        const definition = hasCode ? poll.poll : rest;
        if (
          !(await archive.addPoll(
            { ...poll, poll: definition, ...(log && { log: importedState(log) }) },
            entries,
          ))
        )
          throw new ArchiveFault(`Poll ${id} was created during the import. Run it again`);
        outcome.polls += count;
        outcome.ballots += poll.voters;
        onProgress?.(outcome.ballots);
      }
    },
  });
  return outcome;
}

/** @returns false if it finds no room */
async function importWebhook(
  { events, records }: Engine,
  webhook: Webhook,
  disabled: Findings['disabled'],
): Promise<boolean> {
  // The target numbers its own events, so webhooks get only what happens after the import.
  const after = await events.findNewest();
  const name = progressRecord(webhook.id);
  const { failingSinceMs, disabledAtMs } = disabled.get(name) ?? {};
  // Written first, so that nothing is sent to a disabled one.
  if (disabledAtMs !== undefined)
    await records.putIfAbsent(name, JSON.stringify({ position: after, failingSinceMs, disabledAtMs }));
  try {
    await addWebhook(records, { ...webhook, after });
    return true;
  } catch (error) {
    if (!(error instanceof PollError) || error.code !== 'webhooks_full') throw error;
    await records.remove(name);
    return false;
  }
}

/** Without its code if another poll or show has it here. */
async function withFreeCode(engine: Engine, name: string, text: string): Promise<string> {
  const { joinCode, id } = parseShow(text);
  const owner = ownerShow(name.slice(showTopic('').length), id);
  if (joinCode === undefined || (await takeJoinCode(engine, joinCode, owner))) return text;
  return JSON.stringify({ ...JSON.parse(text), joinCode: undefined });
}

async function check(engine: Engine, items: AsyncIterable<readonly ArchiveItem[]>): Promise<Findings> {
  const findings: Findings = { known: new Set(), lacking: new Map(), disabled: new Map(), secret: undefined };
  let earlier: ArchivedPoll['poll'] | undefined;
  await visitArchive(items, {
    async onRecord(record) {
      const kind = kindOfRecord(record.name);
      if (kind !== undefined) checkRecord(record, kind);
      if (kind === 'votingSecret') findings.secret = record.text;
      if (kind !== 'webhookProgress') return;
      const progress: WebhookProgress = JSON.parse(record.text);
      if (progress.disabledAtMs !== undefined) findings.disabled.set(record.name, progress);
    },
    async onPoll(poll, entries) {
      const { id, round = 1 } = poll.poll;
      if (earlier && (earlier.id !== id || (earlier.round ?? 1) >= round)) throw roundWithoutPoll(earlier);
      earlier = poll.type === 'round' ? poll.poll : undefined;
      if (await engine.polls.find(id)) findings.known.add(id);
      const lacking = await checkPoll(engine, poll, entries, findings.known.has(id));
      if (lacking > 0) findings.lacking.set(id, lacking + (findings.lacking.get(id) ?? 0));
    },
  });
  if (earlier) throw roundWithoutPoll(earlier);
  return findings;
}

function roundWithoutPoll({ id, round = 1 }: ArchivedPoll['poll']): ArchiveFault {
  return new ArchiveFault(`The archive is damaged: poll ${id} does not follow its round ${round}`);
}

/** @returns the number of ballots that the engine's poll lacks */
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
    if (ballots.length > 0) lacking += (await archive.findMissing(poll.poll, ballots)).length;
  }
  sums.check();
  return lacking;
}

function rejectConflicts({ lacking }: Findings): void {
  if (lacking.size === 0) return;
  const named = [...lacking].slice(0, MAX_NAMED).map(([id, count]) => `${id} (${count})`);
  throw new ArchiveFault(
    `Nothing was changed: ${lacking.size} existing polls lack ballots of this archive: ${named.join(', ')}${lacking.size > MAX_NAMED ? ', …' : ''}. Delete them first, or restore with --replace`,
  );
}

/** With two secrets, all voters of one of them could vote again. */
async function importSecret({ archive, records }: Engine, secret: string | undefined): Promise<boolean> {
  if (secret === undefined) return false;
  const kept = await records.putIfAbsent(VOTING_SECRET, secret);
  if (kept === secret) return false;
  for await (const id of archive.listPolls())
    throw new ArchiveFault(
      `Nothing was changed: existing polls (${id}) use another voting secret than the archive. Import into an empty engine`,
    );
  await records.put(VOTING_SECRET, secret);
  return true;
}

async function requireEmpty({ archive }: Engine): Promise<void> {
  const advice = 'Restore into an empty engine, or with --replace, which overwrites data of the same id';
  for await (const id of archive.listPolls())
    throw new ArchiveFault(`There are already polls (${id}). ${advice}`);
  // A voting secret or a kept reply does not count: every server creates one, and the other outlives its poll.
  const isConflict = (name: string) => ['show', 'operatorKeys'].includes(kindOfRecord(name) ?? '');
  for await (const { name } of archive.readRecords(isConflict))
    throw new ArchiveFault(`There is already data (${name}). ${advice}`);
}

interface ArchiveVisitor {
  readonly onRecord: (record: ArchivedRecord) => Promise<void>;
  readonly onPoll: (poll: ArchivedPoll, entries: AsyncIterable<readonly ArchivedEntry[]>) => Promise<void>;
}

/** Reads an archive poll by poll, without holding it in memory. @throws ArchiveFault for an entry without a poll */
async function visitArchive(
  batches: AsyncIterable<readonly ArchiveItem[]>,
  { onRecord, onPoll }: ArchiveVisitor,
): Promise<void> {
  const items = flattened(batches);
  let next = await items.next();
  async function* entries(): AsyncIterable<readonly ArchivedEntry[]> {
    let batch: ArchivedEntry[] = [];
    for (; !next.done && isEntry(next.value); next = await items.next()) {
      if (batch.push(next.value) < BATCH && !('digests' in next.value) && !('data' in next.value)) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
  while (!next.done) {
    const item = next.value;
    next = await items.next();
    if (item.type === 'record') await onRecord(item);
    else if ('poll' in item) {
      const unread = entries();
      await onPoll(item, unread);
      for await (const _ of unread);
    } else throw new ArchiveFault(`A line of type ${item.type} has no poll before it`);
  }
}

function isEntry(item: ArchiveItem): item is ArchivedEntry {
  return item.type !== 'record' && !('poll' in item);
}

async function* flattened(batches: AsyncIterable<readonly ArchiveItem[]>): AsyncGenerator<ArchiveItem, void> {
  for await (const batch of batches) yield* batch;
}

/** Sums up the entries of a poll and compares them with its counts. */
class PollSums {
  readonly #poll: ArchivedPoll;
  readonly #places: ReadonlyMap<string, number>;
  readonly #votes: number[];
  readonly #used = { voters: 0, addresses: 0, proofs: 0 };
  readonly #images = new Set<string>();
  readonly #chatVoters: Partial<Record<ChatPlatform, number>> = {};
  #ballots = 0;
  #voidedBallots = 0;
  #voidedVotes = 0;
  #withdrawn = 0;
  #changes = 0;
  #version = 0;
  #sequence = 0;

  constructor(poll: ArchivedPoll) {
    this.#poll = poll;
    this.#places = new Map(poll.poll.answers.map(({ id }, index) => [id, index]));
    this.#votes = poll.poll.answers.map(() => 0);
  }

  add(entry: ArchivedEntry): void {
    if (entry.type === 'comment') return;
    if (entry.type === 'image') {
      this.#images.add(entry.file);
      return;
    }
    if (entry.type !== 'ballot') {
      this.#used[entry.type] += entry.digests.length;
      return;
    }
    if (entry.version <= this.#version) throw this.#fault('its ballots are out of order');
    this.#version = entry.version;
    const { sequence = 0 } = entry;
    const { isVerifiable } = this.#poll.poll.settings;
    if (isVerifiable ? sequence <= this.#sequence : sequence > 0)
      throw this.#fault('its ballots have other sequence numbers');
    this.#sequence = sequence;
    if (entry.replaces !== undefined) {
      this.#changes += 1;
      return;
    }
    if (entry.answers.length === 0) {
      this.#withdrawn += 1;
      return;
    }
    if (entry.voided) {
      this.#voidedBallots += 1;
      this.#voidedVotes += entry.answers.length;
      return;
    }
    this.#ballots += 1;
    const { source } = entry;
    if (source) this.#chatVoters[source] = (this.#chatVoters[source] ?? 0) + 1;
    for (const answer of entry.answers) {
      const place = this.#places.get(answer);
      if (place === undefined) throw this.#fault(`a ballot is for an unknown answer`);
      this.#votes[place] = (this.#votes[place] ?? 0) + 1;
    }
  }

  check(): void {
    const { votes, voters, voidedVotes = 0, withdrawn = 0, version, poll } = this.#poll;
    const voted = voters + this.#voidedBallots + withdrawn;
    const { addresses, proofs } = this.#used;
    if (this.#version > version) throw this.#fault('a ballot is newer than the poll');
    const named = imageFiles(poll);
    if (named.length !== this.#images.size || named.some(file => !this.#images.has(file)))
      throw this.#fault('its images are not those that it names');
    if (this.#ballots !== voters)
      throw this.#fault(`it counts ${voters} ballots but contains ${this.#ballots}`);
    const { chatVoters = {} } = this.#poll;
    if (CHAT_PLATFORMS.some(platform => chatVoters[platform] !== this.#chatVoters[platform]))
      throw this.#fault('its votes from chat are not the sum of its ballots');
    if (votes.length !== this.#votes.length || votes.some((count, index) => count !== this.#votes[index]))
      throw this.#fault('its votes are not the sum of its ballots');
    if (this.#voidedVotes !== voidedVotes)
      throw this.#fault(`it voids ${voidedVotes} votes but contains ${this.#voidedVotes}`);
    if (this.#withdrawn !== withdrawn)
      throw this.#fault(`it has ${withdrawn} withdrawn ballots but contains ${this.#withdrawn}`);
    if (this.#used.voters !== voted)
      throw this.#fault(`it counts ${voted} voters but contains ${this.#used.voters}`);
    if (addresses !== (poll.settings.sharedAddress ? 0 : voted) || proofs > voted + this.#changes)
      throw this.#fault('its addresses or human checks do not match its ballots');
  }

  #fault(what: string): ArchiveFault {
    return new ArchiveFault(`The archive is damaged: poll ${this.#poll.poll.id}: ${what}`);
  }
}
