import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Engine, StoredLog } from '../engine/engine.ts';
import { within } from '../engine/within.ts';
import type { LoggedBallots } from '../poll/ballot.ts';
import { idOfRound, nameOfRound, type Poll, type PollId, pollOfRound } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { CheckpointSigner, createLogKey } from './checkpoint-signer.ts';
import { GROUP, LogBlocks, rootOf } from './log-blocks.ts';
import { HASH_BYTES, type Hash, LOST_ENTRY, proveInclusion, TILE_LEVELS, TILE_WIDTH } from './merkle.ts';
import { logHashes } from './node-crypto.ts';
import type { Checkpoint } from './note.ts';

/**
 * The logs of verifiable polls, one for each round. They are built on demand from the stored
 * ballots, never while a ballot is cast. State and parts of a log are stored with its round by
 * compare and set, so all processes serve the same checkpoints.
 */

/** Record of the private key. Archives include it. */
export const LOG_KEY = 'secret:log';
/** Milliseconds after which a checkpoint is replaced if there are more ballots. */
const REFRESH_MS = 5_000;
/** Beyond this a request gets the newest checkpoint there is. */
const PATIENCE_MS = 1_000;
/** Ballots in one step, after which the log is stored: one text of block roots. */
const STEP = GROUP * TILE_WIDTH;
/** Ballots read and hashed at once, which takes 3 ms. */
const BATCH = TILE_WIDTH / 2;
const MAX_KNOWN = 10_000;
/** Logs of more than 255 ballots in memory, at some 150 KB for a million ballots. */
const MAX_BLOCKS = 100;
/** Before each entry in a bundle. */
const ENTRY_LENGTH = Uint8Array.of(0, HASH_BYTES);

/** The log at one checkpoint. Its origin has no scheme, and `/<epoch>` at the end from epoch 2 on. */
export interface PollLog extends Checkpoint {
  /** The round by `idOfRound`, as all ids here. */
  readonly id: PollId;
  /** The public key of the signature, as verifiers take it. */
  readonly key: string;
  /** From 1; one more after each loss of data. */
  readonly epoch: number;
  /** The checkpoint, signed. */
  readonly note: string;
  readonly breaks: readonly LogBreak[];
  /** Whether it had every ballot when it was read. */
  readonly isComplete: boolean;
}

/** An earlier epoch that ended because data was lost or changed. */
export interface LogBreak {
  /** The newest checkpoint of that epoch that is known. */
  readonly note: string;
  /** UNIX time in milliseconds. */
  readonly foundAtMs: number;
}

/** A log as it is stored. */
interface LogState extends Pick<PollLog, 'epoch' | 'size' | 'note' | 'breaks'> {
  /** Origin of the first epoch. */
  readonly base: string;
  /** Base64. */
  readonly root: string;
  /** UNIX time in milliseconds of the checkpoint. */
  readonly atMs: number;
  /** The poll was imported, perhaps without its last ballots, so its log begins another epoch. */
  readonly imported?: true;
}

/** Marks the stored state of a log as imported. */
export function importedState(text: string): string {
  const state: LogState = { ...(JSON.parse(text) as LogState), imported: true };
  return JSON.stringify(state);
}

interface KnownLog {
  /** As stored. */
  readonly text: string;
  readonly state: LogState;
}

/** What is stored of a log, and what this process knows of it. */
interface ReadLog {
  readonly stored: StoredLog;
  readonly state: LogState | undefined;
  readonly tree: LogTree | undefined;
  readonly known: KnownLog | undefined;
}

/** The tree of a log at some size: its complete blocks, and the leaves after them. */
interface LogTree {
  readonly blocks: LogBlocks;
  readonly tail: readonly Hash[];
}

interface PollLogsDependencies {
  readonly engine: Pick<Engine, 'polls' | 'records'>;
  /** Address of the API server, without a trailing slash: part of the origin of new logs. */
  readonly relayUrl: string;
  readonly log: { error(fields: object, message: string): void };
  /** UNIX time in milliseconds. */
  readonly clock?: (() => number) | undefined;
  /** How long a reply waits for an extension. Default a second. */
  readonly patienceMs?: number | undefined;
}

export class PollLogs {
  readonly #dependencies: PollLogsDependencies;
  readonly #engine: PollLogsDependencies['engine'];
  readonly #clock: () => number;
  /** The newest checkpoints that this process has seen: an engine that does not have them any more has lost data. */
  readonly #known = new LRUCache<PollId, KnownLog>({ max: MAX_KNOWN });
  readonly #blocks = new LRUCache<string, LogBlocks>({ max: MAX_BLOCKS });
  readonly #updates = new Map<PollId, Promise<LogState | undefined>>();
  #signer: Promise<CheckpointSigner> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(dependencies: PollLogsDependencies) {
    this.#dependencies = dependencies;
    this.#engine = dependencies.engine;
    this.#clock = dependencies.clock ?? Date.now;
  }

  /**
   * Returns the newest checkpoint, after extending the log if it is due.
   *
   * @param isClosed no ballot can follow, so the log gets the last ones at once
   * @returns undefined if the poll is not verifiable
   * @throws PollError `log_unavailable` if the first checkpoint takes longer than a reply waits
   */
  async find({ settings, rehearsal, ...poll }: Poll, isClosed = false): Promise<PollLog | undefined> {
    const id = idOfRound(poll.id, poll.round ?? 1);
    const stored = settings.isVerifiable && !rehearsal ? await this.#engine.polls.findLog(id) : undefined;
    if (!stored) return undefined;
    const known = this.#known.get(id);
    const isCurrent = known?.text === stored.state && !this.#isDue(known.state, stored.ballots, isClosed);
    const state = isCurrent ? known.state : await this.#updateInTime(id);
    if (!state) return undefined;
    const { epoch, size, note, breaks } = state;
    const origin = originOf(state);
    const key = (await this.#findSigner()).verifierKey(origin);
    const root = Buffer.from(state.root, 'base64');
    const isComplete = size === stored.ballots;
    return { id, origin, key, epoch, size, root, note, breaks, isComplete };
  }

  /** Returns the audit path of a ballot, or undefined if the log does not contain it yet. @param sequence from 1 */
  async proveInclusion(
    poll: Poll,
    sequence: number,
  ): Promise<{ readonly log: PollLog; readonly path: Hash[] } | undefined> {
    const log = await this.find(poll);
    if (!log || sequence > log.size) return undefined;
    const blocks = await this.#blocksOf(log);
    const read = new Map<number, Promise<Hash[]>>();
    const path = await proveInclusion(logHashes, sequence - 1, log.size, async (level, index) => {
      if (level >= TILE_LEVELS) return blocks.subtree(level, index);
      const first = index * 2 ** level;
      const at = first % TILE_WIDTH;
      const start = first - at;
      const leaves =
        read.get(start) ?? this.#readLeaves(log.id, start, Math.min(TILE_WIDTH, log.size - start));
      read.set(start, leaves);
      return rootOf((await leaves).slice(at, at + 2 ** level));
    });
    return { log, path };
  }

  /**
   * Returns a tile of C2SP tlog-tiles, or undefined if the checkpoint does not cover it.
   *
   * @param width hashes, 256 at most
   */
  async findTile(log: PollLog, level: number, index: number, width: number): Promise<Buffer | undefined> {
    const first = index * TILE_WIDTH;
    if ((first + width) * TILE_WIDTH ** level > log.size) return undefined;
    if (level === 0) return Buffer.concat(await this.#readLeaves(log.id, first, width));
    return Buffer.concat((await this.#blocksOf(log)).hashes(level, first, width));
  }

  /** Returns the entries of a tile of level 0, or undefined if the checkpoint does not cover it. */
  async findBundle(log: PollLog, index: number, width: number): Promise<Buffer | undefined> {
    const first = index * TILE_WIDTH;
    if (first + width > log.size) return undefined;
    const entries = await this.#readEntries(log.id, first, width);
    return Buffer.concat(entries.flatMap(entry => [ENTRY_LENGTH, entry]));
  }

  /** Yields ballots within the checkpoint by their sequence, some hundreds at a time; undefined for missing ones. */
  async *readBallots({ id, size }: PollLog, from: number, count: number): AsyncIterable<LoggedBallots> {
    const end = Math.min(size, from + count - 1);
    for (let first = from; first <= end; first += BATCH)
      yield await this.#readSequence(id, first, Math.min(BATCH, end - first + 1));
  }

  #isDue({ size, atMs }: LogState, ballots: number, isClosed: boolean): boolean {
    return size !== ballots && (isClosed || Math.abs(this.#clock() - atMs) >= REFRESH_MS);
  }

  /** @throws PollError `log_unavailable` */
  async #updateInTime(id: PollId): Promise<LogState | undefined> {
    const { patienceMs = PATIENCE_MS } = this.#dependencies;
    const state = await within(patienceMs, this.#update(id), 'late' as const);
    if (state !== 'late') return state;
    const known = this.#known.get(id);
    if (!known) throw new PollError('log_unavailable');
    return known.state;
  }

  /** Calls share an update in progress. */
  #update(id: PollId): Promise<LogState | undefined> {
    const running = this.#updates.get(id);
    if (running) return running;
    const update = this.#extendAll(id).finally(() => this.#updates.delete(id));
    // Requests may have stopped waiting for it.
    update.catch(() => {});
    this.#updates.set(id, update);
    return update;
  }

  /** Extends the log by all ballots that were accepted before the call. */
  async #extendAll(id: PollId): Promise<LogState | undefined> {
    for (let target: number | undefined; ; ) {
      const stored = await this.#engine.polls.findLog(id);
      if (!stored) return undefined;
      target ??= stored.ballots;
      const known = this.#known.get(id);
      const state = stored.state === '' ? undefined : (JSON.parse(stored.state) as LogState);
      const tree = state && (await this.#treeAt(id, state));
      const read = { stored, state, tree, known };
      const lost = await this.#findLoss(id, read);
      if (state && !lost) {
        this.#known.set(id, { text: stored.state, state });
        if (state.size >= Math.min(target, stored.ballots)) return state;
      }
      const isSound = state && tree && !lost;
      await (isSound ? this.#extend(id, stored, state, tree) : this.#begin(id, read, lost));
    }
  }

  /** Returns the newest checkpoint that the stored data contradict. */
  async #findLoss(id: PollId, { stored, state, tree, known }: ReadLog): Promise<LogState | undefined> {
    if (known && known.text !== stored.state && !(await this.#hasGrown(id, known.state, state)))
      return known.state;
    if (!state) return undefined;
    const isWhole = tree !== undefined && rootAt(state.size, tree) === state.root;
    return isWhole && state.size <= stored.ballots && !state.imported ? undefined : state;
  }

  /** Whether a log contains an earlier checkpoint. */
  async #hasGrown(id: PollId, earlier: LogState, log: LogState | undefined): Promise<boolean> {
    if (!log || log.epoch !== earlier.epoch) return log !== undefined && log.epoch > earlier.epoch;
    const tree = log.size < earlier.size ? undefined : await this.#treeAt(id, earlier);
    return tree !== undefined && rootAt(earlier.size, tree) === earlier.root;
  }

  /** Begins a log, or another epoch of it under an origin of its own: no origin may sign two histories. */
  async #begin(id: PollId, { stored, state, known }: ReadLog, lost: LogState | undefined): Promise<void> {
    const epoch = 1 + Math.max(state?.epoch ?? 0, known?.state.epoch ?? 0);
    const { base = `${this.#dependencies.relayUrl.replace(/^\w+:\/\//, '')}/api/poll/${nameOf(id)}/log` } =
      lost ?? {};
    const breaks = lost ? [...lost.breaks, { note: lost.note, foundAtMs: this.#clock() }] : [];
    const fresh = { epoch, base, breaks, size: 0 };
    const isStored = await this.#extend(id, stored, fresh, { blocks: new LogBlocks(), tail: [] });
    if (!isStored || !lost) return;
    const fields = { pollId: nameOf(id), epoch: lost.epoch, size: lost.size, ballots: stored.ballots };
    this.#dependencies.log.error({ ...fields, origin: originOf(lost) }, 'verifiable log broken');
  }

  /** Stores one more step of a log. Returns false if another process was faster. */
  async #extend(
    id: PollId,
    stored: StoredLog,
    from: Pick<LogState, 'epoch' | 'base' | 'breaks' | 'size'>,
    { blocks, tail }: LogTree,
  ): Promise<boolean> {
    const { epoch, base, breaks } = from;
    const group = Math.floor(from.size / STEP);
    const size = Math.max(from.size, Math.min(stored.ballots, (group + 1) * STEP));
    const complete = Math.floor(from.size / TILE_WIDTH);
    const tree = blocks.treeOf(complete);
    const added: Hash[] = [];
    let leaves = [...tail];
    for (let first = from.size; first < size; first += BATCH)
      for (const leaf of await this.#readLeaves(id, first, Math.min(BATCH, size - first))) {
        leaves.push(leaf);
        if (leaves.length < TILE_WIDTH) continue;
        const root = rootOf(leaves);
        added.push(root);
        tree.append(root, TILE_LEVELS);
        leaves = [];
      }
    for (const leaf of leaves) tree.append(leaf);
    const origin = originOf(from);
    const note = (await this.#findSigner()).sign({ origin, size, root: tree.root() });
    const root = Buffer.from(tree.root()).toString('base64');
    const state: LogState = { epoch, base, size, root, note, atMs: this.#clock(), breaks };
    const text = JSON.stringify(state);
    const part = { name: partName(epoch, group), text: blocks.groupText(group, complete, added) };
    const isStored = await this.#engine.polls.replaceLog(
      id,
      stored.state,
      text,
      added.length > 0 ? part : undefined,
    );
    if (isStored) this.#known.set(id, { text, state });
    return isStored;
  }

  /** Returns undefined if stored parts are missing. */
  async #treeAt(id: PollId, { epoch, size }: Pick<LogState, 'epoch' | 'size'>): Promise<LogTree | undefined> {
    const start = size - (size % TILE_WIDTH);
    const blocks = await this.#findBlocks(id, epoch, start / TILE_WIDTH);
    return blocks && { blocks, tail: await this.#readLeaves(id, start, size - start) };
  }

  /** @throws PollError if stored parts are missing: the next update begins another epoch */
  async #blocksOf({ id, epoch, size }: PollLog): Promise<LogBlocks> {
    const blocks = await this.#findBlocks(id, epoch, Math.floor(size / TILE_WIDTH));
    if (!blocks) throw new PollError('log_unavailable');
    return blocks;
  }

  /** Returns the blocks of an epoch, at least `count`. */
  async #findBlocks(id: PollId, epoch: number, count: number): Promise<LogBlocks | undefined> {
    const key = `${id} ${epoch}`;
    const blocks = this.#blocks.get(key) ?? new LogBlocks();
    if (blocks.count >= count) return blocks;
    const groups: number[] = [];
    for (let group = Math.floor(blocks.count / GROUP); group * GROUP < count; group += 1) groups.push(group);
    const names = groups.map(group => partName(epoch, group));
    const texts = await this.#engine.polls.findLogParts(id, names);
    for (const [index, group] of groups.entries()) blocks.addGroup(group, texts[index] ?? '');
    if (blocks.count < count) return undefined;
    this.#blocks.set(key, blocks);
    return blocks;
  }

  /** @param first leaf, from 0 */
  async #readLeaves(id: PollId, first: number, count: number): Promise<Hash[]> {
    return (await this.#readEntries(id, first, count)).map(entry => logHashes.leaf(entry));
  }

  async #readEntries(id: PollId, first: number, count: number): Promise<Hash[]> {
    const entries: Hash[] = [];
    for (let at = 0; at < count; at += BATCH)
      for (const ballot of await this.#readSequence(id, first + 1 + at, Math.min(BATCH, count - at)))
        entries.push(
          ballot ? logHashes.entry(logHashes.nonce(ballot.ballotId), nameOf(id), ballot) : LOST_ENTRY,
        );
    return entries;
  }

  /**
   * Begins one read in each turn of the event loop, however many requests there are: a batch takes
   * milliseconds to hash.
   */
  async #readSequence(id: PollId, first: number, count: number): Promise<LoggedBallots> {
    const turn = this.#turn;
    this.#turn = turn.then(() => nextTurn());
    await turn;
    return this.#engine.polls.readSequence(id, first, count);
  }

  #findSigner(): Promise<CheckpointSigner> {
    const find = async () =>
      new CheckpointSigner(
        (await this.#engine.records.find(LOG_KEY)) ??
          (await this.#engine.records.putIfAbsent(LOG_KEY, createLogKey())),
      );
    this.#signer ??= find().catch(error => {
      this.#signer = undefined;
      throw error;
    });
    return this.#signer;
  }
}

/** Names a log and what it contains: without the number of the first round, so that polls of one round have none. */
function nameOf(id: PollId): string {
  return nameOfRound(pollOfRound(id)!);
}

function originOf({ base, epoch }: Pick<LogState, 'base' | 'epoch'>): string {
  return epoch === 1 ? base : `${base}/${epoch}`;
}

function partName(epoch: number, group: number): string {
  return `${epoch}-${group}`;
}

/** Returns base64. */
function rootAt(size: number, { blocks, tail }: LogTree): string {
  const tree = blocks.treeOf(Math.floor(size / TILE_WIDTH));
  for (const leaf of tail) tree.append(leaf);
  return Buffer.from(tree.root()).toString('base64');
}
